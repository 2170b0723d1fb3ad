package google

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"roundtable/activities/model/wire"
)

const (
	officialHost = "generativelanguage.googleapis.com"
	officialURL  = "https://" + officialHost
	version      = "v1beta"
	baseURLEnv   = "GOOGLE_GEMINI_BASE_URL"
	keyEnv       = "GOOGLE_API_KEY" // Google's own SDKs prefer it
	otherKeyEnv  = "GEMINI_API_KEY"
)

// modelName keeps a name from becoming another address.
var modelName = regexp.MustCompile(`^((models|tunedModels)/)?[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Endpoint is the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string { return wire.Shown(c.endpoint()) }

// resolve finds every fault of the configuration, the endpoint and the key.
func (c Config) resolve() (base *url.URL, key string, err error) {
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
	base, err = c.endpoint()
	if err != nil {
		return nil, "", errors.Join(append(faults, err)...)
	}
	key, err = c.key(base)
	return base, key, errors.Join(append(faults, err)...)
}

func defaultURL() string { return cmp.Or(os.Getenv(baseURLEnv), officialURL) }

func (c Config) endpoint() (*url.URL, error) {
	where, text := "base_url", c.BaseURL
	if text == "" {
		where, text = baseURLEnv, defaultURL()
	}
	base, err := wire.ParseBase(where, text)
	if err != nil {
		return nil, err
	}
	path := strings.TrimSuffix(base.Path, "/")
	for _, end := range []string{"/v1", "/" + version, "/models", "/openai"} {
		if strings.HasSuffix(path, end) {
			return nil, fmt.Errorf("%s must end before /%s/models, which is added", where, version)
		}
	}
	return base, nil
}

// key is never sent to a place that it was not meant for: a key that a campaign
// does not name belongs to Google or to the place that GOOGLE_GEMINI_BASE_URL names.
func (c Config) key(base *url.URL) (string, error) {
	if c.APIKeyEnv != "" {
		return wire.Key(c.APIKeyEnv)
	}
	if strings.EqualFold(base.Hostname(), officialHost) {
		if base.Scheme != "https" {
			return "", fmt.Errorf("base_url must begin with https://: %s is not sent unencrypted", keyEnv)
		}
		return usualKey()
	}
	return wire.UsualKey(base, defaultURL(), usualKey)
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
