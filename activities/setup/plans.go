// Package setup builds what a recorded plan needs to be run: environments,
// prompts and models, by condition.
package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/programs"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/program"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// Sources opens what environments need besides their parameters.
type Sources struct {
	Data     func(path string) (fs.FS, error)   // opens the folder of a data set
	Lake     store.Store                        // where data files are looked for first; nil if nowhere
	Programs func(of programs.Of) program.Asker // runs the user's programs; nil if none can be run
}

// OpenFolder opens the folder of a data set.
func OpenFolder(path string) (fs.FS, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be opened: %w", path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	root, err := os.OpenRoot(path) // links inside it cannot lead out of it
	if err != nil {
		return nil, err
	}
	return store.RegularFS(root), nil
}

// OpenData opens the data set of plan p: the lake's copy, or else its folder.
func (s Sources) OpenData(p campaign.Plan) (fs.FS, error) {
	if s.Lake != nil {
		if files, whole, err := campaign.OpenRecordedData(context.Background(), s.Lake, p); whole || err != nil {
			return files, err
		}
	}
	names := slices.Sorted(maps.Keys(p.Files))
	if p.Data == "" && len(names) > 0 {
		return nil, fmt.Errorf("neither the lake nor this machine has the data files %s (%w); "+
			"--data DIR names a folder that has them", wording.And(names), fs.ErrNotExist)
	}
	folder, err := s.Data(p.Data)
	for _, name := range names {
		if err == nil {
			_, err = fs.Stat(folder, name)
		}
	}
	if err != nil && len(names) > 0 && s.Lake != nil {
		err = fmt.Errorf("the lake does not have the data files %s (%w); --data DIR names a folder that has them",
			wording.And(names), err)
	}
	return folder, err
}

// Models returns the model that a choice names, for one condition and its environment.
type Models func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error)

// Campaign is a plan with its built conditions.
type Campaign struct {
	campaign.Plan
	Conditions []*Condition
}

// Condition is a condition of a plan with what runs it, built when it is first needed.
type Condition struct {
	plan.Condition
	plugins     catalogue.Catalogue
	ConditionID string
	Agents      int
	Rounds      int
	PackHash    string
	Environment envs.Environment
	Templates   *prompt.Templates
	provider    model.Provider
	others      map[string]model.Provider // in place of it, by agent's name or role
	seated      map[string]model.Provider // of agents that have their own, by the choice as JSON
	Judge       *Judge                    // that scores decisions; nil without one
	Annotator   *Annotator                // that a stopping rule needs; nil without one
	Most        func() int                // calls of one collaboration if no rule stops it early, re-asks not counted
}

// BuildRule builds the condition's decision rule.
func (c *Condition) BuildRule() (decision.Rule, error) { return c.Condition.BuildRule(c.plugins) }

// OriginalRule builds the decision rule of the condition that a fork continues.
func (c *Condition) OriginalRule() (decision.Rule, error) {
	original, err := c.Condition.Original()
	if err != nil {
		return nil, err
	}
	return original.BuildRule(c.plugins)
}

// Session starts a collaboration of the condition; seed comes from the treatment (condition,
// instance and replicate).
func (c *Condition) Session(seed uint64) (*protocol.Session, error) {
	return c.Condition.Session(c.plugins, c.Agents, seed)
}

// ProviderOf returns the model of a speaker, given as an agent's name or a role.
func (c *Condition) ProviderOf(speaker string) model.Provider {
	if c.Annotator != nil && speaker == c.Annotator.Role {
		return c.Annotator.Provider
	}
	if p, ok := c.others[speaker]; ok {
		return p
	}
	return c.provider
}

// ProviderFor returns the model own, which an agent of the condition has for itself.
func (c *Condition) ProviderFor(own plan.Choice) model.Provider { return c.seated[keyOf(own)] }

func keyOf(c plan.Choice) string { return c.Name + " " + string(c.Params) }

// Providers returns all models of the condition.
func (c *Condition) Providers() []model.Provider {
	all := append(slices.Concat(slices.Collect(maps.Values(c.others)),
		slices.Collect(maps.Values(c.seated))), c.provider)
	if c.Judge != nil {
		all = append(all, c.Judge.Provider)
	}
	if c.Annotator != nil {
		all = append(all, c.Annotator.Provider)
	}
	return all
}

// HasSimulated reports whether any model of the condition is not a language model.
func (c *Condition) HasSimulated() bool {
	return slices.ContainsFunc(c.Providers(), func(p model.Provider) bool { return p.Simulated })
}

// IsSimulated reports whether the model that the condition calls name is not a language model.
func (c *Condition) IsSimulated(name string) bool {
	return slices.ContainsFunc(c.Providers(), func(p model.Provider) bool { return p.Name == name && p.Simulated })
}

// IsInstant reports whether all models of the condition answer without taking time.
func (c *Condition) IsInstant() bool {
	return !slices.ContainsFunc(c.Providers(), func(p model.Provider) bool { return !p.Instant })
}

// Plans loads and builds recorded plans, each once. It locks loading before mu.
type Plans struct {
	store   store.Store
	plugins catalogue.Catalogue
	sources Sources
	models  Models

	loading *semaphore.Weighted // held while a plan is read and built, which can take long
	mu      sync.Mutex
	built   map[string]*Campaign // by revision
}

// NewPlans returns the Plans of store, whose campaigns can name these plug-ins.
func NewPlans(store store.Store, plugins catalogue.Catalogue, sources Sources, models Models) *Plans {
	return &Plans{store: store, plugins: plugins, sources: sources, models: models, loading: semaphore.NewWeighted(1),
		built: map[string]*Campaign{}}
}

// Load returns a revision of a campaign, built when it is first asked for. If this worker lacks a
// model or a data set, the error pauses the campaign.
func (p *Plans) Load(ctx context.Context, name, revision string) (*Campaign, error) {
	if c := p.LookUp(revision); c != nil {
		return c, nil
	}
	if err := p.loading.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.loading.Release(1)
	if c := p.LookUp(revision); c != nil { // by a Load that held the lock
		return c, nil
	}
	recorded, err := campaign.ReadPlan(ctx, p.store, name, revision)
	if err != nil {
		return nil, err
	}
	c, err := Build(recorded, p.plugins, p.sources, p.models)
	if failure.IsUnasked(err) { // the lake with its answers may be out of reach for a while
		return nil, err
	} else if err != nil {
		return nil, failure.Pause(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.built[revision] = c
	return c, nil
}

// LookUp returns the revision if Load has built it, else nil.
func (p *Plans) LookUp(revision string) *Campaign {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.built[revision]
}

// Build returns the campaign of plan p: its environments, templates and models.
func Build(p campaign.Plan, plugins catalogue.Catalogue, sources Sources, models Models) (*Campaign, error) {
	c := &Campaign{Plan: p}
	return c, c.build(plugins, sources, models)
}

func (c *Campaign) build(plugins catalogue.Catalogue, sources Sources, models Models) error {
	var data fs.FS
	var read map[string]string
	if c.Data != "" || len(c.Files) > 0 {
		folder, err := sources.OpenData(c.Plan)
		if err != nil {
			return err
		}
		files := campaign.NewDataFiles(folder)
		data, read = files, files.Sums
	}
	environments := map[string]envs.Environment{}
	templates := map[string]*prompt.Templates{}
	for i, cond := range c.Campaign.Conditions {
		id, _ := json.Marshal(cond.Env)
		env, ok := environments[string(id)]
		if !ok {
			var err error
			if env, err = cond.BuildEnv(plugins, c.environmentNeeds(sources, data)); err != nil {
				return err
			}
			environments[string(id)] = env
		}
		hash := c.Pack[i]
		if templates[hash] == nil {
			var err error
			if templates[hash], err = prompt.Pack(c.Packs[hash]).Parse(); err != nil {
				return err
			}
		}
		built := &Condition{
			Condition: cond, plugins: plugins, ConditionID: cond.ID(), Agents: c.Agents[i], Rounds: c.Rounds[i],
			PackHash:    hash,
			Environment: env, Templates: templates[hash], others: map[string]model.Provider{},
			seated: map[string]model.Provider{},
			Most:   sync.OnceValue(func() int { n, _ := cond.MostCalls(plugins, c.Agents[i]); return n }),
		}
		var err error
		if built.provider, err = models(c.Located(cond.Model), cond, env); err != nil {
			return err
		}
		for speaker, choice := range cond.Models {
			if built.others[speaker], err = models(c.Located(choice), cond, env); err != nil {
				return err
			}
		}
		for _, choice := range cond.AgentModels() {
			if built.seated[keyOf(choice)], err = models(c.Located(choice), cond, env); err != nil {
				return err
			}
		}
		if built.Judge, err = newJudge(cond, built.Templates, models); err != nil {
			return err
		}
		if built.Annotator, err = newAnnotator(cond, models); err != nil {
			return err
		}
		c.Conditions = append(c.Conditions, built)
	}
	return campaign.SameData(c.Files, read)
}

// environmentNeeds returns what the campaign's next environment is built from.
func (c *Campaign) environmentNeeds(sources Sources, data fs.FS) catalogue.Needs {
	n := catalogue.Needs{Data: data}
	if sources.Programs == nil {
		return n
	}
	of := programs.Of{Campaign: c.Campaign.Name, Folder: c.Folder}
	for _, cond := range c.Campaign.Conditions {
		of.Replayed = append(of.Replayed, cond.Replayed()...)
	}
	slices.Sort(of.Replayed)
	of.Replayed = slices.Compact(of.Replayed)
	n.Programs = sources.Programs(of)
	return n
}

// CollaborationID returns the id of ref's cell. It stays the same across revisions, as a
// condition's id is a hash of all its settings.
func (c *Campaign) CollaborationID(ref task.Ref) string {
	return c.Conditions[ref.Cell.Condition].ConditionID + ref.Cell.Suffix()
}
