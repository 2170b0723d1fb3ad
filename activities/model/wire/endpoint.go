package wire

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// ParseBase parses the address of an endpoint. where names the setting in errors, which never show
// the address, since it may hold a password.
func ParseBase(where, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is not a URL; write one like https://api.openai.com/v1 or "+
			"http://localhost:8000/v1", where)
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

// ShowAddress returns an address as tables and manifests show it; "" with an error.
func ShowAddress(base *url.URL, err error) string {
	if err != nil {
		return ""
	}
	return base.String()
}

// HasSameOrigin reports whether two addresses are on the same server, so that a key for one may be
// sent to the other.
func HasSameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// ErrNoKey says that the environment variable of a key is not set.
var ErrNoKey = errors.New("no key")

// LacksOnlyKey reports whether err says only that keys are not set or addresses not trusted. Its
// model can check parameters, but cannot be asked.
func LacksOnlyKey(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !LacksOnlyKey(e) })
	}
	if inner := errors.Unwrap(err); inner != nil {
		return LacksOnlyKey(inner)
	}
	return errors.Is(err, ErrNoKey) || errors.Is(err, ErrUntrusted)
}

// Key returns the value of the environment variable that holds a key; ErrNoKey if it is not set.
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

// Home is a provider's default address, used where a campaign names none.
type Home struct {
	URL   string
	Env   string   // the environment variable that names another
	Added string   // what the client adds to an address
	Ends  []string // of addresses that hold some of it already
}

// Address returns the value of the environment variable Env, or else URL.
func (h Home) Address() string { return cmp.Or(os.Getenv(h.Env), h.URL) }

// Base parses the address that a campaign names, text; if that is empty, the home's.
func (h Home) Base(text string) (*url.URL, error) {
	where := "base_url"
	if text == "" {
		where, text = h.Env, h.Address()
	}
	base, err := ParseBase(where, text)
	if err != nil {
		return nil, err
	}
	for _, end := range h.Ends {
		if strings.HasSuffix(strings.TrimSuffix(base.Path, "/"), end) {
			return nil, fmt.Errorf("%s must end before %s, which is added", where, cmp.Or(h.Added, end))
		}
	}
	return base, nil
}

// Key returns the key for base, never one meant for another place. The variable named, which a
// campaign names, is used where CheckTrust allows it, and at the home's address. If named is empty,
// read gets the key: for a known service it must be set, in the variable known; for others it is
// used only if the home is on the same server, and "" if it is not set.
func (h Home) Key(named, known string, base *url.URL, read func() (string, error)) (string, error) {
	if named == "" && known != "" && base.Scheme != "https" {
		return "", fmt.Errorf("base_url must begin with https://, or name the key's environment variable in "+
			"api_key_env: %s is not sent unencrypted", known)
	}
	own, err := url.Parse(os.Getenv(h.Env))
	if err != nil || !HasSameOrigin(own, base) {
		if err := CheckTrust(base, named, known != ""); err != nil {
			return "", err
		}
	}
	switch {
	case named != "":
		return Key(named)
	case known != "":
		return read()
	}
	home, err := url.Parse(h.Address())
	if err != nil || !HasSameOrigin(home, base) {
		return "", nil
	}
	key, err := read()
	if errors.Is(err, ErrNoKey) {
		return "", nil
	}
	return key, err
}

// Resolve returns the address and the key for a campaign's settings address and keyEnv, or all
// errors joined with found. At officialHost the key is in the variable known; read returns the
// usual key.
func (h Home) Resolve(found []error, address, keyEnv, officialHost, known string,
	read func() (string, error)) (base *url.URL, key string, err error) {
	base, err = h.Base(address)
	if err != nil {
		return nil, "", errors.Join(append(found, err)...)
	}
	if !strings.EqualFold(base.Hostname(), officialHost) {
		known = ""
	}
	key, err = h.Key(keyEnv, known, base, read)
	return base, key, errors.Join(append(found, err)...)
}

// TrustEnv is the environment variable in which the operator names addresses that
// campaigns may use although only their files name them, separated by commas or spaces.
const TrustEnv = "ROUNDTABLE_TRUST"

// ErrUntrusted says that only a campaign's file, and not its operator, names the address.
var ErrUntrusted = errors.New("the address is not trusted")

// CheckTrust returns an error for what a campaign's file, which may be a stranger's, may not
// decide: to send the key in variable, if not "", to base, or to use another machine unencrypted.
// Allowed are this machine, any key for a service that is known, and both for addresses in
// TrustEnv.
func CheckTrust(base *url.URL, variable string, known bool) error {
	at := base.Scheme + "://" + base.Host
	if IsLoopback(base.Hostname()) || slices.ContainsFunc(trustedAddresses(),
		func(u *url.URL) bool { return HasSameOrigin(u, base) }) {
		return nil
	}
	switch {
	case base.Scheme != "https":
		return fmt.Errorf("%w: %s is another machine and not encrypted, so others could read on the way what is "+
			"sent; if that is all right, set the environment variable %s=%s",
			ErrUntrusted, at, TrustEnv, at)
	case variable != "" && !known:
		return fmt.Errorf("%w: the campaign wants the content of %s sent to %s; if that key belongs there, set the "+
			"environment variable %s=%s",
			ErrUntrusted, variable, at, TrustEnv, at)
	}
	return nil
}

func trustedAddresses() (addresses []*url.URL) {
	for _, text := range strings.FieldsFunc(os.Getenv(TrustEnv), func(r rune) bool { return r == ',' || r == ' ' }) {
		if u, err := url.Parse(text); err == nil {
			addresses = append(addresses, u)
		}
	}
	return addresses
}
