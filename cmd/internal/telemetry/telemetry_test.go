package telemetry

import (
	"context"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/events"
	"roundtable/activities/model"
	"roundtable/analysis/storage"
)

// Reasons of turns are a fixed list: neither limits nor error texts become labels.
func TestReasons(t *testing.T) {
	got := byReason(map[string]int{"provider (17)": 3, "provider (18)": 1, calls.TriesAgain + "openai/x: status 500": 2, "answer": 5, "room on the disk": 1})
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

// BenchmarkCalled: what metrics take of a call.
func BenchmarkCalled(b *testing.B) {
	cost := 0.001
	c := events.Call{Model: "openai/fake", Request: model.Request{Messages: []model.Message{{Role: "user", Content: "?"}}}, Answer: answers.Answer{Usage: model.Usage{Input: 2000, Output: 20}, CostUSD: &cost, LatencyMS: 900, StartedAt: time.Now().UnixMicro()}}
	listening := events.Listeners{New().Listener()}
	b.ReportAllocs()
	for b.Loop() {
		listening.Called(c)
	}
}

// BenchmarkStore: what they take of a request to the lake.
func BenchmarkStore(b *testing.B) {
	s, err := storage.NewLocal(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	for name, store := range map[string]storage.Store{"plain": s, "counted": New().Store(s)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = store.Head(context.Background(), "a/key")
			}
		})
	}
}
