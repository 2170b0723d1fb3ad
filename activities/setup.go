package activities

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Models builds one of the models that a condition asks.
type Models func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error)

// campaign is a plan with what was built from it.
type campaign struct {
	Plan
	conditions []*condition
}

// condition is built when it is first needed.
type condition struct {
	plan.Condition
	id        string
	agents    int
	rounds    int
	packHash  string
	env       envs.Environment
	templates *prompt.Templates
	provider  model.Provider
	others    map[string]model.Provider // in place of it, by agent's name or role
	most      func() int                // calls of one collaboration if no rule stops it early, re-asks not counted
}

// asked is the model of a speaker: an agent's name, or a role.
func (c *condition) asked(speaker string) model.Provider {
	if p, ok := c.others[speaker]; ok {
		return p
	}
	return c.provider
}

// all are the models of the condition.
func (c *condition) all() []model.Provider {
	return append(slices.Collect(maps.Values(c.others)), c.provider)
}

// anySimulated says that some model of the condition is no language model.
func (c *condition) anySimulated() bool {
	return slices.ContainsFunc(c.all(), func(p model.Provider) bool { return p.Simulated })
}

// isSimulated says whether a model that the condition names is no language model;
// nil if it names no such model.
func (c *condition) isSimulated(model string) *bool {
	for _, p := range c.all() {
		if p.Name == model {
			return &p.Simulated
		}
	}
	return nil
}

// instant says that no model of the condition takes time.
func (c *condition) instant() bool {
	return !slices.ContainsFunc(c.all(), func(p model.Provider) bool { return !p.Instant })
}

// Plans loads and builds recorded plans, each once. Nothing else is locked while
// its mutex is held.
type Plans struct {
	store  storage.Store
	data   func(path string) (fs.FS, error)
	models Models

	mu    sync.Mutex
	built map[string]*campaign // by revision
}

// NewPlans returns Plans of a store. The function data opens the folder of a data set.
func NewPlans(store storage.Store, data func(path string) (fs.FS, error), models Models) *Plans {
	return &Plans{store: store, data: data, models: models, built: map[string]*campaign{}}
}

// Load returns a revision of a campaign, built when it is first asked for. A
// model or a data set that this worker lacks pauses the campaign.
func (p *Plans) Load(ctx context.Context, name, revision string) (*campaign, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.built[revision]; ok {
		return c, nil
	}
	recorded, err := ReadPlan(ctx, p.store, name, revision)
	if err != nil {
		return nil, err
	}
	c, err := Build(recorded, p.data, p.models)
	if err != nil {
		return nil, failure.Pause(err)
	}
	p.built[revision] = c
	return c, nil
}

// Built returns a revision that Load has built; nil if it has not.
func (p *Plans) Built(revision string) *campaign {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.built[revision]
}

// Build makes the environments, templates and models of a plan. The function
// dataSet opens the folder of a data set.
func Build(p Plan, dataSet func(path string) (fs.FS, error), models Models) (*campaign, error) {
	c := &campaign{Plan: p}
	return c, c.build(dataSet, models)
}

func (c *campaign) build(dataSet func(path string) (fs.FS, error), models Models) error {
	var data fs.FS
	var read map[string]string
	if c.Data != "" {
		folder, err := dataSet(c.Data)
		if err != nil {
			return err
		}
		files := NewDataFiles(folder)
		data, read = files, files.Sums
	}
	environments := map[string]envs.Environment{}
	templates := map[string]*prompt.Templates{}
	for i, cond := range c.Campaign.Conditions {
		id, _ := json.Marshal(cond.Env)
		env, ok := environments[string(id)]
		if !ok {
			var err error
			if env, err = cond.BuildEnv(data); err != nil {
				return err
			}
			environments[string(id)] = env
		}
		hash := c.Pack[i]
		if templates[hash] == nil {
			var err error
			if templates[hash], err = c.Packs[hash].Parse(); err != nil {
				return err
			}
		}
		built := &condition{
			Condition: cond, id: cond.ID(), agents: c.Agents[i], rounds: c.Rounds[i], packHash: hash,
			env: env, templates: templates[hash], others: map[string]model.Provider{},
			most: sync.OnceValue(func() int { n, _ := MostCalls(cond, c.Agents[i]); return n }),
		}
		var err error
		if built.provider, err = models(c.located(cond.Model), cond, env); err != nil {
			return err
		}
		for speaker, choice := range cond.Models {
			if built.others[speaker], err = models(c.located(choice), cond, env); err != nil {
				return err
			}
		}
		c.conditions = append(c.conditions, built)
	}
	return SameData(c.Files, read)
}

// id of the cell that a Ref names.
func (c *campaign) id(ref task.Ref) string { return c.Campaign.CollaborationID(ref.Cell) }
