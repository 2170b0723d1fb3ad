package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"roundtable/activities/model/wire"
)

const (
	officialHost = "api.openai.com"
	baseURLEnv   = "OPENAI_BASE_URL"
	keyEnv       = "OPENAI_API_KEY"
	azureKeyEnv  = "AZURE_OPENAI_API_KEY"
)

var home = wire.Home{URL: "https://" + officialHost + "/v1/", Env: baseURLEnv,
	Ends: []string{"/chat/completions", "/responses", "/embeddings"}}

// services are the official hosts that we know, each with the environment
// variable in which its users keep their key, and the name under which price
// tables list what it asks. Of Azure's, which are one for a customer,
// everything below the domain counts.
var services = []struct{ domain, keyEnv, seller string }{
	{officialHost, keyEnv, "openai"},
	{"openai.azure.com", azureKeyEnv, "openai"},
	{"cognitiveservices.azure.com", azureKeyEnv, "openai"},
	{"openrouter.ai", "OPENROUTER_API_KEY", "openrouter"},
	{"api.together.ai", "TOGETHER_API_KEY", "together_ai"},
	{"api.together.xyz", "TOGETHER_API_KEY", "together_ai"},
	{"api.groq.com", "GROQ_API_KEY", "groq"},
	{"api.deepseek.com", "DEEPSEEK_API_KEY", "deepseek"},
}

// Seller returns the provider, as price tables name it, whose prices count at an endpoint; false
// for an unknown endpoint, where a model of the same name may cost something else.
func Seller(endpoint string) (string, bool) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", false
	}
	for _, s := range services {
		if h := hostOf(u); string(h) == s.domain || h.isAzure() && h.isUnder(s.domain) {
			return s.seller, true
		}
	}
	return "", false
}

// host is a server's name, which tells dialects of the protocol apart.
type host string

func hostOf(u *url.URL) host { return host(strings.ToLower(u.Hostname())) }

func (h host) isUnder(domain string) bool {
	return string(h) == domain || strings.HasSuffix(string(h), "."+domain)
}

func (h host) isAzure() bool {
	return h.isUnder("openai.azure.com") || h.isUnder("cognitiveservices.azure.com") ||
		h.isUnder("services.ai.azure.com")
}
func (h host) isTogether() bool { return h == "api.together.xyz" || h == "api.together.ai" }

// authHeader returns the header that carries the key.
func (h host) authHeader(key string) (name, value string) {
	if h.isAzure() {
		return "api-key", key
	}
	return "Authorization", "Bearer " + key
}

// keyEnv returns the variable that holds the key of a service that we know, which takes no question without.
func (h host) keyEnv() string {
	for _, s := range services {
		if string(h) == s.domain || h.isAzure() && h.isUnder(s.domain) {
			return s.keyEnv
		}
	}
	return ""
}

// publicNames returns the names that must not lead to a private network. Azure's do so
// on purpose where a customer has a private endpoint.
func (h host) publicNames() []string {
	if h.keyEnv() == "" || h.isAzure() {
		return nil
	}
	return []string{string(h)}
}

func (h host) tokensField() TokensField {
	if h == officialHost || h.isAzure() {
		return MaxCompletionTokens
	}
	return MaxTokens
}

// Endpoint returns the address at which the model is asked; "" if c has no valid one. It sends
// nothing.
func Endpoint(c Config) string {
	return strings.TrimSuffix(wire.ShowAddress(c.endpointURL()), "/")
}

// resolveSettings returns the endpoint and the key, or every error of the configuration.
func (c Config) resolveSettings() (base *url.URL, key string, err error) {
	found := c.checkSettings()
	base, err = c.endpointURL()
	if err != nil {
		return nil, "", errors.Join(append(found, err)...)
	}
	if deployment := strings.Contains(base.Path, "/openai/deployments/"); deployment && hostOf(base).isAzure() {
		if c.APIVersion == "" {
			found = append(found, errors.New("api_version is empty; a base_url with /openai/deployments/ needs one, "+
				"such as 2024-10-21"))
		}
		if c.API == Responses {
			found = append(found, errors.New("api is responses, which a base_url with /openai/deployments/ does not "+
				"have; use …/openai/v1"))
		}
	}
	key, err = c.findKey(base)
	return base, key, errors.Join(append(found, err)...)
}

// checkSettings returns what is wrong with the settings themselves.
func (c Config) checkSettings() (found []error) {
	if c.Model == "" {
		found = append(found, errors.New("model is empty; name the model as the server knows it"))
	}
	switch c.API {
	case "", Chat, Responses:
	default:
		found = append(found, fmt.Errorf("api is %q; it is chat or responses", c.API))
	}
	switch c.MaxTokensField {
	case "", MaxTokens, MaxCompletionTokens:
	default:
		found = append(found, fmt.Errorf("max_tokens_field is %q; it is max_tokens or max_completion_tokens",
			c.MaxTokensField))
	}
	return append(found, wire.CheckSettings(c.JSON, c.Timeout, Auto, Schema, Object, Plain)...)
}

func (c Config) endpointURL() (*url.URL, error) {
	if strings.Contains(cmp.Or(c.BaseURL, home.Address()), "?api-version=") {
		return nil, errors.New("the base URL holds the query api-version; write it as api_version")
	}
	return home.Base(c.BaseURL)
}

func (c Config) findKey(base *url.URL) (string, error) {
	known := hostOf(base).keyEnv()
	return home.Key(c.APIKeyEnv, known, base, func() (string, error) { return wire.Key(cmp.Or(known, keyEnv)) })
}
