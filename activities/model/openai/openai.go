// Package openai asks models behind OpenAI's two interfaces, Chat Completions
// and Responses, and for Embeddings: OpenAI itself, Azure, vLLM, Ollama, OpenRouter, Together,
// Groq, DeepSeek, LiteLLM's proxy and any other compatible server.
//
// It promises: one request for one call (redirects are not followed, and
// net/http is kept from sending a POST again); every error is a *model.Error
// classified on status, code and type; no error text holds the key; a key goes
// only where it was meant for; the answer's bytes are those of the server; no
// parameter is left out silently.
//
// OpenAI's SDK is not used: of its 328 MB of compiled types a request needs
// the ten fields below, and its client would read keys from the environment,
// retry, and decode what we read byte for byte.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const provider = "openai"

// API is one of the two interfaces.
type API string

const (
	Chat      API = "chat"      // POST chat/completions: every compatible server has it
	Responses API = "responses" // POST responses: takes neither seed nor stop
)

// JSONMode is how the server is told that the answer must be JSON.
type JSONMode = wire.JSONMode

const (
	Auto            = wire.Auto   // Schema until the server refuses it, then Plain
	Schema          = wire.Schema // response_format json_schema
	Object JSONMode = "object"    // response_format json_object
	Plain           = wire.Plain  // the prompt alone says so
)

// TokensField is the parameter that bounds the length of an answer.
type TokensField string

const (
	MaxTokens           TokensField = "max_tokens"
	MaxCompletionTokens TokensField = "max_completion_tokens" // reasoning models take only this one
)

// Config is one model at one endpoint.
type Config struct {
	Model string `json:"model"`
	// API is Chat if empty.
	API API `json:"api,omitempty"`
	// BaseURL ends before /chat/completions or /responses. Empty: OPENAI_BASE_URL,
	// or OpenAI. Azure: https://NAME.openai.azure.com/openai/v1, or
	// …/openai/deployments/DEPLOYMENT with APIVersion. An endpoint on this machine
	// or a private network must be named here or there.
	BaseURL string `json:"base_url,omitempty"`
	// APIVersion is sent as the query api-version, which Azure's deployments need.
	APIVersion string `json:"api_version,omitempty"`
	// APIKeyEnv names the environment variable that holds the key. Empty: the
	// usual one of a service that we know by its host (OPENROUTER_API_KEY,
	// AZURE_OPENAI_API_KEY, …); OPENAI_API_KEY for OpenAI and for the place that
	// OPENAI_BASE_URL names; none elsewhere.
	APIKeyEnv string `json:"api_key_env,omitempty"`
	// JSON is Auto if empty.
	JSON JSONMode `json:"json,omitempty"`
	// MaxTokensField is, if empty, max_completion_tokens at OpenAI and Azure
	// and max_tokens everywhere else. Responses has its own field.
	MaxTokensField TokensField `json:"max_tokens_field,omitempty"`
	// CheckPromptTokens says whether answers to prompts that the server has read
	// in part only are refused. Nil: at servers known to cut prompts, i.e. Ollama.
	CheckPromptTokens *bool `json:"check_prompt_tokens,omitempty"`
	// Seat says that the server is a program of the user's that acts as an agent: it is
	// sent, in headers, which campaign, collaboration, round and agent asks.
	Seat bool `json:"seat,omitempty"`
	// Timeout of one call; 10 minutes if zero.
	Timeout model.Duration `json:"-"`
}

// client is one model; the exchange remembers whether the server refuses schemas.
type client struct {
	*wire.Exchange
	config Config
	host   host
	base   *url.URL
	cuts   bool // the server may cut prompts
	// longest is the longest prompt in tokens that the server has counted: a shorter one fits.
	longest atomic.Int64
}

// New checks c and returns its model; it sends nothing. Make one for the life of the process, since
// it keeps connections and the outcome of Auto. A model returned with wire.ErrNoKey can check
// parameters, but cannot be asked.
func New(c Config) (model.Model, error) {
	made, err := newClient(c)
	if made == nil {
		return nil, err
	}
	return made, err
}

func newClient(c Config) (*client, error) {
	base, key, err := c.resolveSettings()
	if err != nil {
		err = fmt.Errorf("openai model %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	h := hostOf(base)
	c.API = cmp.Or(c.API, Chat)
	c.MaxTokensField = cmp.Or(c.MaxTokensField, h.tokensField())
	header := http.Header{}
	if key != "" {
		header.Set(h.authHeader(key))
	}
	cuts := cutsPrompts(base)
	if c.CheckPromptTokens != nil {
		cuts = *c.CheckPromptTokens
	}
	made := &client{config: c, host: h, base: base, cuts: cuts}
	made.Exchange = &wire.Exchange{
		HTTP: wire.NewClient(h.publicNames()...), Header: header, Report: wire.NewReporter(provider, key),
		Forms: wire.Forms{JSON: cmp.Or(c.JSON, Auto)}, Timeout: cmp.Or(c.Timeout, wire.DefaultTimeout), Seat: c.Seat,
		Request: made.requestBody, Read: made.readAnswer, Refuse: made.classifyRefusal,
	}
	return made, err
}

// requestBody returns the address and the body of a request, or why it cannot be asked.
func (c *client) requestBody(r model.Request, mode JSONMode) (address string, body []byte, err error) {
	if err := c.checkRequest(r); err != nil {
		return "", nil, err
	}
	r.Messages = wire.DropBlank(r.Messages)
	path, question := c.requestFor(r, mode)
	body, err = json.Marshal(question)
	if err == nil {
		body, err = withExtra(body, r.Parameters.ExtraBody)
	}
	return c.urlOf(path), body, err
}

// requestFor returns what to ask, and where below the base URL.
func (c *client) requestFor(r model.Request, mode JSONMode) (path string, question any) {
	if c.config.API == Responses {
		return "responses", c.responseRequest(r, mode)
	}
	return "chat/completions", c.chatRequest(r, mode)
}

// urlOf returns the address of a path below the base URL.
func (c *client) urlOf(path string) string {
	u := c.base.JoinPath(path)
	if c.config.APIVersion != "" {
		u.RawQuery = url.Values{"api-version": {c.config.APIVersion}}.Encode()
	}
	return u.String()
}

// Models returns the names of the models that the server has.
func (c *client) Models(ctx context.Context) ([]string, error) { return c.List(ctx, c.urlOf("models")) }

// readAnswer returns the answer in the body of a response 2xx.
func (c *client) readAnswer(r model.Request, call *wire.Call) (model.Response, *model.Error) {
	read := c.readChat
	if c.config.API == Responses {
		read = c.readResponse
	}
	answer, failed := read(call.Body, call.Header)
	if failed == nil && c.cuts && c.isPromptCut(r.Messages, answer.Usage) {
		answer.FinishReason = model.TruncatedPrompt
	}
	return answer, failed
}

// classifyRefusal returns a response that is no answer, unless it holds one: Groq says 400
// to an answer that is not the JSON that was asked for, and quotes it.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	w := wire.ReadWords(f.Body, f.Header)
	if f.Status == http.StatusBadRequest && slices.Contains(w.Codes, "json_validate_failed") &&
		w.Generated.Kind() == '"' {
		return c.newAnswer(wire.Unquote(w.Generated), "json_validate_failed", f.Header, nil, nil, model.Usage{}), nil
	}
	return model.Response{}, c.statusError(f)
}

// statusError classifies a response that is no answer.
func (c *client) statusError(f *wire.Failure) *model.Error {
	w := wire.ReadWords(f.Body, f.Header)
	if f.Status == http.StatusForbidden && c.host.isTogether() {
		w.Codes = append(w.Codes, "context_length_exceeded") // what it means there
	}
	err := c.Report.Refused(f, w)
	// Azure charges for prompts that it filters or finds too long, and what is quoted was written.
	if slices.Contains(w.Codes, "content_filter") || f.Status == http.StatusBadRequest && c.host.isAzure() ||
		wire.IsPresent(w.Generated) {
		err.Unbilled = false
	}
	return err
}
