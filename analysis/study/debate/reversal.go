package debate

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
)

// redraws of contexts, made with a seed of their own.
const (
	redraws    = 1000
	redrawSeed = 4
)

// Turn is the number of agents at which the outcome of fixed viewpoints turns,
// with the 95 % interval of resampled contexts; 0 to 0 with fewer than two.
type Turn struct {
	At   int `json:"at"`
	Low  int `json:"low,omitempty"`
	High int `json:"high,omitempty"` // one more than were run if some resamples never turn
}

// sideOf returns how many agents of the first kind there are: beyond it agents of the other kind join.
func sideOf(d debateGroup) int {
	if n, err := strconv.Atoi(d.Settings["protocol.viewpoints.each"]); err == nil {
		return n
	}
	return 40 // the protocol's default
}

// isFixed says that the first answers are viewpoints of a pool.
func (d debateGroup) isFixed() bool { return d.Settings["protocol.viewpoints.scaling"] != "" }

// hasSide reports whether one side comes before the other, so that there is something to turn.
func hasSide(d debateGroup) bool {
	return d.Settings["protocol.viewpoints.scaling"] != "alternating"
}

// turningOf returns where debates of ascending sizes turn; nil if they never do.
func turningOf(sizes []debateGroup) *Turn {
	bySize := map[int]campaign.Units{}
	var contexts []int32
	for _, d := range sizes {
		bySize[d.size] = d.accuraciesByQuestion()
		contexts = append(contexts, bySize[d.size].Ascending()...)
	}
	slices.Sort(contexts)
	contexts = slices.Compact(contexts)
	most, base := sizes[len(sizes)-1].size, sideOf(sizes[0])
	at := func(drawn []int32) (int, bool) { return meanCurve(bySize, drawn, most).Reversal(base) }
	n, ok := at(contexts)
	switch {
	case !ok || !hasSide(sizes[0]):
		return nil
	case len(contexts) < 2:
		return &Turn{At: n}
	}
	rng := rand.New(rand.NewPCG(redrawSeed, 0))
	turns := make([]int, redraws)
	for i := range turns {
		drawn := make([]int32, len(contexts))
		for j := range drawn {
			drawn[j] = contexts[rng.IntN(len(contexts))]
		}
		if turns[i], ok = at(drawn); !ok {
			turns[i] = most + 1
		}
	}
	slices.Sort(turns)
	return &Turn{At: n, Low: turns[redraws*25/1000], High: turns[redraws*975/1000]}
}

// meanCurve returns the curve over the contexts that were drawn, each as often as it was.
func meanCurve(bySize map[int]campaign.Units, drawn []int32, most int) statistics.Curve {
	c := make(statistics.Curve, most)
	for size, by := range bySize { // each fills a place of its own
		sum, n := 0.0, 0
		for _, i := range drawn {
			if v, ok := by[i]; ok {
				sum, n = sum+v/100, n+1
			}
		}
		if n > 0 {
			share := sum / float64(n)
			c[size-1] = &share
		}
	}
	return c
}
