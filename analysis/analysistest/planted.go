package analysistest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"roundtable/analysis/acts"
)

// Script says how scripted trajectories come about. The zero value of an effect is none.
type Script struct {
	Runs, Rounds, Agents int
	Seed                 uint64
	Pair                 acts.Pair // whose presence in a round adds Effect to score
	Effect               float64
	Trend                float64 // added to score each round
	Drift                float64 // added each round to the probability of every other act
	Peak                 int     // round at which score is greatest, by 0.05 a round; 0 for none
	Own                  float64 // standard deviation between collaborations
	Noise                float64 // and between rounds
	Still                int     // round from which distances are below 0.1 and no proposals are made; 0 for never
}

// Make scripted trajectories. Each agent shows each act with its own probability.
func (p Script) Make() []acts.Trajectory {
	draw := rand.New(rand.NewPCG(p.Seed, 0x706c616e))
	runs := make([]acts.Trajectory, p.Runs)
	for i := range runs {
		runs[i] = acts.Trajectory{ID: fmt.Sprintf("run%04d", i), Condition: "planted", Unit: fmt.Sprint(i),
			Environment: "exchange", Simulated: true}
		own := p.Own * draw.NormFloat64()
		for r := 1; r <= p.Rounds; r++ {
			runs[i].Rounds = append(runs[i].Rounds, p.round(draw, r))
			score := 0.5 + own + p.Trend*float64(r) + p.Noise*draw.NormFloat64()
			if counts, ok := runs[i].Pairs(r); ok && counts[p.Pair] > 0 {
				score += p.Effect
			}
			if p.Peak > 0 {
				score -= 0.05 * math.Abs(float64(r-p.Peak))
			}
			runs[i].Rounds[r-1].Score = &score
		}
	}
	return runs
}

func (p Script) round(draw *rand.Rand, r int) acts.Round {
	distance, cost := 0.1+0.1*draw.Float64(), 0.001
	round := acts.Round{Agreed: r > 1, Proposals: 1, Tokens: 1000, CostUSD: &cost, Acts: make([]acts.Set, p.Agents)}
	if p.Still > 0 && r >= p.Still {
		distance -= 0.1
		round.Proposals = 0
	}
	if r > 1 {
		round.Distance = &distance
	}
	for i := range round.Acts {
		for act := range acts.N {
			if draw.Float64() < 0.15+0.02*float64(act%5)+p.Drift*float64(r*(act%2)) {
				round.Acts[i] |= 1 << act
			}
		}
	}
	return round
}
