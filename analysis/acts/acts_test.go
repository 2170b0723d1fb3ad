package acts

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/referencetest"
)

// reference is a vector of labels with what an independent program makes of it.
type reference struct {
	talks      []ActsByRound
	PerMessage [][]float64 `json:"ratio_per_message"`
	PerGroup   [][]float64 `json:"ratio_per_group"`
	Transition graph       `json:"transition"`
	Pairs      graph       `json:"transition_pairs"`
	Counts     map[string]struct {
		R         int
		Existence map[string]int
		Ordered   map[string]int
	} `json:"counts_example"`
	ids map[string]int
}

type graph struct {
	Numerator   [][]float64
	Denominator []float64
	Probability [][]*float64
	Top         map[string]*string `json:"top_edge_excluding_self"`
}

func vectors(t *testing.T, env string) (r reference) {
	t.Helper()
	r.ids = map[string]int{}
	var in struct {
		Collaborations []struct {
			ID   string
			Acts [][][]string
		}
	}
	referencetest.Read(t, "dialogue_acts_"+env+"_data.json", &in)
	referencetest.Read(t, "dialogue_acts_"+env+"_expected.json", &r)
	for i, c := range in.Collaborations {
		r.ids[c.ID] = i
		r.talks = append(r.talks, talk(t, c.Acts))
	}
	return r
}

func talk(t *testing.T, labels [][][]string) ActsByRound {
	t.Helper()
	var all ActsByRound
	for _, round := range labels {
		var sets []Set
		for _, names := range round {
			s, ok := Of(names...)
			if !ok {
				t.Fatalf("%q are not acts", names)
			}
			sets = append(sets, s)
		}
		all = append(all, sets)
	}
	return all
}

func TestRatioVectors(t *testing.T) {
	for _, env := range []string{"exchange", "recsys"} {
		r := vectors(t, env)
		for reading, pair := range map[string]struct {
			got  [][N]*Ratio
			want [][]float64
		}{"message": {PerMessage(r.talks), r.PerMessage}, "group": {PerGroup(r.talks), r.PerGroup}} {
			for act, name := range record.Acts {
				for round := range pair.got {
					got, want := pair.got[round][act], pair.want[act][round]
					if got == nil || math.Abs(got.Share-want) > 1e-9 || got.Of != 50 {
						t.Fatalf("%s, %s in round %d per %s: %+v, want %v", env, name, round+1, reading, got, want)
					}
				}
			}
		}
	}
}

func TestTransitionVectors(t *testing.T) {
	for _, env := range []string{"exchange", "recsys"} {
		r := vectors(t, env)
		sameGraph(t, env, Transitions(r.talks, Anyone), r.Transition)
		sameGraph(t, env, Transitions(r.talks, Each), r.Pairs)
		got := map[string]string{}
		for _, e := range Transitions(r.talks, Anyone).Top() {
			got[e.From] = e.To
		}
		for from, to := range r.Transition.Top {
			if to == nil {
				to = new(string)
			}
			if got[from] != *to {
				t.Errorf("%s: the top edge of %s leads to %q, want %q", env, from, got[from], *to)
			}
		}
	}
}

func sameGraph(t *testing.T, env string, got Graph, want graph) {
	t.Helper()
	for i, from := range got.From {
		if float64(got.Of[i]) != want.Denominator[i] {
			t.Errorf("%s, %s: %s is shown %d times, want %v", env, got.Reading, from, got.Of[i], want.Denominator[i])
		}
		for j, to := range got.To {
			p, q := got.Probability[i][j], want.Probability[i][j]
			if float64(got.Count[i][j]) != want.Numerator[i][j] || (p == nil) != (q == nil) || p != nil && math.Abs(*p-*q) > 1e-9 {
				t.Errorf("%s, %s: %s to %s %d, want %v", env, got.Reading, from, to, got.Count[i][j], want.Numerator[i][j])
			}
		}
	}
}

func TestFollowVectors(t *testing.T) {
	r := vectors(t, "exchange")
	if len(r.Counts) == 0 {
		t.Fatal("the vectors have no counts")
	}
	for id, example := range r.Counts {
		talk := r.talks[r.ids[id]]
		for reading, want := range map[Reading]map[string]int{Anyone: example.Existence, Each: example.Ordered} {
			got := follow(talk[example.R-2], talk[example.R-1], reading)
			found := 0
			for a := range N {
				for b := range N {
					if got[a][b] == 0 {
						continue
					}
					found++
					if pair := record.Acts[a] + "->" + record.Acts[b]; want[pair] != got[a][b] {
						t.Errorf("%s, %s: %s %d times, want %d", id, reading, pair, got[a][b], want[pair])
					}
				}
			}
			if found != len(want) {
				t.Errorf("%s, %s: %d pairs, want %d", id, reading, found, len(want))
			}
		}
	}
}

// TestByHand works two small talks by hand: two agents, two rounds; one agent
// of the second talk is silent at first.
func TestByHand(t *testing.T) {
	talks := []ActsByRound{
		talk(t, [][][]string{{{"Inform"}, {"Request"}}, {{"Accept"}, {"Inform", "Accept"}}}),
		talk(t, [][][]string{{{"Inform"}, {}}, {{"Request"}, {"Accept"}}}),
	}
	messages, groups := PerMessage(talks), PerGroup(talks)
	if r := messages[0][0]; r.Share != 2./3 || r.Units != 3 || r.Of != 2 {
		t.Errorf("Inform in round 1: %+v, want 2 of 3 messages", r)
	}
	if r := groups[0][0]; r.Share != 1 || r.SE != nil {
		t.Errorf("Inform in round 1: %+v, want both groups, without spread", r)
	}
	if r := groups[0][1]; r.Share != .5 || *r.SE != .5 {
		t.Errorf("Request in round 1: %+v, want 1/2 ± 1/2", r)
	}
	g := Transitions(talks, Anyone)
	if g.Of[0] != 4 || g.Count[0][0] != 2 || g.Count[0][1] != 1 {
		t.Errorf("from Start: %v of %d", g.Count[0], g.Of[0])
	}
	if g.Of[1] != 3 || g.Count[1][8] != 2 || g.Count[1][N] != 1 {
		t.Errorf("from Inform: %v of %d, want Accept 2, End 1 of 3", g.Count[1], g.Of[1])
	}
	// 1 of 2 and 1 of 1 are 2 of 3; both are 1/3 off: √(2·(1/9 + 1/9)/1)/3.
	if se := g.SE[1][8]; se == nil || math.Abs(*se-2./9) > 1e-12 || g.Talks[1] != 2 {
		t.Errorf("Inform to Accept has the standard error %v over %d talks, want 2/9 over 2", se, g.Talks[1])
	}
	if g.Probability[3][0] != nil {
		t.Error("Confirm is never shown, so nothing follows it")
	}
	if got := PerMessage(nil); len(got) != 0 {
		t.Errorf("no talks have ratios %v", got)
	}
	if g := Transitions([]ActsByRound{{}}, Each); len(g.Top()) != 0 {
		t.Errorf("a talk without rounds has edges %v", g.Top())
	}
	if s, ok := Of("Inform", "Shout"); ok || s != 0 {
		t.Error("Shout is not an act")
	}
}

// TestReadings: no matter whom they answer, each answers at least as often, and no
// agent more often than there are others.
func TestReadings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents := rapid.IntRange(2, 5).Draw(t, "agents")
		round := rapid.SliceOfN(rapid.Uint16Range(0, 1<<N-1), agents, agents)
		var talk ActsByRound
		for range rapid.IntRange(0, 4).Draw(t, "rounds") {
			var sets []Set
			for _, s := range round.Draw(t, "round") {
				sets = append(sets, Set(s))
			}
			talk = append(talk, sets)
		}
		any, each := Transitions([]ActsByRound{talk}, Anyone), Transitions([]ActsByRound{talk}, Each)
		for i := range any.From {
			for j := range any.To {
				if a, e := any.Count[i][j], each.Count[i][j]; a > e || e > a*(agents-1) || a > any.Of[i] || e > each.Of[i] {
					t.Fatalf("%s to %s: anyone %d of %d, each %d of %d", any.From[i], any.To[j], a, any.Of[i], e, each.Of[i])
				}
			}
		}
		if g := Transitions([]ActsByRound{talk, talk}, Anyone); g.Count[0][0] != 2*any.Count[0][0] || g.Of[3] != 2*any.Of[3] {
			t.Fatal("two equal talks do not count twice")
		}
	})
}
