package statistics

import "math"

// Counted returns the answer that most agents give, by solution counting (paper 2, appendix D); of tied
// answers the one of the earliest agent. Unparsed answers do not count. It is undefined if there are no
// others.
func (r Replies) Counted() (Reply, bool) {
	votes := map[string]int{}
	for _, a := range r {
		if a.Key != "" {
			votes[a.Key]++
		}
	}
	var best Reply
	for _, a := range r {
		if a.Key != "" && votes[a.Key] > votes[best.Key] { // nobody gave ""
			best = a
		}
	}
	return best, best.Key != ""
}

// Termination counts in which round discussions reached their decision (paper 2, A.2).
type Termination struct {
	Rounds []int // discussions that decided, by round from 1
	Never  int   // ended without; paper 2 counts them in its last round
	Last   int   // the last round that there could be
}

// Add counts one discussion that decided in a round; 0 means that it did not decide.
func (t *Termination) Add(round int) {
	if round < 1 {
		t.Never++
		return
	}
	for len(t.Rounds) < round {
		t.Rounds = append(t.Rounds, 0)
	}
	t.Rounds[round-1]++
}

// N returns the number of discussions.
func (t Termination) N() int {
	n := t.Never
	for _, k := range t.Rounds {
		n += k
	}
	return n
}

// Share returns the percentage of discussions that decided in a round. It is undefined without discussions.
func (t Termination) Share(round int) (percent float64, ok bool) {
	if n := t.N(); n > 0 && round >= 1 {
		if round > len(t.Rounds) {
			return 0, true
		}
		return 100 * float64(t.Rounds[round-1]) / float64(n), true
	}
	return 0, false
}

// Mean returns the mean round of the decision; discussions that never decided count with round Last. It is
// undefined without discussions.
func (t Termination) Mean() (rounds float64, ok bool) {
	sum := t.Never * t.Last
	for i, k := range t.Rounds {
		sum += (i + 1) * k
	}
	n := t.N()
	return float64(sum) / float64(max(1, n)), n > 0
}

// Challenge is what happened to one final answer (paper 2, §4.2): whether it was challenged, its score before,
// and the score after if an agent proposed another answer.
type Challenge struct {
	Challenged    bool
	Before, After float64
}

// Challenges are the challenges of one kind.
type Challenges []Challenge

// Rate returns the percentage of answers that were challenged (Figure 6). It is undefined if there are none.
func (c Challenges) Rate() (percent float64, ok bool) {
	challenged, _, _ := c.Changes()
	return 100 * float64(challenged) / float64(max(1, len(c))), len(c) > 0
}

// Changes counts the challenged answers, and of these the ones that scored better and worse afterwards (Figure
// 7).
func (c Challenges) Changes() (challenged, better, worse int) {
	for _, x := range c {
		if !x.Challenged {
			continue
		}
		challenged++
		switch {
		case x.After > x.Before:
			better++
		case x.After < x.Before:
			worse++
		}
	}
	return challenged, better, worse
}

// Change returns the sum of the changes in score over the challenged answers.
func (c Challenges) Change() (sum float64) {
	for _, x := range c {
		if x.Challenged {
			sum += x.After - x.Before
		}
	}
	return sum
}

// IsUnknown reports whether the score of some new answer is not known (NaN).
func (c Challenges) IsUnknown() bool { return math.IsNaN(c.Change()) }
