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

	"pgregory.net/rapid"
)

// packingReference is ilp_reference.json: optima by HiGHS, GLPK, CBC and brute force.
type packingReference struct {
	Menu []struct {
		Recipe  [][]float64 `json:"recipe"` // ingredient × dish
		Stock   []float64   `json:"stock"`
		C       []float64   `json:"c"`
		Optimum float64     `json:"optimum"`
	} `json:"menu"`
	Allocation []struct {
		Efficiency  [][]float64 `json:"efficiency"` // agent × task
		Private     [][]float64 `json:"private_requirement"`
		Public      [][]float64 `json:"public_requirement"`
		Capacity    [][]float64 `json:"private_capacity"`
		PublicTotal []float64   `json:"public_total"`
		Optimum     float64     `json:"optimum"`
	} `json:"allocation"`
	Assignment []struct {
		Value   [][]float64 `json:"value"`
		Optimum float64     `json:"optimum"`
	} `json:"linear_assignment"`
}

// load reads the reference next to the project; without it, the small made-up one of the same form.
func load(t *testing.T) packingReference {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "vectors", "ilp_reference.json"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join("testdata", "reference.json"))
	}
	var r packingReference
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReferenceOptima(t *testing.T) {
	r := load(t)
	check := func(kind string, i int, p Problem, want float64) {
		t.Helper()
		s := Solve(p, 1e6)
		if value, feasible := p.Value(s.Choice); math.Abs(s.Value-want) > 1e-9 || s.Gap != 0 || !feasible || value != s.Value {
			t.Errorf("%s %d: %v (gap %v, feasible %v), want %v", kind, i, s.Value, s.Gap, feasible, want)
		}
	}
	for i, m := range r.Menu {
		p := Problem{Capacity: m.Stock}
		for d, v := range m.C {
			o := Option{Value: v}
			for _, row := range m.Recipe {
				o.Use = append(o.Use, row[d])
			}
			p.Items = append(p.Items, []Option{o})
		}
		check("menu", i, p, m.Optimum)
	}
	for i, a := range r.Allocation {
		p := Problem{Capacity: slices.Concat(slices.Concat(a.Capacity...), a.PublicTotal)}
		own := len(a.Capacity[0])
		for task := range a.Private {
			var options []Option
			for agent := range a.Efficiency {
				use := make([]float64, len(p.Capacity))
				copy(use[agent*own:], a.Private[task])
				copy(use[len(a.Efficiency)*own:], a.Public[task])
				options = append(options, Option{Value: a.Efficiency[agent][task], Use: use})
			}
			p.Items = append(p.Items, options)
		}
		check("allocation", i, p, a.Optimum)
	}
	for i, a := range r.Assignment { // each column can be taken once
		p := Problem{Capacity: slices.Repeat([]float64{1}, len(a.Value[0]))}
		for _, row := range a.Value {
			var options []Option
			for column, v := range row {
				use := make([]float64, len(p.Capacity))
				use[column] = 1
				options = append(options, Option{Value: v, Use: use})
			}
			p.Items = append(p.Items, options)
		}
		check("assignment", i, p, a.Optimum)
	}
}

// brute tries everything.
func brute(p Problem) float64 {
	best, choice := 0.0, slices.Repeat([]int{-1}, len(p.Items))
	for {
		if v, ok := p.Value(choice); ok {
			best = max(best, v)
		}
		i := 0
		for ; i < len(choice); i++ {
			if choice[i]++; choice[i] < len(p.Items[i]) {
				break
			}
			choice[i] = -1
		}
		if i == len(choice) {
			return best
		}
	}
}

// problems are small, with values of any sign and capacities that may be 0.
func problems(t *rapid.T) Problem {
	m := rapid.IntRange(0, 4).Draw(t, "resources")
	amounts := func(name string, most int) []float64 {
		var list []float64
		for _, v := range rapid.SliceOfN(rapid.IntRange(0, most), m, m).Draw(t, name) {
			list = append(list, float64(v)/2)
		}
		return list
	}
	p := Problem{Capacity: amounts("capacity", 12)}
	for range rapid.IntRange(0, 6).Draw(t, "items") {
		var options []Option
		for range rapid.IntRange(0, 3).Draw(t, "options") {
			options = append(options, Option{Value: float64(rapid.IntRange(-3, 20).Draw(t, "value")) / 4, Use: amounts("use", 8)})
		}
		p.Items = append(p.Items, options)
	}
	return p
}

func TestSolveIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(t)
		s, want := Solve(p, 1e6), brute(p)
		if math.Abs(s.Value-want) > 1e-9 || s.Gap != 0 {
			t.Fatalf("%v with gap %v, want %v", s.Value, s.Gap, want)
		}
		if short := Solve(p, 2); short.Value > want+1e-9 || short.Bound < want-1e-9 {
			t.Fatalf("with two nodes: %v, bound %v; the optimum is %v", short.Value, short.Bound, want)
		}
	})
}

// With too few nodes the gap is reported, and it is right.
func TestNodeLimit(t *testing.T) {
	p := Problem{Capacity: []float64{10}}
	for i := range 20 {
		p.Items = append(p.Items, []Option{{Value: float64(7 + i%5), Use: []float64{float64(3 + i%4)}}})
	}
	exact, short := Solve(p, 1e6), Solve(p, 1)
	if exact.Gap != 0 || short.Nodes != 1 || short.Gap <= 0 || short.Bound < exact.Value || math.Abs(short.Gap-(short.Bound-short.Value)/short.Bound) > 1e-12 {
		t.Errorf("exact %+v, with one node %+v", exact, short)
	}
}
