package spending

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roundtable/analysis/lake/record"
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
		for _, by := range Bys() {
			sum := func(calls []record.Call) Report {
				x := Report{By: by, byName: map[[2]string]*Group{}, bySnapshot: map[[2]string]*Snapshot{}}
				x.addCalls(calls, turns)
				x.sortGroups()
				return x
			}
			x := sum(calls)
			all, latencies := Group{}, []int64{}
			for _, g := range x.Groups {
				all.Billed, all.Cached, all.Unknown = all.Billed+g.Billed, all.Cached+g.Cached, all.Unknown+g.Unknown
				all.Input, all.Output, all.USD = all.Input+g.Input, all.Output+g.Output, all.USD+g.USD
				latencies = append(latencies, g.Latency...)
			}
			slices.Sort(latencies)
			total := x.Total
			if all.Billed != total.Billed || all.Cached != total.Cached || all.Unknown != total.Unknown || all.Input != total.Input ||
				all.Output != total.Output || all.USD != total.USD || !slices.Equal(latencies, total.Latency) {
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
		g := Group{Latency: rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 40).Draw(r, "latency")}
		slices.Sort(g.Latency)
		q := rapid.SampledFrom([]float64{0, .05, .5, .95, 1}).Draw(r, "q")
		got, ok := g.Quantile(q)
		within := func(ms int64) float64 {
			n := 0
			for _, l := range g.Latency {
				if l <= ms {
					n++
				}
			}
			return float64(n) / float64(len(g.Latency))
		}
		if !ok || within(got) < q-1e-9 || q > 0 && within(got-1) >= q+1e-9 {
			r.Fatalf("quantile %v of %v is %d", q, g.Latency, got)
		}
	})
}

func answeredCall(entry int32, model string, usd float64, ms int64) record.Call {
	input, output := int64(100), int64(20)
	return record.Call{Entry: entry, ModelAsked: model, CostUSD: &usd, LatencyMS: &ms, InputTokens: &input, OutputTokens: &output}
}

// A model whose server moved is named with all its addresses; one that did not is not.
func TestMovedServers(t *testing.T) {
	got := Report{Addresses: map[string][]string{"openai/b": {"http://one/v1"}, "openai/a": {"http://old/v1", "http://new/v1"}}}.Changed()
	if want := "openai/a was asked at 2 addresses, the present one last: http://old/v1, http://new/v1."; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
