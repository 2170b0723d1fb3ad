package record

import "testing"

// What an outcome counts as in an average, by what happened and what score measures.
func TestWorth(t *testing.T) {
	half, far := 0.5, -2.0
	for name, c := range map[string]struct {
		status, measure string
		score, want     *float64
	}{
		"a right decision":                  {Succeeded, Share, &half, &half},
		"an undecided debate":               {Succeeded, Share, nil, new(float64)},
		"an error":                          {Succeeded, Error, &far, &far},
		"an undecided rating":               {Succeeded, Error, nil, nil},
		"an environment of your own":        {Succeeded, Error, nil, nil},
		"a failed debate":                   {"failed", Share, nil, nil},
		"a failed debate with a decision":   {"failed", Share, &half, nil},
		"a stopped economy with a decision": {"stopped", Share, &half, nil},
	} {
		got := Collaboration{Status: c.status, Measure: c.measure}.Worth(c.score)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
