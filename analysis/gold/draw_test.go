package gold_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

func candidates(conditions, each, rounds, agents int) []gold.Candidate {
	var all []gold.Candidate
	for c := range conditions {
		for i := range each {
			all = append(all, gold.Candidate{Run: lake.Run{Collaboration: fmt.Sprintf("k%d-i%d-r0", c, i)}, Condition: fmt.Sprintf("k%d", c), Rounds: rounds, Messages: rounds * agents})
		}
	}
	return all
}

func request(asked int, seed uint64) gold.Request {
	return gold.Request{Campaign: "c", CodeBook: "acts", Asked: asked, Seed: seed}
}

// TestDraw: the same draw comes of the same seed in any order, about the number that is asked
// for, the same of each condition.
func TestDraw(t *testing.T) {
	all := candidates(3, 20, 4, 3)
	d, err := gold.New(request(200, 1), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Drawn) != 33 || len(d.Strata) != 3 || len(d.Frame) != 60 {
		t.Errorf("%d passages of %d strata, %d collaborations", len(d.Drawn), len(d.Strata), len(d.Frame))
	}
	for _, s := range d.Strata {
		if s.Passages != 60 || s.Drawn != 11 || s.Since != 1 {
			t.Errorf("%+v", s)
		}
	}
	slices.Reverse(all)
	if again, err := gold.New(request(200, 1), all, nil); err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("another draw from the same: %v", err)
	}
	if other, err := gold.New(request(200, 2), all, nil); err != nil || reflect.DeepEqual(other.Drawn, d.Drawn) {
		t.Errorf("another seed makes no difference: %v", err)
	}
	if _, err := gold.New(request(60, 1), all, nil); err == nil || !strings.Contains(err.Error(), "ask for 79 or more") {
		t.Errorf("too few: %v", err)
	}
	if _, err := gold.New(request(79, 1), all, nil); err != nil {
		t.Errorf("as many as the error asks for: %v", err)
	}
}

// TestProbabilities: each passage is drawn as often as the others of its stratum.
func TestProbabilities(t *testing.T) {
	all := candidates(2, 6, 3, 2)
	count := map[gold.Passage]int{}
	const seeds = 3000
	for seed := range uint64(seeds) {
		d, err := gold.New(request(32, seed), all, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Drawn {
			count[p]++
		}
	}
	want := seeds * 4.0 / 12
	for p, n := range count {
		if math.Abs(float64(n)-want) > 4.5*math.Sqrt(want*(1-4.0/12)) {
			t.Errorf("%v is drawn %d times, want about %.0f", p, n, want)
		}
	}
	if len(count) != 24 {
		t.Errorf("%d passages were ever drawn, want 24", len(count))
	}
}

// TestMore: a second draw adds to the first, also from collaborations that have come since.
func TestMore(t *testing.T) {
	all := candidates(1, 10, 4, 3)
	first, err := gold.New(request(60, 1), all[:8], nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := gold.New(request(120, 9), all, []gold.Draw{first})
	if err != nil {
		t.Fatal(err)
	}
	if second.Number != 2 || second.Seed != 1 || len(second.Frame) != 2 || len(first.Drawn)+len(second.Drawn) != 20 {
		t.Errorf("%+v", second)
	}
	for _, p := range second.Drawn {
		if slices.Contains(first.Drawn, p) {
			t.Errorf("%v is drawn twice", p)
		}
	}
	want := []gold.Stratum{{"k0", 1, 24, 14}, {"k0", 2, 6, 6}}
	if !reflect.DeepEqual(second.Strata, want) {
		t.Errorf("strata %+v, want %+v", second.Strata, want)
	}
	if _, err := gold.New(request(60, 1), all[:8], []gold.Draw{first}); err == nil || !strings.Contains(err.Error(), "ask for more") {
		t.Errorf("nothing more: %v", err)
	}
	if _, err := gold.New(request(60, 1), nil, nil); err == nil {
		t.Error("something is drawn from nothing")
	}
}

// TestArrange: passages that share rounds are read together, and no message is in two blocks.
func TestArrange(t *testing.T) {
	a, b := lake.Run{Collaboration: "a"}, lake.Run{Collaboration: "b"}
	d := gold.Draw{Drawn: []gold.Passage{{a, 5}, {a, 2}, {b, 3}, {a, 3}, {b, 5}}}
	got := map[string]int{}
	for _, block := range d.Arrange() {
		got[fmt.Sprintf("%s %d-%d", block.Collaboration, block.First, block.Last)]++
	}
	want := map[string]int{"a 1-3": 1, "a 4-5": 1, "b 2-3": 1, "b 4-5": 1}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	whole := gold.Draw{Drawn: []gold.Passage{{a, 0}, {b, 0}}}
	if n := len(whole.Arrange()); n != 2 {
		t.Errorf("%d blocks of 2 collaborations", n)
	}
}

// TestShares: each round counts once over the passages that it is part of.
func TestShares(t *testing.T) {
	for rounds := 1; rounds < 6; rounds++ {
		sum := make([]float64, rounds+1)
		for _, p := range gold.Of(lake.Run{}, rounds) {
			first, last := p.Rounds()
			for r := first; r <= last; r++ {
				sum[r] += gold.Share(r, rounds)
			}
		}
		for r := 1; r <= rounds; r++ {
			if sum[r] != 1 {
				t.Errorf("round %d of %d counts %v times", r, rounds, sum[r])
			}
		}
	}
}

func TestStored(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := gold.New(request(60, 1), candidates(1, 10, 4, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := gold.WriteDraw(t.Context(), s, d); err != nil {
			t.Fatal(err)
		}
	}
	other := d
	other.Seed++
	if err := gold.WriteDraw(t.Context(), s, other); !errors.Is(err, store.ErrExists) {
		t.Errorf("another draw in its place: %v", err)
	}
	if all, err := gold.ReadDraws(t.Context(), s, "c", "acts"); err != nil || len(all) != 1 || !reflect.DeepEqual(all[0], d) {
		t.Errorf("%d draws, error %v", len(all), err)
	}
	a, err := gold.Load(t.Context(), s, "c", "acts")
	if err != nil || !a.IsEmpty() || a.Waiting != 1 {
		t.Errorf("%+v, error %v", a, err)
	}
}
