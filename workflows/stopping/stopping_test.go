package stopping_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// talk is a transcript of rounds, each a word for what happens in turn:
// m a message, p a proposal, s one skipped, i one invalid, b a ballot,
// A a proposal is selected, K none is and what stands stays, L a label,
// E the environment moves. What was selected last stands.
func talk(rounds ...string) *transcript.Transcript {
	t := &transcript.Transcript{Agents: 2}
	standing := -1
	for i, round := range rounds {
		for what := range strings.SplitSeq(round, "") {
			step := transcript.Step{Kind: transcript.Ask, Round: i + 1}
			act := transcript.Act{Status: transcript.Said}
			switch what {
			case "m":
				step.Payload.Format = transcript.FormatMessage
			case "b":
				step.Payload.Format = transcript.FormatBallot
				act.Ballot = &transcript.Ballot{}
			case "p", "s", "i":
				step.Payload.Format = transcript.FormatProposal
				act.Status = map[string]transcript.Status{"p": transcript.Said, "s": transcript.Skipped, "i": transcript.Invalid}[what]
			case "A":
				step.Kind, standing = transcript.Decide, 0
				act.Decision = &transcript.Decision{Winners: []int{0}, Selected: 0, Standing: standing}
			case "K":
				step.Kind = transcript.Decide
				act.Decision = &transcript.Decision{Winners: []int{0, 1}, Selected: -1, Standing: standing}
			case "L":
				step.Kind = transcript.Annotate
				step.Payload.Format = transcript.FormatProposal // of the entry that is labelled
			case "E":
				step.Kind = transcript.Env
			}
			t.Append(step, act)
		}
	}
	return t
}

func TestRules(t *testing.T) {
	const never = 0
	for _, x := range []struct {
		name               string
		rounds             []string
		first, consecutive int // round at which the rule stops
	}{
		{"selected at once, then silence", []string{"mmppbbA", "mmssbbA", "mmssbbA"}, 1, 2},
		{"selected at once, talk goes on", []string{"mmppbbA", "mmpsbbA", "mmspbbA"}, 1, never},
		{"nothing is ever selected", []string{"mmppbbK", "mmssbbK", "mmssbbK"}, never, never},
		{"silence without a selection is not an agreement", []string{"mmppbbK", "mmssbbK", "mmssbbA", "mmssbbK"}, 3, 4},
		{"what stands is not selected again", []string{"mmppbbA", "mmpsbbK", "mmssbbK"}, 1, never},
		{"silence may itself be undecided", []string{"mmppbbK", "mmpsbbA", "mmssbbK"}, 2, 3},
		{"an invalid proposal is none", []string{"mmppbbA", "mmisbbA"}, 1, 2},
		{"one proposal among skips is one", []string{"mmppbbA", "mmspbbA", "mmssbbA"}, 1, 3},
		{"silence and selection in round 1", []string{"mmssbbA"}, 1, never},
		{"consensus after each message", []string{"pKpA", "pK"}, 1, never},
		{"a later decision of the round does not undo it", []string{"pAK", "sK"}, 1, 2},
		{"labels and dynamics are not proposals", []string{"ppLLA", "ssLLEA"}, 1, 2},
		{"nothing was said", nil, never, never},
	} {
		t.Run(x.name, func(t *testing.T) {
			whole := talk(x.rounds...)
			for name, rule := range map[string]struct {
				stopping.Rule
				want int
			}{
				"first":       {stopping.FirstAgreement{}, x.first},
				"consecutive": {stopping.ConsecutiveAgreements{}, x.consecutive},
				"never":       {stopping.Never{}, never},
			} {
				var live, after int
				for r := len(x.rounds); r >= 1; r-- {
					if rule.Stop(talk(x.rounds[:r]...), r) {
						live = r
					}
					if rule.Stop(whole, r) {
						after = r
					}
				}
				if live != rule.want || after != rule.want {
					t.Errorf("%s stops at %d while it runs and at %d looking back, want %d", name, live, after, rule.want)
				}
			}
		})
	}
}

func TestRulesChangeNothing(t *testing.T) {
	x := talk("mmppbbA", "mmssbbA")
	entries := slices.Clone(x.Entries)
	for _, rule := range []stopping.Rule{stopping.Never{}, stopping.FirstAgreement{}, stopping.ConsecutiveAgreements{}} {
		rule.Stop(x, 2)
	}
	if !reflect.DeepEqual(x.Entries, entries) {
		t.Error("asking changed the transcript")
	}
}
