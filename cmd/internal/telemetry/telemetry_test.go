package telemetry

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
)

// Reasons of turns are a fixed list: neither limits nor error texts become labels.
func TestReasons(t *testing.T) {
	got := byReason(calls.Waits{{For: "provider (17)", Turns: 3}, {For: "provider (18)", Turns: 1}, {For: calls.TriesAgain + "openai/x: status 500", Turns: 2}, {For: "answer", Turns: 5}, {For: "room on the disk", Turns: 1}})
	if len(got) != len(reasons) || got["provider"] != 4 || got[waitsRetry] != 2 || got["answer"] != 5 || got["other"] != 1 || got["budget"] != 0 {
		t.Errorf("%v", got)
	}
}

// Ids of spans follow from what they are about: the same in every process, and one for each.
func TestSpanIDs(t *testing.T) {
	run := answers.RunKey{Campaign: "c", Collaboration: "majority-i0-r0"}
	id, other := traceOf(run), traceOf(answers.RunKey{Campaign: "c", Collaboration: "majority-i0-r0", Generation: 1})
	if id != traceOf(run) || id == other {
		t.Error("traces")
	}
	all := map[string]bool{}
	for _, s := range []string{rootSpan(id).String(), roundSpan(id, 1).String(), turnSpan(id, 1).String(), callSpan(id, 1, 0, 0).String(), callSpan(id, 10, 0, 0).String(), callSpan(id, 1, 0, 1).String(), rootSpan(other).String()} {
		all[s] = true
	}
	if len(all) != 7 {
		t.Errorf("%v", all)
	}
}

// The first call of a model gives it a series for every outcome, at 0 but for its own:
// Prometheus' increase() sees no step where a series begins.
func TestOutcomes(t *testing.T) {
	m := New()
	refused := calls.CallEvent{Model: "openai/fake", Err: &model.Error{Class: model.Pause, Status: 401}}
	for range 2 {
		m.Listener().Called(refused)
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "roundtable_calls_total" {
			continue
		}
		for _, one := range f.GetMetric() {
			for _, l := range one.GetLabel() {
				if l.GetName() == "outcome" {
					got[l.GetValue()] = one.GetCounter().GetValue()
				}
			}
		}
	}
	if len(got) != 8 || got[calls.Refused] != 2 || got[calls.Answered] != 0 || got[calls.RateLimited] != 0 {
		t.Errorf("%v", got)
	}
}

// Close says how many spans were lost that the minute's notice left out.
func TestLostSpans(t *testing.T) {
	var answer atomic.Int64
	answer.Store(http.StatusOK)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(answer.Load())) }))
	defer backend.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", backend.URL)
	var said bytes.Buffer
	whole, err := OpenTraces(t.Context(), "test", &said)
	if err != nil {
		t.Fatal(err)
	}
	if whole.start(spanIDs{}, "sent").End(); said.Len() > 0 {
		t.Error(said.String())
	}
	if whole.Close(); said.Len() > 0 { // nothing was lost
		t.Error(said.String())
	}
	answer.Store(http.StatusBadRequest)
	traces, err := OpenTraces(t.Context(), "test", &said)
	if err != nil {
		t.Fatal(err)
	}
	send := func(n int) {
		for i := range n {
			id := traceOf(answers.RunKey{Campaign: "c", Collaboration: strconv.Itoa(i)})
			traces.start(spanIDs{trace: id, span: rootSpan(id)}, "collaboration").End()
		}
		if err := traces.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	send(1)
	send(3)
	if got := said.String(); !strings.HasPrefix(got, "traces: 1 spans were not sent: ") || strings.Count(got, "\n") != 1 {
		t.Errorf("before the end: %s", got)
	}
	traces.Close()
	if got := said.String(); !strings.Contains(got, "traces: 3 spans were not sent: ") || strings.Count(got, "\n") != 2 {
		t.Errorf("%s", got)
	}
}

// BenchmarkCalled: what metrics take of a call.
func BenchmarkCalled(b *testing.B) {
	cost := 0.001
	c := calls.CallEvent{Model: "openai/fake", Request: model.Request{Messages: []model.Message{{Role: "user", Content: "?"}}}, Answer: answers.Answer{Usage: model.Usage{Input: 2000, Output: 20}, CostUSD: &cost, LatencyMS: 900, StartedAt: time.Now().UnixMicro()}}
	listening := calls.Listeners{New().Listener()}
	b.ReportAllocs()
	for b.Loop() {
		listening.Called(c)
	}
}

// BenchmarkStore: what they take of a request to the lake.
func BenchmarkStore(b *testing.B) {
	s, err := store.NewLocal(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for name, store := range map[string]store.Store{"plain": s, "counted": New().Store(s)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = store.Head(context.Background(), "a/key")
			}
		})
	}
}
