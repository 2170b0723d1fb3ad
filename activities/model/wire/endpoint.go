package wire

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// ParseBase reads the address of an endpoint; where names the setting in
// errors, which never show the address: it may hold a password.
func ParseBase(where, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is not a URL; write one like https://api.openai.com/v1 or http://localhost:8000/v1", where)
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("%s must begin with http:// or https:// and name a host", where)
	case u.User != nil:
		return nil, fmt.Errorf("%s holds a user name or password; name the key's environment variable in api_key_env instead", where)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s has a query or fragment; it must end with a path such as /v1", where)
	}
	if err := checkLiteral(u.Hostname()); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return u, nil
}

// Shown is an address as tables and manifests have it; "" if there is none.
func Shown(base *url.URL, err error) string {
	if err != nil {
		return ""
	}
	return base.String()
}

// SameOrigin says whether two addresses are of one server: a key of one may be sent to the other.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// ErrNoKey is a key's environment variable that is not set.
var ErrNoKey = errors.New("no key")

// Key is the content of the environment variable that holds a key; ErrNoKey if it is not set.
func Key(variable string) (string, error) {
	key := strings.TrimSpace(os.Getenv(variable))
	switch {
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("the key in the environment variable %s holds characters that no key has", variable)
	case key == "":
		return "", fmt.Errorf("%w: the environment variable %s is not set", ErrNoKey, variable)
	}
	return key, nil
}

// UsualKey is the key that read finds, if base is of the same server as usual,
// the address that keys belong to; "" at any other, and if no key is set.
func UsualKey(base *url.URL, usual string, read func() (string, error)) (string, error) {
	u, err := url.Parse(usual)
	if err != nil || !SameOrigin(u, base) {
		return "", nil
	}
	key, err := read()
	if errors.Is(err, ErrNoKey) {
		return "", nil
	}
	return key, err
}
