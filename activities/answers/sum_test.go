package answers_test

import (
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/record"
)

// Calls are summed as they were billed: what the cache served was paid elsewhere, a price that is not known makes the
// sum unknown, and what may have been billed is apart.
func TestSum(t *testing.T) {
	answered := func(usd *float64, cached bool) record.Call {
		return record.Call{Status: "answered", Cached: cached, InputTokens: new(int64(10)), OutputTokens: new(int64(3)), CostUSD: usd}
	}
	open := func(usd *float64) record.Call {
		return record.Call{Status: "unknown", WorstTokens: new(int64(99)), WorstUSD: usd}
	}
	known := func(v *float64) float64 {
		if v == nil {
			return -1
		}
		return *v
	}
	for name, x := range map[string]struct {
		calls         []record.Call
		n             int32
		in, out       int64
		cost, atWorst float64 // -1 if it is not known
	}{
		"nothing":       {nil, 0, 0, 0, 0, 0},
		"two":           {[]record.Call{answered(new(0.5), false), answered(new(0.25), false)}, 2, 20, 6, 0.75, 0},
		"one cached":    {[]record.Call{answered(new(0.5), false), answered(new(0.25), true)}, 1, 10, 3, 0.5, 0},
		"no price":      {[]record.Call{answered(new(0.5), false), answered(nil, false)}, 2, 20, 6, -1, 0},
		"one under way": {[]record.Call{answered(new(0.5), false), open(new(2.0))}, 2, 10, 3, 0.5, 2},
		"at no price":   {[]record.Call{open(new(2.0)), open(nil)}, 2, 0, 0, 0, -1},
	} {
		got := answers.Sum(x.calls)
		if got.Calls != x.n || got.InputTokens != x.in || got.OutputTokens != x.out || known(got.CostUSD) != x.cost || known(got.WorstUSD) != x.atWorst {
			t.Errorf("%s: %+v, cost %v, at worst %v", name, got, known(got.CostUSD), known(got.WorstUSD))
		}
	}
}

// The name of a run is read as it is written, and no other.
func TestParseRunKey(t *testing.T) {
	for _, run := range []answers.RunKey{{Campaign: "c", Collaboration: "r-1-i0-r0"}, {Campaign: "c", Collaboration: "a.b", Generation: 12}} {
		if got, ok := answers.ParseRunKey(run.String()); !ok || got != run {
			t.Errorf("%s is read as %+v, %v", run, got, ok)
		}
	}
	for _, text := range []string{"", "c", "c/a", "c.0", "c/a.", "c/a.x", "c/a.-1"} {
		if got, ok := answers.ParseRunKey(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
