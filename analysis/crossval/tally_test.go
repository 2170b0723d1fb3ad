package crossval

import "testing"

// Of equally good combinations the one with more decided is taken, then the one
// with fewer rounds, then the first of the grid; one whose score is nowhere defined never is.
func TestBestOfTheGrid(t *testing.T) {
	of := func(worth float64, n, rounds int) tally {
		return tally{worth: worth, ever: min(n, 1) * 10, n: n, rounds: rounds, runs: 10}
	}
	for name, x := range map[string]struct {
		tallies tallies
		best    int
	}{
		"better":        {tallies{of(5, 10, 40), of(6, 10, 90)}, 1},
		"fewer rounds":  {tallies{of(5, 10, 90), of(5, 10, 40), of(5, 10, 60)}, 1},
		"by rounding":   {tallies{of(5, 10, 90), of(5-1e-13, 10, 40)}, 1},
		"the first":     {tallies{of(5, 10, 40), of(5, 10, 40)}, 0},
		"not defined":   {tallies{of(0, 0, 10), of(-3, 10, 90)}, 1},
		"more decided":  {tallies{of(5, 8, 40), of(5, 10, 90)}, 1},
		"on all runs":   {tallies{of(5, 10, 40), of(4, 5, 90)}, 0},
		"none at all":   {tallies{of(0, 0, 10)}, -1},
		"worse, sooner": {tallies{of(5, 10, 90), of(4, 10, 10)}, 0},
	} {
		if best := x.tallies.bestIndex(); best != x.best {
			t.Errorf("%s: combination %d is taken, want %d", name, best, x.best)
		}
	}
}
