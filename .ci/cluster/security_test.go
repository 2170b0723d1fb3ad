package cluster

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	file string // its own certificate
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t), file: filepath.Join(t.TempDir(), "ca.pem")}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, a.file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign makes a certificate for a name, and returns the files of it and its key.
func (a *authority) sign(name string) (cert, key string) {
	a.t.Helper()
	own := newKey(a.t)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		a.t.Fatal(err)
	}
	dir := a.t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(a.t, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(a.t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return cert, key
}

const serverName = "temporal.internal"

// serverWith starts Temporal's server with TLS at its frontend.
func serverWith(t *testing.T, ca *authority, clientsNeedCertificates bool, keys string) *temporalServer {
	t.Helper()
	cert, key := ca.sign(serverName)
	client := fmt.Sprintf("{serverName: %s, rootCaFiles: [%s]}", serverName, ca.file)
	return newTemporal(t, temporalConfig{
		Keys: keys,
		Frontend: fmt.Sprintf("{server: {certFile: %s, keyFile: %s, requireClientAuth: %t, clientCaFiles: [%s]}, client: %s}",
			cert, key, clientsNeedCertificates, ca.file, client),
		Worker: fmt.Sprintf("{certFile: %s, keyFile: %s, client: %s}", cert, key, client),
	})
}

// reach runs a command against a server, and returns what it prints and how long it took.
func reach(t *testing.T, dir string, s *temporalServer, code int, env []string, args ...string) (string, time.Duration) {
	t.Helper()
	cmd := exec.Command(*roundtable, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "TEMPORAL_ADDRESS="+s.address, "TEMPORAL_NAMESPACE=lab"), env...)
	began := time.Now()
	return run(t, code, cmd), time.Since(began)
}

// admittance is one way to come to a server.
type admittance struct {
	name string
	env  []string
	says string // of its refusal; "" where it is admitted
}

// tryAll runs a campaign where the server admits (the first makes the namespace), and expects a refusal in words, at once,
// where it does not.
func tryAll(t *testing.T, s *temporalServer, cases []admittance) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "campaign.yaml"), "name: tls\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: majority\nmodel: scripted/trader\n")
	for n, c := range cases {
		if c.says == "" && c.name == cases[0].name {
			until(t, "the server", time.Minute, func() bool { // it listens before it can do everything
				cmd := exec.Command(*roundtable, "prepare")
				cmd.Env = append(append(os.Environ(), "TEMPORAL_ADDRESS="+s.address, "TEMPORAL_NAMESPACE=lab"), c.env...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Logf("%s: prepare: %s", c.name, out)
				}
				return err == nil
			})
		}
		if c.says == "" {
			_, took := reach(t, dir, s, 0, c.env, "run", "campaign.yaml", "--name", fmt.Sprintf("admitted-%d", n))
			t.Logf("%s: runs in %v", c.name, took.Round(time.Millisecond))
			continue
		}
		for _, args := range [][]string{{"prepare"}, {"worker"}, {"run", "campaign.yaml", "--name", "other"}} {
			said, took := reach(t, dir, s, 1, c.env, args...)
			t.Logf("%s: %s refuses after %v: %s", c.name, args[0], took.Round(time.Millisecond), said)
			if !strings.Contains(said, c.says) || took > 8*time.Second {
				t.Errorf("%s: %s says after %v, want at once and %q:\n%s", c.name, args[0], took, c.says, said)
			}
		}
	}
}

// TestCertificates: a server that asks for clients' certificates admits who has one of its
// authority, and others hear at once what is wrong.
func TestCertificates(t *testing.T) {
	t.Parallel()
	ca, foreign := newAuthority(t, "ours"), newAuthority(t, "another")
	s := serverWith(t, ca, true, "")
	cert, key := ca.sign("worker")
	foreignCert, foreignKey := foreign.sign("worker")
	certificate := func(cert, key string) []string {
		return []string{"TEMPORAL_TLS_CLIENT_CERT_PATH=" + cert, "TEMPORAL_TLS_CLIENT_KEY_PATH=" + key}
	}
	known := []string{"TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + ca.file, "TEMPORAL_TLS_SERVER_NAME=" + serverName}
	tryAll(t, s, []admittance{
		{"the right certificate", append(certificate(cert, key), known...), ""},
		{"plaintext", nil, "set TEMPORAL_TLS=true"},
		{"no certificate", known, "asks for a client's certificate"},
		{"a foreign certificate", append(certificate(foreignCert, foreignKey), known...), "does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH"},
		{"a foreign authority", append(certificate(cert, key), "TEMPORAL_TLS_SERVER_CA_CERT_PATH="+foreign.file, known[1]), "TEMPORAL_TLS_SERVER_CA_CERT_PATH names"},
		{"another name", append(certificate(cert, key), known[0], "TEMPORAL_TLS_SERVER_NAME=other.internal"), "valid for temporal.internal, not other.internal"},
	})
}

// TestAPIKeys: a server that asks for keys admits who may do what is asked, and others
// hear at once that they may not.
func TestAPIKeys(t *testing.T) {
	t.Parallel()
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "kid": "one", "use": "sig", "alg": "RS256", "n": number(signer.N), "e": number(big.NewInt(int64(signer.E))),
		}}})
	}))
	t.Cleanup(keys.Close)
	ca := newAuthority(t, "ours")
	s := serverWith(t, ca, false, keys.URL)
	as := func(token string) []string {
		return []string{"TEMPORAL_API_KEY=" + token, "TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + ca.file, "TEMPORAL_TLS_SERVER_NAME=" + serverName}
	}
	hour := time.Now().Add(time.Hour)
	tryAll(t, s, []admittance{
		{"an administrator's key", as(token(t, signer, hour, "system:admin", "lab:admin")), ""},
		{"a key that may write in the namespace", as(token(t, signer, hour, "lab:write")), ""},
		{"no key", as("")[1:], "asks for an API key: set TEMPORAL_API_KEY"},
		{"a key for another namespace", as(token(t, signer, hour, "other:admin")), "The key in TEMPORAL_API_KEY is not valid, or may not"},
		{"a key that has expired", as(token(t, signer, time.Now().Add(-time.Hour), "system:admin")), "The key in TEMPORAL_API_KEY is not valid, or may not"},
		{"no token", as("secret"), "The key in TEMPORAL_API_KEY is not valid, or may not"},
	})
}

// token is a JWT with Temporal's permissions, as NAMESPACE:ROLE.
func token(t *testing.T, signer *rsa.PrivateKey, expires time.Time, permissions ...string) string {
	t.Helper()
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	signed := part(map[string]string{"alg": "RS256", "typ": "JWT", "kid": "one"}) + "." +
		part(map[string]any{"sub": "tester", "permissions": permissions, "iat": time.Now().Add(-2 * time.Hour).Unix(), "exp": expires.Unix()})
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, signer, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}
