// Package publicgoods is the public goods game of experimental economics
// (voluntary contributions: Isaac and Walker 1988; four players, an endowment
// of 20 and a return of 0.4 as in Fehr and Gächter 2000), decided by the group.
// Every agent has an endowment and can put some of it into a common account;
// each unit there pays a return to every agent. All gain most if all contribute
// everything, and each alone would gain most by contributing nothing. How much
// an agent gets of a unit is its own secret.
package publicgoods

import (
	"embed"
	"fmt"
	"io/fs"
	"math"

	"roundtable/envs"
)

// Params of the game.
type Params struct {
	Agents    int     `json:"agents"`    // 2 to 20
	Endowment float64 `json:"endowment"` // of each agent, in units
	Return    float64 `json:"return"`    // what a unit in the common account pays each agent, on average
	Spread    float64 `json:"spread"`    // agents' own returns differ from Return by at most this
}

// Defaults returns the parameters of Fehr and Gächter (2000), with returns from 0.3 to 0.5.
func Defaults() Params { return Params{Agents: 4, Endowment: 20, Return: 0.4, Spread: 0.1} }

// Game is the environment.
type Game struct{ params Params }

// New checks the parameters. Returns must leave a dilemma: contributing a unit
// costs an agent more than it gets back, and brings the group more than it costs.
func New(p Params) (*Game, error) {
	switch {
	case p.Agents < 2 || p.Agents > len(names):
		return nil, fmt.Errorf("agents is %d; it is a number from 2 to %d", p.Agents, len(names))
	case !(p.Endowment >= 1 && p.Endowment <= 1e6):
		return nil, fmt.Errorf("endowment is %v; it is a number from 1 to 1000000", p.Endowment)
	case !(p.Spread >= 0 && p.Spread < 1):
		return nil, fmt.Errorf("spread is %v; it is a number from 0 and less than 1", p.Spread)
	case !(p.Return+p.Spread < 1 && (p.Return-p.Spread)*float64(p.Agents) > 1):
		return nil, fmt.Errorf("return is %v with a spread of %v; for %d agents, expected are returns that stay "+
			"below 1 and above 1/%d",
			p.Return, p.Spread, p.Agents, p.Agents)
	}
	return &Game{p}, nil
}

//go:embed prompts/*.tmpl
var prompts embed.FS

var names = [...]string{"Alex", "Blake", "Casey", "Drew", "Ellis", "Flynn", "Gray", "Harper", "Indigo", "Jordan",
	"Kai", "Logan", "Morgan", "Noel", "Oakley", "Parker", "Quinn", "Riley", "Sage", "Taylor"}

// Version returns the version of dealing, parsing and scoring.
func (*Game) Version() int { return 1 }

// Measure returns efficiency: the share of the possible gain.
func (*Game) Measure() envs.Measure { return envs.Share }

// Instances returns 0: their number is not limited.
func (*Game) Instances() int { return 0 }

// Prompts returns the built-in templates.
func (*Game) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic("publicgoods: " + err.Error()) // the folder is embedded
	}
	return sub
}

// Instance deals the agents' returns, in hundredths.
func (g *Game) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 {
		return nil, fmt.Errorf("instance is %d; instances are numbered from 0", index)
	}
	in := &instance{params: g.params, id: fmt.Sprintf("game-%d", index)}
	for i := range g.params.Agents {
		r := g.params.Return + g.params.Spread*(2*envs.Stream(seed, "return", index, i).Float64()-1)
		in.returns = append(in.returns, math.Round(100*r)/100)
	}
	return in, nil
}

// instance is one group with its returns.
type instance struct {
	params  Params
	id      string
	returns []float64 // by agent
}

// Observation is all that one agent knows: the game, and its own return.
type Observation struct {
	Agents    []string
	Endowment float64
	Return    float64 // private
}

func (in *instance) ID() string { return in.id }

func (in *instance) Agents() []envs.Agent {
	agents := make([]envs.Agent, in.params.Agents)
	for i := range agents {
		agents[i].Name = names[i]
	}
	return agents
}

func (in *instance) Observe(agent int) any {
	return Observation{Agents: names[:in.params.Agents], Endowment: in.params.Endowment, Return: in.returns[agent]}
}

// Utility returns what an agent keeps and gets back, in units.
func (in *instance) Utility(agent int, p envs.Proposal) float64 {
	return payoffOf(contributionsOf(p, names[:in.params.Agents]), agent, in.params.Endowment, in.returns[agent])
}

// payoffOf of one agent from all contributions.
func payoffOf(contributions []float64, agent int, endowment, back float64) float64 {
	return endowment - contributions[agent] + back*sum(contributions)
}

// Score returns the efficiency of the contributions: since every unit adds the same to
// the sum of payoffs, the share of the possible gain is the share of all
// endowments that is contributed.
func (in *instance) Score(p envs.Proposal) envs.Score {
	given := contributionsOf(p, names[:in.params.Agents])
	s := envs.Score{Value: min(1, sum(given)/(in.params.Endowment*float64(len(given))))}
	for i := range given {
		s.Utilities = append(s.Utilities, in.Utility(i, p))
	}
	return s
}

func sum(list []float64) float64 {
	total := 0.0
	for _, v := range list {
		total += v
	}
	return total
}

// Baselines returns what selfish agents would do, and the best for all.
func (in *instance) Baselines() []envs.Baseline {
	return []envs.Baseline{{Name: "nobody_contributes", Score: 0}, {Name: "all_contribute_all", Score: 1}}
}
