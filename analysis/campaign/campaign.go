// Package campaign is what tables and figures are made from: the latest run of
// each collaboration of a campaign, in groups by condition. A study's reader
// keeps what it needs of a run's rows as a part; a view is the conditions that
// a table shows, with the columns and the notes that all tables share. Means
// have their standard error and n, over instances where there are several;
// what failed, was stopped or is still pending is counted separately.
package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
)

// Campaign is what tables and figures are made from.
type Campaign struct {
	Name string
	Runs []Run
	// Planned are the conditions in the order of the plan; nil if it is not known.
	Planned []Planned
	// Axes are the settings that the plan's grid gives, each with the axis that does so;
	// nil if it is not known.
	Axes map[string]string
	// Earlier is how many generations have a later one, by condition.
	Earlier map[string]int
	// Baselines are campaigns of single agents that discussions are compared to.
	Baselines []Campaign
	// Original is the campaign whose collaborations this one's forks continue; nil if it
	// continues none, or that is not in the lake.
	Original *Campaign
	// Question is what ends the campaign; nil if every cell is run, or it was joined from several.
	Question *Question
	// Joined are notes on what the campaigns share that this one was joined from.
	Joined []string
	// Sources are these campaigns, each by itself.
	Sources []Campaign
	Parts   // what studies need beyond the runs

	grouped *grouped   // nil before Grouped
	kept    *keptFiles // nil where nothing is kept
}

// grouped are the groups of some runs and a plan.
type grouped struct {
	runs    []Run
	planned []Planned
	groups  []Group
}

// Grouped returns the campaign with its groups made once, for several tables. Do not change its
// runs and plan after that.
func (c Campaign) Grouped() Campaign {
	c.grouped = &grouped{c.Runs, c.Planned, c.Groups()}
	return c
}

// areOf reports whether the groups are those of a campaign: it may have been given other runs since.
func (g *grouped) areOf(c Campaign) bool {
	return g != nil && isSame(g.runs, c.Runs) && isSame(g.planned, c.Planned)
}

// isSame reports whether both lists are one.
func isSame[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Planned is a condition of the plan.
type Planned struct {
	Condition string
	Cells     int             // instances × replicates
	Instances int             // 0 if it is not known
	Settings  json.RawMessage // as collaborations.settings_json
	// Labels are what the campaign's file calls the condition's values on the axes
	// of its grid, by axis; only those of axes with labels.
	Labels map[string]string
}

// Run is the latest generation of one collaboration: its row, and what tables need of its rounds
// and turns.
type Run struct {
	record.Collaboration
	// score of the decision that stands after each round that was run; nil before a decision
	Scores   []*float64
	Keys     []string   // identity of that decision, by round; "" before one
	Usable   Usable     // counts of its usable answers
	Asked    Asked      // what its questions took
	Answered []Answered // the models that it asked
	Parts    `json:"-"` // what studies keep of its rows

	Unit          int32 // number of its unit within the condition
	OverInstances bool  // the unit is its instance
}

// Reader keeps what a study needs of a run's rows, as a part of one type.
type Reader struct {
	name string // of the part's type, and what else it depends on
	read func(r *Run, rows record.Rows) error
	codec
}

// Keeping returns a reader that keeps at most one part of type T a run. read gets the rows in the
// order of their keys, and is called for several runs at once, in any order. What it keeps must
// depend only on the rows and on by, which caches are keyed by.
func Keeping[T any](by string, read func(r *Run, rows record.Rows) error) Reader {
	return Reader{strings.TrimSpace(reflect.TypeFor[T]().String() + " " + by), read, codecOf[T]()}
}

// take returns what the reader keeps of a run, whose own parts it does not see; nil if nothing. A panic
// is an error: it would end a program that runs a campaign, or shows pages.
func (reader Reader) take(r Run, rows record.Rows) (kept any, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("collaboration %s cannot be read for %s: %v\n%s", r.CollaborationID, reader.name, reason, debug.Stack())
		}
	}()
	r.Parts = Parts{}
	if err := reader.read(&r, rows); err != nil || len(r.all) == 0 {
		return nil, err
	}
	return r.all[0], nil
}

// NewRun returns the run of one collaboration's rows, read by every reader.
func NewRun(rows record.Rows, readers ...Reader) (Run, error) {
	r := newBare(rows)
	for _, reader := range readers {
		part, err := reader.take(r, rows)
		if err != nil {
			return r, err
		}
		r.add(part)
	}
	return r, nil
}

// newBare returns a run of which no reader has kept anything.
func newBare(rows record.Rows) Run {
	r := Run{Collaboration: rows.Collaborations[0]}
	for _, round := range rows.Rounds {
		key := ""
		if round.DecisionKey != nil {
			key = *round.DecisionKey
		}
		r.Scores, r.Keys = append(r.Scores, round.Score), append(r.Keys, key)
	}
	r.Usable = countUsable(rows.Turns)
	r.Usable.AddAnswers(rows.Calls)
	r.Asked, r.Answered = CountAsked(rows.Calls), modelsAnswering(rows.Calls)
	return r
}

// Carried returns the scores up to the last planned round; after an early end the last score is
// repeated.
func (r Run) Carried() []*float64 {
	scores := slices.Clone(r.Scores)
	for n := len(scores); n > 0 && n < int(r.RoundsPlanned); n++ {
		scores = append(scores, scores[n-1])
	}
	return scores
}

// EndedEarly reports whether the run ended before its last planned round.
func (r Run) EndedEarly() bool { return len(r.Scores) < int(r.RoundsPlanned) }

// Group is one condition with all its runs.
type Group struct {
	ID                    string
	Settings              map[string]string // by dotted key, as a campaign's grid names them
	Labels                map[string]string // in place of settings, by axis of the grid
	Planned               int               // cells; 0 if the plan is not known
	Instances, Replicates int               // of the plan, likewise
	Runs                  []Run             // all, in the order of instances and replicates
	Earlier               int
	Usable                Usable // of all runs
	Distinct              int    // succeeded runs that differ in their words
}

// Count returns how many runs have this status.
func (g Group) Count(status string) int {
	n := 0
	for _, r := range g.Runs {
		if r.Status == status {
			n++
		}
	}
	return n
}

// Pending returns how many planned cells have not ended yet.
func (g Group) Pending() int { return max(0, g.Planned-len(g.Runs)) }

// Succeeded returns the succeeded runs, over which averages are taken. Do not change the list,
// which may be Runs.
func (g Group) Succeeded() []Run {
	if !slices.ContainsFunc(g.Runs, func(r Run) bool { return r.Status != record.Succeeded }) {
		return slices.Clip(g.Runs)
	}
	return g.Having(func(Run) bool { return true })
}

// Having returns the succeeded runs for which it returns true.
func (g Group) Having(it func(Run) bool) (some []Run) {
	for _, r := range g.Runs {
		if r.Status == record.Succeeded && it(r) {
			some = append(some, r)
		}
	}
	return some
}

// View is the conditions that a table shows, and how it names them.
type View struct {
	Groups []Group
	Labels []string          // the settings that tell the conditions apart, or that are asked for
	Axes   map[string]string // as in the campaign
	Whole  bool              // runs that ended early are left out, not carried forward
	Joined []string          // notes on the campaigns that it is joined from
	Looked bool              // the campaign was ended by looking at its data
}

// View returns a view of the conditions of an environment ("" for all). labels are settings to
// show; repeated ones are shown once.
func (c Campaign) View(environment string, labels ...string) View {
	v := View{Axes: c.Axes, Joined: c.Joined, Looked: c.Question != nil}
	v.Joined = append(slices.Clone(v.Joined), namesakeNotes(c.Runs)...)
	for _, g := range c.Groups() {
		if environment == "" || g.Settings["env"] == environment {
			v.Groups = append(v.Groups, g)
		}
	}
	v.Labels = labels
	for _, key := range v.Varying() {
		if !slices.Contains(v.Labels, key) {
			v.Labels = append(v.Labels, key)
		}
	}
	if len(v.Labels) == 0 {
		v.Labels = []string{"rule"}
	}
	return v
}

// PlannedCells returns the number of cells in the plan; 0 if it is not known.
func (c Campaign) PlannedCells() int {
	n := 0
	for _, p := range c.Planned {
		n += p.Cells
	}
	return n
}

// Groups returns the runs grouped by condition, in the plan's order; conditions outside the plan
// come last.
func (c Campaign) Groups() []Group {
	if c.grouped.areOf(c) {
		return slices.Clone(c.grouped.groups)
	}
	byID := map[string]*Group{}
	var ids []string
	take := func(id string, settings []byte) *Group {
		g, ok := byID[id]
		if !ok {
			g = &Group{ID: id, Settings: Flatten(settings), Earlier: c.Earlier[id]}
			byID[id] = g
			ids = append(ids, id)
		}
		return g
	}
	for _, p := range c.Planned {
		g := take(p.Condition, p.Settings)
		g.Planned, g.Instances, g.Labels = p.Cells, p.Instances, p.Labels
		if p.Instances > 0 {
			g.Replicates = p.Cells / p.Instances
		}
	}
	order := make([]int, len(c.Runs)) // runs are large: each moves once
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &c.Runs[i], &c.Runs[j]
		if a.Rule != b.Rule {
			return cmp.Or(cmp.Compare(rank(a.Rule), rank(b.Rule)), cmp.Compare(a.Rule, b.Rule))
		}
		return cmp.Or(cmp.Compare(a.ConditionID, b.ConditionID), cmp.Compare(a.Instance, b.Instance),
			cmp.Compare(a.Replicate, b.Replicate))
	})
	runs := make([]Run, len(order))
	for i, from := range order {
		runs[i] = c.Runs[from]
	}
	numberInstances(runs)
	setUnits(runs)
	for from := 0; from < len(runs); {
		to := from + 1
		for to < len(runs) && runs[to].ConditionID == runs[from].ConditionID {
			to++
		}
		r := &runs[to-1]
		g := take(r.ConditionID, []byte(r.SettingsJSON))
		g.Settings["env"], g.Settings["rule"] = r.Environment, r.Rule
		if same := runs[from:to:to]; g.Runs == nil {
			g.Runs = same
		} else {
			g.Runs = append(g.Runs, same...)
		}
		from = to
	}
	groups := make([]Group, len(ids))
	for i, id := range ids {
		groups[i] = *byID[id]
	}
	groups = bySnapshot(groups)
	for i := range groups {
		groups[i].Usable, groups[i].Distinct = groups[i].sumUsable(), groups[i].countDistinct()
	}
	return groups
}

// rank returns the place of a rule in the papers' tables.
func rank(rule string) int {
	papers := []string{"unanimous", "majority", "plurality", "rated", "ranked", "cumulative"}
	if i := slices.Index(papers, rule); i >= 0 {
		return i
	}
	return len(papers)
}

// Varying returns the settings in which the conditions differ. A baseline does not count for the
// settings that it shares with its groups.
func (v View) Varying() []string {
	if groups := v.listGroups(); len(groups) < len(v.Groups) {
		v.Groups = groups
		varying := v.Varying()
		if len(varying) == 0 {
			varying = []string{"protocol"}
		}
		return append(varying, BaselineLabel)
	}
	keys := map[string]bool{}
	for _, g := range v.Groups {
		for key, value := range g.Settings {
			if first, ok := v.Groups[0].Settings[key]; !ok || first != value {
				keys[key] = true
			}
		}
		for key := range v.Groups[0].Settings {
			if _, ok := g.Settings[key]; !ok {
				keys[key] = true
			}
		}
	}
	for key := range keys {
		if v.isImplied(key) {
			delete(keys, key)
		}
	}
	if varying := Ordered(keys); len(varying) != 1 || varying[0] != Control {
		return varying
	}
	return []string{"protocol", Control} // what is controlled has no word of its own
}

// Applies reports whether a condition with the same plug-in as g has the parameter key.
func (v View) Applies(g Group, key string) bool {
	root, _, _ := strings.Cut(key, ".")
	return slices.ContainsFunc(v.Groups, func(other Group) bool {
		_, has := other.Settings[key]
		return has && other.Settings[root] == g.Settings[root]
	})
}

// isImplied reports whether a parameter says no more than the name of its plug-in:
// some plug-ins lack it, and all conditions with the others have one value.
func (v View) isImplied(key string) bool {
	is := strings.Contains(key, ".")
	values, lacking := map[string]bool{}, false
	for _, g := range v.Groups {
		value, has := g.Settings[key]
		if !is || has != v.Applies(g, key) {
			return false
		}
		if lacking = lacking || !has; has {
			values[value] = true
		}
	}
	return lacking && len(values) == 1
}

// Constant returns the settings that all conditions share, in words.
func (v View) Constant() string {
	var same []string
	for _, key := range []string{"env", "protocol", "rule", "stop", "model"} {
		if len(v.Groups) == 0 || slices.Contains(v.Labels, key) {
			continue
		}
		value := v.Groups[0].Shown(key)
		if value != "" && !slices.ContainsFunc(v.Groups, func(g Group) bool { return g.Shown(key) != value }) {
			same = append(same, key+" "+value)
		}
	}
	return strings.Join(same, ", ")
}

// Ordered returns the keys of a map of settings in the order of tables: by their first part (model,
// generate, env, protocol, rule, stop …), then by name.
func Ordered[V any](keys map[string]V) []string {
	roots := []string{"model", AnsweredBy, "generate", "env", "protocol", "rule", "stop", "reasks", Control}
	var list []string
	for key := range keys {
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b string) int {
		ra, _, _ := strings.Cut(a, ".")
		rb, _, _ := strings.Cut(b, ".")
		return cmp.Or(cmp.Compare(slices.Index(roots, ra), slices.Index(roots, rb)), cmp.Compare(a, b))
	})
	return list
}

// fitted is what a stopping rule has learned: it follows from the other parameters, and
// is not a setting that a file gives.
const fitted = "stop.fit"

// Flatten returns a condition's settings, given as JSON, by dotted key: the name of a plug-in under
// its own key, parameters below it.
func Flatten(settings []byte) map[string]string {
	flat := map[string]string{}
	d := json.NewDecoder(bytes.NewReader(settings))
	d.UseNumber()
	var top map[string]any
	if d.Decode(&top) != nil {
		return flat
	}
	if fork, ok := top["fork"].(map[string]any); ok {
		delete(fork, "was") // the settings of another campaign
	}
	for key, v := range top {
		spread(flat, key, v)
	}
	return flat
}

func spread(flat map[string]string, key string, v any) {
	if key == fitted {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			flat[key] = name
			params, _ := v["params"].(map[string]any)
			v = params
		}
		for k, inner := range v {
			spread(flat, key+"."+k, inner)
		}
	case string:
		flat[key] = v
	default:
		data, err := json.Marshal(v)
		if err != nil {
			data = fmt.Append(nil, v)
		}
		flat[key] = string(data)
	}
}

// Simulated returns how many runs have scripted agents, and how many runs there are.
func (v View) Simulated() (some, all int) {
	for _, g := range v.Groups {
		for _, r := range g.Runs {
			all++
			if r.Simulated {
				some++
			}
		}
	}
	return some, all
}
