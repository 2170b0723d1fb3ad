package crossval

import (
	"math"

	"roundtable/analysis/statistics"
)

// deviations of a ratio, by unit in the order in which units come: the
// collaborations of several conditions that share one are one cluster.
type deviations struct {
	at  map[string]int
	off []float64
}

func (d *deviations) add(unit string, off float64) {
	if d.at == nil {
		d.at = map[string]int{}
	}
	n, ok := d.at[unit]
	if !ok {
		n = len(d.off)
		d.at[unit], d.off = n, append(d.off, 0)
	}
	d.off[n] += off
}

// ratio of a value whose denominator is the whole.
func (d *deviations) ratio(value, whole float64) statistics.Ratio {
	r := statistics.Ratio{Value: value, N: len(d.off)}
	if m := float64(r.N); m > 1 {
		squares := 0.0
		for _, off := range d.off {
			squares += off * off
		}
		r.SE = new(math.Sqrt(squares*m/(m-1)) / whole)
	}
	return r
}

// Compared is the goodness of every collaboration of a condition at the stops of
// Baseline, a method and the Oracle; nil where it is not defined.
type Compared struct {
	Units                []string
	Base, Method, Oracle []*float64
}

// Closed is GapClosed of conditions, with its standard error; nil where GapClosed is false.
func Closed(all []Compared) *statistics.Ratio {
	gaps := make([]Gap, len(all))
	for i, c := range all {
		gaps[i] = Gap{meanOf(c.Base), meanOf(c.Method), meanOf(c.Oracle)}
	}
	share, ok := GapClosed(gaps)
	if !ok {
		return nil
	}
	var d deviations
	open := 0.0
	for i, c := range all {
		g := gaps[i]
		if g.Base == nil || g.Method == nil || g.Oracle == nil {
			continue
		}
		open += *g.Oracle - *g.Base
		base, method, oracle := pulls(c.Base, *g.Base), pulls(c.Method, *g.Method), pulls(c.Oracle, *g.Oracle)
		for j, unit := range c.Units {
			d.add(unit, method[j]-base[j]-share*(oracle[j]-base[j]))
		}
	}
	return new(d.ratio(share, open))
}

// pulls of values on their mean; those that are not defined do not pull.
func pulls(values []*float64, mean float64) []float64 {
	n := 0.0
	for _, v := range values {
		if v != nil {
			n++
		}
	}
	pull := make([]float64, len(values))
	for i, v := range values {
		if v != nil {
			pull[i] = (*v - mean) / n
		}
	}
	return pull
}

func meanOf(values []*float64) *float64 {
	var defined []float64
	for _, v := range values {
		if v != nil {
			defined = append(defined, *v)
		}
	}
	return mean(defined)
}
