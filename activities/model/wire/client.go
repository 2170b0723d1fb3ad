package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxBody is the longest body that is read, maxFile the longest one with the answers of a batch.
const (
	maxBody = 16 << 20
	maxFile = 512 << 20
)

var (
	errTooLarge  = fmt.Errorf("the answer is longer than %d MiB", maxBody>>20)
	errForbidden = errors.New("refused to connect")
	errUnwatched = errors.New("wire: a request without Watch")
	errTwice     = errors.New("wire: a second request in one call")
)

// NewClient returns a client for hundreds of calls at once to one host; every request needs a
// context from Watch. A host name in public must not lead to a private address.
func NewClient(public ...string) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: watched{capped{&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            dialer(public).dial,
			ForceAttemptHTTP2:      true,
			HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
			MaxIdleConnsPerHost:    1024,
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    15 * time.Second,
			DisableCompression:     true, // answers are short; and there are no bombs
			MaxResponseHeaderBytes: 256 << 10,
		}}},
	}
}

// capped ends every body at maxBody, or at maxFile.
type capped struct{ next http.RoundTripper }

func (c capped) RoundTrip(q *http.Request) (*http.Response, error) {
	r, err := c.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	left := maxBody
	if c, ok := q.Context().Value(callKey{}).(*Call); ok && c.file {
		left = maxFile
	}
	r.Body = &cappedBody{ReadCloser: r.Body, left: left}
	return r, nil
}

type cappedBody struct {
	io.ReadCloser
	left int
}

func (b *cappedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// dialer knows the names that are public.
type dialer []string

// dial connects unless the address is one that no model is served from. It
// looks at the address after name resolution, so that no name can lead there.
func (public dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{
		Timeout:   15 * time.Second,
		KeepAlive: 30 * time.Second,
		Control: func(_, to string, _ syscall.RawConn) error {
			a, err := netip.ParseAddrPort(to)
			if err != nil {
				return fmt.Errorf("%w to %s: not an IP address", errForbidden, to)
			}
			return checkAddress(name, a.Addr(), public)
		},
	}
	return d.DialContext(ctx, network, address)
}

// metadata services of clouds that are not link-local: AWS (IPv6), Alibaba, Azure, Oracle.
var metadata = []netip.Addr{
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("192.0.0.192"),
}

// checkAddress says why the host of that name must not be reached at that address.
func checkAddress(name string, a netip.Addr, public []string) error {
	a = a.Unmap().WithZone("")
	switch {
	case a.IsLinkLocalUnicast(), a.IsMulticast(), a.IsUnspecified():
		return fmt.Errorf("%w to %s: link-local and metadata addresses serve no models", errForbidden, a)
	case a.IsLoopback() && !IsLoopback(name):
		return fmt.Errorf("%w to %s, where the name leads: to use this machine, name localhost in base_url",
			errForbidden, a)
	case a.IsPrivate() && slices.Contains(public, strings.ToLower(name)):
		return fmt.Errorf("%w to the private address %s, where %s leads", errForbidden, a, name)
	}
	if slices.Contains(metadata, a) {
		return fmt.Errorf("%w to %s: link-local and metadata addresses serve no models", errForbidden, a)
	}
	return nil
}

// checkLiteral refuses a forbidden address written in the base URL itself, before anything starts.
func checkLiteral(name string) error {
	a, err := netip.ParseAddr(name)
	if err != nil {
		return nil // a name: looked at when it is dialled
	}
	return checkAddress(name, a, nil)
}

// IsLoopback reports whether the host name stands for this machine.
func IsLoopback(name string) bool {
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Unmap().IsLoopback()
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
