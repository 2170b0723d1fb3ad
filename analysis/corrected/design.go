package corrected

import "math"

// design is how the units were drawn, and how they hang together.
type design struct {
	cluster, stratum []int // by unit, from 0
	clusters         int
	strata           []stratum
	drawn, dof       int
	hasGold          []bool  // by cluster
	members          [][]int // units of the clusters that have gold
}

type stratum struct {
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
		d.cluster[i], d.stratum[i] = number(clusters, u.Cluster), number(strata, u.Stratum)
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
	clustersOf := make([]int, len(d.strata))
	for m := range goldOf {
		clustersOf[m.stratum]++
	}
	for h := range d.strata {
		s := &d.strata[h]
		if s.drawn < 2 || clustersOf[h] < 2 {
			return nil, ErrFewGold
		}
		s.spread = math.Sqrt(float64(s.drawn) / float64(s.drawn-1))
	}
	d.dof = max(1, len(goldIn)-len(d.strata))
	return d, nil
}

func number(known map[int]int, key int) int {
	n, ok := known[key]
	if !ok {
		n = len(known)
		known[key] = n
	}
	return n
}

// weight returns 1/π of a unit.
func (d *design) weight(unit int) float64 {
	s := d.strata[d.stratum[unit]]
	return float64(s.units) / float64(s.drawn)
}
