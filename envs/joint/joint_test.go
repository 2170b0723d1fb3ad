package joint

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// HR and NMAE of ilp_reference.json, first allocation: 4 of 11 components too
// high; public resources 30, 30 taken for 30, 37.5. And the edges of Eq. 5.
func TestStateErrors(t *testing.T) {
	truth := []float64{3, 6, 6, 5, 3, 5, 5, 6, 5, 30, 30}
	estimate := []float64{2, 7, 7, 5, 2, 5, 5, 7, 5, 30, 37.5}
	of := func(list []float64) State {
		s := State{}
		for i, v := range list {
			s[string(rune('a'+i))] = v
		}
		return s
	}
	if hr := HallucinationRate(of(truth), of(estimate)); math.Abs(hr-0.36363636363636365) > 1e-12 {
		t.Errorf("HR is %v", hr)
	}
	for _, c := range []struct {
		truth, estimate State
		want            float64
	}{
		{State{"a": 30, "b": 30}, State{"a": 30, "b": 37.5}, 0.125},
		{State{"a": 0}, State{"a": 0}, 0}, {State{"a": 0}, State{"a": 5}, 1},
		{State{"a": 10}, State{"a": 15}, 0.5}, {State{"a": 10}, State{}, 1}, {State{}, State{"a": 5}, 1}, {State{}, State{}, 0},
	} {
		if e := NMAE(c.truth, c.estimate); math.Abs(e-c.want) > 1e-12 {
			t.Errorf("NMAE of %v for %v is %v, want %v", c.estimate, c.truth, e, c.want)
		}
	}
}

// A message that was cut tells the facts that arrived whole; one without facts, none.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`What I know: {"a":1,"b":[2,3]}`:   `{"a":1,"b":[2,3]}`,
		`What I know: {"a":1,"b":[2,3],"c`: `{"a":1,"b":[2,3]}`,
		`What I know: {"a":1,"b":[2`:       `{"a":1}`,
		`What I know: {`:                   `{}`,
		`I have nothing to add.`:           `{}`,
		``:                                 `{}`,
	} {
		if got, err := json.Marshal(parseFacts(text)); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

type reference struct {
	Menu []struct {
		Recipe   [][]float64 `json:"recipe"`
		Stock    []float64   `json:"stock"`
		C        []float64   `json:"c"`
		Optimum  float64     `json:"optimum"`
		Proposal struct {
			Items    []int   `json:"items"`
			Feasible bool    `json:"feasible"`
			NAR      float64 `json:"NAR_proposal_order"`
			Kept     []int   `json:"kept_proposal_order"`
			NARValue float64 `json:"NAR_reward_descending"`
			KeptBy   []int   `json:"kept_reward_descending"`
		} `json:"proposal"`
	} `json:"menu"`
}

// NAR in both greedy orders, against ilp_reference.json and a made-up case of its form.
func TestNAR(t *testing.T) {
	for _, name := range []string{filepath.Join("testdata", "nar.json"), filepath.Join("..", "..", "..", "shared", "vectors", "ilp_reference.json")} {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var r reference
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil || len(r.Menu) == 0 {
			t.Fatalf("%s: %d menus, %v", name, len(r.Menu), err)
		}
		for i, m := range r.Menu {
			p := Problem{Capacity: m.Stock}
			choice := slices.Repeat([]int{-1}, len(m.C))
			for d, v := range m.C {
				o := Option{Value: v}
				for _, row := range m.Recipe {
					o.Use = append(o.Use, row[d])
				}
				p.Items = append(p.Items, []Option{o})
			}
			for _, d := range m.Proposal.Items {
				choice[d] = 0
			}
			if _, feasible := p.Value(choice); feasible != m.Proposal.Feasible {
				t.Errorf("%s, menu %d: feasible is %v", name, i, feasible)
			}
			for _, c := range []struct {
				order, kept []int
				want        float64
			}{{m.Proposal.Items, m.Proposal.Kept, m.Proposal.NAR}, {ByValue(p, choice), m.Proposal.KeptBy, m.Proposal.NARValue}} {
				got := NAR(p, m.Optimum, choice, c.order)
				if kept, _ := Keep(p, choice, c.order); math.Abs(got-c.want) > 1e-9 || !slices.Equal(kept, c.kept) {
					t.Errorf("%s, menu %d: NAR %v keeping %v, want %v keeping %v", name, i, got, kept, c.want, c.kept)
				}
			}
		}
	}
}

// A mean is of what there is, and one infeasible choice is not better for being of nothing.
func TestMeasures(t *testing.T) {
	if got := meanOf(nil); got != nil {
		t.Errorf("the mean of nothing is %v", *got)
	}
	for want, list := range map[float64][]float64{3: {3}, 2: {1, 3}} {
		if got := meanOf(list); got == nil || *got != want {
			t.Errorf("the mean of %v is %v", list, got)
		}
	}
	p := Problem{Capacity: []float64{2}, Items: [][]Option{{{Value: 4, Use: []float64{2}}}, {{Value: 2, Use: []float64{1}}}}}
	for _, x := range []struct {
		best   float64
		choice []int
		want   float64
	}{
		{4, []int{0, -1}, 100}, {4, []int{-1, 0}, 50},
		{4, []int{0, 0}, 50}, // one of two is kept
		{0, []int{0, 0}, 0},
	} {
		if got := NAR(p, x.best, x.choice, ByOrder(x.choice)); got != x.want {
			t.Errorf("%v of best %v: %v, want %v", x.choice, x.best, got, x.want)
		}
	}
}

func TestShareOfBest(t *testing.T) {
	for _, x := range []struct {
		reward, best float64
		feasible     bool
		want         float64
	}{{0.5, 1, true, 0.5}, {1, 4, true, 0.25}, {1, 4, false, 0}, {0, 0, true, 0}, {0.25, 0.5, true, 0.5}} {
		if got := shareOfBest(x.reward, x.feasible, x.best); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}
