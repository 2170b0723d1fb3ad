package stopping

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"roundtable/workflows/transcript"
)

// A rule is made of a fit that can be read, is of the method and is there.
func TestNewLearned(t *testing.T) {
	for _, x := range []struct{ fit, want string }{
		{`{"method":"fixed_best_round","round":2}`, ""},
		{``, "nothing is fitted"},
		{`null`, "nothing is fitted"},
		{`{"method":"fixed_best_round","round":2,"more":1}`, "fit is unusable"},
		{`{"method":`, "fit is unusable"},
		{`{"method":"baseline"}`, "fit is of the method baseline, and the method is fixed_best_round"},
	} {
		rule, err := NewLearned(LearnedParams{From: "c", Method: MethodFixed, Fit: json.RawMessage(x.fit)})
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q: %v, want %q", x.fit, err, x.want)
		}
		if err == nil && (rule.Stop(&transcript.Transcript{Agents: 1}, 1) || !rule.Stop(&transcript.Transcript{Agents: 1}, 2)) {
			t.Errorf("%q stops at another round", x.fit)
		}
	}
}

// Messages are labelled one by one for the rule of dialogue acts, and measured together for
// that of distances.
func TestAnnotations(t *testing.T) {
	say := func(index, round, agent int) transcript.Entry {
		e := transcript.Entry{Step: transcript.Step{Kind: transcript.Ask, Round: round, Speaker: transcript.Speaker{Index: agent}}, Index: index}
		e.Payload.Format, e.Act.Status = transcript.FormatMessage, transcript.Said
		return e
	}
	talk := &transcript.Transcript{Agents: 2, Entries: []transcript.Entry{say(0, 1, 0), say(1, 1, 1), say(2, 2, 0), say(3, 2, 1)}}
	half := 0.5
	for method, want := range map[string][]string{MethodDialogueAct: {PhaseLabel, PhaseLabel}, MethodDistance: {PhaseDistance}, MethodFixed: nil} {
		steps := Learned{LearnedFit{Fitted: Fitted{Method: method, Threshold: &half, Round: 1}}}.Annotations(talk, 2)
		if len(steps) != len(want) {
			t.Errorf("%s: %d steps", method, len(steps))
			continue
		}
		for i, phase := range want {
			if steps[i].Phase != phase || steps[i].Round != 2 {
				t.Errorf("%s: %+v", method, steps[i])
			}
		}
	}
}

// A label of whom there is not, or that names no act, shows nothing.
func TestLabelsOfNobody(t *testing.T) {
	label := func(agent int, names ...string) transcript.Entry {
		e := transcript.Entry{Step: transcript.Step{Kind: transcript.Annotate, Round: 1, Speaker: transcript.Speaker{Role: RoleLabeller, Index: agent}}}
		e.Payload.Format, e.Act.Tags = transcript.FormatActs, names
		return e
	}
	r := RoundsOf(&transcript.Transcript{Agents: 2, Entries: []transcript.Entry{label(0, ActNames[1]), label(1, "no act"), label(2, ActNames[1])}}, 1)[0]
	if len(r.Acts) != 2 || !r.Acts[0].Has(1) || r.Acts[1] != 0 {
		t.Errorf("acts %v", r.Acts)
	}
}

func TestEpsilon(t *testing.T) {
	for epsilon, ok := range map[float64]bool{0: true, 0.5: true, math.MaxFloat64: true, -1e-9: false, math.Inf(1): false, math.NaN(): false} {
		if _, err := NewConverged(ConvergedParams{Epsilon: epsilon, Rounds: 1}); (err == nil) != ok {
			t.Errorf("%v: %v", epsilon, err)
		}
	}
	if _, err := NewConverged(ConvergedParams{}); err == nil {
		t.Error("0 rounds in a row are accepted")
	}
}
