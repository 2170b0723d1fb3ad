package wire

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
)

// TrustEnv is the environment variable in which the operator names addresses that
// campaigns may use although only their files name them, separated by commas or spaces.
const TrustEnv = "ROUNDTABLE_TRUST"

// ErrUntrusted is an address that a campaign's file names and its operator does not.
var ErrUntrusted = errors.New("the address is not trusted")

// CheckTrust refuses what a campaign's file may not decide, since it may be a
// stranger's: to send the key of an environment variable, if one is named, to an
// address, and to ask another machine unencrypted. This machine may be asked, a
// service that we know may have any key, and whatever TrustEnv names may have both.
func CheckTrust(base *url.URL, variable string, known bool) error {
	at := base.Scheme + "://" + base.Host
	if IsLoopback(base.Hostname()) || slices.ContainsFunc(trustedAddresses(),
		func(u *url.URL) bool { return SameOrigin(u, base) }) {
		return nil
	}
	switch {
	case base.Scheme != "https":
		return fmt.Errorf("%w: %s is another machine and not encrypted, so others could read on the way what is sent; if that is all right, set the environment variable %s=%s",
			ErrUntrusted, at, TrustEnv, at)
	case variable != "" && !known:
		return fmt.Errorf("%w: the campaign wants the content of %s sent to %s; if that key belongs there, set the environment variable %s=%s",
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
