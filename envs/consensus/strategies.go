package consensus

import (
	"slices"

	"roundtable/envs"
)

// view is where an agent sees itself and those that it hears.
type view struct {
	own    []float64
	weight float64 // its own
	others []seen
}

type seen struct {
	at     []float64
	weight float64
}

// latestPositions takes the latest position of each agent that counts now. One that has
// seen nothing of itself is at its start.
func latestPositions(s envs.Situation, o Observation) view {
	latest := make([][]float64, len(s.Agents))
	for _, offer := range s.Offers {
		if x, ok := readPosition(offer.Proposal); ok && len(x) == o.Dimension && offer.Agent >= 0 &&
			offer.Agent < len(latest) {
			latest[offer.Agent] = x
		}
	}
	v := view{own: latest[s.Agent], weight: 1}
	if v.own == nil {
		v.own = o.Start
	}
	for i, x := range latest {
		weight := 1.0
		if s.Weights != nil {
			weight = s.Weights[i]
		}
		switch {
		case i == s.Agent:
			v.weight = weight
		case x != nil && weight > 0:
			v.others = append(v.others, seen{x, weight})
		}
	}
	return v
}

// weightedMean returns the weighted mean of the others and, with its weight, the agent itself.
func (v view) weightedMean(own float64) []float64 {
	sum, total := make([]float64, len(v.own)), own
	for k := range sum {
		sum[k] = own * v.own[k]
	}
	for _, other := range v.others {
		total += other.weight
		for k := range sum {
			sum[k] += other.weight * other.at[k]
		}
	}
	if total == 0 {
		return slices.Clone(v.own)
	}
	for k := range sum {
		sum[k] /= total
	}
	return sum
}

func moveToAverage(_ envs.Situation, v view, _ Observation) []float64 {
	return v.weightedMean(v.weight)
}
func averageWithoutSelf(_ envs.Situation, v view, _ Observation) []float64 { return v.weightedMean(0) }
func stayPut(_ envs.Situation, v view, _ Observation) []float64            { return slices.Clone(v.own) }

// moveToMajority goes where most of the others are, by weight; between equals by lot.
func moveToMajority(s envs.Situation, v view, _ Observation) []float64 {
	var best []seen
	for i, other := range v.others {
		if slices.ContainsFunc(v.others[:i], func(e seen) bool { return slices.Equal(e.at, other.at) }) {
			continue
		}
		place := seen{at: other.at}
		for _, e := range v.others[i:] {
			if slices.Equal(e.at, other.at) {
				place.weight += e.weight
			}
		}
		if len(best) > 0 && place.weight > best[0].weight {
			best = nil
		}
		if len(best) == 0 || place.weight == best[0].weight {
			best = append(best, place)
		}
	}
	if len(best) == 0 {
		return slices.Clone(v.own)
	}
	return slices.Clone(best[s.Rand.IntN(len(best))].at)
}

// moveAnywhere goes anywhere among the starts, to a whole number as hallucinating models do.
func moveAnywhere(s envs.Situation, _ view, o Observation) []float64 {
	x := make([]float64, o.Dimension)
	for k := range x {
		x[k] = roundTo12(float64(int(o.Low + s.Rand.Float64()*(o.High-o.Low))))
	}
	return x
}
