package activities_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// shares is the scope of campaigns that take each other's answers.
const shares = "cache_scope: lake"

func TestQuestionAskedInAnotherCampaignCostsNothing(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	first, second := recordPlan(t, s, yaml("first", 2, 2, shares)), recordPlan(t, s, yaml("second", 2, 2, shares))
	m := saying(func(r model.Request) string {
		if r.Scene.Entry == 1 && r.Scene.Ask == 0 {
			return "malformed once"
		}
		return polite(r)
	})
	paid := playWhole(t, newActivities(s, m), first, ref(first, 0))
	same(t, paid.Calls, 13)
	same(t, m.count(), 13)
	began := time.Now().UnixMicro()
	free := playWhole(t, newActivities(s, m), second, ref(second, 0))
	same(t, m.count(), 13)
	same(t, free, task.Result{Status: task.Succeeded, Cached: 13})
	was, is := rows(t, s, first, ref(first, 0)), rows(t, s, second, ref(second, 0))
	same(t, len(is.Calls), len(was.Calls))
	for i, c := range is.Calls {
		same(t, c.Cached, true)
		same(t, c.CostUSD == nil, true)
		same(t, c.Status, "answered")
		same(t, *c.OutputTokens, *was.Calls[i].OutputTokens)
		same(t, c.ModelAnswered, was.Calls[i].ModelAnswered)
		same(t, c.Attempt, int32(0))
	}
	for i := range is.Turns { // the same but for whose they are
		is.Turns[i].Key = was.Turns[i].Key
	}
	same(t, is.Turns, was.Turns)
	row := is.Collaborations[0]
	same(t, *row.CostUSD, 0)
	same(t, row.Asks, int32(13))
	if row.StartedAt < began {
		t.Errorf("the collaboration began %d µs before anybody ran it", began-row.StartedAt)
	}
	same(t, len(s.holds("campaign=second/"+callPermit(second, ref(second, 0)).Collaboration+".0/000000.0.intent")), 0)
}

func TestNoCacheAsksAnewButNeverTwice(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	first, second := recordPlan(t, s, yaml("first", 2, 1, shares)), recordPlan(t, s, yaml("second", 2, 1, shares))
	m := saying(polite)
	take(t, newActivities(s, m), ref(first, 0), 0)
	take(t, newActivities(s, m, noCache), ref(second, 0), 0)
	same(t, m.count(), 2)
	take(t, newActivities(s, m, noCache), ref(second, 0), 0)
	same(t, m.count(), 2)
	same(t, stored(t, s, second, ref(second, 0)).Turns[0].Asks[0].Cached, false)
}

// Answers are shared within the scope and with nobody else. The stopping rule
// is in no prompt, so that both conditions ask the same.
func TestCacheScope(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string][]int{ // calls made after each of four collaborations
		"condition": {1, 2, 3, 3},
		"campaign":  {1, 1, 2, 2},
		"lake":      {1, 1, 1, 1},
	} {
		t.Run(scope, func(t *testing.T) {
			s := newLake(t)
			text := []string{"cache_scope: " + scope, "grid: {stop: [never, first_agreement]}"}
			first, second := recordPlan(t, s, yaml("first", 2, 1, text...)), recordPlan(t, s, yaml("second", 2, 1, text...))
			m := saying(polite)
			a := newActivities(s, m)
			var calls []int
			take(t, a, ref(first, 0), 0)
			calls = append(calls, m.count())
			take(t, a, ref(first, 1), 0)
			calls = append(calls, m.count())
			take(t, a, ref(second, 0), 0)
			calls = append(calls, m.count())
			again := ref(first, 1)
			again.Generation = 1
			take(t, a, again, 0)
			calls = append(calls, m.count())
			same(t, calls, want)
		})
	}
}

// Which answers two conditions share depends on the file alone: the same prompt under way
// is waited for, however long the service takes.
func TestSharesDoNotDependOnSpeed(t *testing.T) {
	t.Parallel()
	for _, latency := range []time.Duration{0, 20 * time.Millisecond, time.Second} {
		t.Run(latency.String(), func(t *testing.T) {
			t.Parallel()
			const replicates = 8
			s := newLake(t)
			p := recordPlan(t, s, yaml("shares", 2, 1, "replicates: 8", "grid: {stop: [never, first_agreement]}"))
			m := saying(func(r model.Request) string { time.Sleep(latency); return polite(r) })
			a := newActivities(s, m)
			var taking sync.WaitGroup
			for n := range 2 * replicates {
				taking.Go(func() { take(t, a, ref(p, n), 0) })
			}
			taking.Wait()
			same(t, m.count(), replicates)
		})
	}
}

// Replicates and agents are samples: they are asked themselves, even if they are asked the same.
func TestSamplesAreNeverShared(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("samples", 2, 1, "replicates: 2"))
	m := saying(polite)
	a := newActivities(s, m)
	for replicate := range 2 {
		for agent := range 2 {
			take(t, a, ref(p, replicate), agent)
		}
	}
	same(t, m.count(), 4)
	same(t, m.asked[0].Messages, m.asked[2].Messages)
	seed := recordPlan(t, s, yaml("seed", 2, 1, "seed: 2", shares))
	take(t, a, ref(seed, 0), 0)
	same(t, m.asked[0].Messages, m.asked[4].Messages) // another seed is another sample too
}

// A server that moves is the same model: what it has answered is not paid again.
func TestMovedServersShare(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	first, second := recordPlan(t, s, yaml("first", 2, 1, shares)), recordPlan(t, s, yaml("second", 2, 1, shares))
	m := saying(polite)
	take(t, newActivities(s, m), ref(first, 0), 0)
	take(t, newActivities(s, m, elsewhere), ref(second, 0), 0)
	same(t, m.count(), 1)
}

// What is simulated costs nothing and must never pass for an answer of a model.
func TestSimulatedAnswersAreNotCached(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("simulated", 2, 1))
	m := saying(func(r model.Request) string {
		if r.Scene.Format == transcript.FormatMessage {
			return strings.Replace(polite(r), "agent", "robot", 1)
		}
		return polite(r)
	})
	playWhole(t, newActivities(s, m, simulated), p, ref(p, 0))
	same(t, len(s.holds("cache/")), 0)
	all := rows(t, s, p, ref(p, 0))
	same(t, all.Collaborations[0].Simulated, true)
	same(t, all.Turns[0].ModelSimulated, true)
}
