package answers_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
)

// intend announces a plan: the first call of each entry at the same time. It
// returns the attempts' numbers.
func intend(t *testing.T, a *answers.Answers, entries ...int) []int {
	t.Helper()
	together := answers.WithExpectedIntents(ctx, len(entries))
	attempts := make([]int, len(entries))
	var all sync.WaitGroup
	for n, entry := range entries {
		all.Go(func() {
			var err error
			if attempts[n], err = a.Intend(together, place, answers.Intent{Entry: entry, Model: "m", WorstTokens: int64(entry)}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return attempts
}

// begun is a process that makes the calls of place on a store.
func begun(t *testing.T, s store.Store) *answers.Answers {
	t.Helper()
	a := answers.NewAnswers(s)
	a.WaitLong()
	stored, err := a.Load(ctx, place)
	must(t, err)
	a.Begin(place, stored)
	return a
}

// names of the stored objects of one kind.
func names(t *testing.T, s store.Store, kind string) (names []string) {
	t.Helper()
	objects, err := s.List(ctx, "answers/")
	must(t, err)
	for _, o := range objects {
		if strings.Contains(o.Key, kind) {
			names = append(names, o.Key[strings.LastIndex(o.Key, "/")+1:])
		}
	}
	return names
}

// unknown returns the calls of unknown outcome as entry.attempt.
func unknown(t *testing.T, a *answers.Answers) (calls []string) {
	t.Helper()
	all, err := a.Load(ctx, place)
	must(t, err)
	for _, i := range all.Unknown {
		if i.WorstTokens != int64(i.Entry) {
			t.Errorf("entry %d has the worst case of %d", i.Entry, i.WorstTokens)
		}
		calls = append(calls, fmt.Sprintf("%d.%d", i.Entry, i.Attempt))
	}
	return calls
}

func TestPlanIsOneIntent(t *testing.T) {
	_, s, _ := open(t)
	a := begun(t, s)
	same(t, intend(t, a, 0, 1, 2), []int{0, 0, 0})
	if got := names(t, s, "intent"); len(got) != 1 {
		t.Errorf("a plan of three calls is announced by %q", got)
	}
	_, err := a.Put(ctx, place, turn(1, "x"))
	must(t, err)
	same(t, unknown(t, a), []string{"0.0", "2.0"})

	// The next process continues with the next numbers.
	a = begun(t, s)
	same(t, intend(t, a, 0, 2), []int{1, 1})
	last := turn(2, "y")
	last.Asks[0].Attempt = 1
	_, err = a.Put(ctx, place, last)
	must(t, err)
	same(t, unknown(t, a), []string{"0.0", "0.1", "2.0"})
}

// What is taken back is as if it had never been announced, whoever shares its object.
func TestReleaseOfOneOfSeveral(t *testing.T) {
	_, s, _ := open(t)
	a := begun(t, s)
	intend(t, a, 0, 1, 2)
	for entry := range 2 {
		must(t, a.Release(ctx, place, answers.Intent{Entry: entry}, true))
	}
	same(t, unknown(t, a), []string{"2.0"})
	same(t, intend(t, a, 1), []int{1}) // alone
	must(t, a.Release(ctx, place, answers.Intent{Entry: 1, Attempt: 1}, true))
	same(t, unknown(t, a), []string{"2.0"})
	same(t, len(names(t, s, "000001.0.intent-1")), 0)
	same(t, intend(t, a, 0, 1), []int{1, 2})
	for entry, attempt := range []int{1, 2} {
		answered := turn(entry, "x")
		answered.Asks[0].Attempt = attempt
		_, err := a.Put(ctx, place, answered)
		must(t, err)
	}
	same(t, unknown(t, a), []string{"2.0"})
	all, err := a.Load(ctx, place)
	must(t, err)
	for _, turn := range all.Turns[:2] {
		same(t, turn.Asks[0].Attempt, 0)
	}
}

// A run is forgotten while its calls are under way if another process has taken turns
// of it. What is then taken back takes none of the others' calls with it.
func TestReleaseAfterTheRunIsForgotten(t *testing.T) {
	for _, again := range []bool{false, true} {
		for entry, left := range [][]string{{"1.0", "2.0"}, {"0.0", "2.0"}, {"0.0", "1.0"}} {
			_, s, _ := open(t)
			a := begun(t, s)
			intend(t, a, 0, 1, 2)
			a.End(place)
			if again {
				stored, err := a.Load(ctx, place)
				must(t, err)
				a.Begin(place, stored)
			}
			must(t, a.Release(ctx, place, answers.Intent{Entry: entry}, true))
			same(t, unknown(t, a), left)
		}
	}
	// A call that was announced alone leaves nothing.
	_, s, _ := open(t)
	a := begun(t, s)
	intend(t, a, 3)
	a.End(place)
	for range 2 {
		must(t, a.Release(ctx, place, answers.Intent{Entry: 3}, true))
	}
	same(t, len(names(t, s, "")), 0)
}

// Two processes that make the same calls: each call is counted, and an answer ends one.
func TestTwoProcessesAnnounceTheSame(t *testing.T) {
	_, s, _ := open(t)
	first, second := begun(t, s), begun(t, s)
	intend(t, first, 0, 1)
	attempts := intend(t, second, 0, 1)
	same(t, len(unknown(t, first)), 4)
	_, err := first.Put(ctx, place, turn(1, "x"))
	must(t, err)
	same(t, len(unknown(t, first)), 3)
	must(t, second.Release(ctx, place, answers.Intent{Entry: 1, Attempt: attempts[1]}, true))
	same(t, len(unknown(t, first)), 2)
}

// Of two processes' attempts with the same number an answer ends its own, with its
// own worst case.
func TestAnswerEndsItsOwnIntent(t *testing.T) {
	_, s, _ := open(t)
	var attempt int // of the second process at entry 2
	for n, a := range []*answers.Answers{begun(t, s), begun(t, s)} {
		together := answers.WithExpectedIntents(ctx, 2)
		var both sync.WaitGroup
		for _, entry := range []int{1, 2} {
			both.Go(func() {
				number, err := a.Intend(together, place, answers.Intent{Entry: entry, StartedAt: int64(10 + n), WorstTokens: int64(100 + n)})
				if err != nil {
					t.Error(err)
				}
				if entry == 2 {
					attempt = number
				}
			})
		}
		both.Wait()
	}
	answered := turn(2, "x")
	answered.Asks[0].Attempt, answered.Asks[0].StartedAt = attempt, 11
	a := begun(t, s)
	_, err := a.Put(ctx, place, answered)
	must(t, err)
	all, err := a.Load(ctx, place)
	must(t, err)
	var left []int64
	for _, i := range all.Unknown {
		if i.Entry == 2 {
			left = append(left, i.WorstTokens)
		}
	}
	same(t, left, []int64{100})
}

// A call alone is announced as ever.
func TestIntentAlone(t *testing.T) {
	_, s, _ := open(t)
	intend(t, begun(t, s), 3)
	data, err := s.Get(ctx, "answers/campaign=voting/abc123.0/000003.0.intent-0.json")
	must(t, err)
	if want := `{"entry":3,"ask":0,"attempt":0,"provider":"","model":"m","started_at":0,"worst_tokens":3}`; !strings.Contains(string(data), want) {
		t.Errorf("got %s, want %s", data, want)
	}
}

// A call that nothing bounds reserves nothing, and some services bill above the worst case.
func TestCovered(t *testing.T) {
	a, _, _ := open(t)
	more, less := 0.3, 0.1
	for entry, worst := range []*float64{&more, &less, nil} {
		n, err := a.Intend(ctx, place, answers.Intent{Entry: entry, WorstUSD: worst, StartedAt: 1234567})
		must(t, err)
		got := turn(entry, "it costs 0.25")
		got.Asks[0].Attempt = n
		_, err = a.Put(ctx, place, got)
		must(t, err)
	}
	all, err := a.Load(ctx, place)
	must(t, err)
	same(t, all.Covered(), 350_000_000)
}

// Two processes announce the same calls at once, and only the first of a group is renumbered: what
// one takes back is its own, not the other's of the same number.
func TestReleaseOfTheSameAttempt(t *testing.T) {
	_, s, _ := open(t)
	one, two := begun(t, s), begun(t, s)
	intend := func(a *answers.Answers, at int64) (all [2]int) {
		together := answers.WithExpectedIntents(ctx, 2)
		var calls sync.WaitGroup
		for entry := range all {
			calls.Go(func() {
				n, err := a.Intend(together, place, answers.Intent{Entry: entry, Model: "m", StartedAt: at + int64(entry)})
				if err != nil {
					t.Error(err)
				}
				all[entry] = n
			})
		}
		calls.Wait()
		return all
	}
	first, second := intend(one, 200), intend(two, 300)
	entry := 1
	if first[1] != second[1] {
		entry = 0
	}
	if first[entry] != second[entry] {
		t.Fatalf("the attempts are %v and %v: none is the same", first, second)
	}
	for n, at := range []int64{300, 200} { // and then the other one its own
		must(t, two.Release(ctx, place, answers.Intent{Entry: entry, Attempt: second[entry], StartedAt: at + int64(entry)}, false))
		all, err := one.Load(ctx, place)
		must(t, err)
		if len(all.Released) != n+1 || all.Released[n].StartedAt != at+int64(entry) && all.Released[0].StartedAt != at+int64(entry) || len(all.Unknown) != 3-n {
			t.Errorf("released %+v, unknown %+v", all.Released, all.Unknown)
		}
	}
}
