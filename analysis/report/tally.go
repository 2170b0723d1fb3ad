package report

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// Tally gathers from one collaboration after the other, in any order, what a page says of all.
type Tally struct {
	mu        sync.Mutex
	kinds     map[[2]string]*failure
	seen      map[string]map[string]int // collaborations by fact, value
	order     []string                  // of facts
	ran       map[string]*condition     // by id
	status    map[string]int            // how many ended so
	simulated int                       // of these
	earlier   int                       // generations that were run again, which status does not count
	started   int64                     // µs; 0 before anything
	ended     int64
}

// failure is a kind of what went wrong, with an example.
type failure struct {
	What, Kind string
	N          int
	Example    string // a collaboration
}

// NewTally returns a tally of nothing.
func NewTally() *Tally {
	return &Tally{kinds: map[[2]string]*failure{}, seen: map[string]map[string]int{}, ran: map[string]*condition{},
		status: map[string]int{}}
}

// Read counts the latest generation of a collaboration; it is a campaign.Reader.
func (t *Tally) Read(_ *campaign.Run, rows record.Rows) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := rows.Collaborations[0]
	t.status[c.Status]++
	if c.Simulated {
		t.simulated++
	}
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
	return nil
}

// addEarlier counts a generation that was run again, for what went wrong alone.
func (t *Tally) addEarlier(rows record.Rows) {
	t.earlier++
	t.countErrors(rows, IDOf(rows.Collaborations[0].Key, true), " (run again since)")
}

// countFinished returns how many collaborations have ended.
func (t *Tally) countFinished() (n int) {
	for _, some := range t.status {
		n += some
	}
	return n
}

// countErrors counts what went wrong; since is what became of it.
func (t *Tally) countErrors(rows record.Rows, id, since string) {
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

// addFailure counts by kind: reasons that differ in figures only are one kind. Its example is
// the first in the order of the names.
func (t *Tally) addFailure(what, reason, collaboration string) {
	kind := campaign.ReasonKind(reason)
	key := [2]string{what, kind}
	f := t.kinds[key]
	if f == nil {
		f = &failure{What: what, Kind: reason, Example: collaboration}
		t.kinds[key] = f
	} else if collaboration < f.Example {
		f.Kind, f.Example = reason, collaboration
	}
	f.N++
}

// mostFailures is how many kinds are shown.
const mostFailures = 50

// sortedFailures returns the kinds, the most frequent first.
func (t *Tally) sortedFailures() []failure {
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

func (t *Tally) statusText(c campaign.Campaign) string {
	again := ""
	if t.earlier > 0 {
		again = fmt.Sprintf(" Generations that were run again, listed too: %d.", t.earlier)
	}
	of := ""
	if planned := c.PlannedCells(); planned > 0 {
		of = fmt.Sprintf(" of %d", planned)
	}
	return fmt.Sprintf("%d%s collaborations finished: %d succeeded, %d failed, %d stopped.%s", t.countFinished(), of,
		t.status["succeeded"], t.status["failed"], t.status["stopped"], again)
}

func (t *Tally) simulatedText() string {
	switch t.simulated {
	case 0:
		return ""
	case t.countFinished():
		return table.Simulated + "."
	}
	return fmt.Sprintf("%s, in %d of %d collaborations.", table.Simulated, t.simulated, t.countFinished())
}
