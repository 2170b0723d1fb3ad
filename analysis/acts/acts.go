// Package acts is about dialogue acts: what messages do. It counts how often
// each act is shown, how acts follow on each other, and how well labellers
// agree (paper 1, section 6 and appendices D.4 to D.6).
//
// Everything is a function of the labels. What cannot be computed is nil,
// never NaN.
package acts

import (
	"math/bits"
	"slices"

	"roundtable/analysis/record"
)

// Set is the acts of one message, one bit an act in the order of record.Acts.
// The empty set is a message that was not said or not labelled.
type Set uint16

// N is the number of acts, Others included.
const N = len(record.Acts)

// Of returns the set of some acts by name; ok is false if one of them is none.
func Of(names ...string) (s Set, ok bool) {
	for _, name := range names {
		i := slices.Index(record.Acts[:], name)
		if i < 0 {
			return 0, false
		}
		s |= 1 << i
	}
	return s, true
}

// Has reports whether the act of that index is in the set.
func (s Set) Has(act int) bool { return s>>act&1 == 1 }

// Names of the acts in the set, in order.
func (s Set) Names() []string {
	var names []string
	for i, name := range record.Acts {
		if s.Has(i) {
			names = append(names, name)
		}
	}
	return names
}

func (s Set) size() int { return bits.OnesCount16(uint16(s)) }

// ActsByRound is the acts of one collaboration, by round and then by agent. Rounds
// have as many sets as there are agents.
type ActsByRound [][]Set
