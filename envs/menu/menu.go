// Package menu is the joint menu design of paper 3 (§2.2.1, §2.2.2): two agents
// know a part of the stock each, and either one guest's values for all dishes
// (numeric) or parts of both guests' profiles (semantic), and settle the menu
// that is worth most to both guests and can be made from the stock.
package menu

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"roundtable/envs"
	"roundtable/envs/joint"
)

// Params of the environment.
type Params struct {
	// Observations of the guests: numeric or semantic.
	Observations string `json:"observations"`
}

// Defaults returns the numeric setting.
func Defaults() Params { return Params{Observations: Numeric} }

// Values of Params.Observations.
const (
	Numeric  = "numeric"
	Semantic = "semantic"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

// Menu is the environment: a benchmark of 60 tasks for each seed.
type Menu struct {
	params Params
	db     *database

	mu    sync.Mutex // of what follows: the benchmark that was generated last
	seed  uint64
	tasks []Task
}

// New returns the environment, or an error if the parameters are wrong.
func New(p Params) (*Menu, error) {
	if p.Observations != Numeric && p.Observations != Semantic {
		return nil, fmt.Errorf("observations is %.40q; it is %s or %s", p.Observations, Numeric, Semantic)
	}
	db, err := loadDatabase()
	if err != nil {
		return nil, err
	}
	return &Menu{params: p, db: db}, nil
}

// Version returns the version of dealing, parsing and scoring.
func (m *Menu) Version() int { return 2 }

// Measure returns a share: of the greatest reward.
func (*Menu) Measure() envs.Measure { return envs.Share }

// Instances returns the number of tasks in a benchmark.
func (m *Menu) Instances() int { return selected }

// Prompts returns the built-in templates.
func (m *Menu) Prompts() fs.FS {
	sub, err := fs.Sub(prompts, "prompts")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// Benchmark returns the tasks of a seed; the same arguments give the same tasks.
func (m *Menu) Benchmark(seed uint64) ([]Task, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tasks == nil || m.seed != seed {
		generate := m.db.generateTasks
		if seed == recordedSeed {
			generate = recordedTasks
		}
		tasks, err := generate(seed)
		if err != nil {
			return nil, err
		}
		m.seed, m.tasks = seed, tasks
	}
	return m.tasks, nil
}

// Instance deals the observations of a task.
func (m *Menu) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 || index >= selected {
		return nil, fmt.Errorf("menu: there is no instance %d; there are 0 to %d", index, selected-1)
	}
	tasks, err := m.Benchmark(seed)
	if err != nil {
		return nil, err
	}
	k, err := m.db.buildKitchen(tasks[index])
	if err != nil {
		return nil, err
	}
	s := &session{Menu: m, kitchen: k, id: fmt.Sprintf("menu-%s-%d", m.params.Observations, index)}
	s.dealStock(envs.Stream(seed, "menu observations", index))
	s.Board = joint.New(s)
	return s, nil
}

// Policies returns one name: sharer, whose agents tell what they know.
func (m *Menu) Policies() []string { return []string{"sharer"} }

// Policy builds a scripted agent with the parameters of joint.Sharer.
func (m *Menu) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	if name != "sharer" {
		return nil, envs.NewPolicyError("menu", name, m.Policies())
	}
	return joint.NewSharer(func(o any) joint.Mind { return newMind(o.(Observation)) }, decode)
}
