package record_test

import (
	"math"
	"testing"

	"roundtable/analysis/lake/record"
)

func TestIsMessage(t *testing.T) {
	agent, text := int32(0), "hello"
	turn := func(change func(*record.Turn)) record.Turn {
		said := record.Turn{Kind: "ask", Format: "message", Status: "said", Agent: &agent, Text: &text}
		change(&said)
		return said
	}
	for what, x := range map[string]struct {
		turn record.Turn
		want bool
	}{
		"a message":      {turn(func(*record.Turn) {}), true},
		"free text":      {turn(func(t *record.Turn) { t.Format = "text" }), true},
		"a proposal":     {turn(func(t *record.Turn) { t.Format = "proposal" }), false},
		"an annotation":  {turn(func(t *record.Turn) { t.Kind = "annotate" }), false},
		"of a judge":     {turn(func(t *record.Turn) { t.Role = "judge" }), false},
		"invalid":        {turn(func(t *record.Turn) { t.Status = "invalid" }), false},
		"of nobody":      {turn(func(t *record.Turn) { t.Agent = nil }), false},
		"without a text": {turn(func(t *record.Turn) { t.Text = nil }), false},
	} {
		if x.turn.IsMessage() != x.want {
			t.Errorf("%s: %v", what, !x.want)
		}
	}
}

// What is not a number has no digest: readers would not find it equal to itself.
func TestNoNumberHasNoDigest(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := record.Digest(record.Rows{Collaborations: []record.Collaboration{{Status: "succeeded", Utilities: []float64{f}}}}); err == nil {
			t.Errorf("%v has one", f)
		}
	}
}

func TestSees(t *testing.T) {
	if got := (record.Turn{SeesJSON: "[[0,2],[3,4]]"}).Sees(); len(got) != 2 || got[0] != [2]int32{0, 2} || got[1] != [2]int32{3, 4} {
		t.Errorf("%v", got)
	}
	if got := (record.Turn{SeesJSON: "[[0,2],[3"}).Sees(); got != nil {
		t.Errorf("of what cannot be read: %v", got)
	}
}
