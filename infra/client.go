package infra

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"roundtable/infra/codec"
)

// ClockTolerance is how far a clock may be set back without a word: what waits in a
// database of the embedded server waits for so much longer.
const ClockTolerance = 5 * time.Second

// Target is a Temporal service to work with.
type Target struct {
	HostPort  string // HOST:PORT of the frontend
	Namespace string // default [Namespace]
	// TLS is used when set. Without it a loopback address is reached in plaintext
	// and any other with TLS and the system's certificates.
	TLS *tls.Config
	// Credentials are an API key.
	Credentials client.Credentials
	// Insecure allows plaintext to another machine.
	Insecure bool
	// Logger gets the SDK's messages; default: warnings and errors to slog.Default().
	Logger *slog.Logger
	// Metrics gets what the SDK counts; default: nothing does.
	Metrics client.MetricsHandler
	// Patience is how long Dial waits for the service; default 10 s.
	Patience time.Duration

	// InProcess says that the server is in this process: it may answer late, and cannot
	// be gone.
	InProcess bool
}

// TargetFromEnv reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; a given address
// comes first. HostPort is "" when there is none: use the embedded server.
func TargetFromEnv(address string) Target {
	if address == "" {
		address = os.Getenv("TEMPORAL_ADDRESS")
	}
	return Target{HostPort: address, Namespace: os.Getenv("TEMPORAL_NAMESPACE")}
}

// WithCredentialsFromEnv returns the target with the API key and the certificates that
// the environment names as Temporal's own tools have it: TEMPORAL_API_KEY, TEMPORAL_TLS
// and TEMPORAL_TLS_….
func (t Target) WithCredentialsFromEnv() (Target, error) {
	given, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{DisableFile: true})
	if err != nil {
		return t, fmt.Errorf("infra: Temporal's settings in the environment: %w", err)
	}
	t.Credentials, t.TLS = given.Credentials, given.ConnectionOptions.TLS
	if t.TLS != nil {
		t.TLS.MinVersion = tls.VersionTLS12
	}
	return t, nil
}

// TargetIn returns the server that another process runs on a folder, or ran when it was
// killed; an error if there is none.
func TargetIn(dir string) (Target, error) {
	path := filepath.Join(dir, ClientFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Target{}, fmt.Errorf("infra: %w", err)
	}
	var options client.Options
	var file envconfig.ClientConfig
	if err = file.FromTOML(text, envconfig.ClientConfigFromTOMLOptions{}); err == nil {
		options, err = file.ToClientOptions("default", envconfig.ToClientOptionsRequest{})
	}
	settings := options.ConnectionOptions.TLS
	switch {
	case err != nil:
		return Target{}, fmt.Errorf("infra: %s: %w", path, err)
	case settings == nil || len(settings.Certificates) == 0:
		return Target{}, fmt.Errorf("infra: %s: no certificate", path)
	}
	settings.MinVersion = tls.VersionTLS13
	return Target{HostPort: options.HostPort, Namespace: options.Namespace, TLS: settings}, nil
}

// Dial connects to the target and waits until its frontend serves the namespace.
// What the client sends is encrypted if [roundtable/infra/codec.KeyEnv] holds a key.
func Dial(ctx context.Context, t Target) (client.Client, error) {
	if t.Namespace == "" {
		t.Namespace = Namespace
	}
	if t.Patience == 0 {
		t.Patience = 10 * time.Second
	}
	options, err := t.clientOptions()
	if err != nil {
		return nil, err
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return nil, fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, err)
	}
	if err := awaitNamespace(ctx, c, t); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// clientOptions returns how the target is reached.
func (t Target) clientOptions() (client.Options, error) {
	connection, err := t.connectionOptions()
	if err != nil {
		return client.Options{}, err
	}
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return client.Options{}, err
	}
	return client.Options{
		HostPort:          t.HostPort,
		Namespace:         t.Namespace,
		Credentials:       t.Credentials,
		ConnectionOptions: connection,
		DataConverter:     keys.DataConverter(),
		FailureConverter:  keys.FailureConverter(),
		Logger:            sdkLog(t.Logger),
		MetricsHandler:    t.Metrics,
		// Reports of a worker's pollers to the server: nobody reads them here.
		WorkerHeartbeatInterval: -1,
	}, nil
}

// awaitNamespace asks for the namespace until it is answered or patience ends.
// A try counts for no longer than it may take: a process that was stopped, or a
// machine that slept, has not waited meanwhile.
func awaitNamespace(ctx context.Context, c client.Client, t Target) error {
	var waited time.Duration
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		began, limit := time.Now(), min(t.Patience/4, t.Patience-waited)
		err := describeNamespace(ctx, c, t.Namespace, limit)
		if err == nil {
			return nil
		}
		if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
			return fmt.Errorf("infra: Temporal at %s has no namespace %q; make it there, or set TEMPORAL_NAMESPACE",
				t.HostPort, t.Namespace)
		}
		if refused := t.refusalOf(ctx, err); refused != nil {
			return refused
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, err)
		case <-time.After(pause):
		}
		waited += min(time.Since(began), limit+pause)
		if waited >= t.Patience {
			return fmt.Errorf("infra: Temporal at %s did not answer within %s: %w", t.HostPort, t.Patience, err)
		}
	}
}

// describeNamespace asks once, for no longer than limit.
func describeNamespace(ctx context.Context, c client.Client, namespace string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := c.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	return err
}

// isHopeless errors stay the same however long one waits.
func isHopeless(err error) bool {
	switch status.Code(err) {
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument, codes.Unimplemented:
		return true
	}
	var denied *serviceerror.PermissionDenied
	var invalid *serviceerror.InvalidArgument
	return errors.As(err, &denied) || errors.As(err, &invalid)
}

// connectionOptions decides between TLS and plaintext.
func (t Target) connectionOptions() (client.ConnectionOptions, error) {
	host, port, err := net.SplitHostPort(t.HostPort)
	if err != nil || host == "" || port == "" {
		return client.ConnectionOptions{},
			fmt.Errorf("infra: Temporal address %q: want HOST:PORT, for example 127.0.0.1:7233", t.HostPort)
	}
	var options client.ConnectionOptions
	if t.InProcess {
		options.DialOptions = patientOptions()
	}
	if isLoopback(host) {
		// The SDK's default, gzip, is 4 % of the CPU of a call for nothing here.
		options.GrpcCompression = &client.GrpcCompressionNone{}
	}
	switch {
	case t.TLS != nil && t.Insecure:
		return options, errors.New("infra: Temporal: TLS settings and plaintext exclude each other")
	case t.TLS != nil:
		options.TLS = t.TLS
	case t.Insecure || isLoopback(host):
		options.TLSDisabled = true
	default:
		options.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return options, nil
}

// isLoopback believes no resolver: of names, only localhost.
func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func sdkLog(to *slog.Logger) sdklog.Logger {
	if to == nil {
		to = slog.New(atLeast{slog.LevelWarn, slog.Default().Handler()})
	}
	return sdklog.NewStructuredLogger(to)
}

// atLeast drops what is below a level.
type atLeast struct {
	level slog.Level
	slog.Handler
}

func (h atLeast) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level && h.Handler.Enabled(ctx, level)
}
func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.level, h.Handler.WithAttrs(attrs)}
}
func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.level, h.Handler.WithGroup(name)}
}
