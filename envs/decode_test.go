package envs_test

import (
	"slices"
	"testing"

	"roundtable/envs"
)

// An unknown key, also of an object within, is named with what is known there.
func TestDecodeStrictSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	type inner struct {
		Input  float64 `json:"input"`
		Output float64 `json:"output"`
	}
	type outer struct {
		inner
		Above int              `json:"above"`
		Long  *inner           `json:"long"`
		Steps []inner          `json:"steps"`
		By    map[string]inner `json:"by"`
	}
	for data, want := range map[string]string{
		`{"input": 1, "Above": 2, "long": {"output": 3}, "by": {"x": {}}}`: "",
		`{"abov": 1}`:                      `unknown key "abov"; known are input, output, above, long, steps, by; did you mean above?`,
		`{"long": {"inputt": 1}}`:          `unknown key "long.inputt"; known are input, output; did you mean input?`,
		`{"steps": [{}, {"x": 1}]}`:        `unknown key "steps[1].x"; known are input, output`,
		`{"by": {"flex": {"output2": 1}}}`: `unknown key "by.flex.output2"; known are input, output; did you mean output?`,
		`{"long": {"input": "a"}}`:         `long.input: expected a number, got string`,
		`{"above": 1.5}`:                   `above: expected a whole number, got number 1.5`,
		`{"steps": 1}`:                     `steps: expected a list, got number`,
		`{"above": 1`:                      `unexpected end of JSON input`,
	} {
		var v outer
		got := ""
		if err := envs.DecodeStrict([]byte(data))(&v); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", data, got, want)
		}
	}
}

// The numbers are R's of type 7, in any order.
func TestQuartiles(t *testing.T) {
	for _, x := range []struct {
		values []float64
		want   [3]float64
	}{
		{[]float64{7}, [3]float64{7, 7, 7}}, {[]float64{20, 10}, [3]float64{12.5, 15, 17.5}}, {[]float64{3, 1, 2}, [3]float64{1.5, 2, 2.5}},
		{[]float64{4, 1, 3, 2}, [3]float64{1.75, 2.5, 3.25}}, {[]float64{5, 1, 2, 3, 4}, [3]float64{2, 3, 4}},
	} {
		given := slices.Clone(x.values)
		if got := envs.Quartiles(given); got != x.want || !slices.Equal(given, x.values) {
			t.Errorf("%v has %v, want %v", x.values, got, x.want)
		}
	}
}

// A stream is that of its seed, purpose and parts, and no other's; the number is of a second implementation.
func TestStream(t *testing.T) {
	if got := envs.Stream(7, "deal", "a", 2).Uint64(); got != 2565599794021160009 {
		t.Errorf("it begins with %d", got)
	}
	seen := map[uint64]bool{}
	for _, first := range []uint64{
		envs.Stream(7, "deal", "a", 2).Uint64(), envs.Stream(8, "deal", "a", 2).Uint64(), envs.Stream(7, "draw", "a", 2).Uint64(), envs.Stream(7, "deal", "a", 3).Uint64(),
		envs.Stream(7, "deal", 2, "a").Uint64(), envs.Stream(7, "deal", "a").Uint64(), envs.Stream(7, "deal", "a2").Uint64(), envs.Stream(7, "deal").Uint64(),
	} {
		if seen[first] {
			t.Errorf("two streams begin with %d", first)
		}
		seen[first] = true
	}
}
