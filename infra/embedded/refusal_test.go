package embedded_test

import (
	"crypto/tls"
	"io"
	"strings"
	"testing"
	"time"

	"roundtable/infra"
	"roundtable/infra/embedded"
)

// A server that will never have a client so is not waited for, and the error says what to
// set: plaintext to TLS, TLS to plaintext, no certificate, a foreign one, a foreign server.
func TestRefusalIsExplained(t *testing.T) {
	secret, _ := start(t, t.TempDir())
	open, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { open.Stop() })
	trusting := func(c ...tls.Certificate) *tls.Config {
		return &tls.Config{InsecureSkipVerify: true, Certificates: c}
	}
	for _, c := range []struct {
		says string
		at   string
		tls  *tls.Config
	}{
		{"set TEMPORAL_TLS=true", secret.Target().HostPort, nil},
		{"unset TEMPORAL_TLS", open.Target().HostPort, trusting()},
		{"asks for a client's certificate", secret.Target().HostPort, trusting()},
		{"does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH", secret.Target().HostPort, trusting(selfSigned(t))},
		{"TEMPORAL_TLS_SERVER_CA_CERT_PATH names", secret.Target().HostPort, &tls.Config{ServerName: "roundtable.internal"}},
	} {
		began := time.Now()
		got, err := infra.Dial(t.Context(), infra.Target{HostPort: c.at, TLS: c.tls, Patience: time.Minute})
		if err == nil {
			got.Close()
			t.Errorf("admitted, want %q", c.says)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || time.Since(began) > 10*time.Second {
			t.Errorf("after %v: %v, want %q", time.Since(began), err, c.says)
		}
	}
}
