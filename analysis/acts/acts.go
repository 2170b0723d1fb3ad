// Package acts is about dialogue acts: what messages do. It counts how often
// each act is shown, how acts follow on each other, and how well labellers
// agree (paper 1, section 6 and appendices D.4 to D.6).
//
// A Trajectory is the shape in which whole collaborations are analysed: what each round
// brought, what was said in it and what it took, in plain values.
//
// Everything is a function of labels and rows. What cannot be computed is nil, never NaN.
package acts

import (
	"math/bits"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/stopping"
)

// Set is the acts of one message, one bit an act in the order of record.Acts.
// The empty set is a message that was not said or not labelled.
type Set = stopping.Acts

// N is the number of acts, Others included.
const N = len(record.Acts)

// Of returns the set of the named acts; ok is false if a name is no act.
func Of(names ...string) (s Set, ok bool) { return stopping.ActsOf(names...) }

func countActs(s Set) int { return bits.OnesCount16(uint16(s)) }

// ActsByRound holds the acts of one collaboration, by round and then by agent. Each round has one
// set an agent.
type ActsByRound [][]Set
