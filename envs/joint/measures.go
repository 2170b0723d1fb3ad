package joint

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"roundtable/envs"
)

// Result holds the measures of one collaboration (paper 3, B.1). NR (normalised reward) and NAR
// are from 0 to 100; a measure that does not apply is nil.
type Result struct {
	NR    float64 `json:"nr"`
	Valid bool    `json:"valid"` // decided, and feasible
	// NAR keeps the items of an infeasible decision in its own order; NARValue the most valuable first.
	NAR      float64 `json:"nar"`
	NARValue float64 `json:"nar_value"`
	// HR and NMAE are the means over the agents' last estimates.
	HR   *float64 `json:"hr,omitempty"`
	NMAE *float64 `json:"nmae,omitempty"`
	// ToolNR is the NR of the solver's last proposal, Complied whether the decision is that proposal.
	ToolNR   *float64 `json:"tool_nr,omitempty"`
	Complied *bool    `json:"complied,omitempty"`
}

// measureResult takes the last estimate of each agent, the solver's last proposal,
// and the decision, which is shown in the phase "planning".
func (b Board) measureResult(shown []envs.Shown) Result {
	var r Result
	var hr, nmae []float64
	truth := b.State("")
	var tool, decided envs.Proposal
	for _, s := range shown {
		switch {
		case s.Phase == "planning":
			decided = s.Proposal
		case s.Phase == Solver:
			tool = s.Proposal
		case s.Text != "":
			estimate := b.State(s.Text)
			hr = append(hr, HallucinationRate(truth, estimate))
			if pooled := b.Pooled(); len(pooled) > 0 {
				nmae = append(nmae, NMAE(truth.restrictTo(pooled), estimate.restrictTo(pooled)))
			}
		}
	}
	r.HR, r.NMAE = meanOf(hr), meanOf(nmae)
	if decided != "" {
		choice := b.Choice(decided)
		_, r.Valid = b.problem.Value(choice)
		r.NR = 100 * b.Score(decided).Value
		r.NAR, r.NARValue = NAR(b.problem, b.best, choice, ByOrder(choice)),
			NAR(b.problem, b.best, choice, ByValue(b.problem, choice))
	}
	if tool != "" {
		nr, same := 100*b.Score(tool).Value, tool == decided
		r.ToolNR, r.Complied = &nr, &same
	}
	return r
}

func (s State) restrictTo(names []string) State {
	part := State{}
	for _, n := range names {
		if v, ok := s[n]; ok {
			part[n] = v
		}
	}
	return part
}

func meanOf(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	m := sum / float64(len(list))
	return &m
}

// ByOrder returns the items that choice takes, by index.
func ByOrder(choice []int) []int {
	var items []int
	for i, o := range choice {
		if o >= 0 {
			items = append(items, i)
		}
	}
	return items
}

// ByValue returns the items that choice takes, the most valuable first.
func ByValue(p Problem, choice []int) []int {
	items := ByOrder(choice)
	slices.SortStableFunc(items, func(a, b int) int {
		return cmp.Compare(p.Items[b][choice[b]].Value, p.Items[a][choice[a]].Value)
	})
	return items
}

// Keep goes through the items in this order and keeps each one that still fits; reward is the
// value of those kept.
func Keep(p Problem, choice, order []int) (kept []int, reward float64) {
	left := slices.Clone(p.Capacity)
	for _, i := range order {
		option := p.Items[i][choice[i]]
		if !IsFeasible(option.Use, left) {
			continue
		}
		for r, u := range option.Use {
			left[r] -= u
		}
		kept, reward = append(kept, i), reward+option.Value
	}
	return kept, reward
}

// NAR returns the normalised adjusted reward, from 0 to 100 (paper 3, Eq. 2): for an infeasible
// choice, the reward of the items that Keep keeps counts, times their share.
func NAR(p Problem, best float64, choice, order []int) float64 {
	if reward, feasible := p.Value(choice); feasible || best <= 0 {
		return 100 * shareOfBest(reward, feasible, best)
	}
	kept, reward := Keep(p, choice, order)
	return 100 * reward / best * float64(len(kept)) / float64(len(order))
}

// HallucinationRate returns the share of all components that an estimate puts
// strictly too high (paper 3, Eq. 4), from 0 to 1.
func HallucinationRate(truth, estimate State) float64 {
	names := splitComponents(truth, estimate)
	if len(names) == 0 {
		return 0
	}
	high := 0
	for _, n := range names {
		if estimate[n] > truth[n]+Tolerance {
			high++
		}
	}
	return float64(high) / float64(len(names))
}

// NMAE returns the mean relative error over the union of components (paper 3,
// Eq. 5). Where the truth is 0, it is 1 unless the estimate is 0 as well.
func NMAE(truth, estimate State) float64 {
	names := splitComponents(truth, estimate)
	sum := 0.0
	for _, n := range names {
		switch v, e := truth[n], estimate[n]; {
		case v != 0:
			sum += math.Abs(e-v) / math.Abs(v)
		case e != 0:
			sum++
		}
	}
	return sum / float64(max(1, len(names)))
}

func splitComponents(a, b State) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
