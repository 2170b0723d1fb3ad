package commits_test

import (
	"context"
	"reflect"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/transcript"
)

var ctx = context.Background()

func open(t testing.TB) (*answers.Answers, *store.Local, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.NewLocal(dir)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return answers.NewAnswers(s), s, dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func checkSame[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

// turn is a finished turn of one paid answer.
func turn(entry int, raw, text string) answers.Turn {
	cost := 0.25
	return answers.Turn{
		Entry: entry, Done: true, Text: text, Reason: "because", Proposal: `{"a":1}`, PromptHash: "hash",
		Act: transcript.Act{Status: transcript.Said, To: []int{1}, Key: "k", Values: []float64{0.1}},
		Asks: []answers.Answer{{
			Raw: []byte(raw), Provider: "openai", ModelAsked: "m", ModelAnswered: "m-2026", FinishReason: "stop", RequestID: "r1",
			Usage: model.Usage{Input: 10, CachedInput: 4, Output: 3, Reasoning: 1}, CostUSD: &cost, StartedAt: 1234567, LatencyMS: 89,
		}},
	}
}
