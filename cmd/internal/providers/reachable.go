package providers

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"roundtable/activities/model"
)

// CheckReachable returns an error if nothing accepts connections at a model's endpoint.
func CheckReachable(p model.Provider) error {
	if p.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(p.Endpoint)
	if err != nil {
		return err
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil || proxy != nil {
		return err // the proxy reaches it for us
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(u.Hostname(), port), 3*time.Second)
	if err != nil {
		if dial, ok := errors.AsType[*net.OpError](err); ok {
			err = dial.Err
		}
		return fmt.Errorf("%s cannot be reached: %w", p.Endpoint, err)
	}
	return conn.Close()
}
