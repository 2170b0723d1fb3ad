package exchange

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"roundtable/envs"
)

// Trader is the parameters of the scripted agents. A trader opens with a large
// demand and comes down round by round, tells the others what it prefers, learns
// from what they say, and weighs more and more whether the others could live
// with a candidate.
type Trader struct {
	// Greed is its own weight in its first demand, with 1 for each other agent; at least 1.
	Greed float64 `json:"greed"`
	// Concession is the share of the remaining excess that it gives up each round, 0 to 1.
	Concession float64 `json:"concession"`
	// Trust is the share of its remaining doubt about others' stated preferences that it loses each round, 0
	// to 1.
	Trust float64 `json:"trust"`
	// Noise is the standard deviation of the logarithm of the amounts it writes, 0 to 2.
	Noise float64 `json:"noise"`
	// Mood is the standard deviation of the logarithm of its own weight from one proposal to the next, 0 to 2.
	Mood float64 `json:"mood"`
	// Firmness is the share of its present demand's worth below which it would rather vote for nothing, 0 to 1.
	Firmness float64 `json:"firmness"`
	// Silent keeps its preferences to itself.
	Silent bool `json:"silent"`
}

// defaultTrader is tuned so that, at three agents and asymmetric utilities, six voting
// rules differ in the directions of paper 1's Table 1 (rules_test.go holds them).
func defaultTrader() Trader {
	return Trader{Greed: 1.4, Concession: 0.35, Trust: 0.12, Noise: 0.45, Mood: 0.9, Firmness: 0.92}
}

// stubbornTrader never concedes and accepts little less than what it demands.
func stubbornTrader() Trader {
	return Trader{Greed: 3, Concession: 0, Trust: 0.12, Noise: 0.05, Mood: 0.05, Firmness: 0.92}
}

// Policies returns trader and stubborn; both take the parameters of Trader.
func (e *Economy) Policies() []string { return []string{"trader", "stubborn"} }

// Policy builds a scripted agent.
func (e *Economy) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	var t Trader
	switch name {
	case "trader":
		t = defaultTrader()
	case "stubborn":
		t = stubbornTrader()
	default:
		return nil, envs.NewPolicyError("exchange", name, e.Policies())
	}
	if err := decode(&t); err != nil {
		return nil, fmt.Errorf("exchange: policy %s: %w", name, err)
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("exchange: policy %s: %w", name, err)
	}
	return t, nil
}

func (t Trader) check() error {
	within := func(name string, v, low, high float64) error {
		if v >= low && v <= high {
			return nil
		}
		return fmt.Errorf("%s is %v; it is from %v to %v", name, v, low, high)
	}
	return errors.Join(within("greed", t.Greed, 1, 1000), within("concession", t.Concession, 0, 1),
		within("trust", t.Trust, 0, 1),
		within("noise", t.Noise, 0, 2), within("mood", t.Mood, 0, 2), within("firmness", t.Firmness, 0, 1))
}

// excessDemand returns the part of the opening demand that is left in a round.
func (t Trader) excessDemand(round int) float64 { return math.Pow(1-t.Concession, float64(round-1)) }

// Propose writes the present demand, changed by mood and noise, or nothing when
// what stands is worth as much.
func (t Trader) Propose(s envs.Situation) (string, bool) {
	m := t.formBeliefs(s)
	demand := m.demandWith(t.ownWeight(s.Round))
	if standing, ok := m.readCanonical(s.Standing); ok && m.ownUtility(standing) >= m.ownUtility(demand) {
		return "", false
	}
	a := m.demandWith(t.ownWeight(s.Round) * math.Exp(t.Mood*s.Rand.NormFloat64()))
	for i := range a {
		for k := range a[i] {
			a[i][k] *= math.Exp(t.Noise * s.Rand.NormFloat64())
		}
	}
	return string(m.formatAllocation(m.handOut(a))), true
}

// ownWeight returns the agent's own in its demand; every other agent weighs 1.
func (t Trader) ownWeight(round int) float64 { return 1 + (t.Greed-1)*t.excessDemand(round) }

// careForOthers returns the weight of the others' good in its judgement: nothing at first, in
// the end as much for each of them as for itself.
func (t Trader) careForOthers(s envs.Situation) float64 {
	k := float64(len(s.Agents))
	return (1 - t.excessDemand(s.Round)) * (k - 1) / k
}

// Value places a candidate between the worst and the best that are on the table.
func (t Trader) Value(s envs.Situation, p envs.Proposal) float64 {
	j := t.judgeCandidates(s)
	return j.gradeOf(j.shareOf(p))
}

// Reserve returns the grade, as by Value, of the share Firmness of the present demand.
func (t Trader) Reserve(s envs.Situation) float64 { return t.judgeCandidates(s).gradeOf(t.Firmness) }

// judgement compares candidates with the present demand and with each other.
type judgement struct {
	market
	care, demand float64
	low, high    float64 // shares of the demand that candidates on the table are worth
}

func (t Trader) judgeCandidates(s envs.Situation) judgement {
	j := judgement{market: t.formBeliefs(s), care: t.careForOthers(s)}
	j.demand = j.worthOf(j.market.demandWith(t.ownWeight(s.Round)), j.care)
	j.low, j.high = math.Inf(1), math.Inf(-1)
	for _, p := range onTable(s) {
		share := j.shareOf(p)
		j.low, j.high = min(j.low, share), max(j.high, share)
	}
	if j.low > j.high { // it has seen no offer
		j.low, j.high = 0.5, 1.5
	}
	return j
}

// onTable returns the latest offer of each agent and what stands.
func onTable(s envs.Situation) []envs.Proposal {
	list := make([]envs.Proposal, len(s.Agents), len(s.Agents)+1)
	for _, o := range s.Offers {
		list[o.Agent] = o.Proposal
	}
	list = append(list, s.Standing)
	return slices.DeleteFunc(list, func(p envs.Proposal) bool { return p == "" })
}

func (j judgement) shareOf(p envs.Proposal) float64 {
	a, ok := j.readCanonical(p)
	if !ok {
		return 0
	}
	return j.worthOf(a, j.care) / j.demand
}

// gradeOf spreads the candidates from 0.05 to 0.95, so that ballots tell them
// apart and a reserve above the best or below the worst still has a place.
func (j judgement) gradeOf(share float64) float64 {
	switch {
	case j.high > j.low:
		return min(max(0.05+0.9*(share-j.low)/(j.high-j.low), 0), 1)
	case share > j.high:
		return 1
	case share < j.low:
		return 0
	}
	return 0.5
}
