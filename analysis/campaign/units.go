package campaign

import (
	"fmt"
	"maps"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// The unit of every standard error, of every interval and of every pair is the
// instance, where an environment has several in the campaign: replicates of one
// instance have it in common, so they are not evidence of their own. Where there
// is only one instance, as usual in the exchange economy, the unit is the
// replicate. A mean is one over collaborations whatever the units; pairs are of
// the units' means.

// setUnits numbers the unit of each run within its condition. Campaigns that are joined
// each with an instance of their own have still one each. Forks of one collaboration have
// their beginning in common.
func setUnits(runs []Run) {
	type place struct{ environment, campaign string }
	first, several := map[place]int32{}, map[string]bool{} // several by environment
	for _, r := range runs {
		at := place{r.Environment, r.CampaignID}
		if instance, seen := first[at]; !seen {
			first[at] = r.Instance
		} else if instance != r.Instance {
			several[r.Environment] = true
		}
	}
	forks := forksBySettings{}
	for i := range runs {
		r := &runs[i]
		if r.Unit, r.OverInstances = forks.originOf(*r), several[r.Environment]; r.OverInstances {
			r.Unit = r.Instance
		}
	}
}

// forksBySettings are read once each.
type forksBySettings map[string]*Fork

// originOf returns the replicate that a run continues, or is.
func (f forksBySettings) originOf(r Run) int32 {
	fork, known := f[r.SettingsJSON]
	if !known {
		fork = ForkOf(r.SettingsJSON)
		f[r.SettingsJSON] = fork
	}
	return fork.Origin(r.Replicate)
}

// Pair identifies what collaborations of different conditions must share to be compared: the
// environment, the instance and the replicate. InstanceID tells data sets apart.
type Pair struct {
	Environment string
	Instance    int32
	InstanceID  string
	Replicate   int32
}

// PairOf returns the Pair of a collaboration.
func PairOf(c record.Collaboration) Pair {
	if c.InstanceHash != nil { // whatever its id and place are
		return Pair{c.Environment, 0, *c.InstanceHash, c.Replicate}
	}
	return Pair{c.Environment, c.Instance, c.InstanceID, c.Replicate}
}

// UnitName returns the name of the run's unit, the same in all conditions of an environment.
func (r Run) UnitName() string {
	if r.InstanceHash != nil {
		return fmt.Sprint(r.Unit)
	}
	return fmt.Sprintf("%d-%s", r.Unit, r.InstanceID)
}

// Units are means of a measure, by unit.
type Units map[int32]float64

// ByUnit returns the mean of value in each unit, over the runs that have a value.
func ByUnit(runs []Run, value func(Run) (v float64, ok bool)) Units {
	return meansBy(runs, func(r Run) int32 { return r.Unit }, value)
}

// ByReplicate returns the mean of value in each replicate, the repetition of the whole experiment,
// over the runs that have a value.
func ByReplicate(runs []Run, value func(Run) (v float64, ok bool)) Units {
	return meansBy(runs, func(r Run) int32 { return r.Replicate }, value)
}

func meansBy(runs []Run, key func(Run) int32, value func(Run) (v float64, ok bool)) Units {
	u, counts := Units{}, map[int32]float64{}
	for _, r := range runs {
		if v, ok := value(r); ok {
			u[key(r)] += v
			counts[key(r)]++
		}
	}
	for i := range u {
		u[i] /= counts[i]
	}
	return u
}

// RatioOver returns the sum of shown divided by the sum of of over runs, with its standard error
// over units; nil if the divisor is 0.
func RatioOver(runs []Run, count func(Run) (shown, of float64)) *statistics.Ratio {
	sums := map[int32][2]float64{}
	for _, r := range runs {
		if shown, of := count(r); of > 0 {
			sum := sums[r.Unit]
			sums[r.Unit] = [2]float64{sum[0] + shown, sum[1] + of}
		}
	}
	var clusters [][2]float64
	for _, i := range slices.Sorted(maps.Keys(sums)) {
		clusters = append(clusters, sums[i])
	}
	return statistics.RatioOf(clusters)
}

// MeanOver returns the mean of a value over the runs that have it, with its
// standard error over units and the number of these; nil if none has it.
func MeanOver(runs []Run, value func(Run) (v float64, ok bool)) *statistics.Ratio {
	return RatioOver(runs, func(r Run) (float64, float64) {
		if v, ok := value(r); ok {
			return v, 1
		}
		return 0, 0
	})
}

// AtRound returns a measure of runs after a round as MeanOver and MeanCell take it.
func AtRound(measure func(r Run, round int) (v float64, ok bool), round int) func(Run) (v float64, ok bool) {
	return func(r Run) (float64, bool) { return measure(r, round) }
}

// MeanCell returns MeanOver as a cell; it shows n if some runs have no value.
func MeanCell(runs []Run, decimals int, value func(Run) (v float64, ok bool)) table.Cell {
	m := MeanOver(runs, value)
	if m == nil {
		return table.Cell{}
	}
	missing := slices.ContainsFunc(runs, func(r Run) bool { _, ok := value(r); return !ok })
	return table.Cell{Value: &m.Value, SE: m.SE, N: m.N, Decimals: decimals, Partial: missing}
}

// UnitsOf returns the set of units that the runs belong to.
func UnitsOf(runs []Run) map[int32]bool {
	all := map[int32]bool{}
	for _, r := range runs {
		all[r.Unit] = true
	}
	return all
}

// Ascending returns the units in ascending order.
func (u Units) Ascending() []int32 { return slices.Sorted(maps.Keys(u)) }

// Values returns the means in the order of units.
func (u Units) Values() []float64 {
	var all []float64
	for _, i := range u.Ascending() {
		all = append(all, u[i])
	}
	return all
}

// Mean returns the mean over units with its standard error, as a cell with one decimal.
func (u Units) Mean() table.Cell {
	return (&table.Sample{Values: u.Values(), Of: len(u)}).Mean(1)
}

// Minus returns u minus others, for each unit that both have.
func (u Units) Minus(others Units) Units {
	d := Units{}
	for i, v := range u {
		if other, ok := others[i]; ok {
			d[i] = v - other
		}
	}
	return d
}

// PairedBy returns the differences of a measure between two conditions by unit:
// the mean over those replicates of it in which both have a value. Means over
// the replicates that each has would compare other replicates where a value is
// missing.
func PairedBy(runs, others []Run, value func(Run) (v float64, ok bool)) Units {
	return ByUnit(runs, Above(others, value))
}

// Above returns a measure: a run's value minus that of the run with the same instance and replicate
// among others. ok is false if either is missing.
func Above(others []Run, value func(Run) (v float64, ok bool)) func(Run) (float64, bool) {
	type pair struct{ instance, replicate int32 }
	theirs := map[pair]float64{}
	for _, r := range others {
		if v, ok := value(r); ok {
			theirs[pair{r.Instance, r.Replicate}] = v
		}
	}
	return func(r Run) (float64, bool) {
		v, ok := value(r)
		other, both := theirs[pair{r.Instance, r.Replicate}]
		return v - other, ok && both
	}
}

// Interval returns the mean and its 95 % t interval over units, as three cells; it
// is cut at -most and most.
func (u Units) Interval(most float64) []table.Cell { return MeanInterval(u.Values(), 1, most) }
