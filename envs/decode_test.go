package envs_test

import (
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
