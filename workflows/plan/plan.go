// Package plan says what a campaign is: a base condition and a grid over it; the cells of
// each condition are its instances × replicates. Identities depend only on what is run, so
// extending a campaign (more replicates, instances or grid values) keeps every cell it had.
// Package campaignfile reads one from a file.
package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"roundtable/envs/wording"
	"roundtable/workflows/protocol"
)

// Choice names a plug-in and its parameters as a canonical JSON object.
type Choice struct {
	Name   string          `json:"name"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Generate are the sampling parameters of live models; nil and zero mean the provider's default.
type Generate struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`
	// ReasoningEffort is one of Efforts.
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	// Thinking is how many tokens a model may think for, in place of an effort.
	Thinking int `json:"thinking,omitempty"`
	// Logprobs asks for the log-probabilities of an answer's tokens; their mean is recorded.
	Logprobs bool `json:"logprobs,omitempty"`
	// ExtraBody are further fields of the request's body, passed on as they are.
	ExtraBody map[string]any `json:"extra_body,omitempty"`
}

// Efforts returns the values of Generate.ReasoningEffort over all services; each service takes
// some of them.
func Efforts() []string { return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"} }

// Condition is all that decides how a group works: one point of the grid.
type Condition struct {
	Env      Choice `json:"env"`
	Protocol Choice `json:"protocol"`
	Rule     Choice `json:"rule"`
	Stop     Choice `json:"stop"`
	Model    Choice `json:"model"`
	// Models replace Model, by name of the agent or role.
	Models   map[string]Choice `json:"models,omitempty"`
	Agents   *Agents           `json:"agents,omitempty"` // nil if the file does not describe them
	Generate Generate          `json:"generate"`
	Reasks   int               `json:"reasks"` // further questions after an unusable answer
	// Reask is the form of these; Reasoning is how agents are asked about questions in the user's own
	// data.
	Reask     Reask              `json:"reask,omitempty"`
	Reasoning protocol.Reasoning `json:"reasoning,omitempty"`
	Fork      *Fork              `json:"fork,omitempty"` // nil if it is not forked
	// Control says how it differs from the condition that it is a control of; "" if it is not a
	// control.
	Control Control `json:"control,omitempty"`
}

// AllModels returns the models that a condition calls: Model, those of Models by speaker, those
// of its agents, its judge's, and its stopping rule's annotator's.
func (c Condition) AllModels() []Choice {
	all := []Choice{c.Model}
	for _, speaker := range slices.Sorted(maps.Keys(c.Models)) {
		all = append(all, c.Models[speaker])
	}
	all = append(all, c.AgentModels()...)
	if j, ok := c.Judge(); ok {
		all = append(all, j.Model)
	}
	if a, ok := c.Annotator(); ok {
		all = append(all, a.Model)
	}
	return all
}

// ID returns the condition's id: its rule (or protocol) and a hash of all but the addresses of
// its models.
func (c Condition) ID() string {
	name := c.Rule.Name
	if name == "" {
		name = c.Protocol.Name
	}
	return slugOf(name) + "-" + Digest(c.WithoutAddresses())[:8]
}

// Limits bound a campaign; they are not part of its identity. Zero means the default.
type Limits struct {
	Collaborations int      `json:"collaborations,omitempty"` // at once
	Calls          int      `json:"calls,omitempty"`          // at once
	CostUSD        *float64 `json:"cost_usd,omitempty"`       // in all
	Tokens         int64    `json:"tokens,omitempty"`         // in all
	// Models are the limits of single models, by provider/model.
	Models map[string]ModelLimits `json:"models,omitempty"`
	// Tier is the service tier for models that have a price in it; standard if empty.
	Tier Tier `json:"tier,omitempty"`
	// TierWait is how long a call waits for the tier, or for its batch, before it is made in the
	// standard tier, such as 15m; never: it waits for ever. Empty means DefaultTierWait or
	// DefaultBatchWait.
	TierWait string `json:"tier_wait,omitempty"`
}

// Tier is a service tier: the same answers at another price.
type Tier string

// Values of Tier. Some services call Standard default.
const (
	Standard Tier = "standard"
	Flex     Tier = "flex"  // about half the price, slower, and refused while the service is busy
	Batch    Tier = "batch" // half the price, within a day: many calls in one file
)

// Defaults of Limits.TierWait, for the tiers flex and batch.
const (
	DefaultTierWait  = 15 * time.Minute
	DefaultBatchWait = 24 * time.Hour
)

// NeverStandard is the TierWait with which no call is made in the standard tier.
const NeverStandard = "never"

// WaitForTier returns how long a call waits for the tier; false if it waits for ever.
func (l Limits) WaitForTier() (time.Duration, bool) {
	switch {
	case l.TierWait == "" && l.Tier == Batch:
		return DefaultBatchWait, true
	case l.TierWait == "":
		return DefaultTierWait, true
	}
	wait, err := time.ParseDuration(l.TierWait)
	return wait, err == nil
}

// ModelLimits bound the calls of one model. Zero means no limit of ours.
type ModelLimits struct {
	RequestsPerMinute int    `json:"requests_per_minute,omitempty"`
	TokensPerMinute   int    `json:"tokens_per_minute,omitempty"`
	Calls             int    `json:"calls,omitempty"`   // at once
	Timeout           string `json:"timeout,omitempty"` // of one call, as 90s or 10m
}

// Axis is one key of the grid with the values it takes, each as canonical JSON.
type Axis struct {
	Key    string            `json:"key"`
	Values []json.RawMessage `json:"values"`
}

// Campaign is a validated campaign file in canonical form: its identity.
type Campaign struct {
	Name       string          `json:"name"`
	Seed       uint64          `json:"seed"`
	Replicates int             `json:"replicates"`        // of each condition; the greatest if they differ
	Repeats    []int           `json:"repeats,omitempty"` // replicates by condition, if they differ
	Instances  []int           `json:"instances"`         // how many each condition runs
	Chosen     Chosen          `json:"chosen,omitempty"`
	Without    Without         `json:"without,omitempty"`
	CacheScope string          `json:"cache_scope"` // condition, campaign or lake
	Base       json.RawMessage `json:"base"`        // the keys that are not in the grid
	Grid       []Axis          `json:"grid"`
	Conditions []Condition     `json:"conditions"`
}

// CollaborationID returns the id of a cell's collaboration within its campaign.
func (c Campaign) CollaborationID(cell Cell) string {
	return c.Conditions[cell.Condition].ID() + cell.Suffix()
}

// Suffix returns the part of a collaboration's id after the condition's id:
// -iINSTANCE-rREPLICATE.
func (c Cell) Suffix() string { return fmt.Sprintf("-i%d-r%d", c.Instance, c.Replicate) }

// Revision returns an id of the campaign with exactly these cells.
func (c Campaign) Revision() string { return Digest(c)[:12] }

// Extends returns the reasons why c is neither the recorded campaign nor an extension of it, with
// what to write instead; nil if it is. An extension has every recorded condition, however its
// file writes it, with at least as many cells.
func (c Campaign) Extends(recorded Campaign) []string {
	var diff []string
	differ := func(key string, was, is any) {
		diff = append(diff, fmt.Sprintf("%s was %v and is %v", key, was, is))
	}
	if c.Seed != recorded.Seed {
		differ("seed", recorded.Seed, c.Seed)
	}
	if c.Replicates < recorded.Replicates {
		differ("replicates", recorded.Replicates, fmt.Sprint(c.Replicates, "; it can only grow"))
	} else {
		diff = append(diff, c.losingConditions(recorded, "replicates", Campaign.ReplicatesOf)...)
	}
	if fewer := c.losingConditions(recorded, "instances", Campaign.instancesOf); len(fewer) > 0 {
		diff = append(diff, fewer...)
	} else {
		diff = append(diff, c.unchosenConditions(recorded)...)
	}
	diff = append(diff, c.lostOrigins(recorded)...)
	if c.CacheScope != recorded.CacheScope {
		differ("cache_scope", recorded.CacheScope, c.CacheScope)
	}
	return append(diff, c.lostConditions(recorded)...)
}

// lostConditions names the recorded conditions that the file no longer makes, and the
// values that would bring them back.
func (c Campaign) lostConditions(recorded Campaign) []string {
	have := map[string]bool{}
	for _, condition := range c.Conditions {
		have[condition.ID()] = true
	}
	var lost []string
	for _, condition := range recorded.Conditions {
		if id := condition.ID(); !have[id] {
			lost = append(lost, id)
		}
	}
	if len(lost) == 0 && len(recorded.Conditions) > 0 {
		return nil
	}
	diff := append(baseDifferences(recorded, c), gridDifferences(recorded, c)...)
	return append(diff, fmt.Sprintf("the file no longer makes %s, which the campaign has; conditions can be added, "+
		"not taken away", wording.Some(lost)))
}

// baseDifferences names the keys outside the grid that differ, other than those that
// only moved into the grid or out of it.
func baseDifferences(was, is Campaign) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(was.Base, &a) != nil || json.Unmarshal(is.Base, &b) != nil {
		return []string{"the recorded campaign cannot be read"}
	}
	var diff []string
	for _, key := range append(ConditionKeys(), "fork") {
		if string(a[key]) == string(b[key]) || was.isVaried(key) || is.isVaried(key) {
			continue
		}
		text := fmt.Sprintf("%s was %s and is %s", key, orNothing(a[key]), orNothing(b[key]))
		if a[key] != nil && b[key] != nil && key != "fork" {
			text += fmt.Sprintf("; to have both, write grid: {%s: [%s, %s]}", key, a[key], b[key])
		}
		diff = append(diff, text)
	}
	return diff
}

// gridDifferences names the recorded values that no axis of that key has any more.
func gridDifferences(was, is Campaign) []string {
	var base map[string]json.RawMessage
	_ = json.Unmarshal(was.Base, &base) // baseDifferences says so
	var diff []string
	missing := func(key string, v json.RawMessage) {
		now := is.findAxis(key)
		if now == nil && isOwn(key) {
			set := is.setKeys()
			// else it is renamed
			if slices.ContainsFunc(was.findAxis(key).bundledKeys(),
				func(k string) bool { return !slices.Contains(set, k) }) {
				diff = append(diff, fmt.Sprintf("grid.%s was there and is not; write grid: {%s: %s}",
					key, key, writeBundles(was.findAxis(key).Values)))
			}
		} else if now == nil {
			diff = append(diff, fmt.Sprintf("grid.%s was there and is not; write grid: {%s: %s}", key, key,
				JSON(was.findAxis(key).Values)))
		} else if !slices.ContainsFunc(now.Values, func(x json.RawMessage) bool { return string(x) == string(v) }) {
			diff = append(diff, fmt.Sprintf("grid.%s lacks %s, which the campaign has; add it to the list", key, v))
		}
	}
	for _, axis := range was.Grid {
		for _, v := range axis.Values {
			missing(axis.Key, v)
		}
	}
	for _, axis := range is.Grid {
		if was.findAxis(axis.Key) != nil {
			continue
		}
		if v := base[axis.Key]; v != nil {
			missing(axis.Key, v)
		} else if root, rest, nested := strings.Cut(axis.Key, "."); nested && base[root] != nil &&
			Fields(base[root])[rest] != nil {
			missing(axis.Key, Fields(base[root])[rest])
		} else {
			diff = append(diff, fmt.Sprintf("grid.%s is new and does not say what the recorded conditions have for "+
				"it; add their value to the list", axis.Key))
		}
	}
	return slices.Compact(diff)
}

// isOwn reports whether an axis has a name of its own, and its values set several keys each.
func isOwn(axis string) bool {
	root, _, _ := strings.Cut(axis, ".")
	return root != "fork" && !slices.Contains(ConditionKeys(), root)
}

// setKeys returns the keys that the grid sets.
func (c Campaign) setKeys() (keys []string) {
	for _, axis := range c.Grid {
		if keys = append(keys, axis.Key); isOwn(axis.Key) {
			keys = append(keys, axis.bundledKeys()...)
		}
	}
	return keys
}

// bundledKeys returns the keys that the values of an axis with its own name set.
func (a Axis) bundledKeys() (keys []string) {
	for _, v := range a.Values {
		keys = slices.AppendSeq(keys, maps.Keys(Fields(v)))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// writeBundles writes the values of an axis with its own name as a campaign file has them.
func writeBundles(values []json.RawMessage) string {
	var all []string
	for i, v := range values {
		all = append(all, fmt.Sprintf(`{"label":"%s","set":%s}`, string(rune('a'+i%26)), v))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// isVaried reports whether an axis of the grid sets a key, or a parameter within it.
func (c Campaign) isVaried(key string) bool {
	return slices.ContainsFunc(c.setKeys(),
		func(set string) bool { return set == key || strings.HasPrefix(set, key+".") })
}

// findAxis returns the axis of a key; nil if the grid has none.
func (c Campaign) findAxis(key string) *Axis {
	if i := slices.IndexFunc(c.Grid, func(a Axis) bool { return a.Key == key }); i >= 0 {
		return &c.Grid[i]
	}
	return nil
}

func orNothing(v json.RawMessage) string {
	if v == nil {
		return "nothing"
	}
	return string(v)
}

// Digest returns the SHA-256 of JSON(v), in hex; ids are prefixes of it.
func Digest(v any) string {
	sum := sha256.Sum256(JSON(v))
	return hex.EncodeToString(sum[:])
}

// slugOf keeps what is safe in paths on every system.
func slugOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name))
}
