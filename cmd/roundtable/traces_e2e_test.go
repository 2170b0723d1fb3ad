package main

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
)

// spans is a receiver of traces, over HTTP and gRPC.
type spans struct {
	collector.UnimplementedTraceServiceServer
	mu      sync.Mutex
	all     []*tracepb.Span
	service map[string]bool // names of services
	schemas map[string]bool
	headers http.Header
}

func (s *spans) take(q *collector.ExportTraceServiceRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.service == nil {
		s.service, s.schemas = map[string]bool{}, map[string]bool{}
	}
	for _, r := range q.GetResourceSpans() {
		s.service[textOf(r.GetResource().GetAttributes(), "service.name")] = true
		for _, scope := range r.GetScopeSpans() {
			s.schemas[scope.GetSchemaUrl()] = true
			s.all = append(s.all, scope.GetSpans()...)
		}
	}
}

// Export takes spans over gRPC.
func (s *spans) Export(_ context.Context, q *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	s.take(q)
	return &collector.ExportTraceServiceResponse{}, nil
}

// ServeHTTP takes them over HTTP.
func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	data, err := io.ReadAll(body)
	q := &collector.ExportTraceServiceRequest{}
	if err == nil {
		err = proto.Unmarshal(data, q)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.headers = r.Header.Clone()
	s.mu.Unlock()
	s.take(q)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// named returns the spans whose name begins so.
func (s *spans) named(prefix string) (found []*tracepb.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		if strings.HasPrefix(one.GetName(), prefix) {
			found = append(found, one)
		}
	}
	return found
}

func valueOf(all []*commonpb.KeyValue, key string) *commonpb.AnyValue {
	for _, kv := range all {
		if kv.GetKey() == key {
			return kv.GetValue()
		}
	}
	return nil
}

func textOf(all []*commonpb.KeyValue, key string) string { return valueOf(all, key).GetStringValue() }

// traced is a campaign of two collaborations, one after the other.
var traced = strings.NewReplacer("name: scraped", "name: traced", "replicates: 4", "replicates: 2", "collaborations: 6", "collaborations: 1").Replace(scraped)

// TestTraces: each collaboration is one trace, also where its process is killed and another
// goes on, with the conventions' attributes and without texts.
func TestTraces(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v, s := newVendor(t), &spans{}
	v.latency = 20 * time.Millisecond
	v.set(every(6, says("429", false, 429, openaiError("requests", "rate_limit_exceeded"), "Retry-After-Ms", "10")))
	receiver := httptest.NewServer(s)
	t.Cleanup(receiver.Close)
	dir := write(t, traced)
	env := append(v.at(), "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL, "OTEL_EXPORTER_OTLP_HEADERS=api-key=of-the-backend", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_SERVICE_NAME=study")
	b := starts(t, dir, env, "run", "campaign.yaml")
	screentest.Until(t, "spans of calls", func() bool { return len(s.named("chat fake")) > 5 })
	b.kill()
	killed := len(s.named("chat fake"))
	ends(t, 0, dir, env, "run", "campaign.yaml")

	roots, rounds, turns, chats := s.named("collaboration"), s.named("round"), s.named("turn"), s.named("chat fake")
	if len(roots) != 2 || len(rounds) != 6 || len(turns) < 36 || len(chats) <= killed {
		t.Fatalf("%d collaborations, %d rounds, %d turns, %d calls, %d of them before the kill", len(roots), len(rounds), len(turns), len(chats), killed)
	}
	parents := map[string]*tracepb.Span{}
	for _, span := range slices.Concat(roots, rounds, turns) {
		parents[string(span.GetTraceId())+string(span.GetSpanId())] = span
	}
	for _, span := range slices.Concat(rounds, turns, chats) {
		parent := parents[string(span.GetTraceId())+string(span.GetParentSpanId())]
		want := map[string]string{"round": "collaboration", "turn": "round"}[span.GetName()]
		if parent == nil || want != "" && parent.GetName() != want || want == "" && parent.GetName() != "turn" {
			t.Fatalf("%s %x has the parent %x: %v", span.GetName(), span.GetSpanId(), span.GetParentSpanId(), parent)
		}
		if span.GetStartTimeUnixNano() < parent.GetStartTimeUnixNano() && span.GetStatus().GetCode() != tracepb.Status_STATUS_CODE_ERROR {
			t.Errorf("%s begins before its %s", span.GetName(), parent.GetName())
		}
	}
	if hex.EncodeToString(roots[0].GetTraceId()) == hex.EncodeToString(roots[1].GetTraceId()) {
		t.Error("two collaborations share a trace")
	}
	followsConventions(t, chats)
	if !s.service["study"] || len(s.service) != 1 || !s.schemas["https://opentelemetry.io/schemas/1.41.0"] || s.headers.Get("api-key") != "of-the-backend" {
		t.Errorf("services %v, schemas %v", s.service, s.schemas)
	}
	if text := fmt.Sprint(s.all); strings.Contains(text, "message phase") || strings.Contains(text, "apples") || strings.Contains(text, "canary-key") {
		t.Error("a span holds a text or a key")
	}
}

// followsConventions checks the attributes of calls.
func followsConventions(t *testing.T, chats []*tracepb.Span) {
	t.Helper()
	failed := 0
	for _, c := range chats {
		a := c.GetAttributes()
		for key, want := range map[string]string{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "fake", "server.address": "127.0.0.1", "roundtable.campaign": "traced",
		} {
			if got := textOf(a, key); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
		if c.GetKind() != tracepb.Span_SPAN_KIND_CLIENT || c.GetName() != "chat fake" || textOf(a, "gen_ai.agent.name") == "" || valueOf(a, "gen_ai.request.max_tokens").GetIntValue() != 100 {
			t.Errorf("%v", c)
		}
		if c.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			failed++
			if textOf(a, "error.type") != "429" || textOf(a, "roundtable.outcome") != "rate_limited" {
				t.Errorf("%v", c)
			}
			continue
		}
		finish := valueOf(a, "gen_ai.response.finish_reasons").GetArrayValue().GetValues()
		if valueOf(a, "gen_ai.usage.input_tokens").GetIntValue() <= 0 || textOf(a, "gen_ai.response.model") != "fake-2026-01-01" || len(finish) != 1 || finish[0].GetStringValue() != "stop" {
			t.Errorf("%v", c)
		}
	}
	if failed == 0 {
		t.Error("no span of a call that was refused")
	}
}

// TestTracesByGRPC: over gRPC, and with texts where they are asked for.
func TestTracesByGRPC(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v, s := newVendor(t), &spans{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, s)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	dir := write(t, strings.Replace(traced, "replicates: 2", "replicates: 1", 1))
	env := append(v.at(), "OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+listener.Addr().String(), "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")
	ends(t, 0, dir, env, "run", "campaign.yaml")
	chats := s.named("chat fake")
	if len(chats) != len(v.arrivals()) || len(s.named("collaboration")) != 1 {
		t.Fatalf("%d spans of %d calls", len(chats), len(v.arrivals()))
	}
	for _, c := range chats {
		in, out := textOf(c.GetAttributes(), "gen_ai.input.messages"), textOf(c.GetAttributes(), "gen_ai.output.messages")
		if !strings.HasPrefix(in, `[{"role":"system","parts":[{"type":"text","content":"`) || !strings.HasPrefix(out, `[{"role":"assistant","parts":[`) || !strings.HasSuffix(out, `"finish_reason":"stop"}]`) {
			t.Errorf("%s\n%s", in, out)
		}
	}
}

// TestTracesRefused: what cannot be done is refused, what cannot be sent is said and stops nothing.
func TestTracesRefused(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	dir := write(t, strings.Replace(traced, "replicates: 2", "replicates: 1", 1))
	for variable, says := range map[string]string{"OTEL_TRACES_EXPORTER=jaeger": "expected otlp or none", "OTEL_EXPORTER_OTLP_PROTOCOL=http/json": "expected http/protobuf or grpc"} {
		if d := command(t, dir, append(v.at(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9", variable), "run", "campaign.yaml"); d.code != cli.ExitUsage || !strings.Contains(d.err, says) {
			t.Errorf("%s: code %d\n%s", variable, d.code, d.err)
		}
	}
	d := ends(t, 0, dir, append(v.at(), "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT=500"), "run", "campaign.yaml")
	if !strings.Contains(d.err, "spans were not sent") {
		t.Error(d.err)
	}
}
