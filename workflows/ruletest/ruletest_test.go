package ruletest

import (
	"flag"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// broken is approval voting that breaks one law.
type broken struct {
	decision.Rule
	law   Law
	calls *int
}

func (b broken) Ballot(n, electorate int) transcript.BallotSpec {
	form := b.Rule.Ballot(n, electorate)
	if b.law == Forms {
		form.N++
	}
	return form
}

func (b broken) Words() decision.Words {
	w := b.Rule.Words()
	if b.law == Words {
		w.Ballot = "the numbers. Example: [4]"
	}
	return w
}

func (b broken) Value(ballot transcript.Ballot, candidate, n int) *big.Rat {
	v := b.Rule.Value(ballot, candidate, n)
	switch {
	case b.law == Values && ballot.Abstain:
		return big.NewRat(1, 1)
	case b.law == Recount && ballot.Order != nil && len(ballot.Order) == 0: // JSON leaves out what is empty
		return big.NewRat(1, 1)
	case b.law == Sums:
		return v.Add(v, v)
	}
	return v
}

func (b broken) Tally(p decision.Profile) decision.Result {
	*b.calls++
	r := b.Rule.Tally(p)
	if len(r.Winners) == 0 {
		if b.law == NoVotes && p.Candidates > 0 {
			r.Winners = []int{0}
		}
		return r
	}
	switch b.law {
	case Repeatable:
		r.Winners = r.Winners[:1+*b.calls%len(r.Winners)]
	case Abstentions:
		if slices.ContainsFunc(p.Ballots, func(b transcript.Ballot) bool { return b.Abstain }) {
			r.Winners = nil
		}
	case Anonymity: // the first voter has a veto
		if first := p.Ballots[0]; !first.Abstain {
			r.Winners = slices.DeleteFunc(r.Winners, func(c int) bool { return !slices.Contains(first.Order, c) })
		}
	case Neutrality, Ties: // breaks its own ties
		r.Winners = r.Winners[:1]
	case Monotonicity: // the least support wins
		worst := slices.MinFunc(r.Scores, (*big.Rat).Cmp)
		r.Winners = slices.DeleteFunc(numbers(p.Candidates), func(c int) bool { return r.Scores[c].Cmp(worst) != 0 })
	case Unanimity:
		r.Winners = numbers(p.Candidates)
	case Reinforcement: // a large group decides nothing
		if len(p.Ballots) > 4 {
			r.Winners = nil
		}
	}
	return r
}

// recorder is a test that may fail.
type recorder struct {
	*testing.T
	failed bool
}

func (r *recorder) Logf(string, ...any)   {}
func (r *recorder) Log(...any)            {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }
func (r *recorder) Fatal(...any)          { r.FailNow() }
func (r *recorder) Fail()                 { r.failed = true }
func (r *recorder) Failed() bool          { return r.failed }
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// fails says whether a rule breaks a law.
func fails(t *testing.T, l law, rule decision.Rule) bool {
	r, done := &recorder{T: t}, make(chan struct{})
	go func() {
		defer close(done)
		rapid.Check(r, func(t *rapid.T) { l.check(t, rule) })
	}()
	<-done
	return r.failed
}

// Each law finds a rule that breaks it, and none finds fault with approval voting.
func TestEachLawFindsWhatBreaksIt(t *testing.T) {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.seed": "1", "rapid.checks": "1000"} {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(name, was) })
	}
	approval, err := decision.NewApproval(decision.ApprovalParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range laws() {
		if fails(t, l, approval) {
			t.Errorf("approval voting breaks %s", l.name)
		}
		if !fails(t, l, broken{approval, l.name, new(int)}) {
			t.Errorf("a rule that breaks %s passes", l.name)
		}
	}
}

// A rule may do without a promise, not without what the engine depends on.
func TestOptions(t *testing.T) {
	plain, err := Options{}.laws()
	if err != nil || len(plain) != len(laws())-2 {
		t.Errorf("%d laws, %v", len(plain), err)
	}
	if fewer, err := (Options{Additive: true, Without: []Law{Ties}}).laws(); err != nil || len(fewer) != len(laws())-1 {
		t.Errorf("%d laws, %v", len(fewer), err)
	}
	for _, name := range []Law{Recount, Sums, "fairness"} {
		if _, err := (Options{Without: []Law{name}}).laws(); err == nil || !strings.Contains(err.Error(), string(name)) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
