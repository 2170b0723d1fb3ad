package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/safetext"
	"roundtable/analysis/telling"
)

// List is the list of a campaign's collaborations, which people sort and filter.
type List struct {
	settings   []string                      // that tell conditions apart
	labels     []string                      // what names these
	conditions map[string]campaign.Condition // by ID
	titles     map[string]string             // of conditions, by ID, where the labels have no columns of their own
	rows       []listed
}

// listed is a collaboration in the list.
type listed struct {
	record.Collaboration
	ID      string   // of its transcript
	Label   []string // values of the list's labels
	Earlier bool     // it was run again
}

// mostLabels is how many settings have a column each. Of more, one column has what a
// condition is called, so that how a collaboration ended stays in view.
const mostLabels = 2

// NewList returns the list of a campaign, still without collaborations.
func NewList(c campaign.Campaign) *List {
	l := &List{conditions: map[string]campaign.Condition{}}
	conditions, varying := c.Conditions("")
	l.settings = varying
	if len(varying) == 0 {
		l.settings = []string{"rule"}
	}
	if len(conditions) > 0 {
		l.labels, _ = conditions[0].Named(l.settings)
	}
	if len(l.labels) > mostLabels {
		l.titles = c.View("").FullTitles()
	}
	for _, condition := range conditions {
		l.conditions[condition.ID] = condition
	}
	return l
}

// With returns the list with those that have not ended at its beginning. The names that the
// others have are kept for them.
func (l *List) With(unfinished []record.Collaboration) *List {
	more := *l
	more.rows = nil
	for _, c := range unfinished {
		isAgain := slices.ContainsFunc(l.rows, func(r listed) bool { return r.CollaborationID == c.CollaborationID })
		more.Add(c, isAgain)
	}
	more.rows = append(more.rows, l.rows...)
	return &more
}

// Add lists a collaboration; earlier is one that was run again. It returns what its
// transcript is called.
func (l *List) Add(c record.Collaboration, earlier bool) string {
	id := IDOf(c.Key, earlier)
	entry := listed{Collaboration: c, ID: id, Earlier: earlier}
	_, entry.Label = l.conditions[c.ConditionID].Named(l.settings)
	l.rows = append(l.rows, entry)
	return id
}

// IDOf returns what the transcript of a collaboration is called; earlier is one that was run again.
func IDOf(of record.Key, earlier bool) string {
	if earlier {
		return fmt.Sprintf("%s.%d", of.CollaborationID, of.Generation)
	}
	return of.CollaborationID
}

// column of the list, as the page shows it.
type column struct {
	Name   string `json:"name"`
	Number bool   `json:"number,omitempty"`
	Facet  bool   `json:"facet,omitempty"`  // one of its values can be chosen
	Detail bool   `json:"detail,omitempty"` // it is shown on demand
}

// MarshalJSON writes {"columns": […], "rows": [[…], …]}, the transcript's name first; a
// value that is absent is null. No text in it can turn or steer.
func (l *List) MarshalJSON() ([]byte, error) {
	columns := []column{{Name: "collaboration"}}
	if l.titles != nil {
		columns = append(columns, column{Name: "condition"})
	}
	for _, label := range l.labels {
		columns = append(columns, column{Name: safetext.Line(label), Facet: true, Detail: l.titles != nil})
	}
	columns = append(columns, column{Name: "status", Facet: true}, column{Name: "decided in round", Number: true}, column{Name: "score", Number: true},
		column{Name: "instance"}, column{Name: "replicate", Number: true}, column{Name: "rounds", Number: true},
		column{Name: "invalid turns", Number: true}, column{Name: "calls", Number: true}, column{Name: "tokens", Number: true}, column{Name: "USD", Number: true})
	rows := make([][]any, len(l.rows))
	for i, r := range l.rows {
		rows[i] = append(rows[i], safetext.Line(r.ID))
		if l.titles != nil {
			rows[i] = append(rows[i], safetext.Line(l.titles[r.ConditionID]))
		}
		for _, value := range r.Label {
			rows[i] = append(rows[i], safetext.Line(value))
		}
		rows[i] = append(rows[i], r.statusText(), r.DecidedRound, roundedScore(r.Score), safetext.Line(r.InstanceID), r.Replicate, r.RoundsRun,
			r.InvalidTurns, r.Calls, r.InputTokens+r.OutputTokens, r.CostUSD)
	}
	return json.Marshal(map[string]any{"columns": columns, "rows": rows})
}

// roundedScore returns a score without what only rounding keeps from 0.
func roundedScore(score *float64) *float64 {
	if score == nil {
		return nil
	}
	return new(telling.Rounded(*score))
}

func (r listed) statusText() string {
	if r.Earlier && r.Status != record.Unfinished {
		return r.Status + ", run again"
	}
	return r.Status
}
