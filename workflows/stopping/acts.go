package stopping

import (
	"fmt"
	"slices"
	"strings"
)

// ActNames are the dialogue acts of paper 1 (Cho et al. 2025, appendix D.5) in its
// order, and Others.
var ActNames = [...]string{"Inform", "Request", "Confirm", "Summarize", "Evaluate", "Propose", "Compromise", "Defend",
	"Accept", "Decline", "Others"}

// Acts is the set of an agent's dialogue acts in a round, one bit per act in the order of
// ActNames. It is empty for an agent that said nothing, or nothing that could be labelled.
type Acts uint16

// ActsOf returns the set of the acts with these names; ok is false if a name is unknown.
func ActsOf(names ...string) (s Acts, ok bool) {
	for _, name := range names {
		i := slices.Index(ActNames[:], name)
		if i < 0 {
			return 0, false
		}
		s |= 1 << i
	}
	return s, true
}

// Has reports whether the set has the act with this index in ActNames.
func (s Acts) Has(act int) bool { return s>>act&1 == 1 }

// Names returns the names of the acts in the set, in order.
func (s Acts) Names() []string {
	var names []string
	for i, name := range ActNames {
		if s.Has(i) {
			names = append(names, name)
		}
	}
	return names
}

// Pair is an ordered pair of acts: one of the round before, and one with which another agent
// answers in this round. Its value is 11 × the index of the first + that of the second.
type Pair int

// PairCount is the number of pairs, those with Others included.
const PairCount = Pair(len(ActNames) * len(ActNames))

// Acts returns the indices of the two acts.
func (p Pair) Acts() (before, now int) { return int(p) / len(ActNames), int(p) % len(ActNames) }

// String returns a pair as Propose->Accept.
func (p Pair) String() string {
	before, now := p.Acts()
	return ActNames[before] + "->" + ActNames[now]
}

// MarshalText writes a pair as Propose->Accept.
func (p Pair) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Pair) UnmarshalText(text []byte) error {
	before, now, _ := strings.Cut(string(text), "->")
	a, b := slices.Index(ActNames[:], before), slices.Index(ActNames[:], now)
	if a < 0 || b < 0 {
		return fmt.Errorf("%q is not a pair of dialogue acts; one is written as Propose->Accept", text)
	}
	*p = Pair(a*len(ActNames) + b)
	return nil
}

// Times returns how often a pair A→B occurs in a round now: how many agents showed A in the round
// before and saw another agent show B in this one, 0 to the number of agents (paper 1, appendix
// D.7.1: count_per_round goes up to 3, the number of agents). Both slices have a set for each
// agent.
func Times(before, now []Acts, p Pair) int {
	a, b := p.Acts()
	shows := 0 // agents that show B
	for _, s := range now {
		if s.Has(b) {
			shows++
		}
	}
	times := 0
	for i, s := range before {
		others := shows
		if i < len(now) && now[i].Has(b) {
			others--
		}
		if s.Has(a) && others > 0 {
			times++
		}
	}
	return times
}
