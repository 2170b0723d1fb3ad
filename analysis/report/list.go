package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
)

// List is the list of a campaign's collaborations that people sort and filter on a page.
type List struct {
	labels    []string            // what names the settings that tell conditions apart
	values    map[string][]string // of these, by condition's ID
	titles    map[string]string   // of conditions, by ID
	rank      map[string]int      // of conditions, by ID: their order in the plan
	questions Questions
	rows      []listed
}

// Questions are the questions of all conditions, and why some are not known.
type Questions struct {
	Of      map[AskedIn]Question
	Problem string // "" if all are known
}

// AskedIn is an instance in a condition, because conditions may shuffle the options of a question.
type AskedIn struct {
	Condition string
	Instance  int32
}

func (q Questions) questionOf(c record.Collaboration) Question {
	return q.Of[AskedIn{c.ConditionID, c.Instance}]
}

// listed is a collaboration in the list.
type listed struct {
	*record.Collaboration
	ID      string // of its transcript
	Earlier bool   // it was run again
}

// NewList returns an empty list for the collaborations of c.
func NewList(c campaign.Campaign, questions Questions) *List {
	l := &List{values: map[string][]string{}, titles: c.View("").FullTitles(), rank: map[string]int{},
		questions: questions}
	conditions, settings := c.Conditions("")
	if len(settings) == 0 {
		settings = []string{"rule"}
	}
	for i, condition := range conditions {
		l.labels, l.values[condition.ID] = condition.Named(settings)
		l.rank[condition.ID] = i
	}
	return l
}

// With returns a copy of the list with unfinished collaborations at its beginning.
func (l *List) With(unfinished []record.Collaboration) *List {
	more := *l
	more.rows = nil
	for i, c := range unfinished {
		isAgain := slices.ContainsFunc(l.rows, func(r listed) bool { return r.CollaborationID == c.CollaborationID })
		more.Add(&unfinished[i], isAgain)
	}
	more.rows = append(more.rows, l.rows...)
	return &more
}

// Add adds a collaboration, which may not change afterwards, and returns its transcript's ID; earlier is as for
// IDOf.
func (l *List) Add(c *record.Collaboration, earlier bool) string {
	id := IDOf(c.Key, earlier)
	l.rows = append(l.rows, listed{c, id, earlier})
	return id
}

// IDOf returns the ID of a collaboration's transcript. earlier says that it is a generation that was run
// again; its ID ends in the generation's number.
func IDOf(of record.Key, earlier bool) string {
	if earlier {
		return fmt.Sprintf("%s.%d", of.CollaborationID, of.Generation)
	}
	return of.CollaborationID
}

// column of the list, as the page shows it.
type column struct {
	Name   string `json:"name"`
	Kind   string `json:"kind,omitempty"`   // how its values are written, see list.js; "" is a text
	Facet  bool   `json:"facet,omitempty"`  // one of its values can be chosen
	Hidden bool   `json:"hidden,omitempty"` // until it is chosen
	value  func(listed) any
}

// MarshalJSON writes {"columns": […], "questions": […], "rows": [[…], …]}. A row begins with the transcript's
// ID; a question is its index in questions, and a missing value is null. Rows are in the plan's order,
// unfinished ones first. Characters that change the reading direction or control a terminal are made visible.
func (l *List) MarshalJSON() ([]byte, error) {
	ordered := l.orderedRows()
	questions := questionIndex{at: map[string]int{}}
	columns := l.listColumns(&questions)
	rows := make([][]any, len(ordered))
	for i, r := range ordered {
		for _, c := range columns {
			v := c.value(r)
			if text, is := v.(string); is {
				v = wording.SafeLine(text)
			}
			rows[i] = append(rows[i], v)
		}
	}
	return json.Marshal(map[string]any{"columns": columns, "questions": questions.texts, "rows": rows,
		"problem": wording.SafeLine(l.questions.Problem)})
}

// orderedRows returns the rows in the order of the plan, those that have not ended first.
func (l *List) orderedRows() []listed {
	ordered := slices.Clone(l.rows)
	slices.SortStableFunc(ordered, func(a, b listed) int {
		return cmp.Or(statusRank(a)-statusRank(b), l.rank[a.ConditionID]-l.rank[b.ConditionID],
			cmp.Compare(a.Instance, b.Instance),
			cmp.Compare(a.Replicate, b.Replicate), cmp.Compare(b.Generation, a.Generation))
	})
	return ordered
}

// Neighbours returns the IDs before and after id in the plan's order; "" where there is none.
func (l *List) Neighbours(id string) (before, after string) {
	all := l.orderedRows()
	i := slices.IndexFunc(all, func(r listed) bool { return r.ID == id })
	if i > 0 {
		before = all[i-1].ID
	}
	if i >= 0 && i+1 < len(all) {
		after = all[i+1].ID
	}
	return before, after
}

// statusRank returns 0 for what has not ended, which comes first, and 1 for the others.
func statusRank(l listed) int {
	if l.Status == record.Unfinished {
		return 0
	}
	return 1
}

// questionIndex has different questions, each once.
type questionIndex struct {
	texts []string
	at    map[string]int
}

func (a *questionIndex) indexOf(text string) int {
	text = wording.SafeLine(strings.Join(strings.Fields(text), " "))
	i, known := a.at[text]
	if !known {
		i = len(a.texts)
		a.at[text] = i
		a.texts = append(a.texts, text)
	}
	return i
}

func (l *List) listColumns(questions *questionIndex) []column {
	hasKeys := slices.ContainsFunc(l.rows, func(r listed) bool { return r.KeyJSON != nil })
	number := func(name string, hidden bool, value func(listed) any) column {
		return column{Name: name, Kind: "number", Hidden: hidden, value: value}
	}
	columns := []column{
		{Name: "collaboration", Hidden: true, value: func(r listed) any { return r.ID }},
		{Name: "mark", Kind: "mark", value: func(r listed) any { return r.mark() }},
		{Name: "question", Kind: "question", value: func(r listed) any {
			return questions.indexOf(cmp.Or(l.questions.questionOf(*r.Collaboration).Text, r.InstanceID,
				fmt.Sprint("instance ", r.Instance)))
		}},
		{Name: "group's answer", value: func(r listed) any {
			if r.DecisionJSON == nil {
				return nil
			}
			return l.questions.questionOf(*r.Collaboration).answer(*r.DecisionJSON)
		}},
		{Name: "right answer", Hidden: !hasKeys, value: func(r listed) any {
			return l.questions.questionOf(*r.Collaboration).joinAnswers(keysOf(*r.Collaboration))
		}},
		number("score", hasKeys, func(r listed) any { return roundedScore(r.Score) }),
		{Name: "condition", Hidden: len(l.values) < 2, value: func(r listed) any { return l.titles[r.ConditionID] }},
		number("replicate", false, func(r listed) any { return r.Replicate }),
		number("rounds", false, func(r listed) any { return r.RoundsRun }),
		{Name: "agreement", Kind: "share", value: func(r listed) any { return r.FinalAgreement }},
		number("tokens", false, func(r listed) any {
			if r.Calls == 0 && r.Asks > 0 && !r.Simulated { // other collaborations had its answers
				return "reused"
			}
			return r.InputTokens + r.OutputTokens
		}),
		{Name: "USD", Kind: "usd", value: func(r listed) any { return r.CostUSD }},
		{Name: "time", Kind: "seconds", value: func(r listed) any {
			if r.StartedAt == 0 || r.EndedAt < r.StartedAt {
				return nil
			}
			return float64(r.EndedAt-r.StartedAt) / 1e6
		}},
		{Name: "flipped", Kind: "flag", Hidden: true, value: func(r listed) any { return r.Flipped }},
		number("re-asked turns", true, func(r listed) any { return r.ReaskedTurns }),
		number("cut answers", true, func(r listed) any { return r.CutAnswers }),
		number("invalid turns", true, func(r listed) any { return r.InvalidTurns }),
		{Name: "status", Hidden: true, value: func(r listed) any { return r.statusText() }},
		number("decided in round", true, func(r listed) any { return r.DecidedRound }),
		{Name: "instance", Hidden: true, value: func(r listed) any { return r.InstanceID }},
		number("calls", true, func(r listed) any { return r.Calls }),
	}
	for i, label := range l.labels {
		columns = append(columns, column{Name: wording.SafeLine(label), Facet: true, Hidden: true,
			value: func(r listed) any {
				if values := l.values[r.ConditionID]; i < len(values) {
					return values[i]
				}
				return ""
			}})
	}
	return columns
}

// roundedScore returns a score without what only rounding keeps from 0.
func roundedScore(score *float64) *float64 {
	if score == nil {
		return nil
	}
	return new(roundForPeople(*score))
}

// mark returns the mark of a collaboration; what was run again has none that counts.
func (r listed) mark() string {
	if r.Earlier && r.Status != record.Unfinished {
		return "run again"
	}
	return markOf(*r.Collaboration)
}

func (r listed) statusText() string {
	if r.Earlier && r.Status != record.Unfinished {
		return r.Status + ", run again"
	}
	return r.Status
}
