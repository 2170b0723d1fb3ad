package embedded

import (
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

	"roundtable/infra"
)

const clientFileText = `[profile.default]
address = %q
namespace = %q

[profile.default.tls]
server_name = %q
client_cert_data = """
%[4]s"""
client_key_data = """
%[5]s"""
server_ca_cert_data = """
%[4]s"""
`

// serverName is whom the certificate names; nothing resolves it.
const serverName = "roundtable.internal"

// admission is the certificate of one run of a server, for the server and for all whom
// it admits. Whoever has its key is this process, or has read its [infra.ClientFile].
type admission struct {
	tls.Certificate
	only             *x509.CertPool // the certificate
	certificate, key []byte         // PEM
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
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	a := &admission{
		only:        x509.NewCertPool(),
		certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
	if a.Certificate, err = tls.X509KeyPair(a.certificate, a.key); err != nil {
		return nil, err
	}
	a.only.AddCert(a.Leaf)
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
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{a.Certificate}, RootCAs: a.only,
		ServerName: serverName,
	}
}

// writeClientFile writes the [infra.ClientFile], at once or not at all.
func (a *admission) writeClientFile(dir, hostPort string) error {
	path := filepath.Join(dir, infra.ClientFile)
	text := fmt.Sprintf(clientFileText, hostPort, infra.Namespace, serverName, a.certificate, a.key)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		return fmt.Errorf("infra: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("infra: %w", err)
	}
	return nil
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
