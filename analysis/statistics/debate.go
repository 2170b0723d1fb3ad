package statistics

import "math"

// Reply is one agent's answer in one round of a debate.
type Reply struct {
	Key   string // identity; "" if no answer could be read
	JSON  string // the answer in the environment's canonical form
	Right bool
}

// Replies are the replies of one round, by agent.
type Replies []Reply

// countRight returns how many agents are right.
func (r Replies) countRight() int {
	n := 0
	for _, a := range r {
		if a.Right {
			n++
		}
	}
	return n
}

// Share returns the share of agents that are right. Undefined without agents.
func (r Replies) Share() (share float64, ok bool) {
	return float64(r.countRight()) / float64(len(r)), len(r) > 0
}

// LogLikelihood returns log2 of the share of agents that are right (paper 4, A.1,
// whose example has the sign that Equation 4 lacks). Undefined if none is.
func (r Replies) LogLikelihood() (bits float64, ok bool) {
	if r.countRight() == 0 {
		return 0, false
	}
	return math.Log2(float64(r.countRight()) / float64(len(r))), true
}

// Smoothed returns the log-likelihood with half an agent added to each side,
// log2((k+½)/(n+1)), which is defined if nobody is right too. Undefined without agents.
func (r Replies) Smoothed() (bits float64, ok bool) {
	return math.Log2((float64(r.countRight()) + 0.5) / float64(len(r)+1)), len(r) > 0
}

// Entropy returns the entropy of the answers in bits (paper 4, A.2); each unparsed answer counts as an answer
// of its own. It is undefined without agents.
func (r Replies) Entropy() (bits float64, ok bool) {
	counts := map[string]int{}
	var order []string
	unread := 0
	for _, a := range r {
		switch {
		case a.Key == "":
			unread++
		case counts[a.Key] == 0:
			order = append(order, a.Key)
			fallthrough
		default:
			counts[a.Key]++
		}
	}
	term := func(n int) float64 {
		p := float64(n) / float64(len(r))
		return float64(p * math.Log2(1/p))
	}
	for _, key := range order {
		bits += term(counts[key])
	}
	for range unread {
		bits += term(1)
	}
	return bits, len(r) > 0
}

// Curve is the share of debates won by the right side, by number of agents
// from 1 (paper 4, Figure 9); nil where nothing was run.
type Curve []*float64

// Reversal returns the first number of agents above base at which the curve is on the other side of ½ than at
// base. It is undefined if there is none, or if nothing was run at base.
func (c Curve) Reversal(base int) (agents int, ok bool) {
	if base < 1 || base > len(c) || c[base-1] == nil {
		return 0, false
	}
	won := *c[base-1] >= 0.5
	for n := base + 1; n <= len(c); n++ {
		if v := c[n-1]; v != nil && (*v >= 0.5) != won {
			return n, true
		}
	}
	return 0, false
}
