package until

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Unit is one unit of comparison: an instance with all its replicates, or one replicate where an
// environment has only one instance.
type Unit struct {
	Env       string
	Instance  int
	Replicate int // -1 for all
}

// Place says of which environment, instance and replicate a cell is.
type Place struct {
	Env       string
	Instance  int
	Replicate int
}

// Sizes says, by environment, whether it has several instances.
type Sizes map[string]bool

// UnitOf returns the unit that a cell belongs to.
func (s Sizes) UnitOf(p Place) Unit {
	if s[p.Env] {
		return Unit{p.Env, p.Instance, -1}
	}
	return Unit(p)
}

// Order sorts units into the order in which they are looked at: shuffled by q.Seed, so that the
// first ones are a random sample whatever the order of the data set. If all units are replicates,
// they keep their order: they are alike.
func (q Question) Order(units []Unit) {
	several := hasInstances(units)
	drawn := make(map[Unit]uint64, len(units))
	for _, u := range units {
		key := fmt.Sprintf("until/%d/%s/%d", q.Seed, u.Env, u.Instance)
		switch {
		case u.Replicate >= 0 && !several:
			drawn[u] = uint64(u.Replicate)
			continue
		case u.Replicate >= 0:
			key += fmt.Sprintf("/%d", u.Replicate)
		}
		sum := sha256.Sum256([]byte(key))
		drawn[u] = binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(drawn[a], drawn[b]), strings.Compare(a.Env, b.Env), a.Instance-b.Instance,
			a.Replicate-b.Replicate)
	})
}

// Share is how many units an environment has (Of), and how many of them were looked at (Looked).
type Share struct {
	Env        string
	Looked, Of int
}

// Shares returns the Share of each environment among the first looked units, in the order in
// which environments occur.
func (d *Design) Shares(looked int) []Share {
	var all []Share
	for n, u := range d.units {
		i := slices.IndexFunc(all, func(s Share) bool { return s.Env == u.Env })
		if i < 0 {
			i, all = len(all), append(all, Share{Env: u.Env})
		}
		if all[i].Of++; n < looked {
			all[i].Looked++
		}
	}
	return all
}

// IsDrawn reports whether the order of the units was drawn at random; that of replicates alone is
// not.
func (d *Design) IsDrawn() bool {
	return hasInstances(d.units)
}

func hasInstances(units []Unit) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Replicate < 0 })
}
