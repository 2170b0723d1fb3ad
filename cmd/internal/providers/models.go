// Package providers builds the models and local embedders that campaign files name, with their keys, prices
// and endpoints. Building one sends nothing; an endpoint is called only through its model.
//
// The doctor sends a model a few small prompts and says what a campaign can rely on: whether answers repeat,
// how many concurrent calls pay off, and which features of the service work. It belongs to no campaign:
// nothing is stored.
package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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
	"roundtable/envs/program"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Models builds the models that campaigns name; it is the only list of model providers.
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

// New returns the models for the campaigns of the lake s.
func New(s store.Store) Models {
	return Models{store: s, clientCache: &clientCache{ran: programs.New(s), made: map[string]model.Provider{}}}
}

// NewFile returns the models for a campaign file in the folder from. If keyless is true, models are built
// without their API keys, and only their parameters are checked.
func NewFile(s store.Store, from FileFolder, keyless bool) Models {
	m := New(s)
	m.from, m.clientCache.keyless = from, keyless
	return m
}

// Names returns the forms of model names that a campaign file can use, each with a description.
func Names() [][2]string {
	var names [][2]string
	for _, s := range liveProviders() {
		names = append(names, [2]string{s.name + "/" + s.form, s.about})
	}
	return append(names,
		[2]string{"scripted/POLICY", "a simulated agent with a policy of the environment"},
		[2]string{plan.ProgramPolicy, "a simulated agent that a program of your own plays: policy: {command: " +
			"[python3, agent.py]}"},
		[2]string{"human", "a person, or human/NAME of several: asked by roundtable answer and on the pages of " +
			"roundtable view"},
		[2]string{labels.Rules, "labels messages by rules on words; for label only"},
		[2]string{scoring.Rules, "scores answers by words in common with the right one; for score: {judge: …} only"},
		[2]string{"replay/CAMPAIGN", "the answers that a recorded campaign got (or file: answers.jsonl)"},
	)
}

// Build returns the model m of condition c; it sends nothing.
func (p Models) Build(m plan.Choice, c plan.Condition, env envs.Environment) (model.Provider, error) {
	return p.Named(m.Name, m.Decode(), c, env)
}

// Named returns the model called name (provider/model) for condition c; decode reads its parameters. env gives
// scripted agents their policy and may be nil for others.
func (p Models) Named(name string, decode envs.Decode, c plan.Condition, env envs.Environment) (model.Provider, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if people.IsPerson(name) {
		return p.newHuman(name, rest, decode)
	}
	if !ok || rest == "" {
		return model.Provider{}, fmt.Errorf("unknown model %q; write provider/model, as openai/gpt-5-mini or "+
			"scripted/trader", name)
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

// Labeller returns the model that labels messages; it sends nothing.
func (p Models) Labeller(name string, decode envs.Decode) (model.Provider, error) {
	return p.newReader(name, "label", labels.Rules, decode)
}

// Judge returns the model that scores decisions; it sends nothing.
func (p Models) Judge(j plan.Judge, decode envs.Decode) (model.Provider, error) {
	return p.newReader(j.Model.Name, "judge", scoring.Rules, decode)
}

// newReader makes a model that reads what others said: a language model, or the one that does so by rules.
func (p Models) newReader(name, does, rules string, decode envs.Decode) (model.Provider, error) {
	provider, _, _ := strings.Cut(name, "/")
	s := findLive(provider)
	if name != rules && (slices.Contains([]string{"scripted", "replay", "human"}, provider) || s != nil && !s.labels) {
		return model.Provider{}, fmt.Errorf("%s cannot %s; %s can, and so can any language model", name, does, rules)
	}
	return p.Named(name, decode, plan.Condition{}, nil)
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

// newProgramPolicy returns a policy that a program plays. It is asked nothing yet, but
// has to be trusted.
func (p Models) newProgramPolicy(given json.RawMessage) (envs.Policy, error) {
	params := struct {
		program.Params
		Folder string `json:"folder"` // of the campaign file; a recorded plan has it
	}{Params: program.Defaults()}
	if err := envs.DecodeStrict(given)(&params); err != nil {
		return nil, fmt.Errorf("policy: %w; expected {command: [program, argument, …], timeout: 30s}", err)
	}
	if params.Folder == "" {
		folder, err := filepath.Abs(p.from.Folder)
		if err != nil {
			return nil, err
		}
		params.Folder = folder
	}
	policy, err := program.NewPolicy(params.Params, p.clientCache.ran.Asking(programs.Of{Folder: params.Folder}))
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if err := programs.CheckTrusted(params.Folder, params.Command); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	return policy, nil
}
