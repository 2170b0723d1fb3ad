// Package openai asks models behind OpenAI's two interfaces, Chat Completions
// and Responses, and for Embeddings: OpenAI itself, Azure, vLLM, Ollama, OpenRouter, Together,
// Groq, DeepSeek, LiteLLM's proxy and any other compatible server.
//
// It promises: one request for one call (the SDK's retries are off, redirects
// are not followed, and net/http is kept from sending a POST again); every
// error is a *model.Error classified on status, code and type; no error text
// holds the key; a key goes only where it was meant for; the answer's bytes
// are those of the server; no parameter is left out silently.
package openai

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

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
	// and max_tokens everywhere else. Responses has a field of its own.
	MaxTokensField TokensField `json:"max_tokens_field,omitempty"`
	// Timeout of one call; 10 minutes if zero.
	Timeout model.Duration `json:"-"`
}

// client is one model; it remembers whether the server refuses schemas.
type client struct {
	config    Config
	host      host
	chat      sdk.ChatCompletionService
	responses responses.ResponseService
	vectors   sdk.EmbeddingService
	report    wire.Reporter
	refused   atomic.Bool // Auto: json_schema was refused
}

// New checks the configuration and makes the model; it sends nothing. Make one
// for the life of the process: connections and the outcome of Auto are kept in it.
func New(c Config) (model.Model, error) {
	made, err := newClient(c)
	if err != nil {
		return nil, err
	}
	return made, nil
}

func newClient(c Config) (*client, error) {
	base, key, err := c.resolve()
	if err != nil {
		return nil, fmt.Errorf("openai model %q: %w", c.Model, err)
	}
	h := hostOf(base)
	if c.API == "" {
		c.API = Chat
	}
	if c.MaxTokensField == "" {
		c.MaxTokensField = h.tokensField()
	}
	if c.JSON == "" {
		c.JSON = Auto
	}
	if c.Timeout == 0 {
		c.Timeout = model.Duration(10 * time.Minute)
	}
	// The services are built without the SDK's client, which would read keys and
	// headers from the environment by itself.
	options := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(wire.NewClient(h.public()...)),
		option.WithMaxRetries(0),
	}
	if key != "" {
		options = append(options, option.WithHeader(h.auth(key)))
	}
	if c.APIVersion != "" {
		options = append(options, option.WithQuery("api-version", c.APIVersion))
	}
	return &client{
		config: c, host: h, report: wire.NewReporter(provider, key),
		chat: sdk.NewChatCompletionService(options...), responses: responses.NewResponseService(options...),
		vectors: sdk.NewEmbeddingService(options...),
	}, nil
}

// Complete asks once. In Auto mode a server that refuses JSON schemas is asked
// a second time without: the refused request was not answered, so nothing is paid twice.
func (c *client) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if err := c.check(r); err != nil {
		return model.Response{}, c.report.Unasked(err)
	}
	mode := c.config.JSON.Of(r, c.refused.Load())
	response, fault := c.ask(ctx, r, mode)
	if fault != nil && c.config.JSON == Auto && mode == Schema && fault.refusesFormat() {
		c.refused.Store(true)
		response, fault = c.ask(ctx, r, Plain)
	}
	if fault != nil {
		return model.Response{}, fault.err
	}
	return response, nil
}

// ask makes one HTTP request.
func (c *client) ask(ctx context.Context, r model.Request, mode JSONMode) (model.Response, *fault) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.config.Timeout))
	defer cancel()
	ctx, call := wire.Watch(ctx, c.config.JSON.Key(r, mode))
	err := c.send(ctx, r, mode)
	if refused, ok := asFailure(err); ok {
		return c.refusal(refused)
	}
	if err != nil {
		return model.Response{}, &fault{err: c.report.Broken(ctx, call, err)}
	}
	answer, fault := c.read(call.Body, call.Header)
	if fault == nil && cutShort(r.Messages, answer.Usage) {
		answer.FinishReason = model.TruncatedPrompt
	}
	return answer, fault
}

// send lets the SDK write the request; the answer is read from the call's own bytes.
func (c *client) send(ctx context.Context, r model.Request, mode JSONMode) error {
	unread := option.WithResponseBodyInto(new([]byte))
	if c.config.API == Responses {
		_, err := c.responses.New(ctx, c.responseParams(r, mode), unread)
		return err
	}
	_, err := c.chat.New(ctx, c.chatParams(r, mode), unread)
	return err
}

// read takes the answer from a body that came with a status 2xx, which alone says nothing.
func (c *client) read(body []byte, header http.Header) (model.Response, *fault) {
	if c.config.API == Responses {
		return c.readResponse(body, header)
	}
	return c.readChat(body, header)
}
