package asking

import (
	"fmt"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
	"roundtable/workflows/until"
)

// Summary is how far a question is, as numbers for JSON and for people.
type Summary struct {
	Answered    bool               `json:"answered"` // every comparison is decided
	Units       int                `json:"units"`    // looked at
	Of          int                `json:"of"`       // units of the plan
	Comparisons []until.Comparison `json:"comparisons"`
	Unneeded    int                `json:"unneeded"`            // cells stopped because it was answered
	Cancelled   int                `json:"cancelled,omitempty"` // cells that it needs and that cancel stopped
}

// Summary returns the numbers of the state, for JSON and for people.
func (s State) Summary() Summary {
	sum := Summary{Answered: s.Course.IsAnswered(), Units: s.Course.Units(), Of: s.Units,
		Comparisons: s.Course.Comparisons(), Cancelled: s.Cancelled}
	for _, m := range s.Ended {
		if m.Reason == record.Answered {
			sum.Unneeded++
		}
	}
	return sum
}

// String returns one line for people: whether the question is answered, and how many units were
// looked at.
func (s Summary) String() string {
	decided := 0
	for _, c := range s.Comparisons {
		if c.Verdict != until.Open {
			decided++
		}
	}
	text := "is open"
	switch {
	case s.Answered:
		text = "is answered"
	case s.Units == s.Of:
		text = "is not answered by the whole plan"
	}
	text = fmt.Sprintf("the question %s: %d of %s decided after %d of %s", text, decided,
		wording.Count(len(s.Comparisons), "comparison"), s.Units, wording.Count(s.Of, "unit"))
	if s.Unneeded > 0 {
		text += fmt.Sprintf("; stopped: answered: %s", wording.Count(s.Unneeded, "collaboration"))
	}
	if s.Cancelled > 0 {
		text += fmt.Sprintf("; cancelled: %s that it needs, which `run --retry-failed` runs",
			wording.Count(s.Cancelled, "collaboration"))
	}
	return text
}
