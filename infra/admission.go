package infra

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/server/common/rpc/encryption"
)

// addressFile, in the folder of a server that runs, tells other programs of the same
// user where it listens, and how they are admitted.
const addressFile = "address"

// serverName is whom the certificate names; nothing resolves it.
const serverName = "roundtable.internal"

// admission is the certificate of one run of a server, for the server and for all whom
// it admits. Whoever has its key is this process, or has read its [addressFile].
type admission struct {
	tls.Certificate
	only *x509.CertPool // the certificate
	pem  []byte         // with its key
}

// newAdmission makes a certificate that is valid at any time: clocks are set back.
func newAdmission() (*admission, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{serverName},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return readAdmission(append(
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...))
}

func readAdmission(text []byte) (*admission, error) {
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	a := &admission{Certificate: pair, only: x509.NewCertPool(), pem: text}
	a.only.AddCert(pair.Leaf)
	return a, nil
}

func (a *admission) serverSettings() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{a.Certificate},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.only,
	}
}

func (a *admission) clientSettings() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{a.Certificate}, RootCAs: a.only, ServerName: serverName,
	}
}

// writeAddress writes the addressFile, at once or not at all.
func (a *admission) writeAddress(dir, hostPort string) error {
	path := filepath.Join(dir, addressFile)
	if err := os.WriteFile(path+".new", append([]byte(hostPort+"\n"), a.pem...), 0o600); err != nil {
		return fmt.Errorf("infra: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("infra: %w", err)
	}
	return nil
}

// TargetIn returns the server that another process runs on a folder, or ran when it was
// killed; an error if there is none.
func TargetIn(dir string) (Target, error) {
	text, err := os.ReadFile(filepath.Join(dir, addressFile))
	if err != nil {
		return Target{}, fmt.Errorf("infra: %w", err)
	}
	hostPort, certificate, _ := bytes.Cut(text, []byte("\n"))
	a, err := readAdmission(certificate)
	if err != nil {
		return Target{}, fmt.Errorf("infra: %s: %w", filepath.Join(dir, addressFile), err)
	}
	return Target{HostPort: string(hostPort), TLS: a.clientSettings()}, nil
}

// admits is the certificate as Temporal's services ask for it; nil admits everybody.
type admits struct{ *admission }

var _ encryption.TLSConfigProvider = admits{}

func (a admits) GetInternodeServerConfig() (*tls.Config, error) { return a.GetFrontendServerConfig() }
func (a admits) GetInternodeClientConfig() (*tls.Config, error) { return a.GetFrontendClientConfig() }

func (a admits) GetFrontendServerConfig() (*tls.Config, error) {
	if a.admission == nil {
		return nil, nil
	}
	return a.serverSettings(), nil
}

func (a admits) GetFrontendClientConfig() (*tls.Config, error) {
	if a.admission == nil {
		return nil, nil
	}
	return a.clientSettings(), nil
}

func (admits) GetRemoteClusterClientConfig(string) (*tls.Config, error) {
	return nil, errors.New("the embedded server has no remote cluster")
}

func (admits) GetExpiringCerts(time.Duration) (expiring, expired encryption.CertExpirationMap, err error) {
	return nil, nil, nil
}
