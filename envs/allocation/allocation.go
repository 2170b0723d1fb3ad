// Package allocation is the joint task allocation of paper 3 (§2.2.3): two
// workers and a leader share ten tasks out among themselves. Each knows its own
// private resources and efficiencies and a fragment of the public resources,
// which add up; the aim is the allocation that is worth most.
package allocation

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// Params of the environment.
type Params struct {
	// Domains that tasks are from: research, cafeteria, camping; all by default.
	Domains []string `json:"domains"`
}

// Defaults returns parameters with all domains.
func Defaults() Params { return Params{Domains: []string{"research", "cafeteria", "camping"}} }

//go:embed prompts/*.tmpl
var prompts embed.FS

// Allocation is the environment: a benchmark of 20 tasks a domain for each seed.
type Allocation struct {
	params  Params
	domains []Domain

	mu    sync.Mutex // of what follows: the benchmark that was generated last
	seed  uint64
	teams []Team
}

// New returns the environment, or an error if the parameters are wrong.
func New(p Params) (*Allocation, error) {
	domains, err := loadDomains()
	if err != nil {
		return nil, err
	}
	if len(p.Domains) == 0 {
		return nil, fmt.Errorf("domains is empty; expected some of research, cafeteria, camping")
	}
	for i, d := range p.Domains {
		if !slices.Contains(Defaults().Domains, d) || slices.Contains(p.Domains[:i], d) {
			return nil, fmt.Errorf("domains is %.80q; each is one of research, cafeteria, camping, and named once", p.Domains)
		}
	}
	return &Allocation{params: p, domains: domains}, nil
}

// Version returns the version of dealing, parsing and scoring.
func (a *Allocation) Version() int { return 1 }

// Measure returns a share: of the greatest reward.
func (*Allocation) Measure() envs.Measure { return envs.Share }

// Instances returns the number of tasks in the benchmark's domains.
func (a *Allocation) Instances() int { return selected * len(a.params.Domains) }

// Prompts returns the built-in templates.
func (a *Allocation) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// Benchmark returns the tasks of a seed, all domains.
func (a *Allocation) Benchmark(seed uint64) ([]Team, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.teams != nil && a.seed == seed {
		return a.teams, nil
	}
	var err error
	var teams []Team
	if seed == recordedSeed {
		teams, err = recordedTeams()
	} else {
		teams, err = generateTeams(a.domains, seed)
	}
	if err == nil {
		a.seed, a.teams = seed, teams
	}
	return teams, err
}

// Instance deals the task of this index; those of the first domain come first.
func (a *Allocation) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 || index >= a.Instances() {
		return nil, fmt.Errorf("allocation: there is no instance %d; there are 0 to %d", index, a.Instances()-1)
	}
	teams, err := a.Benchmark(seed)
	if err != nil {
		return nil, err
	}
	domain, n := a.params.Domains[index/selected], index%selected
	at := slices.IndexFunc(a.domains, func(d Domain) bool { return d.Name == domain })
	d, t := a.domains[at], teams[at*selected+n]
	var chosen []Template
	for _, name := range t.Tasks {
		i := slices.IndexFunc(d.Tasks, func(t Template) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("allocation: there is no task %q", name)
		}
		chosen = append(chosen, d.Tasks[i])
	}
	s := &session{work: d.newWork(t, chosen), team: t, id: fmt.Sprintf("allocation-%s-%d", domain, n)}
	s.Board = joint.New(s)
	return s, nil
}

// Policies returns one name: sharer, whose agents tell what they know.
func (a *Allocation) Policies() []string { return []string{"sharer"} }

// Policy builds a scripted agent with the parameters of joint.Sharer.
func (a *Allocation) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	if name != "sharer" {
		return nil, envs.NewPolicyError("allocation", name, a.Policies())
	}
	return joint.NewSharer(func(o any) joint.Mind { return newMind(o.(Observation)) }, decode)
}

// session is one instance.
type session struct {
	*work
	joint.Board
	team Team
	id   string
}

func (s *session) ID() string { return s.id }

// Agents returns three, of whom the last leads where one does.
func (s *session) Agents() []envs.Agent {
	return []envs.Agent{{Name: agentName(0)}, {Name: agentName(1)}, {Name: agentName(2)}}
}

// Observation is what an agent knows at the start.
type Observation struct {
	Domain          string
	Private, Public []string // names of resources
	Tasks           []Template
	// name of the last agent, for templates of one's own; the built-in ones leave it to the protocol to say who leads
	Leader   string
	Agent    int
	Persona  string
	Own      map[string]float64 // private resources
	Fragment map[string]float64 // of the public resources
	Values   map[string]float64 // of the tasks, if it does them
}

// Observe gives an Observation.
func (s *session) Observe(agent int) any {
	return Observation{
		Domain: s.team.Domain, Private: s.private, Public: s.public, Tasks: s.tasks, Leader: agentName(agents - 1),
		Agent: agent, Persona: s.team.Personas[agent], Own: maps.Clone(s.team.Private[agent]),
		Fragment: maps.Clone(s.team.Fragments[agent]), Values: maps.Clone(s.truth.Values[agentName(agent)]),
	}
}

// Utility returns what the agent's own tasks are worth.
func (s *session) Utility(agent int, p envs.Proposal) float64 {
	sum := 0.0
	for i, o := range s.Choice(p) {
		if o == agent {
			sum += s.team.Values[agent][i]
		}
	}
	return sum
}

// Score has NR / 100 as score.
func (s *session) Score(p envs.Proposal) envs.Score {
	score := s.Board.Score(p)
	for agent := range agents {
		score.Utilities = append(score.Utilities, s.Utility(agent, p))
	}
	return score
}
