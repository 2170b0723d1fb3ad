package figures

import (
	"math"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/environments"
)

// estimate is a mean over n units (instances, or replicates of the only one),
// from two on with its 95 % t interval; root means that their roots are shown.
type estimate struct {
	mean   float64
	within *statistics.Interval // nil for one value, and without spread
	n      int
	root   bool
}

// averageOf returns false without values.
func averageOf(values []float64) (estimate, bool) {
	e := estimate{n: len(values)}
	if e.n > 0 {
		e.mean, e.within = statistics.MeanInterval(values)
	}
	return e, e.n > 0
}

// estimateOf returns a mean as tables have it; false without values.
func estimateOf(m *statistics.Ratio) (estimate, bool) {
	if m == nil {
		return estimate{}, false
	}
	return estimate{mean: m.Value, within: m.Interval(), n: m.N}, true
}

func (e estimate) pointAt(round int) Point {
	p := Point{Round: round, N: e.n}
	if e.n == 0 {
		return p
	}
	shown := func(v float64) *float64 {
		if e.root {
			v = math.Sqrt(max(0, v))
		}
		return &v
	}
	p.Value = shown(e.mean)
	if e.within != nil {
		p.Low, p.High = shown(e.within.Low), shown(e.within.High)
	}
	return p
}

// decidedOutcome returns the outcome after a round of a collaboration with a decision by then.
func decidedOutcome(r campaign.Run, round int) (float64, bool) {
	v, ok := r.OutcomeAt(round)
	return v, ok && r.Carried()[round-1] != nil
}

func greatestLevel(campaign.Campaign) []Level { return []Level{{"greatest possible (Umax)", 100}} }

func maeLevels(c campaign.Campaign) []Level  { return baselineLevels(c, statistics.RatingErrors.MAE) }
func rmseLevels(c campaign.Campaign) []Level { return baselineLevels(c, statistics.RatingErrors.RMSE) }

// baselineLevels that the paper draws, or their nearest kin: Always Guess 4, and for
// the state of the art, whose figures the lake has not, the bias model.
func baselineLevels(c campaign.Campaign, of func(statistics.RatingErrors) (float64, bool)) []Level {
	var levels []Level
	byName := environments.Baselines(c)
	for _, name := range []string{"always_4", "bias_model"} {
		if v, ok := of(byName[name]); ok {
			levels = append(levels, Level{"baseline " + name, v})
		}
	}
	return levels
}
