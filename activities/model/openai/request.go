package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// checkRequest finds what no server must be asked.
func (c *client) checkRequest(r model.Request) error {
	if len(r.Messages) == 0 {
		return errors.New("the request has no messages")
	}
	for i, m := range r.Messages {
		if m.Role != "system" && m.Role != "user" && m.Role != "assistant" {
			return fmt.Errorf("message %d has the role %q; roles are system, user and assistant", i+1, m.Role)
		}
	}
	if c.config.API == Responses {
		if err := r.Parameters.CheckNoLogprobs("the Responses API of " + c.config.Model); err != nil {
			return err
		}
	}
	if c.config.API == Responses && (r.Parameters.Seed != nil || len(r.Parameters.Stop) > 0) {
		return errors.New("the Responses API takes neither seed nor stop; leave them out or set api to chat")
	}
	return c.checkEffort(r.Parameters)
}

// efforts are how much OpenAI's own models can be told to think, by how their names begin; the
// first counts. From OpenAI's pages of models and LiteLLM's table of them.
var efforts = []struct {
	name  string
	takes []string
}{
	{"gpt-6.2", []string{"low", "medium", "high", "xhigh", "max"}},
	{"gpt-6.1-sol", []string{"low", "medium", "high", "xhigh", "max"}},
	{"gpt-6-astra", []string{"low", "medium", "high", "xhigh", "max"}},
	{"gpt-6", []string{"none", "low", "medium", "high", "xhigh", "max"}},
	{"gpt-5.6", []string{"none", "low", "medium", "high", "xhigh", "max"}},
	{"gpt-5.5", []string{"none", "low", "medium", "high", "xhigh"}},
	{"gpt-5.4", []string{"none", "minimal", "low", "medium", "high", "xhigh"}},
	{"gpt-5.2", []string{"none", "minimal", "low", "medium", "high", "xhigh"}},
	{"gpt-5.1", []string{"none", "minimal", "low", "medium", "high"}},
	{"gpt-5", []string{"minimal", "low", "medium", "high"}},
	{"o1", []string{"low", "medium", "high"}},
	{"o3", []string{"low", "medium", "high"}},
	{"o4", []string{"low", "medium", "high"}},
}

// tierOf returns the tier that is asked for. OpenAI takes that of the account's project where none
// is, which may be dearer than the price that is reserved; other servers may not know the field.
func (c *client) tierOf(r model.Request) plan.Tier {
	switch {
	case r.Tier == plan.Batch: // is not a field of the request
		return ""
	case r.Tier == "" && c.host == officialHost:
		return "default"
	}
	return r.Tier
}

// checkEffort refuses an effort that a model of OpenAI does not take; other servers say it themselves.
func (c *client) checkEffort(p model.Parameters) error {
	if err := p.CheckNoThinking(c.config.Model,
		"reasoning_effort; a server of your own may take a number in extra_body"); err != nil {
		return err
	}
	if p.ReasoningEffort == "" && !p.Logprobs || c.host != officialHost {
		return nil
	}
	if c.lacksEfforts() && p.ReasoningEffort != "" && p.ReasoningEffort != "none" {
		return fmt.Errorf("reasoning_effort is %q; %q does not think: leave it out", p.ReasoningEffort, c.config.Model)
	}
	for _, e := range efforts {
		if strings.HasPrefix(c.config.Model, e.name) {
			if p.Logprobs && !slices.Contains(e.takes, "none") {
				return p.CheckNoLogprobs(c.config.Model)
			}
			if p.Logprobs && p.ReasoningEffort != "none" {
				return fmt.Errorf("logprobs is true, which %q takes with reasoning_effort: none only", c.config.Model)
			}
			if p.ReasoningEffort != "" && !slices.Contains(e.takes, p.ReasoningEffort) {
				return fmt.Errorf("reasoning_effort is %q; %q takes %s", p.ReasoningEffort, c.config.Model,
					wording.And(e.takes))
			}
			return nil
		}
	}
	return nil
}

// lacksEfforts reports whether a model of OpenAI is older than efforts.
func (c *client) lacksEfforts() bool {
	return c.host == officialHost &&
		(strings.HasPrefix(c.config.Model, "gpt-4") || strings.HasPrefix(c.config.Model, "gpt-3.5"))
}

// sentEffort returns the effort that is asked for: OpenAI refuses even "none" of models without efforts.
func (c *client) sentEffort(p model.Parameters) string {
	if c.lacksEfforts() {
		return ""
	}
	return p.ReasoningEffort
}

// Check refuses parameters that no request can be made with.
func (c *client) Check(p model.Parameters) error { return c.checkRequest(model.NewProbe(p)) }

// chatRequest is the body of a question to Chat Completions. What is not set is not sent.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	Stop                []string        `json:"stop,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	ServiceTier         plan.Tier       `json:"service_tier,omitempty"`
	Logprobs            bool            `json:"logprobs,omitempty"`
	TopLogprobs         int             `json:"top_logprobs,omitempty"`
	cacheRequest
	Stream bool `json:"stream"` // false must be said: some servers stream by default
}

// responseFormat says that the answer must be JSON.
type responseFormat struct {
	Type       string        `json:"type"`
	JSONSchema *answerSchema `json:"json_schema,omitempty"`
}

// answerSchema keeps the order of a schema's properties: models write them in that order.
type answerSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict,omitempty"`
}

func (c *client) chatRequest(r model.Request, mode JSONMode) chatRequest {
	p := r.Parameters
	q := chatRequest{
		Model: c.config.Model, Messages: c.markedMessages(r.Messages, "text"), cacheRequest: c.cacheRequest(r),
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed, Stop: p.Stop, ReasoningEffort: c.sentEffort(p),
		ServiceTier: c.tierOf(r),
	}
	if p.Logprobs {
		q.Logprobs, q.TopLogprobs = true, 1 // llama.cpp lists 20 for each token if not told how many
	}
	if c.config.MaxTokensField == MaxCompletionTokens {
		q.MaxCompletionTokens = max(p.MaxTokens, 0)
	} else {
		q.MaxTokens = max(p.MaxTokens, 0)
	}
	switch mode {
	case Schema:
		schema := sentSchema(r)
		q.ResponseFormat = &responseFormat{Type: "json_schema",
			JSONSchema: &answerSchema{schemaName(r), schema, isStrict(schema)}}
	case Object:
		q.ResponseFormat = &responseFormat{Type: "json_object"}
	}
	return q
}

// withExtra returns a request's body with further fields at its end.
func withExtra(body []byte, extra map[string]any) ([]byte, error) {
	if len(extra) == 0 {
		return body, nil
	}
	fields, err := json.Marshal(extra)
	if err != nil {
		return nil, fmt.Errorf("extra_body: %w", err)
	}
	return slices.Concat(body[:len(body)-1], []byte(","), fields[1:]), nil
}

// sentSchema leaves out what no server enforces and some refuse.
func sentSchema(r model.Request) json.RawMessage { return wire.Without(r.Schema, "uniqueItems") }

var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

func schemaName(r model.Request) string {
	name := notInName.ReplaceAllString(r.Name, "_")
	if name == "" {
		return "answer"
	}
	return name[:min(len(name), 64)]
}

// isStrict reports whether a schema keeps the rules of strict mode, under which
// OpenAI enforces it: every object closed and every property required.
func isStrict(schema json.RawMessage) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && isClosed(v)
}

func isClosed(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if !isClosed(x) {
				return false
			}
		}
	case map[string]any:
		if v["type"] == "object" && !isClosedObject(v) {
			return false
		}
		for _, x := range v {
			if !isClosed(x) {
				return false
			}
		}
	}
	return true
}

func isClosedObject(v map[string]any) bool {
	properties, _ := v["properties"].(map[string]any)
	required, _ := v["required"].([]any)
	return v["additionalProperties"] == false && len(required) == len(properties)
}
