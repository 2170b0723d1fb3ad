package providers

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/bedrock"
	"roundtable/activities/model/google"
	"roundtable/activities/model/openai"
	"roundtable/activities/model/scripted"
	"roundtable/activities/model/wire"
	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/plan"
)

// liveProvider is one that is asked over the network.
type liveProvider struct {
	name, form, about string
	labels            bool // its models can label messages
	// build makes the model rest of the service; name is both together.
	build func(made *clientCache, name, rest string, decode envs.Decode) (model.Provider, error)
}

// liveProviders returns the live providers. Adding one is one line here.
func liveProviders() []liveProvider {
	return []liveProvider{
		{"openai", "MODEL", "OpenAI, Azure, vLLM, Ollama, OpenRouter and any compatible server (base_url)", true,
			buildLive(func(m string) openai.Config { return openai.Config{Model: m, Timeout: longest} }, openai.New,
				openai.Endpoint)},
		{"anthropic", "MODEL", "Anthropic's Messages", true,
			buildLive(func(m string) anthropic.Config { return anthropic.Config{Model: m, Timeout: longest} },
				anthropic.New, anthropic.Endpoint)},
		{"bedrock", "MODEL", "Amazon Bedrock's Converse", true,
			buildLive(func(m string) bedrock.Config { return bedrock.Config{Model: m, Timeout: longest} }, bedrock.New,
				bedrock.Endpoint)},
		{"google", "MODEL", "Google's Gemini", true,
			buildLive(func(m string) google.Config { return google.Config{Model: m, Timeout: longest} }, google.New,
				google.Endpoint)},
		{"retrieval", "NAME", "a search endpoint (base_url) that gives texts about a question; for the role retriever", false,
			buildLive(func(m string) scripted.Config { return scripted.Config{Model: m, Timeout: longest} },
				scripted.NewRetrieval, scripted.Endpoint)},
	}
}

func buildLive[C any](config func(model string) C, build func(C) (model.Model, error),
	endpoint func(C) string) func(*clientCache, string, string, envs.Decode) (model.Provider, error) {
	return func(made *clientCache, name, rest string, decode envs.Decode) (model.Provider, error) {
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

// longest bounds a call whatever the campaign's limits say.
const longest = model.Duration(24 * time.Hour)

// newLive makes a language model, or finds the one that was made with the same
// configuration: it has its connections.
func newLive[C any](made *clientCache, name string, decode envs.Decode, config C,
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
	p := model.Provider{Model: m, Name: name, Endpoint: at, Account: AccountOf(at, key.Variable, name)}
	made.made[string(id)] = p
	return p, nil
}

// AccountOf returns the identity of the account whose limits a call uses up, made of the endpoint, the
// variable that holds the key ("" if none) and the model's name.
func AccountOf(endpoint, variable, name string) string {
	return strings.Join(slices.DeleteFunc([]string{endpoint, variable, name},
		func(part string) bool { return part == "" }), " ")
}

// IsLive reports whether a provider, the part of a model's name before "/", is called over the network.
func IsLive(name string) bool { return findLive(name) != nil }

// NewHost returns the checks that a campaign file needs from outside: whether its models can be called, and
// their prices. If dial is true, their endpoints must answer.
func NewHost(models Models, prices *PriceList, dial bool) campaignfile.Host {
	dialled := map[string]error{}
	ready := func(p model.Provider, g plan.Generate) error {
		if checker, ok := p.Model.(model.Checker); ok {
			if err := checker.Check(model.Parameters(g)); err != nil {
				return err
			}
		}
		if err := prices.require(p, g.MaxTokens); err != nil || !dial {
			return err
		}
		if _, done := dialled[p.Endpoint]; !done {
			dialled[p.Endpoint] = CheckReachable(p)
		}
		return dialled[p.Endpoint]
	}
	return campaignfile.Host{
		Money: prices.Open,
		Model: func(m plan.Choice, c plan.Condition, decode envs.Decode, env envs.Environment) error {
			p, err := models.Named(m.Name, decode, c, env)
			if err != nil {
				return err
			}
			return ready(p, c.Generate)
		},
		LongestAnswer: func(m plan.Choice) int {
			if price := prices.Of(m.Name); price != nil {
				return price.MaxOutput
			}
			return 0
		},
		Labeller: func(l plan.Labels, decode envs.Decode) error {
			p, err := models.Labeller(l.Model.Name, decode)
			if err != nil {
				return err
			}
			return ready(p, l.Generate)
		},
		Judge: func(j plan.Judge, decode envs.Decode) error {
			p, err := models.Judge(j, decode)
			if err != nil {
				return err
			}
			return ready(p, j.Generate)
		},
	}
}
