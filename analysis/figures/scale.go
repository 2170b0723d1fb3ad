package figures

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// What axes say of measures that have limits but no unit.
const (
	fromZeroToOne = "0 to 1"
	zeroOrLess    = "0 or less"
)

// limitsOf returns the least and the greatest value that a measure can have, by
// what its axis is called. Intervals are computed without regard to them (a mean
// of 97 % may have an interval up to 103 %) and are not drawn beyond them.
func limitsOf(y string) (low, high float64) {
	switch {
	case strings.Contains(y, "%"):
		return 0, 100
	case strings.Contains(y, fromZeroToOne):
		return 0, 1
	case strings.Contains(y, "log-likelihood"), strings.Contains(y, zeroOrLess):
		return math.Inf(-1), 0
	case strings.Contains(y, "stars"), strings.Contains(y, "words"), strings.Contains(y, "entropy"),
		strings.Contains(y, "variance"), strings.Contains(y, "distance"):
		return 0, math.Inf(1)
	}
	return math.Inf(-1), math.Inf(1)
}

// axisName returns what is written at an axis: the limits are seen.
func axisName(y string) string {
	return strings.TrimSuffix(strings.TrimSuffix(y, ", "+fromZeroToOne), ", "+zeroOrLess)
}

// scale is the axis of a panel's values, from low to high with ticks at multiples of
// step, and below them, if there are bars, a band of percentages.
type scale struct {
	low, high, step float64
	bars            bool
}

// scale returns the same for all panels, so that they can be compared. It holds all
// values and the ends of all intervals, as far as the measure can go. Shares have
// the whole axis, except where rows would be too close to be compared.
func (f Figure) scale() scale {
	values, ends := f.listDrawnValues()
	y := f.Panels[0].Y
	least, most := limitsOf(y)
	s := scale{bars: f.Panels[0].Bars}
	if (strings.Contains(y, ", %") || most == 1) && !f.Panels[0].Forest {
		s.high = slices.Max(append(values, most))
		s.step = stepOf(s.high)
		return s
	}
	if len(values) == 0 {
		values = []float64{0, 1}
	}
	for _, end := range ends {
		values = append(values, min(max(end, least), most))
	}
	s.low, s.high = slices.Min(values), slices.Max(values)
	if room := max(0.5, math.Abs(s.high)/10); s.low == s.high {
		s.low, s.high = max(s.low-room, least), min(s.high+room, most)
	}
	s.step = stepOf(s.spanLength())
	s.low = min(s.low, math.Floor(s.low/s.step+tiny)*s.step)
	s.high = max(s.high, math.Ceil(s.high/s.step-tiny)*s.step)
	return s
}

// tiny is a part of a step that is nothing but rounding.
const tiny = 1e-9

// stepOf returns a round number of which a span has at most six: 1, 2 or 5 times a
// power of ten.
func stepOf(span float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, times := range []float64{1, 2, 5} {
		if span <= 6*times*unit {
			return times * unit
		}
	}
	return 10 * unit
}

// panelsMeasuring returns the figure with the panels of one measure alone.
func (f Figure) panelsMeasuring(y string) Figure {
	f.Panels = slices.DeleteFunc(slices.Clone(f.Panels), func(p Panel) bool { return p.Y != y })
	return f
}

// listDrawnValues returns all values, and the ends of all intervals.
func (f Figure) listDrawnValues() (values, ends []float64) {
	for _, p := range f.Panels {
		for _, level := range p.Levels {
			values = append(values, level.Value)
		}
		for _, line := range p.Lines {
			for _, point := range line.Points {
				if point.Value != nil {
					values = append(values, *point.Value)
				}
				if values = append(values, point.Values...); p.Groups != nil && !p.Forest && point.Values == nil {
					values = append(values, 0) // bars begin there
				}
				if point.Low != nil {
					ends = append(ends, *point.Low, *point.High)
				}
			}
			for _, spot := range line.allSpots() {
				if values = append(values, spot.Y); p.Plane {
					values = append(values, spot.X)
				}
			}
		}
	}
	return values, ends
}

func (s scale) spanLength() float64 { return s.high - s.low }

// percentAt returns where a percentage is in the band.
func (s scale) percentAt(v float64) float64 { return s.low - s.spanLength()*(0.46-0.31*v/100) }

// lowestDrawn returns the lowest point that is drawn.
func (s scale) lowestDrawn() float64 {
	if s.bars {
		return s.percentAt(0)
	}
	return s.low - s.spanLength()*0.04
}

func (s scale) clampInside(v float64) float64 { return min(max(v, s.low), s.high) }

// write returns a value with some decimals more than the ticks have.
func (s scale) write(v float64, more int) string {
	return withDecimals(v, decimalsOf(s.step)+more)
}

// Ticks returns the ticks of the values, and of the percentages below.
func (s scale) Ticks(_, _ float64) []plot.Tick {
	ticks := s.valueTicks()
	if !s.bars {
		return ticks
	}
	for _, v := range []float64{0, 50, 100} {
		ticks = append(ticks, plot.Tick{Value: s.percentAt(v), Label: strconv.Itoa(int(v)) + " %"})
	}
	return ticks
}

// valueTicks returns the ticks of the values alone.
func (s scale) valueTicks() (ticks []plot.Tick) {
	first, last := math.Ceil(s.low/s.step-tiny), math.Floor(s.high/s.step+tiny)
	for i := first; i <= last; i++ {
		ticks = append(ticks, plot.Tick{Value: i * s.step, Label: s.write(i*s.step, 0)})
	}
	return ticks
}

// decimalsOf returns how many decimals the multiples of a step need.
func decimalsOf(step float64) int { return max(0, int(-math.Floor(math.Log10(step)+tiny))) }

// withDecimals returns a number with a true minus, and none before 0.
func withDecimals(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if digits, negative := strings.CutPrefix(text, "-"); negative && strings.Trim(digits, "0.") == "" {
		return digits
	} else if negative {
		return "−" + digits
	}
	return text
}
