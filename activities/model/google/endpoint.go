package google

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

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
func Endpoint(c Config) string { return wire.Shown(c.endpointURL()) }

// resolveSettings finds every fault of the configuration, the endpoint and the key.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	var faults []error
	if !modelName.MatchString(c.Model) {
		faults = append(faults, fmt.Errorf("model is %q; name a model of the Gemini interface, such as gemini-2.5-flash", c.Model))
	}
	if err := c.JSON.Check(Auto, Schema, Plain); err != nil {
		faults = append(faults, err)
	}
	if c.Timeout < 0 {
		faults = append(faults, fmt.Errorf("timeout is %v; it must be positive", time.Duration(c.Timeout)))
	}
	base, err = c.endpointURL()
	if err != nil {
		return nil, "", errors.Join(append(faults, err)...)
	}
	key, err = c.findKey(base)
	return base, key, errors.Join(append(faults, err)...)
}

func (c Config) endpointURL() (*url.URL, error) { return home.Base(c.BaseURL) }

func (c Config) findKey(base *url.URL) (string, error) {
	known := ""
	if strings.EqualFold(base.Hostname(), officialHost) {
		known = keyEnv
	}
	return home.Key(c.APIKeyEnv, known, base, usualKey)
}

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
