package report

import (
	"cmp"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// Tally counts, over all collaborations, how they ended, what ran and what went wrong.
type Tally struct {
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

// wrong is what went wrong in a turn or a call of a collaboration.
type wrong struct{ What, Kind string }

// ReadWrong returns a reader that keeps what went wrong in each run; Glance and Source need it.
func ReadWrong() campaign.Reader {
	return campaign.Keeping[[]wrong]("", func(r *campaign.Run, rows record.Rows) error {
		campaign.Keep(&r.Parts, findWrong(rows))
		return nil
	})
}

// tallyRuns counts runs that ReadWrong has read.
func tallyRuns(runs []campaign.Run) *Tally {
	t := &Tally{kinds: map[[2]string]*failure{}, seen: map[string]map[string]int{}, ran: map[string]*condition{},
		status: map[string]int{}}
	for _, r := range runs {
		t.add(r.Collaboration)
		t.countErrors(r.Collaboration, campaign.Part[[]wrong](r.Parts), r.CollaborationID, "")
	}
	return t
}

// add counts the latest generation of a collaboration.
func (t *Tally) add(c record.Collaboration) {
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
}

// addEarlier counts a generation that was run again, for what went wrong alone.
func (t *Tally) addEarlier(rows record.Rows) {
	t.earlier++
	c := rows.Collaborations[0]
	t.countErrors(c, findWrong(rows), IDOf(c.Key, true), " (run again since)")
}

// countFinished returns how many collaborations have ended.
func (t *Tally) countFinished() (n int) {
	for _, some := range t.status {
		n += some
	}
	return n
}

// countErrors counts what went wrong; since is what became of it.
func (t *Tally) countErrors(c record.Collaboration, all []wrong, id, since string) {
	if c.Status != "succeeded" {
		reason := "no reason is recorded"
		if c.Failure != nil {
			reason = *c.Failure
		}
		t.addFailure("collaboration "+c.Status+since, reason, id)
	}
	for _, w := range all {
		t.addFailure(w.What+since, w.Kind, id)
	}
}

// findWrong returns what went wrong in turns and calls.
func findWrong(rows record.Rows) (all []wrong) {
	for _, turn := range rows.Turns {
		if turn.Status == "invalid" && turn.InvalidReason != nil {
			all = append(all, wrong{"turn without a usable answer", *turn.InvalidReason})
		}
	}
	for _, call := range rows.Calls {
		switch {
		case call.Status != "answered":
			all = append(all, wrong{"call of unknown outcome", "in flight when a process or a connection died"})
		case !slices.Contains(goodEnds, call.FinishReason):
			all = append(all, wrong{"answer that ended early", call.FinishReason})
		}
	}
	return all
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
