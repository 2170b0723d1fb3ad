package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	otellog "go.opentelemetry.io/otel/log"
	lognoop "go.opentelemetry.io/otel/log/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/server/chasm"
	"go.temporal.io/server/client"
	"go.temporal.io/server/common/archiver/provider"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	persistenceclient "go.temporal.io/server/common/persistence/client"
	"go.temporal.io/server/common/persistence/visibility"
	elasticsearch "go.temporal.io/server/common/persistence/visibility/store/elasticsearch/client"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/common/resource"
	"go.temporal.io/server/common/rpc/auth"
	"go.temporal.io/server/common/rpc/encryption"
	"go.temporal.io/server/common/searchattribute"
	"go.temporal.io/server/common/telemetry"
	"go.temporal.io/server/common/wideevents"
	"go.temporal.io/server/service/frontend"
	"go.temporal.io/server/service/history"
	"go.temporal.io/server/service/history/replication"
	"go.temporal.io/server/service/history/tasks"
	"go.temporal.io/server/service/matching"
	"go.uber.org/fx"
	"google.golang.org/grpc"
)

const (
	startTimeout = 5 * time.Minute  // of one service, on a machine far behind
	startsLate   = 15 * time.Second // after which the operator is told
	stopTimeout  = 5 * time.Minute
)

// assembly is Temporal's server without its system worker: frontend, history and
// matching, in the order in which they start. go.temporal.io/server/temporal
// would link the worker and with it clients of Kubernetes, ECS, Lambda, Cloud
// Run and Bedrock, which were a fifth of the program. What the worker does is
// none of ours: schedules, batches, deployments of workers, replication,
// removal of namespaces and of what a cluster leaves in its database.
type assembly []*fx.App

// assembleServer prepares the database and builds the services; it starts none.
func assembleServer(ctx context.Context, cfg *config.Config, ports services, who admits,
	logger log.Logger) (assembly, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := prepareCluster(ctx, cfg, logger); err != nil {
		return nil, err
	}
	var made assembly
	for _, s := range []struct {
		name   primitives.ServiceName
		module fx.Option
	}{
		{primitives.MatchingService, matching.Module},
		{primitives.HistoryService, fx.Options(history.QueueModule, history.Module, replication.Module)},
		{primitives.FrontendService, fx.Options(fx.Supply([]grpc.UnaryServerInterceptor(nil)), frontend.Module)},
	} {
		app := fx.New(serviceParts(s.name, cfg, ports, who, logger), s.module)
		if err := app.Err(); err != nil {
			return nil, fmt.Errorf("service %s: %w", s.name, err)
		}
		made = append(made, app)
	}
	return made, nil
}

// Start starts the services one after the other.
func (a assembly) Start() error {
	for _, app := range a {
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		err := app.Start(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("a service has not started within %s; the machine or its disk is far behind, and "+
				"nothing is lost: give the same command again: %w", startTimeout, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Stop ends the services in the reverse order.
func (a assembly) Stop() (err error) {
	for _, app := range slices.Backward(a) {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		err = errors.Join(err, app.Stop(ctx))
		cancel()
	}
	return err
}

// serviceParts returns what every service needs and its module does not bring: the
// configuration, whom it admits, no metrics, no traces, and nothing of a customer's own.
func serviceParts(name primitives.ServiceName, cfg *config.Config, ports services, who admits,
	logger log.Logger) fx.Option {
	return fx.Options(
		fx.Supply(name, cfg, cfg.Persistence, cfg.ClusterMetadata),
		fx.Supply([]grpc.StreamServerInterceptor(nil)),
		fx.Provide(
			func() log.Logger { return logger },
			resource.DefaultSnTaggedLoggerProvider,
			func() resource.NamespaceLogger { return nil },
			func() dynamicconfig.Client { return settings },
			func() authorization.Authorizer { return authorization.NewNoopAuthorizer() },
			func() authorization.ClaimMapper { return nil },
			func() authorization.JWTAudienceMapper { return nil },
			func() auth.TokenProvider { return nil },
			func() encryption.TLSConfigProvider { return who },
			client.NewFactoryProvider,
			func() resolver.ServiceResolver { return resolver.NewNoopResolver() },
			persistenceclient.FactoryProvider,
			func() persistenceclient.AbstractDataStoreFactory { return nil },
			func() visibility.VisibilityStoreFactory { return nil },
			func() elasticsearch.Client { return nil },
			func() searchattribute.Mapper { return nil },
			func() provider.CustomHistoryArchiverFactory { return nil },
			func() provider.CustomVisibilityArchiverFactory { return nil },
			func() tasks.TaskCategoryRegistry { return tasks.NewDefaultTaskCategoryRegistry() },
		),
		fx.Provide(
			func() metrics.Handler { return metrics.NoopMetricsHandler },
			func() trace.TracerProvider { return telemetry.NoopTracerProvider },
			func() propagation.TextMapPropagator { return propagation.TraceContext{} },
			func() otellog.Logger { return wideevents.NewLogger(lognoop.NewLoggerProvider(), string(name)) },
			telemetry.NewServerStatsHandler, telemetry.NewClientStatsHandler, metrics.NewServerStatsHandler,
		),
		resource.DefaultOptions,
		// The ring of the default membership waits for a dead predecessor: 57 s
		// from kill -9 to the next task, against 0.2 s with hosts told beforehand.
		static.MembershipModule(ports.hostsByService()),
		chasm.Module,
		fx.NopLogger, // errors are returned
	)
}
