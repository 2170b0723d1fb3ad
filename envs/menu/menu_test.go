package menu

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/envs/envtest"
	"roundtable/envs/joint"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var settings = []string{Numeric, Semantic}

// played keeps the benchmark of the suite's seed, which takes seconds to generate.
var played = must(New(Defaults()))

func TestEnvironment(t *testing.T) {
	for _, o := range settings {
		t.Run(o, func(t *testing.T) {
			m := must(New(Params{Observations: o}))
			m.seed, m.tasks = played.seed, played.tasks
			defer func() { played = m }()
			envtest.Run(t, m, envtest.Options{
				Private: []string{"Stock", "Values", "Profiles"}, Golden: "testdata/" + o + ".txt",
			})
		})
	}
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, played) }

func FuzzEstimate(f *testing.F) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	f.Add([]byte(`{"ingredients": {}, "values": {}}`))
	f.Add([]byte(`{"ingredients": {"rice": 1e300}, "values": null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := in.Estimate(text)
		if err != nil {
			return
		}
		if again, err := in.Estimate([]byte(e)); err != nil || again != e {
			t.Errorf("%q becomes %q, then %q (%v)", text, e, again, err)
		}
	})
}

// Names in an estimate are read in any case, as in a menu, and once each.
func TestNamesInAnyCase(t *testing.T) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	food, dish := in.ingredients[0], in.Items()[0]
	want := must(in.Estimate(fmt.Appendf(nil, `{"ingredients": {%q: 2}, "values": {%q: 3}, "partner_values": {%q: 1}}`, food, dish, dish)))
	got, err := in.Estimate(fmt.Appendf(nil, `{"ingredients": {%q: 2}, "values": {%q: 3}, "partner_values": {%q: 1}}`,
		strings.ToUpper(food), " "+strings.ToTitle(dish), strings.ToLower(dish)))
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	for _, text := range []string{"", `{"ingredients": {}}`, `{"values": {}}`, `{"ingredients": {}, "values": {}, "partner_values": 7}`} {
		if e, err := in.Estimate([]byte(text)); err == nil || !strings.Contains(err.Error(), `it needs "ingredients" and "values"`) {
			t.Errorf("%s is read as %s, %v", text, e, err)
		}
	}
	if _, err := in.Estimate(fmt.Appendf(nil, `{"ingredients": {%q: 2, %q: 3}, "values": {}}`, food, strings.ToUpper(food))); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a name given twice: %v", err)
	}
}

// The database has the paper's measure (§2.3), and every rating is in its range.
func TestDatabase(t *testing.T) {
	db := must(loadDatabase())
	cuisines := map[string]bool{}
	known := map[string]bool{}
	for _, in := range db.ingredients {
		known[in.Name] = true
	}
	for _, d := range db.dishes {
		cuisines[d.Cuisine] = true
		for name, a := range d.Recipe {
			if !known[name] || a < 1 {
				t.Errorf("%s needs %d of %q", d.Name, a, name)
			}
		}
		for _, g := range db.guests {
			if r := Rating(g, d); r < 0 || r > 5 {
				t.Errorf("%s rates %s %v", g.Name, d.Name, r)
			}
		}
	}
	if len(known) != 51 || len(db.dishes) != 78 || len(cuisines) != 12 || len(db.guests) != 10 {
		t.Errorf("%d ingredients, %d dishes, %d cuisines, %d guests", len(known), len(db.dishes), len(cuisines), len(db.guests))
	}
}

// r (n + 0.2 n^1.5) by hand: n = 4 gives 4 + 0.2·8 = 5.6.
func TestValue(t *testing.T) {
	d := Dish{Cuisine: "Thai", Recipe: map[string]int{"rice": 3, "limes": 1}}
	for _, c := range []struct {
		guest Guest
		want  float64
	}{
		{Guest{}, 2.5 * 5.6},
		{Guest{Culture: &Culture{Cuisine: "Thai", Spice: "Hot"}}, 3 * 5.6},
		{Guest{Allergies: &[]string{"limes"}}, 0},
	} {
		if v := Value(c.guest, d); math.Abs(v-c.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.guest, v, c.want)
		}
	}
}

// Both agents together see the whole stock, each 40 to 60 % of its kinds; and
// numeric values of one guest each.
func TestObservations(t *testing.T) {
	m := must(New(Defaults()))
	for i := range 10 {
		s := must(m.Instance(1, i)).(*session)
		a, b := s.Observe(0).(Observation), s.Observe(1).(Observation)
		if n := len(a.Stock); float64(n) < 0.4*kinds || float64(n) > 0.6*kinds || n+len(b.Stock) != kinds {
			t.Errorf("instance %d: %d and %d kinds are seen", i, n, len(b.Stock))
		}
		for _, d := range s.offered {
			if sum := a.Values[d.Name] + b.Values[d.Name]; math.Abs(sum-s.problem.Items[s.item(d)][0].Value) > 1e-9 {
				t.Errorf("instance %d: %s is worth %v", i, d.Name, sum)
			}
		}
	}
}

func (s *session) item(d Dish) int {
	for i, o := range s.offered {
		if o.Name == d.Name {
			return i
		}
	}
	panic(fmt.Sprint("no ", d.Name))
}

// Fields of profiles are seen as often as A.1.3 says.
func TestObservedFields(t *testing.T) {
	g := must(loadDatabase()).guests[0]
	const n = 4000
	for agent := range known {
		seen := 0
		for i := range n {
			if g.partOf(envs.Stream(1, "test", agent, i), agent).Allergies != nil {
				seen++
			}
		}
		if share := float64(seen) / n; math.Abs(share-known[agent].allergies) > 0.03 {
			t.Errorf("agent %d sees allergies in %v of all cases, want %v", agent, share, known[agent].allergies)
		}
	}
}

// The solver finds the optimum from a true estimate, the calculator names what is missing.
func TestTools(t *testing.T) {
	s := must(must(New(Defaults())).Instance(1, 0)).(*session)
	truth := Estimate{Ingredients: s.State(""), Values: joint.State{}}
	for i, d := range s.offered {
		truth.Values[d.Name] = s.problem.Items[i][0].Value
	}
	shown := []envs.Shown{{Phase: "observation", Text: truth.String()}}
	made := must(s.Cue(envs.Cue{Name: joint.Solver, Shown: shown}))
	if got := s.Score(made.Proposals[0]).Value; math.Abs(got-1) > 1e-9 {
		t.Errorf("the solver's menu has NR %v", 100*got)
	}
	all := s.Proposal(make([]int, len(s.offered)))
	check := must(s.Cue(envs.Cue{Name: joint.Calculator, Shown: append(shown, envs.Shown{Phase: "planning", Proposal: all})}))
	if !strings.Contains(check.Text, "it lacks") || s.Score(all).Value != 0 {
		t.Errorf("all dishes at once: NR %v, %s", s.Score(all).Value, check.Text)
	}
	none := must(s.Cue(envs.Cue{Name: joint.Solver}))
	if len(none.Proposals) != 0 {
		t.Errorf("without an estimate the solver proposes %v", none.Proposals)
	}
}

func BenchmarkSolve(b *testing.B) {
	m := must(New(Defaults()))
	tasks := must(m.Benchmark(1))
	for i := 0; b.Loop(); i++ {
		k := must(m.db.buildKitchen(tasks[i%len(tasks)]))
		joint.Solve(k.problem, nodes)
	}
}

// Names are read in any case, as a plan's are, and kept as the task has them.
func TestEstimateInAnyCase(t *testing.T) {
	k := &kitchen{offered: []Dish{{Name: "Fried rice"}}, ingredients: []string{"chicken", "rice"}}
	got, err := k.Estimate([]byte(`{"ingredients": {"Chicken": 2, "RICE ": 3}, "values": {"fried Rice": 7}}`))
	if want := `{"ingredients":{"chicken":2,"rice":3},"values":{"Fried rice":7}}`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for text, want := range map[string]string{
		`{"ingredients": {"Chicken": 2, "chicken": 3}, "values": {}}`: "chicken is given twice",
		`{"ingredients": {"Chick": 2}, "values": {}}`:                 `there is no ingredient "Chick"`,
	} {
		if _, err := k.Estimate([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What a partner told is known as the partner's, and counts with one's own.
func TestAssume(t *testing.T) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	own := in.Observe(0).(Observation)
	food, dish := in.ingredients[0], in.Items()[0]
	told := joint.Facts{"stock/" + food: json.RawMessage("7"), "value/" + dish: json.RawMessage("3")}
	var alone, e Estimate
	for into, facts := range map[*Estimate][]joint.Facts{&alone: nil, &e: {told}} {
		if err := json.Unmarshal([]byte(knowing{in.kitchen, own}.Assume(facts, joint.Doubt{})), into); err != nil {
			t.Fatal(err)
		}
	}
	if e.PartnerIngredients[food] != 7 || e.PartnerValues[dish] != 3 || len(alone.PartnerIngredients)+len(alone.PartnerValues) > 0 {
		t.Errorf("of the partner: %v, %v, and untold %v, %v", e.PartnerIngredients, e.PartnerValues, alone.PartnerIngredients, alone.PartnerValues)
	}
	if food := e.Ingredients[food] - alone.Ingredients[food]; food != 7 {
		t.Errorf("the partner's 7 add %v", food)
	}
	if value := e.Values[dish] - alone.Values[dish]; math.Abs(value-3) > 1e-9 {
		t.Errorf("the partner's value 3 adds %v", value)
	}
}
