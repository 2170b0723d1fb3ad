package prompt_test

import (
	"fmt"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

// Ballots as models write them, with what a person reads in each: candidates from 0, points, "A"
// for none and "-" for what cannot be told.
func TestWrittenBallots(t *testing.T) {
	specs := map[string]transcript.BallotSpec{"choose": choose, "rate": rate, "rank": rank, "spread": spread, "approve": approve}
	for _, x := range []struct{ kind, want, text string }{
		{"rank", "-", "1. Solution 1: good\n2. Solution 2: bad\n3. Solution 3: best"}, {"rank", "-", "Rejected: 2, 1, 3"}, {"approve", "-", "1\n2\nNone of them: 3"},
		{"spread", "-", `{"decision": {"1": 2, "Solution 1": 1}}`}, {"approve", "-", "3 > 1"}, {"spread", "[1 2 0]", "I like 2 best.\n\n1: 1\n2: 2"},
		{"rate", "-", "1:-2, 2:3, 3:1"}, {"rate", "-", "1: -2\n2: 3\n3: 1"}, {"spread", "-", "1:-2, 2:3, 3:1"}, {"spread", "-", "1: many\n2: 3\n3: 1"},
		{"approve", "-", "We accept 1\nI approve 2"}, {"approve", "-", "1, 2\n\nI approve 3"}, {"approve", "-", "I approve 1.\n\nI approve 3."}, {"rank", "-", "1, 2, 3\n\nRanking: 3, 2, 1"},
	} {
		s, got := step(transcript.FormatBallot, specs[x.kind]), "-"
		s.Payload.Bare = true
		a, err := prompt.Parse([]byte(x.text), s, puzzle(t))
		if b := a.Act.Ballot; err == nil {
			switch {
			case b.Abstain:
				got = "A"
			case x.kind == "choose":
				got = fmt.Sprint(b.Choice)
			case x.kind == "rank", x.kind == "approve":
				got = fmt.Sprint(b.Order)
			default:
				got = fmt.Sprint(b.Points)
			}
		}
		if got != x.want {
			t.Errorf("%s %q is read as %s, %v; want %s", x.kind, x.text, got, err, x.want)
		}
	}
}
