package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Plan is one revision of a campaign as recorded in the lake: all that any
// worker needs to take part in it.
type Plan struct {
	Campaign plan.Campaign          `json:"campaign"`
	Edition  int                    `json:"edition,omitempty"` // of the built-in prompts; plans of the first do not say it
	Folder   string                 `json:"folder,omitempty"`  // of the campaign file: paths of models are relative to it
	Data     string                 `json:"data,omitempty"`    // folder of the data set
	Files    map[string]string      `json:"files,omitempty"`   // SHA-256 of what environments read in it
	Agents   []int                  `json:"agents"`            // by condition
	Rounds   []int                  `json:"rounds"`            // by condition
	Packs    map[string]prompt.Pack `json:"packs"`             // prompt packs by hash
	Pack     []string               `json:"pack"`              // hash by condition
}

// PlanKey is where a revision of a plan is recorded.
func PlanKey(campaign, revision string) string {
	return lake.AboutKey(campaign, "plans/"+revision+".json")
}

// WritePlan records a revision. One that is there already stays: a campaign
// goes on with the prompts that it began with.
func WritePlan(ctx context.Context, s storage.Store, p Plan) error {
	data, err := json.Marshal(p) // indenting would change the identities that are in it
	if err != nil {
		return err
	}
	err = s.PutIfAbsent(ctx, PlanKey(p.Campaign.Name, p.Campaign.Revision()), data)
	if errors.Is(err, storage.ErrExists) {
		return nil
	}
	return err
}

// ReadPlan reads a recorded revision.
func ReadPlan(ctx context.Context, s storage.Store, campaign, revision string) (Plan, error) {
	data, err := s.Get(ctx, PlanKey(campaign, revision))
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	if err := json.Unmarshal(data, &p); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", PlanKey(campaign, revision), err)
	}
	return p, p.check(campaign, revision)
}

// check compares what was read with its names: another seed or prompt would
// give rows that look like the campaign's and are not.
func (p Plan) check(campaign, revision string) error {
	sound := p.Campaign.Name == campaign && p.Campaign.Revision() == revision
	for hash, pack := range p.Packs {
		sound = sound && pack.Hash() == hash
	}
	if n := len(p.Campaign.Conditions); len(p.Pack) != n || len(p.Agents) != n || len(p.Rounds) != n || !p.Campaign.Instances.Fit(n) {
		sound = false
	}
	if !sound {
		return fmt.Errorf("%s: %w: it is not the plan that it was", PlanKey(campaign, revision), storage.ErrCorrupt)
	}
	return nil
}

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
	provider  Provider
	others    map[string]Provider // in place of it, by agent's name or role
	most      func() int          // calls of one collaboration if no rule stops it early, re-asks not counted
}

// asked is the model of a speaker: an agent's name, or a role.
func (c *condition) asked(speaker string) Provider {
	if p, ok := c.others[speaker]; ok {
		return p
	}
	return c.provider
}

// all are the models of the condition.
func (c *condition) all() []Provider {
	return append(slices.Collect(maps.Values(c.others)), c.provider)
}

// anySimulated says that some model of the condition is no language model.
func (c *condition) anySimulated() bool {
	return slices.ContainsFunc(c.all(), func(p Provider) bool { return p.Simulated })
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
	return !slices.ContainsFunc(c.all(), func(p Provider) bool { return !p.Instant })
}

// campaign loads and builds a plan once.
func (a *Activities) campaign(ctx context.Context, name, revision string) (*campaign, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.plans[revision]; ok {
		return c, nil
	}
	p, err := ReadPlan(ctx, a.config.Store, name, revision)
	if err != nil {
		return nil, err
	}
	c := &campaign{Plan: p}
	if err := a.buildConditions(c); err != nil {
		return nil, failure.Pause(err) // this worker lacks a key or a data set; the campaign is not at fault
	}
	a.plans[revision] = c
	return c, nil
}

func (a *Activities) buildConditions(c *campaign) error {
	var data fs.FS
	var read map[string]string
	if c.Data != "" {
		folder, err := a.config.Data(c.Data)
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
			env: env, templates: templates[hash], others: map[string]Provider{},
			most: sync.OnceValue(func() int { n, _ := mostCalls(cond, c.Agents[i]); return n }),
		}
		var err error
		if built.provider, err = a.config.Models(c.located(cond.Model), cond, env); err != nil {
			return err
		}
		for speaker, choice := range cond.Models {
			if built.others[speaker], err = a.config.Models(c.located(choice), cond, env); err != nil {
				return err
			}
		}
		c.conditions = append(c.conditions, built)
	}
	return SameData(c.Files, read)
}

// located returns a model whose file, if it names one, is found from any folder.
// Plans of earlier versions have no folder: their paths are the working directory's.
func (p Plan) located(m plan.Choice) plan.Choice {
	var params map[string]json.RawMessage
	var file string
	if p.Folder == "" || !strings.HasPrefix(m.Name, "replay/") || json.Unmarshal(m.Params, &params) != nil ||
		json.Unmarshal(params["file"], &file) != nil || file == "" || filepath.IsAbs(file) {
		return m
	}
	params["file"], _ = json.Marshal(filepath.Join(p.Folder, file)) // a text always marshals
	m.Params, _ = json.Marshal(params)
	return m
}

// id of the cell that a Ref names.
func (c *campaign) id(ref task.Ref) string { return c.Campaign.CollaborationID(ref.Cell) }
