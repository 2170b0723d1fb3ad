// Package consensus is the consensus-seeking task of paper 5: agents with
// numeric states of any dimension that are to gather at one point. States move
// to where their agents want them at once, or, for robots, as a controller and
// a motion model bring them there (§4).
package consensus

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"roundtable/envs"
)

// Params of the task.
type Params struct {
	// Agents is their number: 2 to 100, default 3.
	Agents int `json:"agents"`
	// Dimension of a state: 1 to 16, default 1.
	Dimension int `json:"dimension"`
	// Low and High bound the starts, which are uniform; 0 and 100.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Integers draws whole numbers, as paper 5's code does; default true.
	Integers bool `json:"integers"`
	// Starts by agent and coordinate in place of drawn ones.
	Starts [][]float64 `json:"starts"`
	// Spread is how far each coordinate of Starts is moved at most, by a whole number; 0.
	Spread int `json:"spread"`
	// Bounds that positions must keep, low and high; none by default.
	Bounds []float64 `json:"bounds"`
	// Stubborn and Suggestible count agents with that personality: the stubborn
	// ones come first by index, then the suggestible ones, then those with none.
	Stubborn    int `json:"stubborn"`
	Suggestible int `json:"suggestible"`
	// Personalities by agent (none, stubborn, suggestible) in place of the two counts.
	Personalities []string `json:"personalities"`
	// Robot are the constants of a robot's motion; without them agents arrive at once.
	Robot *Robot `json:"robot"`
}

// Defaults returns paper 5's: three agents on a line, starts 0 to 100 (§2).
func Defaults() Params { return Params{Agents: 3, Dimension: 1, High: 100, Integers: true} }

// DefaultRobots returns the three robots of paper 5's §4.
func DefaultRobots() Params {
	robot := DefaultRobot()
	return Params{
		Agents: 3, Dimension: 2, High: 100, Integers: true, Robot: &robot,
		Starts: [][]float64{{20, 20}, {80, 20}, {50, 80}}, Spread: 10,
	}
}

const (
	mostAgents    = 100
	mostDimension = 16
	largest       = 1e9 // coordinate
)

// The personalities of paper 5 (Fig. 5).
const (
	None        = "none"
	Stubborn    = "stubborn"
	Suggestible = "suggestible"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

// Task is the environment. Every instance has starts of its own.
type Task struct {
	params        Params
	personalities []string
}

// New returns the environment; the error joins all that is wrong with the parameters.
func New(p Params) (*Task, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	personalities := p.Personalities
	if personalities == nil {
		personalities = slices.Concat(slices.Repeat([]string{Stubborn}, p.Stubborn),
			slices.Repeat([]string{Suggestible}, p.Suggestible),
			slices.Repeat([]string{None}, p.Agents-p.Stubborn-p.Suggestible))
	}
	return &Task{params: p, personalities: personalities}, nil
}

// Version returns the version of dealing, parsing, moving, scoring and the scripted policies.
func (t *Task) Version() int { return 1 }

// Measure returns an error: minus a distance.
func (*Task) Measure() envs.Measure { return envs.Error }

// Instances returns 0: their number is not limited.
func (t *Task) Instances() int { return 0 }

// Prompts returns the built-in templates.
func (t *Task) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// Instance draws the starts agent by agent, so that the starts of a smaller group are those of
// the first agents of a larger one.
func (t *Task) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 {
		return nil, fmt.Errorf("consensus: there is no instance %d; they are counted from 0", index)
	}
	g := &gathering{Task: t, index: index}
	for agent := range t.params.Agents {
		g.starts = append(g.starts, t.params.drawStart(envs.Stream(seed, "consensus", index, agent), agent))
	}
	for k := range t.params.Dimension {
		sum := 0.0
		for _, s := range g.starts {
			sum += s[k]
		}
		g.centre = append(g.centre, sum/float64(len(g.starts)))
	}
	return g, nil
}

// gathering is one instance.
type gathering struct {
	*Task
	index  int
	starts [][]float64
	centre []float64 // mean of the starts
}

// ID counts the instances from 0.
func (g *gathering) ID() string {
	return fmt.Sprintf("n%d-d%d-%d", g.params.Agents, g.params.Dimension, g.index)
}

// Agents are called A1, A2, … ; nobody is told more of others than where they are.
func (g *gathering) Agents() []envs.Agent {
	agents := make([]envs.Agent, g.params.Agents)
	for i := range agents {
		agents[i].Name = fmt.Sprint("A", i+1)
	}
	return agents
}

// Observation is what an agent knows before it sees anybody, itself included.
type Observation struct {
	Agents, Dimension int
	Bounds            *Bounds // nil if positions are free
	Below             bool    // positions may be below 0
	Moves             bool    // agents take time to move
	Example           envs.Proposal
	Low, High         float64 // of the starts
	Start             []float64
	Personality       string
}

// Bounds of a coordinate.
type Bounds struct{ Low, High float64 }

// Observe gives an Observation.
func (g *gathering) Observe(agent int) any {
	p := g.params
	o := Observation{
		Agents: p.Agents, Dimension: p.Dimension, Below: true, Moves: p.Robot != nil, Low: p.Low, High: p.High,
		Start: slices.Clone(g.starts[agent]), Personality: g.personalities[agent],
	}
	low, high := p.Low, p.High
	if p.Bounds != nil {
		low, high = p.Bounds[0], p.Bounds[1]
		o.Bounds, o.Below = &Bounds{low, high}, low < 0
	}
	o.Example = formatPosition(slices.Repeat([]float64{low + (high-low)/8}, p.Dimension))
	return o
}

// Utility returns minus the distance from where the agent started.
func (g *gathering) Utility(agent int, p envs.Proposal) float64 { return g.worthOf(g.starts[agent], p) }

// Score has minus the distance from the mean of the starts as score.
func (g *gathering) Score(p envs.Proposal) envs.Score {
	s := envs.Score{Value: g.worthOf(g.centre, p)}
	for agent := range g.starts {
		s.Utilities = append(s.Utilities, g.Utility(agent, p))
	}
	return s
}

// worthOf returns minus the distance; a text that Parse did not make is as far as can be.
func (g *gathering) worthOf(from []float64, p envs.Proposal) float64 {
	x, ok := readPosition(p)
	if !ok || len(x) != len(from) {
		return -largest
	}
	return -roundTo12(distanceBetween(from, x))
}

func distanceBetween(a, b []float64) float64 {
	d := 0.0
	for k := range a {
		d = math.Hypot(d, a[k]-b[k])
	}
	return d
}
