// Package google asks Gemini and Gemma through the Gemini interface
// (generateContent) with an API key. Vertex AI, which takes other credentials
// and other addresses, is left out.
//
// It promises: one request for one call; every error is a *model.Error
// classified (package wire); no error text holds the key; a key goes only where
// it was meant for; the answer's bytes are those of the service; a parameter that
// cannot be kept is refused before anything is sent, never left out.
//
// Google's SDK is not used. Its client takes a key from the environment if it is
// given none, whatever the address; sorts the properties of a schema, which
// models answer in their order; continues answers with requests of its own; and
// decodes what we read byte for byte.
package google

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

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

// client is one model; the exchange remembers whether the service refuses schemas.
type client struct {
	*wire.Exchange
	config Config
	url    string
}

// New checks c and returns its model; it sends nothing. Make one for the life of the process, since
// it keeps connections and the outcome of Auto. A model returned with wire.ErrNoKey can check
// parameters, but cannot be asked.
func New(c Config) (model.Model, error) {
	base, key, err := c.resolveSettings()
	if err != nil {
		err = fmt.Errorf("google model %q: %w", c.Model, err)
	}
	if err != nil && !wire.LacksOnlyKey(err) {
		return nil, err
	}
	name := c.Model
	if !strings.Contains(name, "/") {
		name = "models/" + name
	}
	header := http.Header{}
	if key != "" {
		header.Set("X-Goog-Api-Key", key)
	}
	made := &client{config: c, url: base.JoinPath(version, name+":generateContent").String()}
	made.Exchange = &wire.Exchange{
		HTTP: wire.NewClient(officialHost), Header: header, Report: wire.NewReporter(provider, key),
		Forms: wire.Forms{JSON: cmp.Or(c.JSON, Auto)}, Timeout: cmp.Or(c.Timeout, wire.DefaultTimeout),
		Request: made.requestBody, Read: made.readAnswer, Refuse: made.classifyRefusal,
	}
	return made, err
}

// Models returns the names of the models that the service has.
func (c *client) Models(ctx context.Context) ([]string, error) {
	return c.List(ctx, c.urlOf("models"))
}

const (
	officialHost = "generativelanguage.googleapis.com"
	version      = "v1beta"
	baseURLEnv   = "GOOGLE_GEMINI_BASE_URL"
	keyEnv       = "GOOGLE_API_KEY" // Google's own SDKs prefer it
	otherKeyEnv  = "GEMINI_API_KEY"
)

var home = wire.Home{
	URL: "https://" + officialHost, Env: baseURLEnv,
	Added: "/" + version + "/models", Ends: []string{"/v1", "/" + version, "/models", "/openai"},
}

// modelName keeps a name from becoming another address.
var modelName = regexp.MustCompile(`^((models|tunedModels)/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Endpoint returns the address at which the model is asked; "" if c has no valid one. It sends
// nothing.
func Endpoint(c Config) string { return wire.ShowAddress(home.Base(c.BaseURL)) }

// resolveSettings returns the endpoint and the key, or every error of the configuration.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	var found []error
	if !modelName.MatchString(c.Model) {
		found = append(found, fmt.Errorf("model is %q; name a model of the Gemini interface, such as "+
			"gemini-2.5-flash", c.Model))
	}
	found = append(found, wire.CheckSettings(c.JSON, c.Timeout, Auto, Schema, Plain)...)
	return home.Resolve(found, c.BaseURL, c.APIKeyEnv, officialHost, keyEnv, usualKey)
}

// usualKey returns the key in either of the two variables; ErrNoKey if neither is set.
func usualKey() (string, error) {
	key, err := wire.Key(keyEnv)
	if !errors.Is(err, wire.ErrNoKey) {
		return key, err
	}
	key, err = wire.Key(otherKeyEnv)
	if errors.Is(err, wire.ErrNoKey) {
		return "", fmt.Errorf("%w: neither %s nor %s is set", wire.ErrNoKey, keyEnv, otherKeyEnv)
	}
	return key, err
}

// classifyRefusal classifies a response that is no answer.
// https://ai.google.dev/gemini-api/docs/billing ("Am I charged for failed requests?", read on 2026-11-22)
// excludes tokens of requests that fail with 400 or 500; of other statuses it is assumed.
func (c *client) classifyRefusal(f *wire.Failure) (model.Response, *model.Error) {
	return model.Response{}, c.Report.Refused(f, wire.ReadWords(f.Body, f.Header))
}
