package report

import (
	"cmp"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// tally gathers from one collaboration after the other what the page says of all.
type tally struct {
	list    *List
	kinds   map[[2]string]*failure
	seen    map[string]map[string]int // collaborations by fact, value
	order   []string                  // of facts
	ran     map[string]*condition     // by id
	started int64                     // µs; 0 before anything
	ended   int64
}

// failure is a kind of what went wrong, with an example.
type failure struct {
	What, Kind string
	N          int
	Example    string // a collaboration
}

func newTally(s Source) *tally {
	return &tally{list: NewList(s.Campaign, s.Questions), kinds: map[[2]string]*failure{}, seen: map[string]map[string]int{}, ran: map[string]*condition{}}
}

// addRows counts the latest generation of a collaboration, and names its transcript.
func (t *tally) addRows(rows record.Rows) string {
	c := rows.Collaborations[0]
	t.list.Add(c, false)
	if t.ran[c.ConditionID] == nil {
		t.ran[c.ConditionID] = &condition{ID: c.ConditionID, Settings: c.SettingsJSON}
	}
	t.ran[c.ConditionID].N++
	t.countValue("environment", fmt.Sprintf("%s, version %d", c.Environment, c.EnvVersion))
	t.countValue("protocol", c.Protocol)
	t.countValue("decision rule", c.Rule)
	t.countValue("model asked", c.Model)
	t.countValue("agents", fmt.Sprint(c.Agents))
	t.countValue("rounds planned", fmt.Sprint(c.RoundsPlanned))
	t.countValue("seed", fmt.Sprint(c.Seed))
	t.countValue("engine", c.EngineVersion)
	t.countValue("prompts, by hash", c.PromptsHash)
	t.countValue("schema", fmt.Sprint("version ", c.SchemaVersion))
	if c.StartedAt > 0 && (t.started == 0 || c.StartedAt < t.started) {
		t.started = c.StartedAt
	}
	t.ended = max(t.ended, c.EndedAt)
	t.countErrors(rows, c.CollaborationID, "")
	return c.CollaborationID
}

// addEarlier lists a generation that was run again. It counts for what went
// wrong alone.
func (t *tally) addEarlier(rows record.Rows) string {
	c := rows.Collaborations[0]
	id := t.list.Add(c, true)
	t.countErrors(rows, id, " (run again since)")
	return id
}

// countErrors counts what went wrong; since is what became of it.
func (t *tally) countErrors(rows record.Rows, id, since string) {
	c := rows.Collaborations[0]
	if c.Status != "succeeded" {
		reason := "no reason is recorded"
		if c.Failure != nil {
			reason = *c.Failure
		}
		t.addFailure("collaboration "+c.Status+since, reason, id)
	}
	for _, turn := range rows.Turns {
		if turn.Status == "invalid" && turn.InvalidReason != nil {
			t.addFailure("turn without a usable answer"+since, *turn.InvalidReason, id)
		}
	}
	for _, call := range rows.Calls {
		switch {
		case call.Status != "answered":
			t.addFailure("call of unknown outcome"+since, "in flight when a process or a connection died", id)
		case !slices.Contains(goodEnds, call.FinishReason):
			t.addFailure("answer that ended early"+since, call.FinishReason, id)
		}
	}
}

// goodEnds are the finish reasons of whole answers, as services name them.
var goodEnds = []string{"", "stop", "STOP", "end_turn", "stop_sequence", "completed"}

// addFailure counts by kind: reasons that differ in figures only are one kind.
func (t *tally) addFailure(what, reason, collaboration string) {
	kind := campaign.ReasonKind(reason)
	key := [2]string{what, kind}
	if t.kinds[key] == nil {
		t.kinds[key] = &failure{What: what, Kind: reason, Example: collaboration}
	}
	t.kinds[key].N++
}

// mostFailures is how many kinds are shown.
const mostFailures = 50

// sortedFailures returns the kinds, the most frequent first.
func (t *tally) sortedFailures() []failure {
	var all []failure
	for _, f := range t.kinds {
		all = append(all, *f)
	}
	slices.SortFunc(all, func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(b.N, a.N), cmp.Compare(a.Kind, b.Kind))
	})
	if more := len(all) - mostFailures; more > 0 {
		all = append(all[:mostFailures], failure{What: "further kinds, not shown", N: more})
	}
	return all
}

func (t *tally) statusText(c campaign.Campaign) string {
	n := map[string]int{}
	for _, entry := range t.latestListed() {
		n[entry.Status]++
	}
	again := ""
	if earlier := len(t.list.rows) - len(t.latestListed()); earlier > 0 {
		again = fmt.Sprintf(" Generations that were run again, listed too: %d.", earlier)
	}
	of := ""
	if planned := c.PlannedCells(); planned > 0 {
		of = fmt.Sprintf(" of %d", planned)
	}
	return fmt.Sprintf("%d%s collaborations finished: %d succeeded, %d failed, %d stopped.%s", len(t.latestListed()), of, n["succeeded"], n["failed"], n["stopped"], again)
}

// latestListed returns the collaborations without generations that were run again, which come after them.
func (t *tally) latestListed() []listed {
	n := slices.IndexFunc(t.list.rows, func(l listed) bool { return l.Earlier })
	if n < 0 {
		return t.list.rows
	}
	return t.list.rows[:n]
}

func (t *tally) simulatedText() string {
	some, all := 0, t.latestListed()
	for _, entry := range all {
		if entry.Simulated {
			some++
		}
	}
	switch some {
	case 0:
		return ""
	case len(all):
		return table.Simulated + "."
	}
	return fmt.Sprintf("%s, in %d of %d collaborations.", table.Simulated, some, len(all))
}
