package embedded

import (
	"context"
	"errors"
	"fmt"

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
	"go.temporal.io/server/common/searchattribute/sadefs"
	"go.temporal.io/server/common/telemetry"

	"github.com/google/uuid"
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
