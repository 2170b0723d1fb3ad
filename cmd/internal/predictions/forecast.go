package predictions

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
)

// A forecast says what a campaign will take: calls, tokens, money and time, each with an
// interval. From a pilot the interval is statistical; before one it is what can be
// guessed from how the prompts of a rehearsal look.

// Estimate is a mean with a likely range (Low to High) and an upper bound (Most): Low ≤ Mean ≤ High ≤ Most.
type Estimate struct {
	Low  float64 `json:"low"`
	Mean float64 `json:"mean"`
	High float64 `json:"high"`
	Most float64 `json:"most"`
}

// Add returns the sum of two independent estimates, each bound added to its own.
func (i Estimate) Add(j Estimate) Estimate {
	return Estimate{i.Low + j.Low, i.Mean + j.Mean, i.High + j.High, i.Most + j.Most}
}

// Forecast estimates what all cells of a campaign take.
type Forecast struct {
	Calls        Estimate  `json:"calls"`
	InputTokens  Estimate  `json:"input_tokens"`
	OutputTokens Estimate  `json:"output_tokens"`
	CostUSD      *Estimate `json:"cost_usd,omitempty"` // nil if some price is not known
	// ReadTokens are those of InputTokens that services are likely to read from a cache, and ReadSavesUSD
	// how much less than CostUSD is then likely. 0 with a pilot.
	ReadTokens   float64 `json:"cached_input_tokens,omitempty"`
	ReadSavesUSD float64 `json:"cached_saves_usd,omitempty"`
	// Seconds of the calls of one collaboration after another; at once they take
	// as many times less as collaborations run. Nil without a pilot.
	Seconds *Estimate `json:"seconds,omitempty"`
	// LimitSeconds is what the file's limits a minute take; nil without any, and with a pilot,
	// which has waited for them.
	LimitSeconds *Estimate `json:"seconds_at_limits,omitempty"`
}

// keepBounds returns only the upper bounds High and Most: what is possible but not expected.
func (f Forecast) keepBounds() Forecast {
	most := func(i Estimate) Estimate { return Estimate{High: i.High, Most: i.Most} }
	g := Forecast{Calls: most(f.Calls), InputTokens: most(f.InputTokens), OutputTokens: most(f.OutputTokens)}
	if f.CostUSD != nil {
		cost := most(*f.CostUSD)
		g.CostUSD = &cost
	}
	return g
}

// CappedBy returns the forecast with every upper bound cut at that of most, so that the extrapolation of a
// sample does not exceed what is possible.
func (f Forecast) CappedBy(most Forecast) Forecast {
	under := func(i, of Estimate) Estimate {
		i.High = max(i.Mean, min(i.High, of.Most))
		i.Most = max(i.High, of.Most)
		return i
	}
	f.Calls, f.InputTokens, f.OutputTokens = under(f.Calls, most.Calls), under(f.InputTokens, most.InputTokens),
		under(f.OutputTokens, most.OutputTokens)
	if f.CostUSD != nil && most.CostUSD != nil {
		cost := under(*f.CostUSD, *most.CostUSD)
		f.CostUSD = &cost
	}
	return f
}

// level of the intervals of a pilot.
const level = 0.95

// forecastPilot extrapolates from the collaborations of a pilot to all cells of each
// condition that cells has the number of, by condition ID. The interval is Student's, for the total of
// a sample of clusters: the means' uncertainty and the spread of the cells still to come.
// The cells of one instance and replicate are a cluster, since conditions ask the same
// questions: a long one is long in all of them. Where a condition has one cell, the spread
// is that of all conditions around their means. False if there is too little to tell.
func forecastPilot(pilot []record.Collaboration, cells map[string]int) (Forecast, bool) {
	strata := map[string][]record.Collaboration{}
	for _, c := range pilot {
		if _, asked := cells[c.ConditionID]; asked && c.Status == "succeeded" {
			strata[c.ConditionID] = append(strata[c.ConditionID], c)
		}
	}
	if len(strata) < len(cells) {
		return Forecast{}, false
	}
	total := func(of func(record.Collaboration) float64) Estimate { return totalOf(strata, cells, of) }
	f := Forecast{
		Calls:        total(func(c record.Collaboration) float64 { return float64(c.Calls) }),
		InputTokens:  total(func(c record.Collaboration) float64 { return float64(c.InputTokens) }),
		OutputTokens: total(func(c record.Collaboration) float64 { return float64(c.OutputTokens) }),
	}
	seconds := total(func(c record.Collaboration) float64 { return float64(c.EndedAt-c.StartedAt) / 1e6 })
	f.Seconds = &seconds
	priced := true
	cost := total(func(c record.Collaboration) float64 {
		if c.CostUSD == nil {
			priced = false
			return 0
		}
		return *c.CostUSD
	})
	if priced {
		f.CostUSD = &cost
	}
	return f, true
}

// totalOf of a quantity over all cells.
func totalOf(strata map[string][]record.Collaboration, cells map[string]int,
	of func(record.Collaboration) float64) Estimate {
	type turn struct{ instance, replicate int32 }
	var sum, squares, variance, alone float64
	free := 0
	// what a cluster adds to the error of the means, and to the rest
	means, rest := map[turn]float64{}, map[turn]float64{}
	for _, id := range slices.Sorted(maps.Keys(cells)) {
		values := make([]float64, len(strata[id]))
		for i, c := range strata[id] {
			values[i] = of(c)
		}
		mean, m := stat.Mean(values, nil), float64(len(values))
		left := float64(cells[id]) - m
		sum += float64(cells[id]) * mean
		if m == 1 {
			alone += left*left + left
			continue
		}
		free += len(values) - 1
		for i, c := range strata[id] {
			off := (values[i] - mean) * math.Sqrt(m/(m-1))
			squares += (values[i] - mean) * (values[i] - mean)
			at := turn{c.Instance, c.Replicate}
			means[at] += left / m * off
			rest[at] += math.Sqrt(left/m) * off
		}
	}
	if free == 0 {
		return Estimate{Low: 0, Mean: sum, High: math.Inf(1), Most: math.Inf(1)}
	}
	for _, at := range slices.SortedFunc(maps.Keys(means), func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.replicate, b.replicate), cmp.Compare(a.instance, b.instance))
	}) {
		variance += means[at]*means[at] + rest[at]*rest[at]
	}
	variance += alone * squares / float64(free)
	half := statistics.QuantileT((1+level)/2, float64(len(means)-1)) * math.Sqrt(variance)
	return Estimate{Low: max(0, sum-half), Mean: sum, High: sum + half, Most: sum + half}
}
