// Package anthropic asks Claude through Anthropic's Messages interface, or any
// server that speaks it.
//
// It promises: one request for one call (redirects are not followed); every
// error is a *model.Error classified (package wire); no error text holds the key; a
// key goes only where it was meant for; the answer's bytes are those of the
// service; a parameter that cannot be kept is refused before anything is sent,
// never left out.
//
// Anthropic's SDK is not used: of its 176 MB of compiled types a request needs
// the fields below, and its client would read keys and headers from the
// environment, retry, refuse a long max_tokens, and replace bytes that are not UTF-8.
package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

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
	// CacheControl says that the endpoint caches what is marked with cache_control, as Anthropic does.
	CacheControl bool `json:"cache_control,omitempty"`
	// JSON is Auto if empty.
	JSON JSONMode `json:"json,omitempty"`
	// Timeout of one call; 10 minutes if zero.
	Timeout model.Duration `json:"-"`
}

// client is one model; the exchange remembers whether the service refuses schemas.
type client struct {
	*wire.Exchange
	config Config
	url    string
	marks  bool // prompts are sent in blocks, with marks where the service is to keep them
}

// New checks c and returns its model; it sends nothing. Make one for the life of the process, since
// it keeps connections and the outcome of Auto. A model returned with wire.ErrNoKey can check
// parameters, but cannot be asked.
func New(c Config) (model.Model, error) {
	base, key, err := c.resolveSettings()
	if err != nil {
		err = fmt.Errorf("anthropic model %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	header := http.Header{}
	header.Set("Anthropic-Version", version)
	if key != "" {
		header.Set("X-Api-Key", key)
	}
	made := &client{config: c, url: base.JoinPath("v1/messages").String(),
		marks: c.CacheControl || base.Hostname() == officialHost}
	made.Exchange = &wire.Exchange{
		HTTP: wire.NewClient(officialHost), Header: header, Report: wire.NewReporter(provider, key),
		Forms: wire.Forms{JSON: cmp.Or(c.JSON, Auto)}, Timeout: cmp.Or(c.Timeout, wire.DefaultTimeout),
		Request: made.requestBody, Read: made.readAnswer, Refuse: made.classifyRefusal,
	}
	return made, err
}

// HasMarks reports whether prompts carry the marks by which the service keeps their beginnings.
func (c *client) HasMarks() bool { return c.marks }

// Models returns the names of the models that the service has.
func (c *client) Models(ctx context.Context) ([]string, error) {
	return c.List(ctx, strings.TrimSuffix(c.url, "/messages")+"/models")
}

// requestBody returns the address and the body of a request.
func (c *client) requestBody(r model.Request, mode JSONMode) (url string, body []byte, err error) {
	q, err := c.newQuestion(r)
	if err != nil {
		return "", nil, err
	}
	if mode == Schema {
		q.enforceSchema(r.Schema)
	}
	body, err = json.Marshal(q)
	return c.url, body, err
}

const (
	officialHost = "api.anthropic.com"
	baseURLEnv   = "ANTHROPIC_BASE_URL"
	keyEnv       = "ANTHROPIC_API_KEY"
)

var home = wire.Home{URL: "https://" + officialHost, Env: baseURLEnv, Added: "/v1/messages",
	Ends: []string{"/v1", "/v1/messages"}}

// Endpoint returns the address at which the model is asked; "" if c has no valid one. It sends
// nothing.
func Endpoint(c Config) string { return wire.ShowAddress(home.Base(c.BaseURL)) }

// resolveSettings returns the endpoint and the key, or every error of the configuration.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	var found []error
	if c.Model == "" {
		found = append(found, errors.New("model is empty; name the model as the service knows it, such as "+
			"claude-sonnet-4-5"))
	}
	found = append(found, wire.CheckSettings(c.JSON, c.Timeout, Auto, Schema, Plain)...)
	return home.Resolve(found, c.BaseURL, c.APIKeyEnv, officialHost, keyEnv,
		func() (string, error) { return wire.Key(keyEnv) })
}

// classifyRefusal classifies a response that is no answer.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	w := wire.ReadWords(f.Body, f.Header)
	if slices.Contains(w.Codes, "invalid_request_error") &&
		strings.Contains(w.Message, "blocked by content filtering policy") {
		// The answer was written, and then held back.
		w.Codes = append([]string{"content_filter"}, w.Codes...)
		err := c.Report.Refused(f, w)
		err.Unbilled = false
		return model.Response{}, err
	}
	return model.Response{}, c.Report.Refused(f, w)
}
