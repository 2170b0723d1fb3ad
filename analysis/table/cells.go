package table

import (
	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/statistics"
)

// PercentOf returns a share in percent; empty if the whole is 0.
func PercentOf(part, whole int) Cell {
	if whole == 0 {
		return Cell{}
	}
	return Number(100*float64(part)/float64(whole), 1)
}

// NumberOrEmpty returns a number, or an empty cell for nil.
func NumberOrEmpty(v *float64, decimals int) Cell {
	if v == nil {
		return Cell{}
	}
	return Number(*v, decimals)
}

// MeanPercent returns a ratio in percent with its standard error and n, or an empty cell for nil.
func MeanPercent(r *statistics.Ratio) Cell {
	if r == nil {
		return Cell{}
	}
	c := Number(100*r.Value, 1)
	if c.N = r.N; r.SE != nil {
		c.SE = new(100 * *r.SE)
	}
	return c
}

// Percent returns a share in percent, or an empty cell for nil.
func Percent(share *float64) Cell {
	if share == nil {
		return Cell{}
	}
	return Number(100**share, 1)
}

// ValueOrNone returns *v and true, or false if v is nil.
func ValueOrNone(v *float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

// HundredIf returns 100 for true and 0 for false, so that a mean is in percent.
func HundredIf(is bool) float64 {
	if is {
		return 100
	}
	return 0
}

// PValue returns a p-value with four decimals, or an empty cell for nil.
func PValue(v *float64) Cell {
	if v == nil {
		return Cell{}
	}
	return Cell{Value: v, Decimals: 4, P: true}
}

// Word returns a cell of text.
func Word(s string) Cell { return Cell{Text: s} }

// Count returns a whole number.
func Count[N int | int32 | int64](n N) Cell { return Number(float64(n), 0) }

// Number returns a number that is shown with this many decimals.
func Number(v float64, decimals int) Cell { return Cell{Value: &v, Decimals: decimals} }

// Simulated is on every table that rests on scripted agents.
const Simulated = "SIMULATED: answers by scripted agents, not by language models"

// Sample collects one value per observation; Of counts all observations, with a value or not.
type Sample struct {
	Values []float64
	Of     int
}

// Add adds an observation; ok says whether it has a value.
func (s *Sample) Add(v float64, ok bool) {
	s.Of++
	if ok {
		s.Values = append(s.Values, v)
	}
}

// Deviation returns the standard deviation of the values, with n-1; empty for n = 1.
func (s *Sample) Deviation(decimals int) Cell {
	if len(s.Values) < 2 {
		return Cell{}
	}
	return Number(stat.StdDev(s.Values, nil), decimals)
}

// Mean returns the mean of the values with the standard error sd/√n, sd with n-1; the cell has no standard
// error if all values are equal, and is empty without values.
func (s *Sample) Mean(decimals int) Cell {
	var values [][2]float64
	for _, v := range s.Values {
		values = append(values, [2]float64{v, 1})
	}
	m := statistics.RatioOf(values)
	if m == nil {
		return Cell{}
	}
	return Cell{Value: &m.Value, SE: m.SE, N: m.N, Decimals: decimals, Partial: m.N < s.Of}
}
