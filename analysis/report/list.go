package report

import (
	"encoding/json"
	"fmt"

	"roundtable/analysis/campaign"
	"roundtable/analysis/record"
	"roundtable/analysis/safetext"
)

// List is the list of a campaign's collaborations, which people sort and filter.
type List struct {
	labels     []string                      // settings that tell conditions apart
	conditions map[string]campaign.Condition // by ID
	rows       []listed
}

// listed is a collaboration in the list.
type listed struct {
	record.Collaboration
	ID      string   // of its transcript
	Label   []string // values of the list's labels
	Earlier bool     // it was run again
}

// NewList returns the list of a campaign, still without collaborations.
func NewList(c campaign.Campaign) *List {
	l := &List{conditions: map[string]campaign.Condition{}}
	conditions, varying := c.Conditions("")
	l.labels = varying
	if len(varying) == 0 {
		l.labels = []string{"rule"}
	}
	for _, condition := range conditions {
		l.conditions[condition.ID] = condition
	}
	return l
}

// Add lists a collaboration; earlier is one that was run again. It returns what its
// transcript is called.
func (l *List) Add(c record.Collaboration, earlier bool) string {
	id := IDOf(c.Key, earlier)
	entry := listed{Collaboration: c, ID: id, Earlier: earlier}
	for _, key := range l.labels {
		entry.Label = append(entry.Label, l.conditions[c.ConditionID].Shown(key))
	}
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
	Facet  bool   `json:"facet,omitempty"` // one of its values can be chosen
}

// MarshalJSON writes {"columns": […], "rows": [[…], …]}, the transcript's name first; a
// value that is absent is null. No text in it can turn or steer.
func (l *List) MarshalJSON() ([]byte, error) {
	columns := []column{{Name: "collaboration"}}
	for _, label := range l.labels {
		columns = append(columns, column{Name: safetext.Line(label), Facet: true})
	}
	columns = append(columns, column{Name: "instance"}, column{Name: "replicate", Number: true}, column{Name: "status", Facet: true},
		column{Name: "decided in round", Number: true}, column{Name: "score", Number: true}, column{Name: "rounds", Number: true},
		column{Name: "invalid turns", Number: true}, column{Name: "calls", Number: true}, column{Name: "tokens", Number: true}, column{Name: "USD", Number: true})
	rows := make([][]any, len(l.rows))
	for i, r := range l.rows {
		rows[i] = append(rows[i], safetext.Line(r.ID))
		for _, value := range r.Label {
			rows[i] = append(rows[i], safetext.Line(value))
		}
		rows[i] = append(rows[i], safetext.Line(r.InstanceID), r.Replicate, r.statusText(), r.DecidedRound, r.Score, r.RoundsRun,
			r.InvalidTurns, r.Calls, r.InputTokens+r.OutputTokens, r.CostUSD)
	}
	return json.Marshal(map[string]any{"columns": columns, "rows": rows})
}

func (r listed) statusText() string {
	if r.Earlier {
		return r.Status + ", run again"
	}
	return r.Status
}
