package record

import "testing"

// What an outcome counts as in an average, by what happened and what goodness
// measures; files without the column measure are told by their environment.
func TestWorth(t *testing.T) {
	half, far := 0.5, -2.0
	for name, c := range map[string]struct {
		status, environment, measure string
		goodness, want               *float64
	}{
		"a right decision":                  {Succeeded, "qa", Share, &half, &half},
		"an undecided debate":               {Succeeded, "qa", Share, nil, new(float64)},
		"an undecided debate, early file":   {Succeeded, "qa", "", nil, new(float64)},
		"an undecided economy, early file":  {Succeeded, "exchange", "", nil, new(float64)},
		"no menu, early file":               {Succeeded, "menu", "", nil, new(float64)},
		"an error":                          {Succeeded, "recsys", Error, &far, &far},
		"an undecided rating":               {Succeeded, "recsys", Error, nil, nil},
		"an undecided rating, early file":   {Succeeded, "recsys", "", nil, nil},
		"no consensus, early file":          {Succeeded, "consensus", "", nil, nil},
		"robots apart, early file":          {Succeeded, "robots", "", nil, nil},
		"an environment of your own":        {Succeeded, "mine", Error, nil, nil},
		"a failed debate":                   {"failed", "qa", Share, nil, nil},
		"a failed debate with a decision":   {"failed", "qa", Share, &half, nil},
		"a stopped economy with a decision": {"stopped", "exchange", "", &half, nil},
	} {
		row := Collaboration{Status: c.status, Environment: c.environment}
		if c.measure != "" {
			row.Measure = &c.measure
		}
		got := row.Worth(c.goodness)
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
