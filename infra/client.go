package infra

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"roundtable/infra/codec"
)

// ClockTolerance is how far the clock may be set back before anything is done about it: timers in
// an embedded server's database fire that much later.
const ClockTolerance = 5 * time.Second

// Target says how to reach a Temporal service.
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

	// InProcess says that the server is in this process: it may answer late, but cannot be gone.
	InProcess bool
}

// TargetFromEnv returns the target of TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; address, unless
// "", replaces the former. HostPort is "" if there is no address: use the embedded server.
func TargetFromEnv(address string) Target {
	if address == "" {
		address = os.Getenv("TEMPORAL_ADDRESS")
	}
	return Target{HostPort: address, Namespace: os.Getenv("TEMPORAL_NAMESPACE")}
}

// WithCredentialsFromEnv returns the target with the API key and the certificates that the
// environment names, as Temporal's own tools read it: TEMPORAL_API_KEY, TEMPORAL_TLS and
// TEMPORAL_TLS_….
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

// TargetIn returns the embedded server that another process runs on dir, from its ClientFile,
// which a killed process leaves behind; an error if there is none.
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

// A server of this process answers late, after a burst of work, but it cannot be gone: what a worker
// reports to it is waited for this long. The SDK gives up after 10 s, and an activity whose result was
// given up is not tried again before it has been silent for too long.
const reportPatience = 5 * time.Minute

// connectPatience is what a server of this process may take to say what it can. The SDK gives up after 5 s,
// and a program that was stopped meanwhile (Ctrl-Z, a machine that slept) would end when it goes on.
const connectPatience = time.Minute

// reportsAtOnce bounds the reports under way: they are written one after the other,
// and those that wait here do not grow old in the server.
const reportsAtOnce = 64

// patientOptions are those of a client of our own server.
func patientOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(callPatiently(make(chan struct{}, reportsAtOnce))),
		// Pings tell that another machine is gone. Here they would tell that both are busy.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Hour, Timeout: reportPatience}),
	}
}

// callPatiently gives what a worker reports, and what a client asks when it connects, more time than
// their contexts do. Starts and signals keep the SDK's time: their callers try again, and say so.
func callPatiently(underWay chan struct{}) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		options ...grpc.CallOption) error {
		patience := connectPatience
		switch name := method[strings.LastIndexByte(method, '/')+1:]; {
		case strings.HasPrefix(name, "Respond"):
			patience = reportPatience
			underWay <- struct{}{}
			defer func() { <-underWay }()
		case name != "GetSystemInfo" && name != "DescribeNamespace":
			return invoke(ctx, method, request, reply, cc, options...)
		case errors.Is(ctx.Err(), context.Canceled):
			return ctx.Err()
		}
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) < patience {
			patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			ctx = patient
		}
		return invoke(ctx, method, request, reply, cc, options...)
	}
}

// WaitForOwnServer changes o for a worker whose server is in the same process: it is more patient
// with late tasks.
func WaitForOwnServer(o *worker.Options) {
	// A task that waits for its turn has not begun; one that has begun and is late is
	// given to another, which plays the whole history again.
	o.MaxConcurrentWorkflowTaskExecutionSize = reportsAtOnce
	o.StickyScheduleToStartTimeout = stickyPatience
}

// stickyPatience is how long a workflow's task waits for the worker that has it in
// memory. Longer than the SDK's 5 s, since a task that is given up is played again from
// its history by the same busy worker; but what a process leaves behind when it is killed
// waits this long for one that is gone, before the next takes it.
const stickyPatience = 30 * time.Second

// probeTimeout bounds a look at how a server speaks, and alertTimeout the wait for its
// word on a certificate, which comes after the handshake.
const (
	probeTimeout = 2 * time.Second
	alertTimeout = 500 * time.Millisecond
)

// refusalOf returns why a server will not have this client however long it waits; nil if
// waiting may help.
func (t Target) refusalOf(ctx context.Context, err error) error {
	switch {
	case err == nil || t.InProcess:
		return nil
	case isUnauthorized(err) && t.Credentials == nil:
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w The server asks for an API key: set "+
			"TEMPORAL_API_KEY", t.HostPort, t.Namespace, err)
	case isUnauthorized(err):
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w The key in TEMPORAL_API_KEY is not valid, or "+
			"may not do this in that namespace", t.HostPort, t.Namespace, err)
	case isHopeless(err):
		return fmt.Errorf("infra: Temporal at %s, namespace %q: %w", t.HostPort, t.Namespace, err)
	}
	if reason := t.probeServer(ctx); reason != nil {
		return fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, reason)
	}
	return nil
}

func isUnauthorized(err error) bool {
	var denied *serviceerror.PermissionDenied
	code := status.Code(err)
	return errors.As(err, &denied) || code == codes.PermissionDenied || code == codes.Unauthenticated
}

// probeServer connects as the client does and returns what is wrong with how they speak. gRPC
// tries again and reports what broke last, often only that a pipe did.
func (t Target) probeServer(ctx context.Context) error {
	options, err := t.connectionOptions()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	settings := options.TLS
	if settings == nil {
		return t.probePlaintext(ctx)
	}
	conn, err := t.dialTLS(ctx, settings)
	if err != nil {
		return explainHandshake(err, settings)
	}
	defer conn.Close()
	return explainHandshake(t.awaitWord(conn), settings)
}

// probePlaintext finds out whether a server that was spoken to in plaintext speaks TLS.
func (t Target) probePlaintext(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", t.HostPort)
	if err != nil {
		return nil // nobody is there
	}
	spoken := t.awaitWord(conn)
	conn.Close()
	if spoken == nil {
		return nil
	}
	secure, err := t.dialTLS(ctx, &tls.Config{MinVersion: tls.VersionTLS12})
	if secure != nil {
		secure.Close()
	}
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	if err != nil && !distrusted && !isAlert(err) {
		return nil
	}
	return errors.New("the server speaks TLS, and this program expected plaintext: set TEMPORAL_TLS=true, or " +
		"TEMPORAL_TLS_SERVER_CA_CERT_PATH where the server's certificate is of your own authority")
}

func (t Target) dialTLS(ctx context.Context, settings *tls.Config) (net.Conn, error) {
	settings = settings.Clone()
	settings.NextProtos = []string{"h2"}
	return (&tls.Dialer{Config: settings}).DialContext(ctx, "tcp", t.HostPort)
}

// awaitWord returns nil once a server speaks, or if it is slow, and otherwise how the connection
// ended. What is sent to a connection that was closed would lose the reason, so it
// listens before it speaks.
func (t Target) awaitWord(conn net.Conn) error {
	limit := alertTimeout
	if t.Patience > 0 { // 0 is the default, which Dial sets
		limit = min(limit, t.Patience/4)
	}
	for _, say := range []string{"", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"} {
		if _, err := io.WriteString(conn, say); err != nil {
			return err
		}
		if err := conn.SetReadDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
		_, err := io.ReadFull(conn, make([]byte, 9)) // the head of its settings
		if late, ok := errors.AsType[net.Error](err); !ok || !late.Timeout() {
			return err
		}
	}
	return nil // it is slow
}

// isAlert reports whether the other side has said why it ends a TLS connection.
func isAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

// explainHandshake returns what is wrong with certificates, with what to set; nil where
// the error says nothing of them.
func explainHandshake(err error, settings *tls.Config) error {
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case distrusted:
		return fmt.Errorf("%w: TEMPORAL_TLS_SERVER_CA_CERT_PATH names the file of the authority that signed the "+
			"server's certificate, TEMPORAL_TLS_SERVER_NAME the name in it", err)
	case plain:
		return errors.New("the server speaks plaintext, and this program expected TLS: unset TEMPORAL_TLS and " +
			"TEMPORAL_TLS_…, or give --insecure for a server on another machine")
	case isAlert(err) && len(settings.Certificates) == 0 && settings.GetClientCertificate == nil:
		return fmt.Errorf("%w: the server asks for a client's certificate; set TEMPORAL_TLS_CLIENT_CERT_PATH and "+
			"TEMPORAL_TLS_CLIENT_KEY_PATH", err)
	case isAlert(err):
		return fmt.Errorf("%w: the server does not accept the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH", err)
	}
	return nil
}

// startsWithin is what a server that was just started may take until it answers.
const startsWithin = 30 * time.Second

// Prepared lists what PrepareNamespace has made; what existed before is left out.
type Prepared struct {
	Namespace  string   `json:"namespace"`
	Made       bool     `json:"made"`       // the namespace is new
	Attributes []string `json:"attributes"` // search attributes that are new
}

// PrepareNamespace makes the target's namespace if missing, which then keeps closed workflows for
// retention, and the search attributes that it lacks. It may be repeated.
func PrepareNamespace(ctx context.Context, t Target, retention time.Duration,
	attributes []temporal.SearchAttributeKey) (Prepared, error) {
	if t.Namespace == "" {
		t.Namespace = Namespace
	}
	done := Prepared{Namespace: t.Namespace, Attributes: []string{}}
	options, err := t.clientOptions()
	if err != nil {
		return done, err
	}
	c, err := client.NewLazyClient(options)
	if err != nil {
		return done, fmt.Errorf("infra: Temporal at %s: %w", t.HostPort, err)
	}
	defer c.Close()
	if done.Made, err = registerNamespace(ctx, c, t, retention); err != nil {
		return done, err
	}
	t.Patience = time.Minute // a new namespace is known everywhere a little later
	if err := awaitNamespace(ctx, c, t); err != nil {
		return done, err
	}
	missing, err := missingAttributes(ctx, c, t.Namespace, attributes)
	if err != nil {
		return done, err
	}
	if len(missing) > 0 {
		_, err = c.OperatorService().AddSearchAttributes(ctx,
			&operatorservice.AddSearchAttributesRequest{Namespace: t.Namespace, SearchAttributes: missing})
	}
	if err != nil {
		return done, fmt.Errorf("infra: Temporal at %s, search attributes of namespace %q: %w", t.HostPort,
			t.Namespace, err)
	}
	done.Attributes = append(done.Attributes, slices.Sorted(maps.Keys(missing))...)
	return done, awaitSearchable(ctx, c, t.Namespace, attributes)
}

// registerNamespace makes the namespace, unless it is there. A server that has just been
// started answers that it is not healthy yet.
func registerNamespace(ctx context.Context, c client.Client, t Target, retention time.Duration) (made bool, err error) {
	for began := time.Now(); ; {
		_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: t.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
			Description: "campaigns of roundtable",
		})
		if _, exists := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err == nil || exists {
			return err == nil, nil
		}
		if refused := t.refusalOf(ctx, err); refused != nil {
			return false, refused
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Second):
		}
		if time.Since(began) > startsWithin {
			return false, fmt.Errorf("infra: Temporal at %s, namespace %q, after %s: %w", t.HostPort, t.Namespace,
				startsWithin, err)
		}
	}
}

// awaitSearchable waits until the server knows its new search attributes.
func awaitSearchable(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) error {
	for tries := 0; ; tries++ {
		err := searchFor(ctx, c, namespace, attributes)
		if err == nil || tries == 60 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// HasSearchAttributes reports whether workflows of the namespace can be searched by all of these
// attributes.
func HasSearchAttributes(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) bool {
	return searchFor(ctx, c, namespace, attributes) == nil
}

// searchFor asks for workflows without any of the attributes, which the server refuses
// if it does not know one.
func searchFor(ctx context.Context, c client.Client, namespace string, attributes []temporal.SearchAttributeKey) error {
	var without []string
	for _, a := range attributes {
		without = append(without, a.GetName()+" IS NULL")
	}
	_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace,
		Query: strings.Join(without, " AND ")})
	if err != nil {
		return fmt.Errorf("infra: search attributes of namespace %q: %w", namespace, err)
	}
	return nil
}

func missingAttributes(ctx context.Context, c client.Client, namespace string,
	attributes []temporal.SearchAttributeKey) (map[string]enumspb.IndexedValueType, error) {
	have, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("infra: search attributes of namespace %q: %w", namespace, err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, a := range attributes {
		if have.GetCustomAttributes()[a.GetName()] != a.GetValueType() {
			missing[a.GetName()] = a.GetValueType()
		}
	}
	return missing, nil
}
