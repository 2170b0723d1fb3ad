package regression

import (
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/statistics"
)

// Trend is how the score changes with the round: the mean over collaborations of each one's slope, with its
// test. Where there is a trend, every pair that becomes more or less frequent with time is correlated with the
// score, whatever it does.
type Trend struct {
	Slope float64  `json:"slope"` // score a round
	SE    *float64 `json:"se"`    // nil if all slopes are equal or there is one
	P     *float64 `json:"p"`     // likewise
	N     int      `json:"n"`     // collaborations with a score in at least two rounds from 2
}

// level below which p-values count.
const level = 0.05

// TrendOf returns the trend of trajectories over the rounds that the pair design uses, from 2.
func TrendOf(runs []acts.Trajectory) Trend {
	var slopes []float64
	for _, t := range runs {
		if s, ok := slopeOf(t); ok {
			slopes = append(slopes, s)
		}
	}
	trend := Trend{N: len(slopes)}
	if test, err := statistics.Paired(slopes); err == nil {
		trend.Slope, trend.SE, trend.P = test.Difference, &test.SE, &test.P
	} else if len(slopes) > 0 {
		trend.Slope = slopes[0] // one, or all the same
	}
	return trend
}

// slopeOf returns the slope of the score on the round, from round 2.
func slopeOf(t acts.Trajectory) (float64, bool) {
	var n, x, y, xx, xy float64
	for round := 2; round <= len(t.Rounds); round++ {
		if g := t.ScoreAt(round); g != nil {
			r := float64(round)
			n, x, y, xx, xy = n+1, x+r, y+*g, xx+r*r, xy+r**g
		}
	}
	if n < 2 {
		return 0, false
	}
	return (n*xy - x*y) / (n*xx - x*x), true
}

// Warning returns a warning about the trend in words; "" if it is not significant.
func (t Trend) Warning() string {
	sure := t.P != nil && *t.P < level || t.P == nil && t.Slope != 0
	if !sure {
		return ""
	}
	p := ""
	if t.P != nil {
		p = fmt.Sprintf(", p = %.2g", *t.P)
	}
	return fmt.Sprintf("Score changes by %+.4f a round (n = %d%s): a pair that only grows more or less frequent from "+
		"round to round is related to it all the same. "+
		"Coefficients are associations; claims need the permutation p-values.", t.Slope, t.N, p)
}
