package allocation

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// The selection of paper 3 (A.2.3): of 1,000 candidates of each domain the best 20.
const (
	candidates = 1000
	selected   = 20 // of each domain
	agents     = 3
	tasks      = 10
	leastDone  = 3 // tasks in the optimal allocation
)

// Weights of the priority: share of tasks done, mean use of resources, reward
// (here as a share of what the tasks are worth to the agent who does each best). The
// paper prints no weights; these are ours.
const (
	weightDone   = 0.4
	weightUse    = 0.4
	weightReward = 0.2
)

// Team is one problem of the benchmark. Lists are by agent, the leader last.
type Team struct {
	Domain    string               `json:"domain"`
	Personas  []string             `json:"personas"`
	Tasks     []string             `json:"tasks"`
	Private   []map[string]float64 `json:"private"`
	Fragments []map[string]float64 `json:"fragments"` // of public resources: they add up
	Values    [][]float64          `json:"values"`    // agent × task
	Best      float64              `json:"best"`      // greatest reward
	Number    int                  `json:"number"`

	done     int
	priority float64
}

// generateTeams generates each domain's candidates of a seed and selects.
func generateTeams(domains []Domain, seed uint64) ([]Team, error) {
	var all []Team
	for _, d := range domains {
		var fit []Team
		for n := range candidates {
			if t, ok := d.drawTeam(envs.Stream(seed, "allocation", d.Name, n)); ok {
				t.Number = n
				fit = append(fit, t)
			}
		}
		if len(fit) < selected {
			return nil, fmt.Errorf("allocation: only %d of %d %s tasks of the seed %d are fit for a benchmark; %d are needed", len(fit), candidates, d.Name, seed, selected)
		}
		slices.SortStableFunc(fit, func(a, b Team) int { return cmp.Compare(b.priority, a.priority) })
		all = append(all, fit[:selected]...)
	}
	return all, nil
}

// The benchmark of one seed is recorded, since generating it takes a while.
const recordedSeed = 1

//go:embed data/benchmark.jsonl
var benchmarkJSON string

func recordedTeams() ([]Team, error) {
	var teams []Team
	for line := range strings.Lines(benchmarkJSON) {
		var t Team
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return nil, fmt.Errorf("allocation: data/benchmark.jsonl: %w", err)
		}
		teams = append(teams, t)
	}
	return teams, nil
}

// drawTeam draws tasks, personas and what each has; false if it makes no task.
func (d Domain) drawTeam(rng *rand.Rand) (Team, bool) {
	t := Team{Domain: d.Name}
	var chosen []Template
	for _, i := range rng.Perm(len(d.Tasks))[:tasks] {
		chosen = append(chosen, d.Tasks[i])
		t.Tasks = append(t.Tasks, d.Tasks[i].Name)
	}
	for _, i := range rng.Perm(len(d.Personas))[:agents] {
		p := d.Personas[i]
		t.Personas = append(t.Personas, p.Name)
		private, public, values := map[string]float64{}, map[string]float64{}, []float64(nil)
		for _, r := range d.Private {
			private[r] = drawBetween(rng, p.Private[r])
		}
		for _, r := range d.Public {
			public[r.Name] = drawBetween(rng, r.Fragment)
		}
		for _, task := range chosen {
			e := p.Efficiency[task.Kind]
			values = append(values, math.Round(100*task.Value*(e[0]+rng.Float64()*(e[1]-e[0])))/100)
		}
		t.Private, t.Fragments, t.Values = append(t.Private, private), append(t.Fragments, public),
			append(t.Values, values)
	}
	p := d.newWork(t, chosen).Problem("")
	best := joint.Solve(p, joint.Nodes)
	for _, o := range best.Choice {
		if o >= 0 {
			t.done++
		}
	}
	t.Best, t.priority = best.Value, priorityOf(p, best, t.done)
	return t, t.done >= leastDone && best.Gap == 0
}

func drawBetween(rng *rand.Rand, r [2]int) float64 { return float64(r[0] + rng.IntN(r[1]-r[0]+1)) }

// priorityOf returns P of A.2.3.
func priorityOf(p joint.Problem, best joint.Solution, done int) float64 {
	use, used, most := p.Uses(best.Choice), 0.0, 0.0
	for r, c := range p.Capacity {
		if c > 0 {
			used += use[r] / c / float64(len(p.Capacity))
		}
	}
	for _, options := range p.Items {
		most += slices.MaxFunc(options, func(a, b joint.Option) int { return cmp.Compare(a.Value, b.Value) }).Value
	}
	return weightDone*float64(done)/float64(len(p.Items)) + weightUse*used + weightReward*best.Value/most
}
