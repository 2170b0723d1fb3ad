package anthropic

import (
	"errors"
	"net/url"

	"roundtable/activities/model/wire"
)

const (
	officialHost = "api.anthropic.com"
	baseURLEnv   = "ANTHROPIC_BASE_URL"
	keyEnv       = "ANTHROPIC_API_KEY"
)

var home = wire.Home{URL: "https://" + officialHost, Env: baseURLEnv, Added: "/v1/messages",
	Ends: []string{"/v1", "/v1/messages"}}

// Endpoint returns the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string { return wire.Shown(home.Base(c.BaseURL)) }

// resolveSettings returns the endpoint and the key, or every error of the configuration.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	var found []error
	if c.Model == "" {
		found = append(found, errors.New("model is empty; name the model as the service knows it, such as claude-sonnet-4-5"))
	}
	found = append(found, wire.CheckSettings(c.JSON, c.Timeout, Auto, Schema, Plain)...)
	return home.Resolve(found, c.BaseURL, c.APIKeyEnv, officialHost, keyEnv,
		func() (string, error) { return wire.Key(keyEnv) })
}
