package answers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/transcript"
)

var (
	ctx   = context.Background()
	place = answers.RunKey{Campaign: "voting", Collaboration: "abc123", Generation: 0}
)

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

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

func answer(ask int, raw string) answers.Answer {
	cost := 0.25
	return answers.Answer{
		Ask: ask, Raw: []byte(raw), Provider: "openai", ModelAsked: "m", ModelAnswered: "m-2026", FinishReason: "stop", RequestID: "r1",
		Usage: model.Usage{Input: 10, CachedInput: 4, Output: 3, Reasoning: 1}, CostUSD: &cost, StartedAt: 1234567, LatencyMS: 89,
	}
}

func turn(entry int, raws ...string) answers.Turn {
	t := answers.Turn{Entry: entry}
	for i, r := range raws {
		t.Asks = append(t.Asks, answer(i, r))
	}
	return t
}

func done(t answers.Turn, text string) answers.Turn {
	t.Done, t.Text, t.Reason, t.Proposal, t.PromptHash = true, text, "because", `{"a":1}`, "hash"
	t.Act = transcript.Act{Status: transcript.Said, To: []int{1}, Key: "k", Values: []float64{0.1}, Ballot: &transcript.Ballot{Points: []int{3, 0}}}
	return t
}

func TestAnswersComeBackByteForByte(t *testing.T) {
	a, s, _ := open(t)
	raw := "{\"x\": \"\xff\xfe\x00\"}\r\n"
	stored, err := a.Put(ctx, place, done(turn(7, raw), "hello \xff<&>"))
	must(t, err)
	if stored.Asks[0].SHA256 == "" || stored.Text != "hello \uFFFD<&>" {
		t.Fatalf("%+v", stored)
	}
	for range 2 {
		read, err := a.Turn(ctx, place, 7)
		must(t, err)
		same(t, read, stored)
		if string(read.Asks[0].Raw) != raw {
			t.Fatalf("raw answer became %q", read.Asks[0].Raw)
		}
		all, err := a.Load(ctx, place)
		must(t, err)
		same(t, all, answers.Stored{Turns: []answers.Turn{stored}, Unannounced: []answers.Ask{{Entry: 7}}})
		again, err := a.Put(ctx, place, done(turn(7, raw), "hello \xff<&>"))
		must(t, err)
		same(t, again, stored)
	}
	objects, err := s.List(ctx, "")
	must(t, err)
	if len(objects) != 1 || objects[0].Key != "answers/campaign=voting/abc123.0/000007.0.json" {
		t.Fatalf("one answer made %v", objects)
	}
}

func TestNothingStored(t *testing.T) {
	a, _, _ := open(t)
	got, err := a.Turn(ctx, place, 3)
	must(t, err)
	same(t, got, answers.Turn{Entry: 3})
	all, err := a.Load(ctx, place)
	must(t, err)
	same(t, all, answers.Stored{})
	batch, err := a.Batch(ctx, place, 0)
	must(t, err)
	same(t, batch, nil)
}

func TestFirstAnswerWins(t *testing.T) {
	a, _, _ := open(t)
	first, err := a.Put(ctx, place, done(turn(0, "one"), "one"))
	must(t, err)
	got, err := a.Put(ctx, place, done(turn(0, "two"), "two"))
	must(t, err)
	same(t, got, first)
	got, err = a.Put(ctx, place, turn(0, "three"))
	must(t, err)
	same(t, got, first)
	// A stored answer that is not parsed yet wins too, and stays to be parsed.
	raw, err := a.Put(ctx, place, turn(1, "one"))
	must(t, err)
	got, err = a.Put(ctx, place, done(turn(1, "two"), "two"))
	must(t, err)
	same(t, got, raw)
}

func TestAskedAgain(t *testing.T) {
	a, _, _ := open(t)
	var current answers.Turn
	var err error
	for ask := range 11 {
		current, err = a.Turn(ctx, place, 4)
		must(t, err)
		if len(current.Asks) != ask || current.Done {
			t.Fatalf("before ask %d: %+v", ask, current)
		}
		current.Asks = append(current.Asks, answer(ask, fmt.Sprint("answer ", ask)))
		current.Asks[ask].Fault = "not JSON"
		if ask == 10 {
			current = done(current, "at last")
		}
		current, err = a.Put(ctx, place, current)
		must(t, err)
	}
	read, err := a.Turn(ctx, place, 4)
	must(t, err)
	same(t, read, current)
	all, err := a.Load(ctx, place)
	must(t, err)
	same(t, all.Turns, []answers.Turn{current})
}

// A crash between storing an answer and parsing it buys nothing again: the
// answer is there, and its outcome is stored next to it.
func TestStoredBeforeParsed(t *testing.T) {
	a, s, _ := open(t)
	_, err := a.Put(ctx, place, turn(2, "raw"))
	must(t, err)
	left, err := a.Turn(ctx, place, 2)
	must(t, err)
	if left.Done || string(left.Asks[0].Raw) != "raw" {
		t.Fatalf("%+v", left)
	}
	finished, err := a.Put(ctx, place, done(left, "parsed"))
	must(t, err)
	if !finished.Done || finished.Text != "parsed" {
		t.Fatalf("%+v", finished)
	}
	for range 2 {
		read, err := a.Turn(ctx, place, 2)
		must(t, err)
		same(t, read, finished)
		all, err := a.Load(ctx, place)
		must(t, err)
		same(t, all.Turns, []answers.Turn{finished})
		again, err := a.Put(ctx, place, done(left, "parsed otherwise"))
		must(t, err)
		same(t, again, finished)
	}
	objects, err := s.List(ctx, "")
	must(t, err)
	if len(objects) != 2 {
		t.Fatal(objects)
	}
}

func TestIntents(t *testing.T) {
	a, _, _ := open(t)
	intend := func(entry, ask, want int) {
		t.Helper()
		n, err := a.Intend(ctx, place, answers.Intent{Entry: entry, Ask: ask, Provider: "openai", Model: "m", StartedAt: 5})
		must(t, err)
		if n != want {
			t.Fatalf("attempt %d, want %d", n, want)
		}
	}
	intend(0, 0, 0) // killed
	intend(0, 0, 1) // refused
	must(t, a.Release(ctx, place, answers.Intent{Entry: 0, Attempt: 1, StartedAt: 5}, true))
	intend(0, 0, 1) // answered
	first := turn(0, "x")
	first.Asks[0].Attempt = 1
	_, err := a.Put(ctx, place, first)
	must(t, err)
	intend(0, 1, 0) // in flight
	intend(1, 0, 0) // killed, then found in the cache
	fromCache := turn(1, "y")
	fromCache.Asks[0].Cached = true
	_, err = a.Put(ctx, place, fromCache)
	must(t, err)
	all, err := a.Load(ctx, place)
	must(t, err)
	unknown := answers.Intent{Provider: "openai", Model: "m", StartedAt: 5}
	again, cached := unknown, unknown
	again.Ask, cached.Entry = 1, 1
	same(t, all.Unknown, []answers.Intent{unknown, again, cached})
	if t1, ok := all.Turn(1); !ok || t1.Asks[0].Attempt != 1 {
		t.Fatalf("a cached answer comes after the attempts before it: %+v", t1)
	}
}

func TestConcurrentIntentsAreDistinct(t *testing.T) {
	a, _, _ := open(t)
	var mu sync.Mutex
	seen := map[int]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			n, err := a.Intend(ctx, place, answers.Intent{})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || seen[n] {
				t.Errorf("attempt %d was given twice or %v", n, err)
			}
			seen[n] = true
		})
	}
	wg.Wait()
}

func TestBatches(t *testing.T) {
	a, s, _ := open(t)
	batch := func(text string, entries ...int) (ts []answers.Turn) {
		for _, e := range entries {
			ts = append(ts, done(turn(e, fmt.Sprint(e)), text))
		}
		return ts
	}
	texts := func(ts []answers.Turn) (all string) {
		for _, t := range ts {
			all += fmt.Sprintf("%d%s ", t.Entry, t.Text)
		}
		return all
	}
	_, err := a.PutBatch(ctx, place, batch("a", 0, 1, 3))
	must(t, err)
	got, err := a.PutBatch(ctx, place, batch("b", 0, 1, 2, 3, 4))
	must(t, err)
	if texts(got) != "0a 1a 2b 3a 4b " {
		t.Fatalf("stored turns must win: %s", texts(got))
	}
	all, err := a.Load(ctx, place)
	must(t, err)
	if texts(all.Turns) != texts(got) {
		t.Fatalf("loaded %s, stored %s", texts(all.Turns), texts(got))
	}
	again, err := a.Batch(ctx, place, 2)
	must(t, err)
	if texts(again) != "2b 4b " {
		t.Fatal(texts(again))
	}
	objects, err := s.List(ctx, "")
	must(t, err)
	if len(objects) != 2 {
		t.Fatal(objects)
	}
	for _, bad := range [][]answers.Turn{batch("x", 6, 5), {turn(9, "not done")}} {
		if _, err := a.PutBatch(ctx, place, bad); err == nil {
			t.Errorf("batch %v is accepted", bad)
		}
	}
}

func TestCache(t *testing.T) {
	a, _, _ := open(t)
	key, err := answers.CacheKey(answers.Question{Model: "openai"})
	must(t, err)
	if _, ok, err := a.Cached(ctx, key); ok || err != nil {
		t.Fatal(ok, err)
	}
	must(t, a.PutCached(ctx, key, answer(0, "first \xff")))
	must(t, a.PutCached(ctx, key, answer(0, "second")))
	got, ok, err := a.Cached(ctx, key)
	must(t, err)
	if !ok || string(got.Raw) != "first \xff" || !got.Cached || got.CostUSD != nil || got.PriceUSD == nil || *got.PriceUSD != *answer(0, "").CostUSD {
		t.Fatalf("%v %+v", ok, got)
	}
}

func sent(p model.Parameters, messages ...model.Message) model.Request {
	return model.Request{Parameters: p, Messages: messages}
}

func keyOf(t *testing.T, q answers.Question) string {
	t.Helper()
	key, err := answers.CacheKey(q)
	must(t, err)
	return key
}

// Every part of a question makes it another one.
func TestCacheKeyDependsOnEverything(t *testing.T) {
	half, seed := 0.5, int64(4)
	questions := []answers.Question{
		{}, {Model: "p"}, {Sent: sent(model.Parameters{Temperature: &half})}, {Sent: sent(model.Parameters{TopP: &half})},
		{Sent: sent(model.Parameters{MaxTokens: 4})}, {Sent: sent(model.Parameters{Seed: &seed})}, {Sent: sent(model.Parameters{Stop: []string{"x"}})},
		{Sent: sent(model.Parameters{}, model.Message{Role: "user", Content: "p"})}, {Sent: sent(model.Parameters{}, model.Message{Role: "system", Content: "p"})},
		{Sent: sent(model.Parameters{}, model.Message{Role: "user", Content: "p"}, model.Message{})},
		{Sent: model.Request{Schema: json.RawMessage(`{}`)}}, {Sent: model.Request{Schema: json.RawMessage(`{}`)}, Mode: "schema"}, {Mode: "object"}, {Mode: "plain"}, {Seed: 1}, {Instance: 1}, {Replicate: 1},
		{Speaker: transcript.Speaker{Index: 1}}, {Speaker: transcript.Speaker{Role: "judge"}}, {Sample: 1}, {Ask: 1}, {Scope: "p"},
	}
	fields := map[int]bool{}
	keys := map[string]int{}
	for i, q := range questions {
		key, err := answers.CacheKey(q)
		must(t, err)
		if j, ok := keys[key]; ok || len(key) != 64 {
			t.Errorf("questions %d and %d have the key %s", i, j, key)
		}
		keys[key] = i
		for f := range reflect.TypeOf(q).NumField() {
			if !reflect.ValueOf(q).Field(f).IsZero() {
				fields[f] = true
			}
		}
	}
	if n := reflect.TypeFor[answers.Question]().NumField(); len(fields) != n {
		t.Errorf("%d of %d fields are tested", len(fields), n)
	}
	// A schema that is not sent makes no difference; the order of its properties does.
	plain := answers.Question{Sent: model.Request{Schema: json.RawMessage(`{"a":1}`)}, Mode: "plain"}
	other := plain
	other.Sent.Schema = nil
	if keyOf(t, plain) != keyOf(t, other) {
		t.Error("a schema that is not sent is part of the key")
	}
	scopes := map[string]bool{}
	for _, name := range []string{"lake", "campaign", "condition"} {
		s, err := answers.Scope(name, "c", "k")
		must(t, err)
		scopes[s] = true
	}
	if _, err := answers.Scope("world", "c", "k"); err == nil || len(scopes) != 3 {
		t.Error(scopes, err)
	}
}

// On a local disk an answer and its entry of the cache are one object, with two names.
func TestCacheLinks(t *testing.T) {
	local, err := store.NewLocal(t.TempDir())
	must(t, err)
	a, key := answers.NewAnswers(local), strings.Repeat("cd", 32)
	stored, err := a.PutAnswering(ctx, place, done(turn(3, "said \xff"), "said"), key)
	must(t, err)
	must(t, a.Cache(ctx, key, place, stored))
	must(t, a.Cache(ctx, key, place, stored)) // the first one stays
	found, ok, err := a.Cached(ctx, key)
	must(t, err)
	if !ok || !found.Cached || string(found.Raw) != "said \xff" {
		t.Errorf("found %v: %+v", ok, found)
	}
	if c, err := answers.CheckCache(ctx, local); err != nil || len(c.Entries) != 1 || len(c.Damaged) > 0 {
		t.Errorf("the cache is %+v, %v", c, err)
	}
	all, err := a.Load(ctx, place)
	must(t, err)
	if len(all.Turns) != 1 || all.Turns[0].Text != "said" {
		t.Errorf("stored are %+v", all.Turns)
	}
	if _, ok, err := a.Cached(ctx, strings.Repeat("ef", 32)); ok || err != nil {
		t.Error(ok, err)
	}
}
