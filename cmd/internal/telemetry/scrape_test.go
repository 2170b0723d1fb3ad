package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows"
)

// Without an address nothing is counted, and nothing fails.
func TestNoMetrics(t *testing.T) {
	m, err := Listen("", nil)
	if m != nil || err != nil {
		t.Fatalf("%v, %v", m, err)
	}
	s := storetest.NewMemory(map[string]string{})
	m.SetWorking(true)
	m.Read(Sources{})
	m.Close()
	if m.Store(s) != store.Store(s) || m.Listener() != nil || m.Temporal() != nil {
		t.Error("something is counted")
	}
}

// A scrape shows what was counted and what is asked for then, each under its labels.
func TestScrape(t *testing.T) {
	m := New()
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	if code, _ := get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("before it takes work: %d", code)
	}
	m.SetWorking(true)
	answered := calls.CallEvent{Model: "openai/x", Answer: answers.Answer{LatencyMS: 1500, Usage: model.Usage{Input: 7, Output: 3}}}
	m.Listener().Called(answered) // of unknown cost
	answered.Answer.CostUSD = new(0.5)
	m.Listener().Called(answered)
	m.Listener().Ended(calls.CollaborationEvent{Status: "failed"})
	m.Listener().Compacted("c", 3, time.Second)
	s := m.Store(storetest.NewMemory(map[string]string{}))
	put := func(want error) {
		if err := s.PutIfAbsent(t.Context(), "k", []byte("12345")); (err == nil) != (want == nil) {
			t.Fatal(err)
		}
	}
	put(nil)
	put(store.ErrExists)
	if _, err := s.Get(t.Context(), "k"); err != nil {
		t.Fatal(err)
	}
	_, _ = s.Get(t.Context(), "missing")
	sdk := m.Temporal().WithTags(map[string]string{"task_queue": "q", "run_id": "left out"})
	for range 2 { // the second is found again
		sdk.Counter("temporal_started").Inc(2)
		sdk.Gauge("temporal_slots").Update(4)
		sdk.Timer("temporal_latency").Record(2 * time.Second)
	}
	m.Read(Sources{
		Meter: func() calls.Reading { return calls.Reading{Cached: 11, UnderWay: 2} },
		Waits: func() calls.Waits { return calls.Waits{{For: calls.WaitsAnswer, Turns: 5}} },
		Gates: func() []throttle.State {
			return []throttle.State{{InFlight: 1, Limit: 9}, {Account: "a", Limit: 2, Waiting: map[throttle.Reason]int{throttle.Tokens: 6}}}
		},
		Standings: func() map[string]money.Standing {
			return map[string]money.Standing{"c": {Spent: money.Amount{NanoUSD: 2e9, Tokens: 20}, Held: money.Amount{NanoUSD: 1e9, Tokens: 10},
				Caps: money.Caps{NanoUSD: new(int64(5e9))}}}
		},
		Campaigns: func(context.Context) map[string]workflows.Status {
			return map[string]workflows.Status{"c": {Cells: 10, Succeeded: 2, Failed: 1, Stopped: 1, Running: 3, Paused: true}, "d": {}}
		},
		Backlog: func(context.Context) []Backlog { return []Backlog{{"q", "activity", 8}} },
		Version: "1",
	})
	code, text := get("/metrics")
	for _, want := range []string{
		`roundtable_ready 1`, `roundtable_calls_total{model="openai/x",outcome="answered"} 2`,
		`roundtable_tokens_total{direction="input",model="openai/x"} 14`, `roundtable_tokens_total{direction="output",model="openai/x"} 6`,
		`roundtable_cost_usd_total{model="openai/x"} 0.5`, `roundtable_unpriced_calls_total{model="openai/x"} 1`,
		`roundtable_call_duration_seconds_sum{model="openai/x"} 3`, `roundtable_collaborations_total{status="failed"} 1`,
		`roundtable_collaborations_total{status="stopped"} 0`, `roundtable_compactions_total 3`,
		`roundtable_store_requests_total{operation="put_if_absent",outcome="ok"} 1`,
		`roundtable_store_requests_total{operation="put_if_absent",outcome="exists"} 1`,
		`roundtable_store_requests_total{operation="get",outcome="missing"} 1`,
		`roundtable_store_bytes_total{direction="written"} 5`, `roundtable_store_bytes_total{direction="read"} 5`,
		`roundtable_build_info{version="1"} 1`, `roundtable_cached_answers_total 11`, `roundtable_calls_in_flight 2`,
		`roundtable_turns_waiting{reason="answer"} 5`, `roundtable_gate_in_flight{account="scripted",campaign=""} 1`,
		`roundtable_gate_limit{account="scripted",campaign=""} 9`, `roundtable_gate_limit{account="a",campaign=""} 2`,
		fmt.Sprintf(`roundtable_gate_waiting{account="a",campaign="",reason=%q} 6`, throttle.Tokens),
		`roundtable_budget_spent_usd{campaign="c"} 2`, `roundtable_budget_reserved_usd{campaign="c"} 1`,
		`roundtable_budget_cap_usd{campaign="c"} 5`, `roundtable_budget_spent_tokens{campaign="c"} 20`,
		`roundtable_budget_reserved_tokens{campaign="c"} 10`, `roundtable_queue_backlog{kind="activity",task_queue="q"} 8`,
		`roundtable_campaign_cells{campaign="c",state="succeeded"} 2`, `roundtable_campaign_cells{campaign="c",state="waiting"} 3`,
		`roundtable_campaign_paused{campaign="c"} 1`, `roundtable_campaign_paused{campaign="d"} 0`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range []string{"temporal_started_total{", "temporal_slots{", "temporal_latency_seconds_sum{"} {
		_, rest, _ := strings.Cut(text, "\n"+name)
		if rest, _, _ = strings.Cut(rest, "\n"); !strings.Contains(rest, `task_queue="q"`) || !strings.HasSuffix(rest, "} 4") {
			t.Errorf("%s%s", name, rest)
		}
	}
	if code != http.StatusOK || strings.Contains(text, "left out") || strings.Contains(text, "cap_tokens{") {
		t.Errorf("%d\n%s", code, text)
	}
	for _, path := range []string{"/readyz", "/healthz"} {
		if code, _ := get(path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// The span of a call says all that is known of it and nothing that is not, and hangs under its turn;
// texts are in it if they are asked for.
func TestSpansOfCalls(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	p := sdktrace.NewTracerProvider(sdktrace.WithSyncer(kept), sdktrace.WithIDGenerator(givenIDs{}))
	traces := &Traces{provider: p, tracer: p.Tracer("t"), texts: true}
	run := answers.RunKey{Campaign: "c", Collaboration: "x-i1-r0"}
	c := calls.CallEvent{Run: run, Entry: 4, Model: "openai/x", Endpoint: "https://host.example:8443/v1",
		Request: model.Request{Messages: []model.Message{{Role: "user", Content: "Why?"}}, Parameters: model.Parameters{Temperature: new(0.5), TopP: new(0.9),
			MaxTokens: 60, Seed: new(int64(3)), Stop: []string{"END"}},
			Scene: &model.Scene{Turn: model.Turn{Collaboration: "x-i1-r0", Condition: "x", Agent: "Ada", Round: 2, Phase: "vote"}}},
		Answer: answers.Answer{Ask: 1, Raw: []byte("So."), ModelAnswered: "x-1", FinishReason: "stop", RequestID: "id", CostUSD: new(0.25),
			StartedAt: 5e6, LatencyMS: 1500, Usage: model.Usage{Input: 7, Output: 3, CachedInput: 2, CacheWrite: 1, Reasoning: 1}}}
	traces.Called(c)
	bare := calls.CallEvent{Run: run, Model: "google/y", Endpoint: "http://host.example", Request: model.Request{Messages: []model.Message{}}, Embeddings: true}
	traces.Called(bare)
	bare.Err = &model.Error{Status: 503, Code: "busy"}
	traces.Called(bare)
	bare.Request.Messages = nil // an agent that takes no time
	traces.Called(bare)
	spans := kept.GetSpans()
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	type values map[attribute.Key]string
	of := func(i int) values {
		all := values{}
		for _, a := range spans[i].Attributes {
			all[a.Key] = a.Value.String()
		}
		return all
	}
	id := traceOf(run)
	if s := spans[0]; s.Name != "chat x" || s.SpanContext.SpanID() != callSpan(id, 4, 1, 0) || s.SpanContext.TraceID() != id ||
		s.Parent.SpanID() != turnSpan(id, 4) || s.EndTime.Sub(s.StartTime) != 1500*time.Millisecond || s.StartTime.UnixMicro() != 5e6 {
		t.Errorf("%+v", s)
	}
	if spans[1].Parent.IsValid() || spans[1].Name != "embeddings y" || spans[2].Status.Description != bare.Outcome() {
		t.Errorf("%+v", spans[1:])
	}
	for i, want := range []values{
		{"gen_ai.request.temperature": "0.5", "gen_ai.request.top_p": "0.9", "gen_ai.request.max_tokens": "60", "gen_ai.request.seed": "3",
			"gen_ai.request.stop_sequences": `["END"]`, "gen_ai.agent.name": "Ada", "roundtable.round": "2", "roundtable.phase": "vote",
			"server.address": "host.example", "server.port": "8443", "gen_ai.usage.input_tokens": "7", "gen_ai.usage.output_tokens": "3",
			"gen_ai.usage.cache_read.input_tokens": "2", "gen_ai.usage.cache_creation.input_tokens": "1",
			"gen_ai.response.model": "x-1", "gen_ai.response.finish_reasons": `["stop"]`, "gen_ai.response.id": "id", "roundtable.cost_usd": "0.25",
			"gen_ai.input.messages":  `[{"role":"user","parts":[{"type":"text","content":"Why?"}]}]`,
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"So."}],"finish_reason":"stop"}]`,
			"error.type":             ""},
		{"gen_ai.provider.name": "gcp.gemini", "server.port": "", "gen_ai.usage.input_tokens": "0", "gen_ai.usage.cache_read.input_tokens": "",
			"gen_ai.request.temperature": "", "gen_ai.request.top_p": "", "gen_ai.request.max_tokens": "", "gen_ai.request.seed": "",
			"gen_ai.request.stop_sequences": "", "gen_ai.agent.name": "", "gen_ai.response.id": "", "gen_ai.response.model": "",
			"gen_ai.response.finish_reasons": "", "roundtable.cost_usd": "", "gen_ai.output.messages": ""},
		{"error.type": "503", "http.response.status_code": "503", "roundtable.error_code": "busy", "gen_ai.usage.input_tokens": ""},
	} {
		got := of(i)
		for k, v := range want {
			if got[k] != v {
				t.Errorf("span %d: %s is %q, want %q", i, k, got[k], v)
			}
		}
	}
	kept.Reset()
	call := func(entry int32, from int64, ms int64) record.Call {
		return record.Call{Entry: entry, StartedAt: from, LatencyMS: &ms}
	}
	turn := func(entry, round int32) record.Turn { return record.Turn{Entry: entry, Round: round} }
	rows := record.Rows{Collaborations: []record.Collaboration{{Key: record.Key{CampaignID: "c", CollaborationID: "x-i1-r0"}}},
		Calls: []record.Call{call(0, 3e6, 1000), call(1, 1e6, 500), call(1, 2e6, 7000), call(3, 20e6, 1)},
		Turns: []record.Turn{turn(0, 1), turn(1, 1), turn(2, 1), turn(3, 2)}}
	traces.Ended(calls.CollaborationEvent{Rows: rows})
	var told []string
	for _, s := range kept.GetSpans() {
		told = append(told, fmt.Sprintf("%s %d-%d", s.Name, s.StartTime.UnixMilli(), s.EndTime.UnixMilli()))
	}
	if got := strings.Join(told, ", "); got != "turn 3000-4000, turn 1000-9000, turn 20000-20001, round 1000-9000, round 20000-20001, collaboration 1000-20001" {
		t.Error(got)
	}
}
