package stopping

import (
	"encoding/json"
	"math"
	"slices"
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
			if want := []transcript.Range{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2 + i, To: 3 + i}}; method == MethodDialogueAct && !slices.Equal(ranged(steps[i].Sees), ranged(want)) {
				t.Errorf("the labeller of message %d sees %v, want %v", 2+i, steps[i].Sees, want)
			}
		}
	}
}

// ranged lists the entries of ranges.
func ranged(all []transcript.Range) (entries []int) {
	for _, r := range all {
		for i := r.From; i < r.To; i++ {
			entries = append(entries, i)
		}
	}
	return entries
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

// Groups have converged when all states at the end of each of so many rounds are as near.
func TestConverged(t *testing.T) {
	move := func(round, agent int, values ...float64) transcript.Entry {
		e := transcript.Entry{Step: transcript.Step{Kind: transcript.Env, Round: round, Speaker: transcript.Speaker{Index: agent}}}
		e.Act.Values = values
		return e
	}
	talk := &transcript.Transcript{Agents: 2, Entries: []transcript.Entry{
		move(1, 0, 0, 5), move(1, 1, 1, 5),
		move(2, 0, 0, 5), move(2, 1, 1, 7),
		move(3, 0, 9, 9), move(3, 1, 0, 0), move(3, 0, 4, 4), move(3, 1, 4, 5), move(3, 0), // the last of each counts, and no other note
		move(4, 0, 4, 4), move(4, 1, 4, 4),
		move(6, 0, 0, 0), move(6, 1, 9, 9), move(6, 0),
	}}
	for _, x := range []struct {
		params ConvergedParams
		round  int
		want   bool
	}{
		{DefaultConverged(), 1, true}, // as near as 1 is near
		{DefaultConverged(), 2, false},
		{DefaultConverged(), 3, true},
		{ConvergedParams{Epsilon: 1, Rounds: 2}, 3, false},
		{ConvergedParams{Epsilon: 1, Rounds: 2}, 4, true},
		{ConvergedParams{Epsilon: 0, Rounds: 1}, 4, true},
		{DefaultConverged(), 5, false}, // no states
		{DefaultConverged(), 6, false},
	} {
		rule, err := NewConverged(x.params)
		if err != nil {
			t.Fatal(err)
		}
		if rule.Stop(talk, x.round) != x.want {
			t.Errorf("%+v after round %d: %v", x.params, x.round, !x.want)
		}
	}
	one := &transcript.Transcript{Agents: 1, Entries: []transcript.Entry{move(1, 0, 3)}}
	if rule, err := NewConverged(DefaultConverged()); err != nil || !rule.Stop(one, 1) {
		t.Error("one agent is not near to itself")
	}
	half := &transcript.Transcript{Agents: 2, Entries: one.Entries}
	if rule, err := NewConverged(DefaultConverged()); err != nil || rule.Stop(half, 1) {
		t.Error("half of a round is taken for one")
	}
}

// A pair counts each agent that showed A before another agent shows B, and not one that shows
// B itself alone.
func TestTimes(t *testing.T) {
	p := Pair(1)
	a, b := p.Acts()
	showing := func(acts ...int) (s Acts) {
		for _, act := range acts {
			s |= 1 << act
		}
		return s
	}
	for _, x := range []struct {
		before, now []Acts
		want        int
	}{
		{[]Acts{showing(a), 0}, []Acts{0, showing(b)}, 1},
		{[]Acts{showing(a), showing(a)}, []Acts{0, showing(b)}, 1},
		{[]Acts{showing(a), showing(a)}, []Acts{showing(b), showing(b)}, 2},
		{[]Acts{showing(a), 0}, []Acts{showing(b), 0}, 0},
		{[]Acts{0, 0}, []Acts{showing(b), showing(b)}, 0},
		{[]Acts{0, showing(a)}, []Acts{showing(b)}, 1}, // an agent that left
	} {
		if got := Times(x.before, x.now, p); got != x.want {
			t.Errorf("%v, %v: %d, want %d", x.before, x.now, got, x.want)
		}
	}
}

// Dialogue Act stops at a round from 2 in which at least score signals occur; a score of 0 is no rule.
func TestStopsAtSignals(t *testing.T) {
	a, b := Pair(1).Acts()
	shows := []Round{{Acts: []Acts{1 << a, 0}}, {Acts: []Acts{0, 1 << b}}} // of two agents
	unlabelled := []Round{{}, shows[1]}
	for _, x := range []struct {
		score, round int
		rounds       []Round
		want         bool
	}{{1, 2, shows, true}, {1, 1, shows, false}, {2, 2, shows, false}, {0, 2, shows, false}, {1, 2, unlabelled, false}, {1, 3, shows, false}, {1, 0, shows, false}} {
		f := Fitted{Method: MethodDialogueAct, Count: 1, Score: x.score, Signals: []Signal{{Pair: Pair(1)}}}
		if got := f.StopsAt(x.rounds, x.round); got != x.want {
			t.Errorf("score %d, round %d: %v", x.score, x.round, got)
		}
		if f.Never = "no labels"; f.StopsAt(x.rounds, x.round) {
			t.Error("a fit that never stops does")
		}
	}
}

func TestAlpha(t *testing.T) {
	some := 0.1
	if err := (LearnedParams{From: "c", Method: MethodFixed, Alpha: &some}).Check(); err == nil || !strings.Contains(err.Error(), "alpha is 0.1, and the method "+MethodFixed+" has no bound") {
		t.Errorf("an alpha of a method that has none: %v", err)
	}
	for alpha, ok := range map[float64]bool{0.1: true, 0: false, 1: false, -1: false, math.NaN(): false} {
		if err := (LearnedParams{From: "c", Method: MethodEProcess, Alpha: &alpha}).Check(); (err == nil) != ok {
			t.Errorf("%v: %v", alpha, err)
		}
	}
	if p := DefaultConfidentAtStart(); p.Share != 1 || p.Confidence != 0.8 {
		t.Errorf("%+v", p)
	}
}
