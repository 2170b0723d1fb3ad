package telemetry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"roundtable/activities/answers"
)

// Traces sends spans of calls, turns, rounds and collaborations by OTLP. The ids are
// hashes of what a span is about, so processes that know nothing of each other add to
// one trace a collaboration, and a collaboration that is resumed continues its own.
type Traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	said     *reporting
	texts    bool // prompts and answers are sent, too
}

// asksForTraces reports whether the environment asks for traces, by OpenTelemetry's variables.
func asksForTraces() (bool, error) {
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	switch {
	case strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true"), exporter == "none":
		return false, nil
	case exporter != "" && exporter != "otlp":
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER=%s: expected otlp or none", exporter)
	}
	return exporter != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "", nil
}

// OpenTraces returns what sends traces as OpenTelemetry's environment variables say; nil if
// they ask for none. Notices hear when they cannot be sent, at most once a minute.
func OpenTraces(ctx context.Context, version string, notices io.Writer) (*Traces, error) {
	if is, err := asksForTraces(); !is || err != nil {
		return nil, err
	}
	var client otlptrace.Client
	switch protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"),
		"http/protobuf"); protocol {
	case "http/protobuf":
		client = otlptracehttp.NewClient()
	case "grpc":
		client = otlptracegrpc.NewClient()
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL=%s: expected http/protobuf or grpc", protocol)
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("roundtable"), semconv.ServiceVersion(version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	said := &reporting{SpanExporter: exporter, notices: notices}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(said), sdktrace.WithResource(about),
		sdktrace.WithIDGenerator(givenIDs{}))
	capture := strings.ToUpper(os.Getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"))
	return &Traces{
		provider: p, said: said, tracer: p.Tracer("roundtable", trace.WithInstrumentationVersion(version),
			trace.WithSchemaURL(semconv.SchemaURL)),
		texts: slices.Contains([]string{"TRUE", "SPAN_ONLY", "SPAN_AND_EVENT"}, capture),
	}, nil
}

// closeTime bounds what the end of a process waits for a backend.
const closeTime = 5 * time.Second

// Close sends what is left, for five seconds at most, and says what could not be sent.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	t.said.sayRest(err)
}

// reporting says when spans cannot be sent. They are lost then: nothing waits for them.
type reporting struct {
	sdktrace.SpanExporter
	notices io.Writer

	mu   sync.Mutex
	at   time.Time // when it was said
	lost int       // spans since
	why  error     // of the last of them
}

// ExportSpans sends spans.
func (r *reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.why = err
	if r.lost += len(spans); time.Since(r.at) > time.Minute {
		r.say()
	}
	return nil
}

// say says how many spans were lost since it was said last. The caller holds mu.
func (r *reporting) say() {
	fmt.Fprintf(r.notices, "traces: %d spans were not sent: %v\n", r.lost, r.why)
	r.at, r.lost = time.Now(), 0
}

// sayRest says at the end what was not said yet, and that the end did not wait for the rest.
func (r *reporting) sayRest(ended error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost > 0 {
		r.say()
	}
	if ended != nil {
		fmt.Fprintf(r.notices, "traces: the last spans were perhaps not sent: %v\n", ended)
	}
}

// spanIDs are those of a span to come; parent is zero for the root of a trace.
type spanIDs struct {
	trace        trace.TraceID
	span, parent trace.SpanID
}

// traceOf returns the trace of one generation of a collaboration.
func traceOf(run answers.RunKey) trace.TraceID {
	sum := sha256.Sum256([]byte("roundtable trace " + run.String()))
	return trace.TraceID(sum[:16])
}

// spanOf returns the id of what a span of a trace is about.
func spanOf(t trace.TraceID, what string, numbers ...int) trace.SpanID {
	sum := sha256.Sum256(fmt.Append(t[:], what, numbers))
	return trace.SpanID(sum[:8])
}

// Of a collaboration as a whole, of a round, of a turn, and of a call.
func rootSpan(t trace.TraceID) trace.SpanID             { return spanOf(t, "collaboration") }
func roundSpan(t trace.TraceID, round int) trace.SpanID { return spanOf(t, "round", round) }
func turnSpan(t trace.TraceID, entry int) trace.SpanID  { return spanOf(t, "turn", entry) }
func callSpan(t trace.TraceID, at ...int) trace.SpanID  { return spanOf(t, "call", at...) }

type spanIDsKey struct{}

// givenIDs gives spans the ids of their context.
type givenIDs struct{}

// NewIDs returns the ids of a root.
func (givenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	ids, _ := ctx.Value(spanIDsKey{}).(spanIDs)
	return ids.trace, ids.span
}

// NewSpanID returns the id of another span.
func (givenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	ids, _ := ctx.Value(spanIDsKey{}).(spanIDs)
	return ids.span
}

// start begins a span with these ids. Whether it is kept follows from its trace alone, so
// that all processes keep the same traces.
func (t *Traces) start(ids spanIDs, name string, options ...trace.SpanStartOption) trace.Span {
	ctx := context.WithValue(context.Background(), spanIDsKey{}, ids)
	if ids.parent.IsValid() {
		_, root := t.tracer.Start(ctx, name, trace.WithNewRoot()) // asks the sampler, and is never ended
		ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: ids.trace, SpanID: ids.parent, TraceFlags: root.SpanContext().TraceFlags(), Remote: true,
		}))
	}
	_, span := t.tracer.Start(ctx, name, options...)
	return span
}
