package statistics

import "math"

// Tolerance is the difference up to which two shares or utilities count as equal.
const Tolerance = 1e-9

// Shares is one run's group total utility as a share of the greatest possible
// one, Σ_i u_i / Umax, of what stands at the end of each round; nil before the first decision,
// where the metrics of paper 1 count 0 (the printed rigidity of unanimous voting forces that).
type Shares []*float64

// shareAt returns the share in round n from 1; round 0 is before everything.
func (s Shares) shareAt(n int) float64 {
	if n == 0 || s[n-1] == nil {
		return 0
	}
	return *s[n-1]
}

// TotalUtility returns group total utility@n in percent (Tables 1 and 6); undefined
// if the run has fewer rounds.
func (s Shares) TotalUtility(n int) (percent float64, ok bool) {
	if n < 1 || n > len(s) {
		return 0, false
	}
	return 100 * s.shareAt(n), true
}

// AUC returns AUC@n in percent, read as the mean over rounds 1 to n: the sum that §4.1
// prints would exceed 100. Undefined if the run has fewer rounds.
func (s Shares) AUC(n int) (percent float64, ok bool) {
	sum, ok := s.AUCSum(n)
	return 100 * sum / float64(n), ok
}

// AUCSum returns AUC@n as printed: the sum of the shares of rounds 1 to n.
func (s Shares) AUCSum(n int) (sum float64, ok bool) {
	if n < 1 || n > len(s) {
		return 0, false
	}
	for r := 1; r <= n; r++ {
		sum += s.shareAt(r)
	}
	return sum, true
}

// Rigidity returns the percentage of rounds whose total utility is that of the round
// before; round 1 is compared with 0. Undefined without rounds.
func (s Shares) Rigidity() (percent float64, ok bool) {
	kept := 0
	for r := 1; r <= len(s); r++ {
		if math.Abs(s.shareAt(r)-s.shareAt(r-1)) <= Tolerance {
			kept++
		}
	}
	return percentageOf(kept, len(s))
}

// DecisionRigidity returns a variant of Shares.Rigidity: the percentage of rounds whose standing decision is
// that of the round before. decisions holds the identity of each round's decision; "" is none, as before round
// 1.
func DecisionRigidity(decisions []string) (percent float64, ok bool) {
	kept, before := 0, ""
	for _, d := range decisions {
		if d == before {
			kept++
		}
		before = d
	}
	return percentageOf(kept, len(decisions))
}

// Fairness returns the smallest individual utility in the last round as a percentage of the largest. It is
// undefined without a decision, and if all utilities are 0.
func Fairness(utilities []float64) (percent float64, ok bool) {
	low, high := math.Inf(1), 0.0
	for _, u := range utilities {
		low, high = min(low, u), max(high, u)
	}
	if high <= 0 {
		return 0, false
	}
	return 100 * low / high, true
}

// Slot is one agent's chance to propose in one round; a run has agents × rounds of them.
type Slot struct {
	Own      *float64 // what the new proposal is worth to the agent itself; nil if it made none
	Standing *float64 // what the decision that stands at that moment is worth to it; nil if there is none
}

// Rationality counts proposals that are worth more to their maker than the standing decision.
type Rationality struct {
	Rational   int // strictly more, by Tolerance
	Slots      int // all chances to propose
	Made       int // with a new proposal
	Comparable int // with a new proposal while a decision stands
}

// CountRational counts the slots of one run or of many.
func CountRational(slots []Slot) Rationality {
	c := Rationality{Slots: len(slots)}
	for _, s := range slots {
		if s.Own == nil {
			continue
		}
		c.Made++
		if s.Standing == nil {
			continue
		}
		c.Comparable++
		if *s.Own > *s.Standing+Tolerance {
			c.Rational++
		}
	}
	return c
}

// PerSlot returns the percentage of rational slots, as Tables 1 and 6 count: a skipped proposal, or one before
// the first decision, is not rational.
func (c Rationality) PerSlot() (percent float64, ok bool) { return percentageOf(c.Rational, c.Slots) }

// PerMade returns the percentage of rational proposals among all that were made.
func (c Rationality) PerMade() (percent float64, ok bool) { return percentageOf(c.Rational, c.Made) }

// PerComparable returns the percentage of rational proposals among those made while a decision stood.
func (c Rationality) PerComparable() (percent float64, ok bool) {
	return percentageOf(c.Rational, c.Comparable)
}

// NotYetAgreed returns the percentage of runs in which no decision stands after
// round n (bars of Figures 3 and 4). A run that ended early keeps its last state.
// Undefined without runs that have a round.
func NotYetAgreed(runs []Shares, n int) (percent float64, ok bool) {
	open, all := 0, 0
	for _, s := range runs {
		if len(s) == 0 || n < 1 {
			continue
		}
		all++
		if s[min(n, len(s))-1] == nil {
			open++
		}
	}
	return percentageOf(open, all)
}

func percentageOf(part, whole int) (float64, bool) {
	if whole == 0 {
		return 0, false
	}
	return 100 * float64(part) / float64(whole), true
}
