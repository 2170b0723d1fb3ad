package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/bedrock"
	"roundtable/activities/model/google"
	"roundtable/activities/model/openai"
	"roundtable/activities/model/replay"
	"roundtable/activities/model/retrieval"
	"roundtable/activities/model/scripted"
	"roundtable/activities/model/wire"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// providers is the one list of model providers.
type providers struct {
	store storage.Store
	// clients are kept for the life of the process: each has its connections.
	clients *clients
	from    fileFolder // the campaign's file that names the models
}

type clients struct {
	// keyless accepts models whose key is not set: their parameters are checked, nothing is asked.
	keyless bool

	mu   sync.Mutex
	made map[string]model.Provider // by name and parameters
}

func newProviders(s storage.Store) providers {
	return providers{store: s, clients: &clients{made: map[string]model.Provider{}}}
}

// liveProvider is one that is asked over the network.
type liveProvider struct {
	name, form, about string
	labels            bool // its models can label messages
	// build makes the model rest of the service; name is both together.
	build func(made *clients, name, rest string, decode envs.Decode) (model.Provider, error)
}

// liveProviders are the live providers. Adding one is one line here.
func liveProviders() []liveProvider {
	return []liveProvider{
		{"openai", "MODEL", "OpenAI, Azure, vLLM, Ollama, OpenRouter and any compatible server (base_url)", true,
			live(func(m string) openai.Config { return openai.Config{Model: m, Timeout: longest} }, openai.New, openai.Endpoint)},
		{"anthropic", "MODEL", "Anthropic's Messages", true,
			live(func(m string) anthropic.Config { return anthropic.Config{Model: m, Timeout: longest} }, anthropic.New, anthropic.Endpoint)},
		{"bedrock", "MODEL", "Amazon Bedrock's Converse", true,
			live(func(m string) bedrock.Config { return bedrock.Config{Model: m, Timeout: longest} }, bedrock.New, bedrock.Endpoint)},
		{"google", "MODEL", "Google's Gemini", true,
			live(func(m string) google.Config { return google.Config{Model: m, Timeout: longest} }, google.New, google.Endpoint)},
		{"retrieval", "NAME", "a search endpoint (base_url) that gives texts about a question; for the role retriever", false,
			live(func(m string) retrieval.Config { return retrieval.Config{Model: m, Timeout: longest} }, retrieval.New, retrieval.Endpoint)},
	}
}

func live[C any](config func(model string) C, build func(C) (model.Model, error), endpoint func(C) string) func(*clients, string, string, envs.Decode) (model.Provider, error) {
	return func(made *clients, name, rest string, decode envs.Decode) (model.Provider, error) {
		return newLive(made, name, decode, config(rest), build, endpoint)
	}
}

// findLive returns the live provider of that name; nil if it is none.
func findLive(name string) *liveProvider {
	for _, s := range liveProviders() {
		if s.name == name {
			return &s
		}
	}
	return nil
}

// providerNames documents what a campaign can name.
func providerNames() [][2]string {
	var names [][2]string
	for _, s := range liveProviders() {
		names = append(names, [2]string{s.name + "/" + s.form, s.about})
	}
	return append(names,
		[2]string{"scripted/POLICY", "a simulated agent with a policy of the environment"},
		[2]string{label.Rules, "labels messages by rules on words; for label only"},
		[2]string{"replay/CAMPAIGN", "the answers that a recorded campaign got (or file: answers.jsonl)"},
	)
}

// build makes a model that a condition asks; it sends nothing.
func (p providers) build(m plan.Choice, c plan.Condition, env envs.Environment) (model.Provider, error) {
	return p.named(m.Name, m.Decode(), c, env)
}

func (p providers) named(name string, decode envs.Decode, c plan.Condition, env envs.Environment) (model.Provider, error) {
	provider, rest, ok := strings.Cut(name, "/")
	if !ok || rest == "" {
		return model.Provider{}, fmt.Errorf("unknown model %q; write provider/model, as openai/gpt-5-mini or scripted/trader", name)
	}
	if s := findLive(provider); s != nil {
		return s.build(p.clients, name, rest, decode)
	}
	switch provider {
	case "scripted":
		switch {
		case name != label.Rules:
		case env != nil:
			return model.Provider{}, fmt.Errorf("%s labels messages and plays no agent; name it in labels", name)
		default:
			made := model.Provider{Model: label.NewRules(), Name: name, Simulated: true, Instant: true}
			return made, decode(&struct{}{}) // it has no parameters
		}
		return newScripted(name, rest, decode, env)
	case "replay":
		return p.newReplay(name, rest, decode, c)
	}
	var known []string
	for _, p := range providerNames() {
		name, _, _ := strings.Cut(p[0], "/")
		known = append(known, name)
	}
	known = slices.Compact(known)
	return model.Provider{}, fmt.Errorf("there is no provider %q; there are %s%s", provider, strings.Join(known, ", "), wording.DidYouMean(provider, known))
}

// labeller makes a model that labels messages; it sends nothing.
func (p providers) labeller(name string, decode envs.Decode) (model.Provider, error) {
	provider, _, _ := strings.Cut(name, "/")
	s := findLive(provider)
	if name != label.Rules && (provider == "scripted" || provider == "replay" || s != nil && !s.labels) {
		return model.Provider{}, fmt.Errorf("%s cannot label; %s can, and so can any language model", name, label.Rules)
	}
	return p.named(name, decode, plan.Condition{}, nil)
}

// longest bounds a call whatever the campaign's limits say.
const longest = model.Duration(24 * time.Hour)

// newLive makes a language model, or finds the one that was made with the same
// configuration: it has its connections.
func newLive[C any](made *clients, name string, decode envs.Decode, config C,
	build func(C) (model.Model, error), endpoint func(C) string) (model.Provider, error) {
	if err := decode(&config); err != nil {
		return model.Provider{}, err
	}
	id, err := json.Marshal([]any{name, config})
	if err != nil {
		return model.Provider{}, err
	}
	made.mu.Lock()
	defer made.mu.Unlock()
	if p, ok := made.made[string(id)]; ok {
		return p, nil
	}
	m, err := build(config)
	if err != nil && !(made.keyless && wire.LacksOnlyKey(err)) {
		return model.Provider{}, err
	}
	var key struct {
		Variable string `json:"api_key_env"`
	}
	if err := json.Unmarshal(id, &[]any{nil, &key}); err != nil {
		return model.Provider{}, err
	}
	at := endpoint(config)
	p := model.Provider{Model: m, Name: name, Endpoint: at, Account: at + " " + key.Variable + " " + name}
	made.made[string(id)] = p
	return p, nil
}

func newScripted(name, policyName string, decode envs.Decode, env envs.Environment) (model.Provider, error) {
	params := struct {
		scripted.Params
		Policy json.RawMessage `json:"policy"`
	}{}
	if err := decode(&params); err != nil {
		return model.Provider{}, err
	}
	if env == nil { // its own fault is reported already
		return model.Provider{}, nil
	}
	policy, err := env.Policy(policyName, strictly(params.Policy))
	if err != nil {
		return model.Provider{}, err
	}
	m, err := scripted.New(params.Params, policy)
	return model.Provider{
		Model: m, Name: name, Simulated: true,
		Instant: params.Latency == 0 && params.Jitter == 0,
	}, err
}

// strictly decodes JSON whose unknown keys are errors.
func strictly(data json.RawMessage) envs.Decode {
	return func(v any) error {
		if len(data) == 0 {
			return nil
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		return dec.Decode(v)
	}
}

func (p providers) newReplay(name, rest string, decode envs.Decode, c plan.Condition) (model.Provider, error) {
	var params struct {
		File string `json:"file"`
	}
	if err := decode(&params); err != nil {
		return model.Provider{}, err
	}
	provider := model.Provider{Name: name, Instant: true}
	var source replay.Source
	if params.File != "" {
		path, err := p.from.path(params.File)
		if err != nil {
			return provider, err
		}
		f, err := os.Open(path)
		if err != nil {
			return provider, fmt.Errorf("the file of answers %s cannot be read: %w", params.File, errors.Unwrap(err))
		}
		defer f.Close()
		if source, err = replay.Read(f); err != nil {
			return provider, fmt.Errorf("%s: %w", params.File, err)
		}
	} else {
		twin, err := p.recorded(rest, c)
		if err != nil {
			return provider, err
		}
		source, provider.Simulated = twin, twin.simulated
	}
	provider.Model = replay.New(source)
	return provider, nil
}

// recordedCampaign answers with what a condition of a recorded campaign got.
type recordedCampaign struct {
	answers   *answers.Answers
	campaign  string
	condition string // the recorded one
	simulated bool
}

// recorded finds the condition of a recorded campaign that differs only in its model.
func (p providers) recorded(name string, c plan.Condition) (*recordedCampaign, error) {
	recorded, _, err := present(context.Background(), p.store, name)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := lake.Campaigns(context.Background(), p.store)
		return nil, fmt.Errorf("replay/%s: the lake has no campaign %q to replay; it has %s. Run that campaign first, or name a file of answers (file: answers.jsonl)%s",
			name, name, cmp.Or(strings.Join(names, ", "), "none"), wording.DidYouMean(name, names))
	}
	if err != nil {
		return nil, fmt.Errorf("there is no recorded campaign %q in the lake: %w", name, err)
	}
	want := c
	want.Model, want.Models, want.Generate = plan.Choice{}, nil, plan.Generate{}
	for _, r := range recorded.Campaign.Conditions {
		twin := r
		twin.Model, twin.Models, twin.Generate = plan.Choice{}, nil, plan.Generate{}
		if twin.ID() == want.ID() {
			return &recordedCampaign{
				answers: answers.NewAnswers(p.store), campaign: name, condition: r.ID(),
				simulated: strings.HasPrefix(r.Model.Name, "scripted/"),
			}, nil
		}
	}
	return nil, fmt.Errorf("the recorded campaign %q has no condition that differs from this one in its model alone", name)
}

// Answer looks the same cell of the recorded condition up.
func (r *recordedCampaign) Answer(ctx context.Context, collaboration string, entry, ask int) ([]byte, string, error) {
	_, cell, _ := strings.Cut(collaboration, "-i")
	place := answers.RunKey{Campaign: r.campaign, Collaboration: r.condition + "-i" + cell}
	stored, err := r.answers.Load(ctx, place)
	if err != nil {
		return nil, "", err
	}
	t, ok := stored.Turn(entry)
	if !ok || ask >= len(t.Asks) {
		return nil, "", replay.ErrMissing
	}
	return t.Asks[ask].Raw, t.Asks[ask].ModelAnswered, nil
}

// reachable says whether somebody listens where a model is said to be.
func reachable(p model.Provider) error {
	if p.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(p.Endpoint)
	if err != nil {
		return err
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil || proxy != nil {
		return err // the proxy reaches it for us
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(u.Hostname(), port), 3*time.Second)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok {
			err = dial.Err
		}
		return fmt.Errorf("%s cannot be reached: %w", p.Endpoint, err)
	}
	return conn.Close()
}
