// Package providers makes what campaigns ask for answers: models, and embedders that are
// computed here, by the names in campaign files, with their keys, prices and endpoints.
// Making one sends nothing; an endpoint is asked only through its model.
//
// The doctor asks a model a handful of small questions and says what a campaign can count on:
// whether answers repeat, how many calls at once pay off, and which abilities of the service
// work. It is not part of a campaign: nothing is stored.
package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/people"
	"roundtable/activities/programs"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Models builds the models that campaigns name: the one list of model providers.
type Models struct {
	store store.Store
	// clientCache are kept for the life of the process: each has its connections.
	clientCache *clientCache
	from        FileFolder // the campaign's file that names the models
}

type clientCache struct {
	ran *programs.Programs // that play scripted agents
	// keyless accepts models whose key is not set: their parameters are checked, nothing is asked.
	keyless bool

	mu   sync.Mutex
	made map[string]model.Provider // by name and parameters
}

// New returns the models that campaigns of a lake can name.
func New(s store.Store) Models {
	return Models{store: s, clientCache: &clientCache{ran: programs.New(s), made: map[string]model.Provider{}}}
}

// NewFile returns the models of a campaign's file. Without keys their
// parameters are checked all the same.
func NewFile(s store.Store, from FileFolder, keyless bool) Models {
	m := New(s)
	m.from, m.clientCache.keyless = from, keyless
	return m
}

// Names documents what a campaign can name.
func Names() [][2]string {
	var names [][2]string
	for _, s := range liveProviders() {
		names = append(names, [2]string{s.name + "/" + s.form, s.about})
	}
	return append(names,
		[2]string{"scripted/POLICY", "a simulated agent with a policy of the environment"},
		[2]string{plan.ProgramPolicy, "a simulated agent that a program of your own plays: policy: {command: [python3, agent.py]}"},
		[2]string{"human", "a person, or human/NAME of several: asked by roundtable answer and on the pages of roundtable view"},
		[2]string{labels.Rules, "labels messages by rules on words; for label only"},
		[2]string{scoring.Rules, "scores answers by words in common with the right one; for score: {judge: …} only"},
		[2]string{"replay/CAMPAIGN", "the answers that a recorded campaign got (or file: answers.jsonl)"},
	)
}

// Build makes a model that a condition asks; it sends nothing.
func (p Models) Build(m plan.Choice, c plan.Condition, env envs.Environment) (model.Provider, error) {
	return p.Named(m.Name, m.Decode(), c, env)
}

// Named makes the model of a name as provider/model, as a condition asks it; env gives scripted
// agents their policy and may be nil for others.
func (p Models) Named(name string, decode envs.Decode, c plan.Condition, env envs.Environment) (model.Provider, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if people.IsPerson(name) {
		return p.newHuman(name, rest, decode)
	}
	if !ok || rest == "" {
		return model.Provider{}, fmt.Errorf("unknown model %q; write provider/model, as openai/gpt-5-mini or scripted/trader", name)
	}
	if s := findLive(provider); s != nil {
		return s.build(p.clientCache, name, rest, decode)
	}
	switch provider {
	case "scripted":
		switch {
		case name == scoring.Rules:
			return newScriptedJudge(c, decode, env)
		case name != labels.Rules:
		case env != nil:
			return model.Provider{}, fmt.Errorf("%s labels messages and plays no agent; name it in labels", name)
		default:
			made := model.Provider{Model: labels.NewRules(), Name: name, Simulated: true, Instant: true}
			return made, decode(&struct{}{}) // it has no parameters
		}
		return p.newScripted(name, rest, decode, env)
	case "replay":
		return p.newReplay(name, rest, decode, c)
	case strings.TrimSuffix(plan.EmbedderPrefix, "/"):
		return p.newDistances(name, rest, decode, env)
	}
	var known []string
	for _, p := range Names() {
		name, _, _ := strings.Cut(p[0], "/")
		known = append(known, name)
	}
	known = slices.Compact(known)
	return model.Provider{}, fmt.Errorf("unknown provider %q; expected %s%s", provider, wording.Or(known),
		wording.DidYouMean(provider, known))
}

// newHuman returns the seat of a person, the same each time.
func (p Models) newHuman(name, who string, decode envs.Decode) (model.Provider, error) {
	if err := decode(&struct{}{}); err != nil { // nothing can be set
		return model.Provider{}, err
	}
	p.clientCache.mu.Lock()
	defer p.clientCache.mu.Unlock()
	made, ok := p.clientCache.made[name]
	if !ok {
		made = model.Provider{Model: people.NewDesk(p.store, who), Name: name, Account: name}
		p.clientCache.made[name] = made
	}
	return made, nil
}

// Labeller makes a model that labels messages; it sends nothing.
func (p Models) Labeller(name string, decode envs.Decode) (model.Provider, error) {
	provider, _, _ := strings.Cut(name, "/")
	s := findLive(provider)
	if name != labels.Rules && (provider == "scripted" || provider == "replay" || provider == "human" ||
		s != nil && !s.labels) {
		return model.Provider{}, fmt.Errorf("%s cannot label; %s can, and so can any language model",
			name, labels.Rules)
	}
	return p.Named(name, decode, plan.Condition{}, nil)
}

// Judge makes a model that scores decisions; it sends nothing.
func (p Models) Judge(j plan.Judge, decode envs.Decode) (model.Provider, error) {
	provider, _, _ := strings.Cut(j.Model.Name, "/")
	s := findLive(provider)
	if j.Model.Name != scoring.Rules && (provider == "scripted" || provider == "replay" || provider == "human" ||
		s != nil && !s.labels) {
		return model.Provider{}, fmt.Errorf("%s cannot judge; %s can, and so can any language model", j.Model.Name,
			scoring.Rules)
	}
	return p.Named(j.Model.Name, decode, plan.Condition{}, nil)
}

// newScriptedJudge returns the judge that counts words, on the scale of the condition.
func newScriptedJudge(c plan.Condition, decode envs.Decode, env envs.Environment) (model.Provider, error) {
	if env != nil {
		return model.Provider{}, fmt.Errorf("%s scores answers and plays no agent; name it in env.score.judge",
			scoring.Rules)
	}
	scale := [2]float64{0, 1}
	if j, ok := c.Judge(); ok {
		scale = j.Scale
	}
	made := model.Provider{Model: scoring.NewRules(scale), Name: scoring.Rules, Simulated: true, Instant: true}
	return made, decode(&struct{}{}) // it has no parameters
}

func (p Models) newScripted(name, policyName string, decode envs.Decode, env envs.Environment) (model.Provider, error) {
	params := struct {
		scripted.Params
		Policy json.RawMessage `json:"policy"`
	}{}
	if err := decode(&params); err != nil {
		return model.Provider{}, err
	}
	if env == nil { // a program's, whose own error is reported already
		return model.Provider{}, nil
	}
	var refused error
	decodePolicy := func(v any) error { //nolint:unparam // an envs.Decode; values are checked also where a key is unknown
		refused = envs.DecodeStrict(params.Policy)(v)
		return nil
	}
	build := func() (envs.Policy, error) { return env.Policy(policyName, decodePolicy) }
	if name == plan.ProgramPolicy && !slices.Contains(env.Policies(), policyName) {
		build = func() (envs.Policy, error) { return p.newProgramPolicy(params.Policy) }
	}
	policy, err := build()
	if err := errors.Join(refused, err); err != nil {
		return model.Provider{}, err
	}
	m, err := scripted.New(params.Params, policy)
	return model.Provider{
		Model: m, Name: name, Simulated: true,
		Instant: params.Latency == 0 && params.Jitter == 0,
	}, err
}
