package acts

import (
	"cmp"
	"slices"

	"roundtable/analysis/lake/record"
)

// Kappa returns Cohen's kappa (1960) of two labellers who judged the same units:
// agreement beyond what their own frequencies make by chance. It is nil if
// there is no unit, or if chance alone would agree always (both give one and
// the same category throughout).
func Kappa[T comparable](a, b []T) *float64 {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	n := float64(len(a))
	same := 0.
	of := map[T][2]float64{}
	for i := range a {
		if a[i] == b[i] {
			same++
		}
		x := of[a[i]]
		of[a[i]] = [2]float64{x[0] + 1, x[1]}
		y := of[b[i]]
		of[b[i]] = [2]float64{y[0], y[1] + 1}
	}
	chance := 0. // counts are whole numbers: the order of a map does not matter
	for _, c := range of {
		chance += c[0] * c[1]
	}
	if chance == n*n {
		return nil
	}
	kappa := (same*n - chance) / (n*n - chance)
	return &kappa
}

// WeightedKappa returns Cohen's kappa (1968) of two scorers of the same units with
// quadratic weights: one minus the squared differences of their scores, over those that
// their own frequencies make by chance. It is nil if there is no unit, or if both give
// one and the same score throughout.
func WeightedKappa(a, b []float64) *float64 {
	if len(a) == 0 || len(a) != len(b) {
		return nil
	}
	observed, chance := 0., 0.
	for i, x := range a {
		observed += float64((x - b[i]) * (x - b[i]))
		for _, y := range b {
			chance += float64((x - y) * (x - y))
		}
	}
	if chance == 0 {
		return nil
	}
	return new(1 - float64(len(a))*observed/chance)
}

// Alpha returns Krippendorff's alpha (2011) of any number of labellers: one minus
// observed over expected disagreement. Each unit has the values that labellers
// gave it; missing ones are left out, and units with one value do not count.
// It is nil if fewer than two values can be paired, or if all values are alike.
func Alpha[T cmp.Ordered](units [][]T, distance func(a, b T) float64) *float64 {
	total := map[T]int{}
	observed, n := 0., 0
	for _, u := range units {
		if len(u) < 2 {
			continue
		}
		sum := 0.
		for i := range u {
			total[u[i]]++
			for j := range u[:i] {
				sum += 2 * distance(u[i], u[j])
			}
		}
		observed += sum / float64(len(u)-1)
		n += len(u)
	}
	expected := expectedDistance(total, distance)
	if n < 2 || expected == 0 {
		return nil
	}
	alpha := 1 - float64(n-1)*observed/expected
	return &alpha
}

// expectedDistance returns the sum over all ordered pairs of values.
func expectedDistance[T cmp.Ordered](total map[T]int, distance func(a, b T) float64) float64 {
	values := make([]T, 0, len(total))
	for v := range total {
		values = append(values, v)
	}
	slices.Sort(values) // sums of floats depend on their order
	sum := 0.
	for i, a := range values {
		for _, b := range values[:i] {
			sum += 2 * float64(total[a]) * float64(total[b]) * distance(a, b)
		}
	}
	return sum
}

// Nominal returns the nominal distance of two values: 0 if they are equal, else 1.
func Nominal[T comparable](a, b T) float64 {
	if a == b {
		return 0
	}
	return 1
}

// MASI returns the distance of two sets (Passonneau 2006): one minus their overlap (Jaccard) times
// their monotonicity, which is 1 if they are equal, 2/3 if one contains the other, 1/3 if they
// overlap, else 0.
func MASI(a, b Set) float64 {
	both, either := countActs(a&b), countActs(a|b)
	monotonicity := 1. / 3
	switch {
	case a == b:
		return 0
	case both == 0:
		return 1
	case a&b == a || a&b == b:
		monotonicity = 2. / 3
	}
	return 1 - float64(both)/float64(either)*monotonicity
}

// Agreement says how far two or more labellers agree on one act, or on all acts (Act "").
type Agreement struct {
	Act   string   `json:"act,omitempty"`
	Kappa *float64 `json:"kappa"` // Cohen's; of two labellers on one act
	Alpha *float64 `json:"alpha"` // Krippendorff's: nominal for one act, MASI for all
	Same  *float64 `json:"same"`  // share of units that all label alike
	Units int      `json:"units"` // with at least two labels
}

// Agree returns how labellers agree on the same messages, over all acts first and then on each.
// Each unit has one set a labeller, in the same order, empty if the labeller gave no label. Units
// with fewer than two labels do not count.
func Agree(units [][]Set) []Agreement {
	known := make([][]Set, 0, len(units))
	two := true // labellers, of which every unit has a set
	for _, u := range units {
		two = two && len(u) == 2
		u = slices.DeleteFunc(slices.Clone(u), func(s Set) bool { return s == 0 })
		if len(u) >= 2 {
			known = append(known, u)
		}
	}
	all := []Agreement{{Alpha: Alpha(known, MASI), Same: agreementOf(known), Units: len(known)}}
	for act := range N {
		judged := make([][]int, len(known))
		for i, u := range known {
			for _, s := range u {
				judged[i] = append(judged[i], int(s>>act&1))
			}
		}
		a := Agreement{Act: record.Acts[act], Alpha: Alpha(judged, Nominal), Same: agreementOf(judged),
			Units: len(judged)}
		if two {
			a.Kappa = kappaOf(judged)
		}
		all = append(all, a)
	}
	return all
}

func kappaOf(pairs [][]int) *float64 {
	var a, b []int
	for _, p := range pairs {
		a, b = append(a, p[0]), append(b, p[1])
	}
	return Kappa(a, b)
}

func agreementOf[T comparable](units [][]T) *float64 {
	if len(units) == 0 {
		return nil
	}
	n := 0
	for _, u := range units {
		if !slices.ContainsFunc(u, func(v T) bool { return v != u[0] }) {
			n++
		}
	}
	share := float64(n) / float64(len(units))
	return &share
}
