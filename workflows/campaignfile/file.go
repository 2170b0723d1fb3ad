// Package campaignfile reads a campaign file, in YAML, into a plan, with what the command line
// changes in it. It reports all errors of a file at once, each with its line, its key and what is
// accepted, and makes no call that costs money.
package campaignfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/program"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/until"
)

// MaxFileSize is the greatest size of a campaign file in bytes, MaxConditions the most conditions
// that it may have.
const (
	MaxFileSize   = 1 << 20
	MaxConditions = 10_000
	maxNodes      = 1 << 18 // values of a file, aliases written out
)

// conditionKeys are the keys of a campaign file that make a condition; a grid may vary them.
var conditionKeys = plan.ConditionKeys()

// choiceKeys are the keys of a condition that name a plug-in.
var choiceKeys = []string{"env", "protocol", "rule", "stop", "model"}

// File is a campaign file after parsing.
type File struct {
	Campaign    plan.Campaign
	Limits      plan.Limits
	Labels      *plan.Labels    // nil if messages are not labelled automatically
	Notify      *plan.Notify    // nil if nothing is reported
	Card        *plan.Card      // nil if the file says nothing of its data set
	Until       *until.Question // nil if all cells are run
	Embedder    string          // embedding model for information distances; "" for the default
	Data        string          // folder of the environment's data set
	Fork        string          // name of the campaign that it forks; "" for none
	DataFiles   fs.FS           // that folder, open; nil without one
	PrivateData bool            // data files stay out of the lake
	Prompts     string          // folder that overrides prompt templates
	// Agents is the size of the group, Rounds the most rounds, each by condition.
	Agents, Rounds []int
	// Values are, by condition, its values on the axes of the grid.
	Values [][]plan.Value
	// Surveys say how each data set was read, in the order of the conditions.
	Surveys   []envs.Survey
	Notes     []string                     // parts of the file that have no effect, and why
	baselines []string                     // the title of each condition that is a baseline; "" for others
	given     []map[string]json.RawMessage // what each condition was given, by key
}

// Host provides what is outside of the file: plug-ins, data sets, prices, models and recorded
// campaigns.
type Host struct {
	// Catalogue holds the plug-ins that a file can name.
	Catalogue catalogue.Catalogue
	// Data opens the folder of a data set.
	Data func(path string) (fs.FS, error)
	// Programs returns what asks the user's programs for a condition of the campaign of that name.
	Programs func(campaign string, c plan.Condition) program.Asker
	// Money checks the file's prices (nil if it gives none) and limits; unknown says that unknown
	// prices are accepted. It is called before Model.
	Money func(prices json.RawMessage, unknown bool, limits plan.Limits) error
	// Model checks one of a condition's models and its parameters without a call to it.
	Model func(m plan.Choice, c plan.Condition, decode envs.Decode, env envs.Environment) error
	// LongestAnswer returns the most tokens of an answer of a model for which Model was called; 0 if
	// unknown.
	LongestAnswer func(m plan.Choice) int
	// Recorded returns the lake's campaign of that name, which the file may extend; one without
	// conditions if there is none.
	Recorded func(name string) (plan.Campaign, error)
	// Forked returns the lake's campaign that a file forks.
	Forked func(name string) (Forked, error)
	// Embedder checks the name of an embedding model without a call to it.
	Embedder func(name string) error
	// Extended opens the file that a campaign file names under extends; from is the
	// name of the file that does so, "" for the campaign file itself.
	Extended func(from, path string) (Extended, error)
	// Labeller checks the model that labels messages without a call to it.
	Labeller func(l plan.Labels, decode envs.Decode) error
	// Learn fits the stopping rule of a condition of the campaign of that name and returns a
	// stopping.LearnedFit in JSON. recorded is the fit recorded for the same condition, which is
	// kept; nil if there is none.
	Learn func(campaign string, c plan.Condition, recorded json.RawMessage) (json.RawMessage, error)
	// Judge checks the model that scores decisions without a call to it.
	Judge func(j plan.Judge, decode envs.Decode) error
}

type parser struct {
	host     Host
	errs     Errors
	data     fs.FS
	noData   bool                        // the file names a folder of data that cannot be opened
	envs     map[string]envs.Environment // by canonical JSON of the choice
	recorded []plan.Condition            // that the campaign has in the lake
	// refusedAxes are keys that the grid gives in a form that was refused already.
	refusedAxes []string
	sources     []string                    // files and flags besides the campaign file: see lineBits
	limit       int                         // of the instances of each environment; 0 is none
	indexes     map[string]map[string][]int // instances by id, by environment as in envs
}

func newParser(host Host) *parser {
	return &parser{host: host, envs: map[string]envs.Environment{}, indexes: map[string]map[string][]int{}}
}

// Header holds all keys of a file that are not part of a condition.
type Header struct {
	Name       string          `json:"name"`
	Seed       uint64          `json:"seed"`
	Replicates json.RawMessage `json:"replicates"` // a number, or numbers by environment
	Instances  json.RawMessage `json:"instances"`  // a number, a list of ids, or either by environment
	Data       string          `json:"data"`
	Prompts    string          `json:"prompts"`
	// PrivateData keeps data files out of the lake.
	PrivateData bool         `json:"private_data"`
	CacheScope  string       `json:"cache_scope"`
	Limits      plan.Limits  `json:"limits"`
	Notify      *plan.Notify `json:"notify"`
	Card        *plan.Card   `json:"card"`
	Embedder    string       `json:"embedder"`

	Labels json.RawMessage `json:"labels"`
	Prices json.RawMessage `json:"prices"`
	Cost   string          `json:"cost"`

	Baselines json.RawMessage `json:"baselines"` // see baseline
	Controls  json.RawMessage `json:"controls"`  // see plan.Control
	Until     json.RawMessage `json:"until"`     // see Until

	Fork *ForkBlock `json:"fork"`

	Extends  string          `json:"extends"`
	Defaults json.RawMessage `json:"defaults"` // see pluginDefaults
}

func (p *parser) parseFile(s Source) File {
	top := p.parseDocument(s.Data)
	if top == nil {
		return File{}
	}
	top = p.applyChanges(p.extendFile(top, []string{s.Name}), s.Changes)
	h := Header{Seed: 1}
	base, grid := p.splitHeader(top, &h)
	p.loadRecorded(top, h.Name)
	h.CacheScope = cmp.Or(h.CacheScope, "campaign")
	p.checkHeader(top, h)
	p.data = p.openFolder(top, "data", h.Data)
	p.noData = p.host.Data != nil && h.Data != "" && p.data == nil
	p.openFolder(top, "prompts", h.Prompts)
	if p.host.Money != nil {
		if err := p.host.Money(h.Prices, h.Cost == "unknown", h.Limits); err != nil {
			p.errs.add(valueOf(top, "prices"), "prices", "%v", err)
		}
	}
	file := File{Limits: h.Limits, Notify: h.Notify, Card: h.Card, Embedder: h.Embedder, Data: h.Data,
		DataFiles: p.data, PrivateData: h.PrivateData, Prompts: h.Prompts}
	file.Labels = p.parseLabels(valueOf(top, "labels"))
	file.Campaign = plan.Campaign{Name: h.Name, Seed: h.Seed, CacheScope: h.CacheScope}
	if h.Fork != nil {
		p.parseFork(top, p.parseReplicates(valueOf(top, "replicates")), &file)
		return file
	}
	axes := p.parseAxes(grid, &file.Campaign)
	file.Notes = p.dropReplaced(base, axes)
	file.Campaign.Base = p.baseJSON(base, axes)
	all := p.combineAxes(top, axes, grid)
	instances, replicates := p.parseInstances(valueOf(top, "instances")), p.parseReplicates(valueOf(top, "replicates"))
	defaults := p.parseDefaults(valueOf(top, "defaults"))
	baselines, controls := p.parseBaselines(valueOf(top, "baselines")), p.parseControls(valueOf(top, "controls"))
	if all != nil {
		x := &expansion{p: p, base: base, axes: axes, defaults: defaults, instances: instances, replicates: replicates,
			campaign: file.Campaign, seen: map[string]int{}}
		x.addPoints(all)
		grouped := x.added
		x.addBaselines(valueOf(top, "baselines"), grouped, baselines)
		x.addControls(valueOf(top, "controls"), grouped, controls)
		x.writeTo(&file)
		file.Notes = append(file.Notes, x.notes...)
	}
	file.Surveys = p.surveyData(file.Campaign)
	question := valueOf(top, "until")
	file.Until = p.parseUntil(keyNode(top, "until"), question, p.decodeUntil(question), file)
	return file
}

// surveyData returns how the data of each environment were read.
func (p *parser) surveyData(c plan.Campaign) (all []envs.Survey) {
	seen := map[string]bool{}
	for _, condition := range c.Conditions {
		id := plan.Digest(condition.Env)
		data, ok := p.envs[id].(envs.Surveyed)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		survey, err := data.Survey(c.Seed)
		if err != nil {
			p.errs.add(nil, "env", "%v", err)
		}
		all = append(all, survey)
	}
	return all
}

// loadRecorded reads the campaign that the lake has by that name.
func (p *parser) loadRecorded(top *yaml.Node, name string) {
	if p.host.Recorded == nil || !plan.IsName(name) {
		return
	}
	recorded, err := p.host.Recorded(name)
	if err != nil {
		p.errs.add(valueOf(top, "name"), "name", "the campaign %s in the lake cannot be read: %v", name, err)
	}
	p.recorded = recorded.Conditions
}

// openFolder opens a folder that the file names; nil if it names none.
func (p *parser) openFolder(top *yaml.Node, key, path string) fs.FS {
	if path == "" || p.host.Data == nil {
		return nil
	}
	folder, err := p.host.Data(path)
	if err != nil {
		p.errs.add(valueOf(top, key), key, "%v", err)
		return nil
	}
	return folder
}

// Keys returns the keys of a campaign file.
func Keys() []string {
	return slices.Concat(wording.Keys(reflect.TypeFor[Header]()), conditionKeys, []string{"grid"})
}

// splitHeader decodes the header and returns the condition's own keys and the grid.
func (p *parser) splitHeader(top *yaml.Node, h *Header) (base map[string]*yaml.Node, grid *yaml.Node) {
	base = map[string]*yaml.Node{}
	rest := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, val := top.Content[i], top.Content[i+1]
		switch {
		case key.Value == "grid" && grid == nil:
			grid = val
		case slices.Contains(conditionKeys, key.Value) && base[key.Value] == nil:
			base[key.Value] = val
		case slices.Contains(conditionKeys, key.Value) || key.Value == "grid":
			p.errs.add(key, key.Value, "given twice")
		case !slices.Contains(wording.Keys(reflect.TypeFor[Header]()), key.Value):
			p.errs.add(key, key.Value, "unknown key; %s", knownInstead("", key.Value, Keys()))
		default:
			rest.Content = append(rest.Content, key, val)
		}
	}
	decodeNode(rest, "", reflect.ValueOf(h), &p.errs)
	return base, grid
}

func (p *parser) checkHeader(top *yaml.Node, h Header) {
	check := func(ok bool, n *yaml.Node, key, format string, args ...any) {
		if !ok && (n == nil || !p.errs.isKnownAt(key, n.Line)) {
			p.errs.add(n, key, format, args...)
		}
	}
	if name := valueOf(top, "name"); name == nil {
		p.errs.add(nil, "name", "is missing; the campaign needs one")
	} else {
		check(plan.IsName(h.Name), name, "name",
			"%q is not a campaign name; use 1 to 63 of a-z, 0-9 and -, not beginning with -", h.Name)
	}
	check(slices.Contains([]string{"condition", "campaign", "lake"}, h.CacheScope), valueOf(top, "cache_scope"),
		"cache_scope", "is %q; expected condition, campaign or lake", h.CacheScope)
	check(h.Cost == "" || h.Cost == "unknown", valueOf(top, "cost"), "cost",
		"is %q; expected unknown, for models without a known price", h.Cost)
	if limits := valueOf(top, "limits"); limits != nil {
		p.checkLimits(limits, h.Limits)
	}
	p.checkNotify(valueOf(top, "notify"), h.Notify)
	p.checkCard(valueOf(top, "card"), h.Card)
	if embedder := valueOf(top, "embedder"); h.Embedder != "" && p.host.Embedder != nil {
		err := p.host.Embedder(h.Embedder)
		check(err == nil, embedder, "embedder", "%v", err)
	}
}

func (f File) String() string {
	return fmt.Sprintf("%s: %s, %s", f.Campaign.Name, wording.Count(len(f.Campaign.Conditions), "condition"),
		wording.Count(f.Campaign.Size(), "cell"))
}
