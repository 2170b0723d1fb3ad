package until

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Unit is what levels are compared on: an instance with all its replicates, or, where an
// environment has one instance only, a replicate of it.
type Unit struct {
	Env       string
	Instance  int
	Replicate int // -1 for all
}

// Place is where a cell is run.
type Place struct {
	Env       string
	Instance  int
	Replicate int
}

// Sizes says of each environment whether it has several instances.
type Sizes map[string]bool

// UnitOf returns the unit that a cell belongs to.
func (s Sizes) UnitOf(p Place) Unit {
	if s[p.Env] {
		return Unit{p.Env, p.Instance, -1}
	}
	return Unit(p)
}

// Order sorts units into the order in which they are looked at: drawn by the seed, so that
// the first ones are a random sample of all, whatever the order of the data set.
// Replicates of an only instance keep theirs: they are alike.
func (q Question) Order(units []Unit) {
	drawn := make(map[Unit]uint64, len(units))
	for _, u := range units {
		if u.Replicate >= 0 {
			drawn[u] = uint64(u.Replicate)
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "until/%d/%s/%d", q.Seed, u.Env, u.Instance))
		drawn[u] = binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(units, func(a, b Unit) int {
		switch x, y := drawn[a], drawn[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		if c := strings.Compare(a.Env, b.Env); c != 0 {
			return c
		}
		return a.Instance - b.Instance
	})
}
