package protocol

import (
	"math/rand/v2"
	"slices"
)

// The orders in which a receiver is shown its peers' answers: the treatment of paper 4.
const (
	OrderFixed      = "fixed"       // by index
	OrderRandom     = "random"      // shuffled again in each round, for all receivers alike
	OrderTruthFirst = "truth_first" // right answers first
	OrderTruthLast  = "truth_last"  // right answers last
	// Algorithm 1: ascending consistency over all agents, the most consistent last
	OrderMADC            = "madc"
	OrderMADCPerReceiver = "madc_per_receiver" // the authors' code: ascending consistency among the receiver's peers
)

// Orders returns the values of DebateParams.Order.
func Orders() []string {
	return []string{OrderFixed, OrderRandom, OrderTruthFirst, OrderTruthLast, OrderMADC, OrderMADCPerReceiver}
}

// reply is an agent's latest answer; one that could not be read has no key and
// is like no other.
type reply struct {
	agent, entry int
	key          string
}

// nobody receives for all: a summarizer, which has no answer of its own.
const nobody = -1

// order puts the replies, which come by agent, in the order in which a receiver
// is shown them, itself left out. All but random are stable.
func order(name string, replies []reply, receiver int, gold []string, rng *rand.Rand) []reply {
	all := slices.Clone(replies)
	right := func(r reply) int {
		if r.key != "" && slices.Contains(gold, r.key) {
			return 1
		}
		return 0
	}
	switch name {
	case OrderRandom:
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	case OrderTruthFirst:
		slices.SortStableFunc(all, func(a, b reply) int { return right(b) - right(a) })
	case OrderTruthLast:
		slices.SortStableFunc(all, func(a, b reply) int { return right(a) - right(b) })
	case OrderMADC:
		all = byConsistency(all)
	}
	all = slices.DeleteFunc(all, func(r reply) bool { return r.agent == receiver })
	if name == OrderMADCPerReceiver {
		slices.SortStableFunc(all, func(a, b reply) int { return countEqual(a, all) - countEqual(b, all) })
	}
	return all
}

// countEqual returns how many others gave the same answer (Equation 2).
func countEqual(r reply, among []reply) int {
	same := 0
	for _, o := range among {
		if r.key != "" && o.agent != r.agent && o.key == r.key {
			same++
		}
	}
	return same
}

// byConsistency returns Algorithm 1, lines 6 to 9: the first of the most consistent
// agents goes last, the others before it by ascending consistency; ties by index.
func byConsistency(all []reply) []reply {
	if len(all) == 0 {
		return all
	}
	scores := map[int]int{}
	best := 0
	for i, r := range all {
		scores[r.agent] = countEqual(r, all)
		if scores[r.agent] > scores[all[best].agent] {
			best = i
		}
	}
	last := all[best]
	rest := slices.Delete(slices.Clone(all), best, best+1)
	slices.SortStableFunc(rest, func(a, b reply) int { return scores[a.agent] - scores[b.agent] })
	return append(rest, last)
}
