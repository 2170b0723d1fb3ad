package statistics

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Statistic computes a value from a resample, given as indices of collaborations; false if it is undefined.
// Everything that belongs to a collaboration, such as its rounds or its pair in another condition, goes with
// its index.
type Statistic func(index []int) (float64, bool)

// Bootstrapped is an estimate with its bootstrap intervals.
type Bootstrapped struct {
	Estimate     float64  `json:"estimate"`
	SE           float64  `json:"se"` // standard deviation over resamples
	Percentile   Interval `json:"percentile"`
	Basic        Interval `json:"basic"`
	BCa          Interval `json:"bca"` // bias-corrected and accelerated (Efron 1987)
	Bias         float64  `json:"bias"`
	Acceleration float64  `json:"acceleration"`
	Times        int      `json:"times"`     // resamples
	Undefined    int      `json:"undefined"` // of these, in which the statistic is not defined
	Seed         uint64   `json:"seed"`
}

// Bootstrap returns the bootstrap estimate and intervals of statistic over n collaborations, from times
// resamples drawn with seed. A statistic that never varies has no interval and is an error.
func Bootstrap(n int, statistic Statistic, times int, seed uint64) (Bootstrapped, error) {
	if n < 2 || times < 100 {
		return Bootstrapped{}, fmt.Errorf("a bootstrap needs at least 100 resamples and 2 collaborations, it has %d and %d", times, n)
	}
	draw := rand.New(rand.NewPCG(seed, 0x626f6f74))
	b, err := bootstrapFrom(n, statistic, func(yield func([]int) bool) {
		index := make([]int, n)
		for range times {
			for i := range index {
				index[i] = draw.IntN(n)
			}
			if !yield(index) {
				return
			}
		}
	})
	b.Seed = seed
	return b, err
}

func bootstrapFrom(n int, statistic Statistic, draws iter.Seq[[]int]) (Bootstrapped, error) {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	b := Bootstrapped{}
	var ok bool
	if b.Estimate, ok = statistic(all); !ok {
		return b, fmt.Errorf("the statistic is not defined for these %d collaborations", n)
	}
	var drawn []float64
	for index := range draws {
		b.Times++
		if v, ok := statistic(index); ok {
			drawn = append(drawn, v)
		}
	}
	b.Undefined = b.Times - len(drawn)
	if b.Undefined > b.Times/20 {
		return b, fmt.Errorf("the statistic is not defined in %d of %d resamples", b.Undefined, b.Times)
	}
	slices.Sort(drawn)
	if drawn[0] == drawn[len(drawn)-1] {
		return b, fmt.Errorf("the statistic is %v in all resamples; without spread there is no interval", drawn[0])
	}
	b.SE = stat.StdDev(drawn, nil)
	low, high := Quantile(drawn, (1-level)/2), Quantile(drawn, (1+level)/2)
	b.Percentile = Interval{low, high, level}
	b.Basic = Interval{2*b.Estimate - high, 2*b.Estimate - low, level}
	return b, b.accelerateInterval(drawn, jackknifeAll(statistic, all))
}

// jackknifeAll leaves out one collaboration after the other.
func jackknifeAll(statistic Statistic, all []int) []float64 {
	var values []float64
	without := make([]int, 0, len(all))
	for i := range all {
		without = append(append(without[:0], all[:i]...), all[i+1:]...)
		if v, ok := statistic(without); ok {
			values = append(values, v)
		}
	}
	return values
}

// accelerateInterval fills in the BCa interval from sorted resamples and the jackknife.
func (b *Bootstrapped) accelerateInterval(drawn, jackknife []float64) error {
	below := 0.0
	tie := equal * max(math.Abs(drawn[0]), math.Abs(drawn[len(drawn)-1])) // a sum in another order is the same one
	for _, v := range drawn {
		switch {
		case v < b.Estimate-tie:
			below++
		case v <= b.Estimate+tie:
			below += 0.5
		}
	}
	share := below / float64(len(drawn))
	if share == 0 || share == 1 {
		return fmt.Errorf("all resamples are on one side of the estimate %v, so its bias cannot be corrected", b.Estimate)
	}
	center := stat.Mean(jackknife, nil)
	squares, cubes := 0.0, 0.0
	for _, v := range jackknife {
		d := center - v
		squares, cubes = squares+d*d, cubes+d*d*d
	}
	b.Bias = distuv.UnitNormal.Quantile(share)
	if squares > 0 {
		b.Acceleration = cubes / (6 * math.Pow(squares, 1.5))
	}
	b.BCa = Interval{Quantile(drawn, b.correctedShare((1-level)/2)),
		Quantile(drawn, b.correctedShare((1+level)/2)), level}
	return nil
}

// correctedShare returns the share of resamples below the end of the BCa interval.
func (b *Bootstrapped) correctedShare(p float64) float64 {
	z := b.Bias + distuv.UnitNormal.Quantile(p)
	return distuv.UnitNormal.CDF(b.Bias + z/(1-b.Acceleration*z))
}

// Mean returns the statistic that is the mean of values, indexed by collaboration.
func Mean(values []float64) Statistic {
	return func(index []int) (float64, bool) {
		sum := 0.0
		for _, i := range index {
			sum += values[i]
		}
		return sum / float64(len(index)), len(index) > 0
	}
}
