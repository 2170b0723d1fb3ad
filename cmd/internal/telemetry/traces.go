package telemetry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
)

// Traces sends spans of calls, turns, rounds and collaborations by OTLP. Ids are hashes of what a
// span is about: processes that know nothing of each other add to the same trace, one per
// collaboration, and a resumed collaboration continues its own.
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

// OpenTraces returns the sender of traces that OpenTelemetry's environment variables configure;
// nil if they ask for none. Failures to send are written to notices, at most once a minute.
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

// Close sends what is left, for 5 s at most, and writes to notices what could not be sent.
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

// Called sends the span of a call, following OpenTelemetry's conventions for GenAI. Calls of
// agents that take no time get no span: their turns say all.
func (t *Traces) Called(c calls.CallEvent) {
	if c.Request.Messages == nil {
		return
	}
	id, at := traceOf(c.Run), c.Turn()
	ids := spanIDs{trace: id, span: callSpan(id, c.Entry, c.Answer.Ask, c.Answer.Attempt)}
	if at.Collaboration != "" {
		ids.parent = turnSpan(id, c.Entry)
	}
	operation := semconv.GenAIOperationNameChat
	if c.Embeddings {
		operation = semconv.GenAIOperationNameEmbeddings
	}
	provider, name, _ := strings.Cut(c.Model, "/")
	began := time.UnixMicro(c.Answer.StartedAt)
	span := t.start(ids, operation.Value.AsString()+" "+name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(began),
		trace.WithAttributes(operation, providerName(provider), semconv.GenAIRequestModel(name),
			semconv.GenAIConversationID(c.Run.String())),
		trace.WithAttributes(attributesOf(c.Run.Campaign, at.Condition, c.Run.Collaboration, at.Instance,
			at.Replicate)...),
		trace.WithAttributes(requestAttributes(c.Request.Parameters)...),
		trace.WithAttributes(attribute.Int("roundtable.entry", c.Entry), attribute.Int("roundtable.ask", c.Answer.Ask),
			attribute.Int("roundtable.attempt", c.Answer.Attempt), attribute.String("roundtable.outcome", c.Outcome())))
	if at.Agent != "" {
		span.SetAttributes(semconv.GenAIAgentName(at.Agent), attribute.Int("roundtable.round", at.Round),
			attribute.String("roundtable.phase", at.Phase))
	}
	if u, err := url.Parse(c.Endpoint); err == nil && u.Hostname() != "" {
		span.SetAttributes(semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			span.SetAttributes(semconv.ServerPort(port))
		}
	}
	if c.Err != nil {
		span.SetAttributes(errorOf(c)...)
		span.SetStatus(codes.Error, c.Outcome()) // not the service's message, which may quote the prompt
	} else {
		span.SetAttributes(answerAttributes(c.Answer)...)
	}
	if t.texts {
		span.SetAttributes(textAttributes(c)...)
	}
	span.End(trace.WithTimestamp(began.Add(time.Duration(c.Answer.LatencyMS) * time.Millisecond)))
}

// providerName returns a provider as the conventions name it.
func providerName(name string) attribute.KeyValue {
	switch name {
	case "bedrock":
		return semconv.GenAIProviderNameAWSBedrock
	case "google":
		return semconv.GenAIProviderNameGCPGemini
	}
	return semconv.GenAIProviderNameKey.String(name) // openai and anthropic are called so there, too
}

// attributesOf returns which collaboration a span is about.
func attributesOf(campaign, condition, collaboration string, instance, replicate int) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("roundtable.campaign", campaign), attribute.String("roundtable.condition", condition),
		attribute.String("roundtable.collaboration", collaboration),
		attribute.Int("roundtable.instance", instance), attribute.Int("roundtable.replicate", replicate),
	}
}

func requestAttributes(p model.Parameters) (all []attribute.KeyValue) {
	if p.Temperature != nil {
		all = append(all, semconv.GenAIRequestTemperature(*p.Temperature))
	}
	if p.TopP != nil {
		all = append(all, semconv.GenAIRequestTopP(*p.TopP))
	}
	if p.MaxTokens > 0 {
		all = append(all, semconv.GenAIRequestMaxTokens(p.MaxTokens))
	}
	if p.Seed != nil {
		all = append(all, semconv.GenAIRequestSeed(int(*p.Seed)))
	}
	if len(p.Stop) > 0 {
		all = append(all, semconv.GenAIRequestStopSequences(p.Stop...))
	}
	return all
}

func answerAttributes(a answers.Answer) []attribute.KeyValue {
	all := []attribute.KeyValue{semconv.GenAIUsageInputTokens(int(a.Usage.Input)),
		semconv.GenAIUsageOutputTokens(int(a.Usage.Output))}
	for _, u := range []struct {
		tokens int64
		as     func(int) attribute.KeyValue
	}{{a.Usage.CachedInput, semconv.GenAIUsageCacheReadInputTokens},
		{a.Usage.CacheWrite, semconv.GenAIUsageCacheCreationInputTokens},
		{a.Usage.Reasoning, semconv.GenAIUsageReasoningOutputTokens}} {
		if u.tokens > 0 {
			all = append(all, u.as(int(u.tokens)))
		}
	}
	if a.ModelAnswered != "" {
		all = append(all, semconv.GenAIResponseModel(a.ModelAnswered))
	}
	if a.FinishReason != "" {
		all = append(all, semconv.GenAIResponseFinishReasons(a.FinishReason))
	}
	if a.RequestID != "" {
		all = append(all, semconv.GenAIResponseID(a.RequestID))
	}
	if a.CostUSD != nil {
		all = append(all, attribute.Float64("roundtable.cost_usd", *a.CostUSD))
	}
	return all
}

func errorOf(c calls.CallEvent) []attribute.KeyValue {
	e, ok := errors.AsType[*model.Error](c.Err)
	switch {
	case !ok:
		return []attribute.KeyValue{semconv.ErrorTypeKey.String(c.Outcome())}
	case e.Status > 0:
		return []attribute.KeyValue{semconv.ErrorTypeKey.String(strconv.Itoa(e.Status)),
			semconv.HTTPResponseStatusCode(e.Status), attribute.String("roundtable.error_code", e.Code)}
	}
	return []attribute.KeyValue{semconv.ErrorTypeKey.String(e.Code)}
}

// textAttributes returns what was asked and answered, in the JSON of the conventions.
func textAttributes(c calls.CallEvent) (all []attribute.KeyValue) {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role   string `json:"role"`
		Parts  []part `json:"parts"`
		Finish string `json:"finish_reason,omitempty"`
	}
	var asked []message
	for _, m := range c.Request.Messages {
		asked = append(asked, message{Role: m.Role, Parts: []part{{"text", m.Content}}})
	}
	if data, err := json.Marshal(asked); err == nil {
		all = append(all, semconv.GenAIInputMessagesKey.String(string(data)))
	}
	if c.Err != nil || c.Embeddings {
		return all
	}
	answer := []message{{Role: "assistant", Parts: []part{{"text", c.Answer.Text()}}, Finish: c.Answer.FinishReason}}
	if data, err := json.Marshal(answer); err == nil {
		all = append(all, semconv.GenAIOutputMessagesKey.String(string(data)))
	}
	return all
}

// period is when something began and ended; zero if that is not known.
type period struct{ from, to time.Time }

func (p *period) include(q period) {
	if p.from.IsZero() || !q.from.IsZero() && q.from.Before(p.from) {
		p.from = q.from
	}
	if q.to.After(p.to) {
		p.to = q.to
	}
}

// Ended sends the spans of an ended collaboration: itself, its rounds and its turns, with
// the times of their calls, from its rows: so they are whole, whichever process made the calls.
func (t *Traces) Ended(c calls.CollaborationEvent) {
	row := c.Row()
	id := traceOf(answers.RunKey{Campaign: row.CampaignID, Collaboration: row.CollaborationID,
		Generation: int(row.Generation)})
	about := trace.WithAttributes(attributesOf(row.CampaignID, row.ConditionID, row.CollaborationID, int(row.Instance),
		int(row.Replicate))...)
	var whole period
	turns, rounds := map[int32]period{}, map[int32]period{}
	for _, call := range c.Rows.Calls {
		one := periodOf(call)
		p := turns[call.Entry]
		p.include(one)
		turns[call.Entry] = p
		whole.include(one)
	}
	var order []int32
	for _, turn := range c.Rows.Turns {
		p, asked := turns[turn.Entry]
		if !asked { // nobody was asked
			continue
		}
		r := rounds[turn.Round]
		r.include(p)
		rounds[turn.Round] = r
		if !slices.Contains(order, turn.Round) {
			order = append(order, turn.Round)
		}
		span := t.start(spanIDs{id, turnSpan(id, int(turn.Entry)), roundSpan(id, int(turn.Round))}, "turn",
			trace.WithTimestamp(p.from), about, trace.WithAttributes(
				attribute.Int("roundtable.entry", int(turn.Entry)), attribute.Int("roundtable.round", int(turn.Round)),
				attribute.String("roundtable.phase", turn.Phase),
				attribute.String("roundtable.role", turn.Role), attribute.String("roundtable.status", turn.Status),
				attribute.Int("roundtable.asks", int(turn.Asks)), semconv.GenAIAgentName(turn.AgentName)))
		span.End(trace.WithTimestamp(p.to))
	}
	for _, round := range order {
		span := t.start(spanIDs{id, roundSpan(id, int(round)), rootSpan(id)}, "round",
			trace.WithTimestamp(rounds[round].from), about,
			trace.WithAttributes(attribute.Int("roundtable.round", int(round))))
		span.End(trace.WithTimestamp(rounds[round].to))
	}
	if whole.from.IsZero() { // it asked nobody
		whole = period{time.Now(), time.Now()}
	}
	root := t.start(spanIDs{trace: id, span: rootSpan(id)}, "collaboration", trace.WithTimestamp(whole.from), about,
		trace.WithAttributes(
			attribute.String("roundtable.status", c.Status), attribute.Int("roundtable.rounds", int(row.RoundsRun)),
			attribute.Int("roundtable.calls", int(row.Calls)),
			attribute.Int("roundtable.generation", int(row.Generation)),
			semconv.GenAIConversationID(answers.RunKey{Campaign: row.CampaignID, Collaboration: row.CollaborationID,
				Generation: int(row.Generation)}.String())))
	if row.CostUSD != nil {
		root.SetAttributes(attribute.Float64("roundtable.cost_usd", *row.CostUSD))
	}
	if c.Status == "failed" {
		root.SetStatus(codes.Error, "failed")
	}
	root.End(trace.WithTimestamp(whole.to))
}

func periodOf(c record.Call) period {
	p := period{from: time.UnixMicro(c.StartedAt), to: time.UnixMicro(c.StartedAt)}
	if c.LatencyMS != nil {
		p.to = p.from.Add(time.Duration(*c.LatencyMS) * time.Millisecond)
	}
	return p
}

// Compacted sends nothing.
func (t *Traces) Compacted(string, int, time.Duration) {}
