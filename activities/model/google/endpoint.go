package google

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"roundtable/activities/model/wire"
)

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

// Endpoint returns the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string { return wire.Shown(home.Base(c.BaseURL)) }

// resolveSettings returns the endpoint and the key, or every error of the configuration.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	var found []error
	if !modelName.MatchString(c.Model) {
		found = append(found, fmt.Errorf("model is %q; name a model of the Gemini interface, such as gemini-2.5-flash", c.Model))
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
