package allocation

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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

func TestEnvironment(t *testing.T) {
	envtest.Run(t, must(New(Defaults())), envtest.Options{Private: []string{"Agent", "Persona", "Own", "Fragment", "Values"}})
}

func FuzzParse(f *testing.F) { envtest.Fuzz(f, must(New(Defaults()))) }

func FuzzEstimate(f *testing.F) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	f.Add([]byte(`{"private": {}, "public": {}, "values": {}}`))
	f.Add([]byte(`{"private": {"agent_9": {}}, "public": {"Budget": -1}, "values": {}}`))
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

// Names in an estimate are read in any case, as in an allocation.
func TestNamesInAnyCase(t *testing.T) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	form := func(agent, own, pooled, task string) []byte {
		return fmt.Appendf(nil, `{"private": {%q: {%q: 2}}, "public": {%q: 3}, "values": {%q: {%q: 1}}}`, agent, own, pooled, agent, task)
	}
	own, pooled, task := in.private[0], in.public[0], in.Items()[0]
	want := must(in.Estimate(form("agent_1", own, pooled, task)))
	got, err := in.Estimate(form("Agent_1", strings.ToUpper(own), strings.ToLower(pooled), strings.ToUpper(task)))
	if err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// Nobody may do a task, and a form's example says something of each agent.
func TestForms(t *testing.T) {
	in := must(must(New(Defaults())).Instance(1, 0)).(*session)
	if p, err := in.Parse(fmt.Appendf(nil, "{%q: null}", in.Items()[0])); err != nil || p != in.Proposal(slices.Repeat([]int{-1}, len(in.tasks))) {
		t.Errorf("nobody is read as %s, %v", p, err)
	}
	var e Estimate
	if err := json.Unmarshal([]byte(in.EstimateForm().Example), &e); err != nil {
		t.Fatal(err)
	}
	for _, agent := range agentNames() {
		if len(e.Private[agent]) == 0 || len(e.Values[agent]) == 0 {
			t.Errorf("the example of an estimate says nothing of %s: %s", agent, e)
		}
	}
}

func TestParams(t *testing.T) {
	for _, domains := range [][]string{nil, {"office"}, {"camping", "camping"}} {
		if _, err := New(Params{Domains: domains}); err == nil || !strings.HasPrefix(err.Error(), "domains is ") {
			t.Errorf("%q: %v", domains, err)
		}
	}
}

// The database has the paper's measure (§2.3), and needs name resources that there are.
func TestDatabase(t *testing.T) {
	var templates, private, public, personas int
	for _, d := range must(loadDomains()) {
		known := map[string]bool{}
		for _, r := range d.Private {
			known[r] = true
		}
		for _, r := range d.Public {
			known[r.Name] = true
		}
		templates, private, public, personas = templates+len(d.Tasks), private+len(d.Private), public+len(d.Public), personas+len(d.Personas)
		for _, task := range d.Tasks {
			for r := range task.Needs {
				if !known[r] {
					t.Errorf("%s needs %q, which %s does not have", task.Name, r, d.Name)
				}
			}
			for _, p := range d.Personas {
				if p.Efficiency[task.Kind][0] <= 0 {
					t.Errorf("%s has no efficiency at %s", p.Name, task.Kind)
				}
			}
		}
	}
	if templates != 42 || private != 12 || public != 12 || personas != 18 {
		t.Errorf("%d templates, %d private and %d public resources, %d personas", templates, private, public, personas)
	}
}

// The selection rules of A.2.3 hold, and the benchmark of seed 1 is the recorded one.
func TestBenchmark(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in one goroutine")
	}
	domains := must(loadDomains())
	teams := must(generateTeams(domains, recordedSeed))
	var b strings.Builder
	for i, team := range teams {
		if err := json.NewEncoder(&b).Encode(team); err != nil {
			t.Fatal(err)
		}
		if team.Domain != domains[i/selected].Name || team.done < leastDone || len(team.Tasks) != tasks {
			t.Errorf("team %d: %+v", i, team)
		}
		if i%selected > 0 && teams[i-1].priority < team.priority {
			t.Errorf("team %d has a higher priority than team %d", i, i-1)
		}
	}
	envtest.Golden(t, "data/benchmark.jsonl", b.String())
}

// The paper's 60 instances: what is best, and a hash of all that is observed.
func TestInstances(t *testing.T) {
	a := must(New(Defaults()))
	var b strings.Builder
	for i := range a.Instances() {
		s := must(a.Instance(recordedSeed, i))
		var seen []any
		for agent := range agents {
			seen = append(seen, s.Observe(agent))
		}
		fmt.Fprintf(&b, "%s %.2f %x\n", s.ID(), s.(*session).Best(), sha256.Sum256(must(json.Marshal(seen))))
	}
	if n := strings.Count(b.String(), "\n"); n != 60 {
		t.Errorf("%d instances", n)
	}
	envtest.Golden(t, "testdata/instances.txt", b.String())
}

// Fragments add up to the truth, and the solver finds the optimum from it.
func TestTruth(t *testing.T) {
	a := must(New(Params{Domains: []string{"camping", "research"}}))
	for i := range a.Instances() {
		s := must(a.Instance(1, i)).(*session)
		if want := []string{"camping", "research"}[i/selected]; s.team.Domain != want || s.Best() != s.team.Best {
			t.Errorf("instance %d is of %s, its optimum %v, recorded %v", i, s.team.Domain, s.Best(), s.team.Best)
		}
		var merged joint.Facts
		text := s.Merged()
		if err := json.Unmarshal([]byte(text[strings.IndexByte(text, '{'):]), &merged); err != nil {
			t.Fatal(err)
		}
		estimate := must(s.Estimate([]byte(newMind(s.Observe(0).(Observation)).Know(merged))))
		made := must(s.Cue(envs.Cue{Name: joint.Solver, Shown: []envs.Shown{{Phase: "observation", Text: estimate}}}))
		if got := s.Score(made.Proposals[0]).Value; math.Abs(got-1) > 1e-9 {
			t.Errorf("instance %d: the solver reaches %v of the optimum from the truth", i, got)
		}
		truth := s.State("")
		if hr, e := joint.HallucinationRate(truth, s.State(estimate)), joint.NMAE(truth, s.State(estimate)); hr != 0 || e != 0 {
			t.Errorf("instance %d: the merged observations have HR %v, NMAE %v", i, hr, e)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	a := must(New(Defaults()))
	var problems []joint.Problem
	for i := range a.Instances() {
		problems = append(problems, must(a.Instance(1, i)).(*session).Problem(""))
	}
	for i := 0; b.Loop(); i++ {
		joint.Solve(problems[i%len(problems)], joint.Nodes)
	}
}

func BenchmarkGenerate(b *testing.B) {
	domains := must(loadDomains())
	for b.Loop() {
		must(generateTeams(domains, 1))
	}
}
