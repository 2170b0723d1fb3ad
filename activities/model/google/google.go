// Package google asks Gemini and Gemma through the Gemini interface
// (generateContent) with an API key. Vertex AI, which takes other credentials
// and other addresses, is left out.
//
// It promises: one request for one call; every error is a *model.Error
// classified on status, google.rpc code and details; no error text holds the
// key; a key goes only where it was meant for; the answer's bytes are those of
// the service; a parameter that cannot be kept is refused before anything is
// sent, never left out.
//
// Google's SDK is not used. Its client takes a key from the environment if it is
// given none, whatever the address; sorts the properties of a schema, which
// models answer in their order; continues answers with requests of its own; and
// decodes what we read byte for byte.
package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const provider = "google"

// JSONMode is how the service is told that the answer must be JSON.
type JSONMode = wire.JSONMode

const (
	Auto   = wire.Auto   // Schema until the service refuses it, then Plain
	Schema = wire.Schema // responseJsonSchema
	Plain  = wire.Plain  // the prompt alone says so
)

// Config is one model at one endpoint.
type Config struct {
	// Model is a name such as gemini-2.5-flash, also with models/ or tunedModels/ before it.
	Model string `json:"model"`
	// BaseURL ends before /v1beta/models. Empty: GOOGLE_GEMINI_BASE_URL, or Google.
	// An endpoint on this machine or a private network must be named here or there.
	BaseURL string `json:"base_url,omitempty"`
	// APIKeyEnv names the environment variable that holds the key. Empty:
	// GOOGLE_API_KEY, or else GEMINI_API_KEY, for Google and for the place that
	// GOOGLE_GEMINI_BASE_URL names; none elsewhere.
	APIKeyEnv string `json:"api_key_env,omitempty"`
	// JSON is Auto if empty.
	JSON JSONMode `json:"json,omitempty"`
	// Timeout of one call; 10 minutes if zero.
	Timeout model.Duration `json:"-"`
}

// client is one model; it remembers whether the service refuses schemas.
type client struct {
	config  Config
	url     string
	http    *http.Client
	header  http.Header // carries the key
	report  wire.Reporter
	refused atomic.Bool // Auto: responseJsonSchema was refused
}

// New checks the configuration and makes the model; it sends nothing. Make one
// for the life of the process: connections and the outcome of Auto are kept in it.
// A model that comes with wire.ErrNoKey can check parameters and cannot be asked.
func New(c Config) (model.Model, error) {
	base, key, err := c.resolveSettings()
	if err != nil {
		err = fmt.Errorf("google model %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	if c.JSON == "" {
		c.JSON = Auto
	}
	if c.Timeout == 0 {
		c.Timeout = model.Duration(10 * time.Minute)
	}
	name := c.Model
	if !strings.Contains(name, "/") {
		name = "models/" + name
	}
	header := http.Header{}
	if key != "" {
		header.Set("X-Goog-Api-Key", key)
	}
	return &client{
		config: c, header: header, http: wire.NewClient(officialHost), report: wire.NewReporter(provider, key),
		url: base.JoinPath(version, name+":generateContent").String(),
	}, err
}

// Complete asks once. In Auto mode a service that refuses JSON schemas is asked
// a second time without: the refused request was not answered, so nothing is paid twice.
func (c *client) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	mode := c.config.JSON.Of(r, c.refused.Load())
	response, fault := c.askOnce(ctx, r, mode)
	if fault != nil && c.config.JSON == Auto && mode == Schema && fault.refusesFormat {
		c.refused.Store(true)
		response, fault = c.askOnce(ctx, r, Plain)
	}
	if fault != nil {
		return model.Response{}, fault.err
	}
	return response, nil
}

// askOnce makes one HTTP request.
func (c *client) askOnce(ctx context.Context, r model.Request, mode JSONMode) (model.Response, *fault) {
	body, err := c.requestBody(r, mode)
	if err != nil {
		return model.Response{}, &fault{err: c.report.Unasked(err)}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.config.Timeout))
	defer cancel()
	ctx, call := wire.Watch(ctx, c.config.JSON.Key(r, mode))
	err = wire.Post(ctx, c.http, c.url, body, c.header)
	if refused, ok := errors.AsType[*wire.Failure](err); ok {
		return model.Response{}, c.classifyRefusal(refused)
	}
	if err != nil {
		return model.Response{}, &fault{err: c.report.Broken(ctx, call, err)}
	}
	return c.readAnswer(call.Body)
}
