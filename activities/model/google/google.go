// Package google asks Gemini and Gemma through the Gemini interface
// (generateContent) with an API key. Vertex AI, which takes other credentials
// and other addresses, is left out.
//
// It promises: one request for one call; every error is a *model.Error
// classified (package wire); no error text holds the key; a key goes only where it was meant for; the answer's bytes are those of
// the service; a parameter that cannot be kept is refused before anything is
// sent, never left out.
//
// Google's SDK is not used. Its client takes a key from the environment if it is
// given none, whatever the address; sorts the properties of a schema, which
// models answer in their order; continues answers with requests of its own; and
// decodes what we read byte for byte.
package google

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
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
