package gold

import "math"

// design is how the units were drawn, and how they hang together.
type design struct {
	cluster, stratum []int // by unit, from 0
	clusters         int
	strata           []stratum
	groups           []group
	drawn, dof       int
	hasGold          []bool  // by cluster
	members          [][]int // units of the clusters that have gold
}

// stratum is units that were drawn with one probability.
type stratum struct {
	units, drawn int
	clusters     int // with gold
	group        int
}

// group is strata whose drawn units deviate from one mean: a stratum, or several of which some
// have gold in one cluster alone, so that nothing can be said of how much these vary.
type group struct {
	units, drawn int
	// spread makes up for deviations from a mean of the same units: √(n/(n−1)).
	spread float64
}

func newDesign(units []Unit) (*design, error) {
	d := &design{cluster: make([]int, len(units)), stratum: make([]int, len(units))}
	clusters, strata := map[int]int{}, map[int]int{}
	type member struct{ cluster, stratum int }
	goldIn, goldOf := map[int]bool{}, map[member]bool{}
	for i, u := range units {
		d.cluster[i], d.stratum[i] = numberOf(clusters, u.Cluster), numberOf(strata, u.Stratum)
		if d.stratum[i] == len(d.strata) {
			d.strata = append(d.strata, stratum{})
		}
		s := &d.strata[d.stratum[i]]
		s.units++
		if u.Gold != nil {
			s.drawn++
			d.drawn++
			goldIn[d.cluster[i]], goldOf[member{d.cluster[i], d.stratum[i]}] = true, true
		}
	}
	d.clusters = len(clusters)
	d.hasGold, d.members = make([]bool, d.clusters), make([][]int, d.clusters)
	for c := range goldIn {
		d.hasGold[c] = true
	}
	for i, c := range d.cluster {
		if d.hasGold[c] {
			d.members[c] = append(d.members[c], i)
		}
	}
	if d.drawn == 0 {
		return nil, ErrNoGold
	}
	for m := range goldOf {
		d.strata[m.stratum].clusters++
	}
	if err := d.collapseStrata(len(goldIn)); err != nil {
		return nil, err
	}
	d.dof = max(1, len(goldIn)-len(d.groups))
	return d, nil
}

// collapseStrata makes each stratum a group, but strata with gold in fewer than 2 clusters go to the one
// with the most gold, or together if all are such. Units keep their weights; a mean that is not
// their own makes variances too large rather than too small (collapsed strata: Cochran,
// Sampling Techniques, 5A.12).
func (d *design) collapseStrata(clusters int) error {
	if clusters < 2 {
		return ErrFewGold
	}
	host := -1
	for h, s := range d.strata {
		switch {
		case s.drawn == 0:
			return ErrBareStratum
		case s.clusters >= 2 && (host < 0 || s.drawn > d.strata[host].drawn):
			host = h
		}
	}
	joint := -1 // the group of the host, or of all
	for h := range d.strata {
		s := &d.strata[h]
		joins := s.clusters < 2 || h == host
		if s.group = joint; !joins || joint < 0 {
			s.group = len(d.groups)
			d.groups = append(d.groups, group{})
		}
		if joins {
			joint = s.group
		}
		g := &d.groups[s.group]
		g.units, g.drawn = g.units+s.units, g.drawn+s.drawn
	}
	for i := range d.groups {
		g := &d.groups[i]
		g.spread = math.Sqrt(float64(g.drawn) / float64(g.drawn-1))
	}
	return nil
}

func numberOf(known map[int]int, key int) int {
	n, ok := known[key]
	if !ok {
		n = len(known)
		known[key] = n
	}
	return n
}

// weightOf returns 1/π of a unit.
func (d *design) weightOf(unit int) float64 {
	s := d.strata[d.stratum[unit]]
	return float64(s.units) / float64(s.drawn)
}
