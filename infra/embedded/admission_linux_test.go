package embedded_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/infra"
)

// Another program of the same user finds the server in its folder while it runs, and is
// admitted; nobody without the certificate is, not to the inner services either.
func TestAdmits(t *testing.T) {
	dir := t.TempDir()
	s, _ := start(t, dir)
	found, err := infra.TargetIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := infra.Dial(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	file := filepath.Join(dir, infra.ClientFile)
	if _, err := tls.LoadX509KeyPair(file, file); err != nil {
		t.Errorf("tools that take PEM files do not find certificate and key: %v", err)
	}

	for _, stranger := range []struct {
		name string
		tls  *tls.Config
	}{
		{"plaintext", nil},
		{"TLS without a certificate", &tls.Config{InsecureSkipVerify: true}},
		{"TLS with a certificate of its own", &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{selfSigned(t)}}},
	} {
		target := infra.Target{HostPort: s.Target().HostPort, TLS: stranger.tls, Patience: 200 * time.Millisecond}
		if c, err := infra.Dial(t.Context(), target); err == nil {
			c.Close()
			t.Errorf("%s is admitted", stranger.name)
		}
	}
	for _, address := range listening(t) {
		if isServed(t, address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) {
			t.Errorf("%s speaks to whoever has no certificate", address)
		}
		if !isServed(t, address, found.TLS.Clone()) {
			t.Errorf("%s does not speak to whoever has it", address)
		}
	}

	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := infra.TargetIn(dir); err == nil {
		t.Error("the folder still says where the server was")
	}
}

// isServed reports whether a service goes on after the handshake: it sends its settings.
func isServed(t *testing.T, address string, settings *tls.Config) bool {
	t.Helper()
	settings.NextProtos = []string{"h2"}
	c, err := tls.DialWithDialer(&net.Dialer{Timeout: 5 * time.Second}, "tcp", address, settings)
	if err != nil {
		return false
	}
	defer c.Close()
	if _, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		return false
	}
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, err = c.Read(make([]byte, 9))
	return err == nil
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"roundtable.internal"}, NotAfter: time.Now().Add(time.Hour)}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key}
}

// A file that is empty, damaged or without a certificate names no server.
func TestTargetInRefuses(t *testing.T) {
	for _, text := range []string{
		"", "127.0.0.1:7233", "[profile.default]\naddress = \"127.0.0.1:7233\"\n", "[profile.default.tls]\nclient_cert_data = \"-----BEGIN CERTIFICATE-----\"\n", strings.Repeat("x", 1<<20),
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, infra.ClientFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if target, err := infra.TargetIn(dir); err == nil {
			t.Errorf("%.20q is taken for %s", text, target.HostPort)
		}
	}
}
