package anthropic

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"roundtable/activities/model/wire"
)

const (
	officialHost = "api.anthropic.com"
	baseURLEnv   = "ANTHROPIC_BASE_URL"
	keyEnv       = "ANTHROPIC_API_KEY"
)

var home = wire.Home{URL: "https://" + officialHost, Env: baseURLEnv, Added: "/v1/messages", Ends: []string{"/v1", "/v1/messages"}}

// Endpoint returns the address that a model is asked at; "" if it is none. It sends nothing.
func Endpoint(c Config) string { return wire.Shown(c.endpointURL()) }

// resolveSettings finds every fault of the configuration, the endpoint and the key.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
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
	return home.Key(c.APIKeyEnv, known, base, func() (string, error) { return wire.Key(keyEnv) })
}
