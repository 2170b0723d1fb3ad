package anthropic

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"roundtable/activities/model/wire"
)

const (
	officialHost = "api.anthropic.com"
	officialURL  = "https://" + officialHost
	baseURLEnv   = "ANTHROPIC_BASE_URL"
	keyEnv       = "ANTHROPIC_API_KEY"
)

// Endpoint is the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string { return wire.Shown(c.endpoint()) }

// resolve finds every fault of the configuration, the endpoint and the key.
func (c Config) resolve() (base *url.URL, key string, err error) {
	var faults []error
	if c.Model == "" {
		faults = append(faults, errors.New("model is empty; name the model as the service knows it, such as claude-sonnet-4-5"))
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
	if strings.HasSuffix(path, "/v1") || strings.HasSuffix(path, "/v1/messages") {
		return nil, fmt.Errorf("%s must end before /v1/messages, which is added", where)
	}
	return base, nil
}

// key is never sent to a place that it was not meant for: a key that a campaign
// does not name belongs to Anthropic or to the place that ANTHROPIC_BASE_URL names.
func (c Config) key(base *url.URL) (string, error) {
	if c.APIKeyEnv != "" {
		return wire.Key(c.APIKeyEnv)
	}
	if strings.EqualFold(base.Hostname(), officialHost) {
		if base.Scheme != "https" {
			return "", fmt.Errorf("base_url must begin with https://: %s is not sent unencrypted", keyEnv)
		}
		return wire.Key(keyEnv)
	}
	return wire.UsualKey(base, defaultURL(), func() (string, error) { return wire.Key(keyEnv) })
}
