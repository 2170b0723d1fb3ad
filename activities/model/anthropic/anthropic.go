// Package anthropic asks Claude through Anthropic's Messages interface, or any
// server that speaks it.
//
// It promises: one request for one call (redirects are not followed); every
// error is a *model.Error classified on status and type, and on the message only
// where Anthropic says 400 to an empty account; no error text holds the key; a
// key goes only where it was meant for; the answer's bytes are those of the
// service; a parameter that cannot be kept is refused before anything is sent,
// never left out.
//
// Anthropic's SDK is not used: of its 176 MB of compiled types a request needs
// the fields below, and its client would read keys and headers from the
// environment, retry, refuse a long max_tokens, and replace bytes that are no UTF-8.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

const (
	provider = "anthropic"
	version  = "2023-06-01" // of the Messages interface
)

// JSONMode is how the service is told that the answer must be JSON.
type JSONMode = wire.JSONMode

const (
	Auto   = wire.Auto   // Schema until the service refuses it, then Plain
	Schema = wire.Schema // output_config.format, which models take from Claude 4.5 on
	Plain  = wire.Plain  // the prompt alone says so
)

// Config is one model at one endpoint.
type Config struct {
	Model string `json:"model"`
	// BaseURL ends before /v1/messages. Empty: ANTHROPIC_BASE_URL, or Anthropic.
	// An endpoint on this machine or a private network must be named here or there.
	BaseURL string `json:"base_url,omitempty"`
	// APIKeyEnv names the environment variable that holds the key. Empty:
	// ANTHROPIC_API_KEY for Anthropic and for the place that ANTHROPIC_BASE_URL
	// names; none elsewhere.
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
	refused atomic.Bool // Auto: output_config.format was refused
}

// New checks the configuration and makes the model; it sends nothing. Make one
// for the life of the process: connections and the outcome of Auto are kept in it.
// A model that comes with wire.ErrNoKey can check parameters and cannot be asked.
func New(c Config) (model.Model, error) {
	base, key, err := c.resolveSettings()
	if err != nil {
		err = fmt.Errorf("anthropic model %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	c.JSON = cmp.Or(c.JSON, Auto)
	c.Timeout = cmp.Or(c.Timeout, model.Duration(10*time.Minute))
	header := http.Header{}
	header.Set("Anthropic-Version", version)
	if key != "" {
		header.Set("X-Api-Key", key)
	}
	return &client{
		config: c, url: base.JoinPath("v1/messages").String(), http: wire.NewClient(officialHost), header: header,
		report: wire.NewReporter(provider, key),
	}, err
}

// Complete asks once. In Auto mode a service that refuses JSON schemas is asked
// a second time without: the refused request was not answered, so nothing is paid twice.
func (c *client) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	mode := c.config.JSON.Of(r, c.refused.Load())
	question, err := c.newQuestion(r)
	if err != nil {
		return model.Response{}, c.report.Unasked(err)
	}
	response, fault := c.askOnce(ctx, question, r, mode)
	if fault != nil && c.config.JSON == Auto && mode == Schema && fault.refusesFormat {
		c.refused.Store(true)
		response, fault = c.askOnce(ctx, question, r, Plain)
	}
	if fault != nil {
		return model.Response{}, fault.err
	}
	return response, nil
}

// askOnce makes one HTTP request.
func (c *client) askOnce(ctx context.Context, q question, r model.Request, mode JSONMode) (model.Response, *fault) {
	if mode == Schema {
		q.enforceSchema(r.Schema)
	}
	body, err := json.Marshal(q)
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
	return c.readAnswer(call.Body, call.Header)
}
