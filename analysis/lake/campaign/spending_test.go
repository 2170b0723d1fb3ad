package campaign

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
)

// The groups sum up to the total, whatever they stand for, and the order in
// which calls are read changes nothing.
func TestGroupsSumUpToTheTotal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		calls := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) record.Call {
			c := answeredCall(rapid.Int32Range(0, 3).Draw(r, "entry"), rapid.SampledFrom([]string{"m/1", "m/2"}).Draw(r, "model"),
				float64(rapid.IntRange(0, 64).Draw(r, "cost"))/64, rapid.Int64Range(0, 50).Draw(r, "ms")) // exact sums
			c.Status = rapid.SampledFrom([]string{"answered", "answered", "unknown"}).Draw(r, "status")
			c.Cached = rapid.Bool().Draw(r, "cached")
			return c
		}), 0, 30).Draw(r, "calls")
		turns := []record.Turn{{Entry: 0, Phase: "message"}, {Entry: 1, Phase: "vote"}, {Entry: 2, Phase: "vote", Role: "judge"}}
		for _, by := range SpendingBys() {
			sum := func(calls []record.Call) Spending {
				x := Spending{By: by, byName: map[[2]string]*SpendingGroup{}, bySnapshot: map[[2]string]*ModelSnapshot{}}
				x.addCalls(calls, turns)
				x.sortGroups()
				return x
			}
			x := sum(calls)
			all, latencies := SpendingGroup{}, map[int64]int{}
			for _, g := range x.Groups {
				all.Billed, all.Cached, all.Unknown = all.Billed+g.Billed, all.Cached+g.Cached, all.Unknown+g.Unknown
				all.Input, all.Output, all.USD = all.Input+g.Input, all.Output+g.Output, all.USD+g.USD
				for ms, n := range g.Latency {
					latencies[ms] += n
				}
			}
			total := x.Total
			if all.Billed != total.Billed || all.Cached != total.Cached || all.Unknown != total.Unknown || all.Input != total.Input ||
				all.Output != total.Output || all.USD != total.USD || !maps.Equal(latencies, total.Latency) {
				r.Fatalf("by %s: groups %+v, total %+v", by, all, total)
			}
			if all.Billed+all.Cached+all.Unknown != len(calls) {
				r.Fatalf("%d calls are counted as %+v", len(calls), all)
			}
			backwards := slices.Clone(calls)
			slices.Reverse(backwards)
			if one, two := x, sum(backwards); !reflect.DeepEqual(one.Groups, two.Groups) || !reflect.DeepEqual(one.Total, two.Total) {
				r.Fatalf("backwards it is\n%+v\nnot\n%+v", two, one)
			}
		}
	})
}

// Nearest rank: the smallest value that a share q of all does not exceed.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		latencies := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 40).Draw(r, "latencies")
		g := SpendingGroup{Latency: map[int64]int{}}
		for _, ms := range latencies {
			g.Latency[ms]++
		}
		q := rapid.SampledFrom([]float64{0, .05, .5, .95, 1}).Draw(r, "q")
		got, ok := g.Quantile(q)
		within := func(ms int64) float64 {
			n := 0
			for _, l := range latencies {
				if l <= ms {
					n++
				}
			}
			return float64(n) / float64(len(latencies))
		}
		if !ok || within(got) < q-1e-9 || q > 0 && within(got-1) >= q+1e-9 {
			r.Fatalf("quantile %v of %v is %d", q, latencies, got)
		}
	})
}

func answeredCall(entry int32, model string, usd float64, ms int64) record.Call {
	input, output := int64(100), int64(20)
	return record.Call{Entry: entry, ModelAsked: model, CostUSD: &usd, LatencyMS: &ms, InputTokens: &input, OutputTokens: &output}
}

// A model whose server moved is named with all its addresses; one that did not is not.
func TestMovedServers(t *testing.T) {
	got := Spending{Addresses: map[string][]string{"openai/b": {"http://one/v1"}, "openai/a": {"http://old/v1", "http://new/v1"}}}.Changed()
	if want := "openai/a was asked at 2 addresses, the present one last: http://old/v1, http://new/v1."; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Calls of unknown outcome with and without a worst case, and who answered from when to when.
func TestUnknownCallsAndSnapshots(t *testing.T) {
	x := Spending{By: SpendingBys()[0], byName: map[[2]string]*SpendingGroup{}, bySnapshot: map[[2]string]*ModelSnapshot{}}
	worst, at := 0.5, int64(1_790_000_000_000_000)
	var calls []record.Call
	for i, status := range []string{"unknown", "unknown", "answered", "answered", "answered"} {
		c := answeredCall(0, "m/1", 1, int64(50-i))
		if c.Status = status; i == 0 {
			c.WorstUSD = &worst
		}
		c.ModelAnswered, c.StartedAt = "m/1-2026", at+[]int64{0, 0, 60e6, 0, 120e6}[i]
		calls = append(calls, c)
	}
	x.addCalls(calls, []record.Turn{{Entry: 0, Phase: "vote"}})
	x.sortGroups()
	if g := x.Total; g.Unknown != 2 || g.Unbounded != 1 || g.WorstUSD != 0.5 || g.Billed != 3 {
		t.Errorf("%+v", g)
	}
	if len(x.Snapshots) != 1 || x.Snapshots[0].String() != "m/1-2026 (3 calls, 2026-09-21 14:13 to 2026-09-21 14:15 UTC)" {
		t.Errorf("%v", x.Snapshots)
	}
	x.Judged(map[string][]record.Call{"b": calls[2:3], "a": calls[3:]})
	x.Checked(calls[4:])
	x.Checked(nil)
	if n := len(x.Groups); n != 4 || x.Groups[1].Name != "scores by a" || x.Groups[1].Billed != 2 || x.Groups[2].Name != "scores by b" || !x.Groups[3].Shared {
		t.Errorf("%+v", x.Groups)
	}
	if !maps.Equal(x.Total.Latency, map[int64]int{46: 3, 47: 2, 48: 2}) || !maps.Equal(x.Groups[1].Latency, map[int64]int{46: 1, 47: 1}) || x.Total.Billed != 7 {
		t.Errorf("%+v", x.Total)
	}
}

func TestTierName(t *testing.T) {
	batch := "batch"
	for want, c := range map[string]record.Call{
		"none: from the cache": {Cached: true, Status: "answered", Tier: &batch},
		"not known: no answer": {Status: "unknown", Tier: &batch},
		"batch":                {Status: "answered", Tier: &batch},
		"standard":             {Status: "answered"},
	} {
		if got := tierName(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Settled calls of labels count at what they were billed, once.
func TestSettledLabels(t *testing.T) {
	worst, cost := 0.75, 1.0
	m := lake.Marker{Collaboration: "c", By: "l", Calls: 5, Unknown: 2, CostUSD: &cost, WorstUSD: &worst}
	of := func(collaboration string, entry int) lake.SettledCall {
		half := 0.25
		return lake.SettledCall{CallKey: lake.CallKey{Run: lake.Run{Collaboration: collaboration}, Entry: entry}, USD: 0.125, WorstUSD: &half}
	}
	settled := lake.Settled{}
	for _, c := range []lake.SettledCall{of("labels-l-c", 0), of("labels-l-other", 0)} {
		settled[c.CallKey] = c
	}
	var g SpendingGroup
	g.addMarker(m)
	g.settleMarker(m, settled)
	if g.Billed != 3 || g.Unknown != 1 || g.Settled != 1 || g.USD != 1.125 || g.SettledUSD != 0.125 || g.WorstUSD != 0.5 {
		t.Errorf("%+v", g)
	}
}

// Labels are a group of each labeller, from its markers, and part of the total.
func TestAddLabels(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	cost := 0.25
	for _, by := range []string{"a", "b"} {
		m := lake.Marker{Campaign: "c", Condition: "k", Collaboration: "k-i0-r0", By: by, Table: record.Labels, SchemaVersion: record.SchemaVersion, Status: "succeeded", Calls: 3, CostUSD: &cost}
		sealed, err := lake.Seal(m.Key(), m)
		if err != nil {
			t.Fatal(err)
		}
		s.Objects[m.Key()] = string(sealed)
	}
	r := Spending{Campaign: "c", byName: map[[2]string]*SpendingGroup{}, bySnapshot: map[[2]string]*ModelSnapshot{}}
	if err := r.addLabels(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if g := r.byName[[2]string{"labels by b"}]; g == nil || g.Billed != 3 || g.Collaborations != 1 || g.USD != 0.25 || r.Total.Billed != 6 || r.Total.USD != 0.5 {
		t.Errorf("%+v of %+v", g, r.Total)
	}
	for key := range s.Objects {
		s.Objects[key] = "{}"
	}
	if err := r.addLabels(t.Context(), s); err == nil {
		t.Error("markers that cannot be read are passed over")
	}
}

// A name that two models answer to is said, with how often and when.
func TestTwoModelsBehindAName(t *testing.T) {
	at := time.Date(2026, 9, 21, 14, 13, 0, 0, time.UTC)
	r := Spending{Snapshots: []ModelSnapshot{{"m/1", "m/1-old", 1, at, at}, {"m/1", "m/1-new", 2, at, at.Add(time.Minute)}, {"m/2", "m/2", 9, at, at}}}
	got := r.Changed()
	if want := "m/1 was answered by 2 models: m/1-old (1 call, 2026-09-21 14:13 to 2026-09-21 14:13 UTC); m/1-new (2 calls, 2026-09-21 14:13 to 2026-09-21 14:14 UTC)."; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
