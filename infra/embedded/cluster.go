package embedded

import (
	"context"
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

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	persistencepb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	persistenceclient "go.temporal.io/server/common/persistence/client"
	"go.temporal.io/server/common/persistence/serialization"
	"go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/rpc/encryption"
	"go.temporal.io/server/common/searchattribute/sadefs"
	"go.temporal.io/server/common/telemetry"

	"roundtable/infra"
)

// prepareCluster writes what services expect to find in the database, the record
// of their cluster and Temporal's own namespace, and adds to cfg what the record says.
func prepareCluster(ctx context.Context, cfg *config.Config, logger log.Logger) error {
	hosts := resolver.NewNoopResolver()
	if err := sql.VerifyCompatibleVersion(cfg.Persistence, hosts, logger); err != nil {
		return fmt.Errorf("schema of the database: %w", err)
	}
	name := persistenceclient.ClusterName(clusterName)
	serializer := serialization.NewSerializer()
	factory := persistenceclient.FactoryProvider(persistenceclient.NewFactoryParams{
		DataStoreFactory: persistenceclient.DataStoreFactoryProvider(name, hosts, &cfg.Persistence, nil, logger,
			metrics.NoopMetricsHandler, telemetry.NoopTracerProvider, serializer),
		Cfg: &cfg.Persistence, ClusterName: name, MetricsHandler: metrics.NoopMetricsHandler, Logger: logger,
		Serializer: serializer,
	})
	defer factory.Close()
	if err := recordCluster(headers.SetCallerInfo(ctx, headers.SystemOperatorCallerInfo), factory, cfg); err != nil {
		return fmt.Errorf("record of the cluster: %w", err)
	}
	namespaces, err := factory.NewMetadataManager()
	if err != nil {
		return fmt.Errorf("system namespace: %w", err)
	}
	defer namespaces.Close()
	if err := namespaces.InitializeSystemNamespaces(headers.SetCallerInfo(ctx, headers.SystemBackgroundHighCallerInfo),
		clusterName); err != nil {
		return fmt.Errorf("system namespace: %w", err)
	}
	return nil
}

// recordCluster writes the record at the first start; at later ones only the
// address in it, which has another port each time, and the search attributes.
func recordCluster(ctx context.Context, factory persistenceclient.Factory, cfg *config.Config) error {
	records, err := factory.NewClusterMetadataManager()
	if err != nil {
		return err
	}
	defer records.Close()
	request := &persistence.GetClusterMetadataRequest{ClusterName: clusterName}
	found, err := records.GetClusterMetadata(ctx, request)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		found, err = &persistence.GetClusterMetadataResponse{ClusterMetadata: newCluster(cfg)}, nil
	}
	if err != nil {
		return err
	}
	mine := cfg.ClusterMetadata.ClusterInformation[clusterName]
	found.ClusterAddress = mine.RPCAddress
	visibility := cfg.Persistence.GetVisibilityStoreConfig()
	found.IndexSearchAttributes = map[string]*persistencepb.IndexSearchAttributes{
		visibility.GetIndexName(): sadefs.GetDBIndexSearchAttributes(nil),
	}
	written, err := records.SaveClusterMetadata(ctx, &persistence.SaveClusterMetadataRequest{
		ClusterMetadata: found.ClusterMetadata, Version: found.Version,
	})
	if err != nil {
		return err
	}
	if !written {
		return errors.New("another process has written it")
	}
	if found, err = records.GetClusterMetadata(ctx, request); err != nil {
		return err
	}
	cfg.Persistence.NumHistoryShards = found.HistoryShardCount
	cfg.ClusterMetadata.ClusterInformation[clusterName] = *cluster.ClusterInformationFromDB(found)
	return nil
}

// newCluster returns the record of a cluster that is alone.
func newCluster(cfg *config.Config) *persistencepb.ClusterMetadata {
	mine := cfg.ClusterMetadata.ClusterInformation[clusterName]
	return &persistencepb.ClusterMetadata{
		ClusterName:              clusterName,
		ClusterId:                uuid.NewString(),
		HistoryShardCount:        cfg.Persistence.NumHistoryShards,
		FailoverVersionIncrement: cfg.ClusterMetadata.FailoverVersionIncrement,
		InitialFailoverVersion:   mine.InitialFailoverVersion,
		IsConnectionEnabled:      mine.Enabled,
		UseClusterIdMembership:   true,
	}
}

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
