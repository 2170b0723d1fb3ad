package statistics

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// SignedRank is Wilcoxon's signed rank test of paired differences. Differences
// of 0 are left out.
type SignedRank struct {
	W     float64 `json:"w"` // the smaller of the sums of positive and of negative ranks
	N     int     `json:"n"` // without zeros
	Zeros int     `json:"zeros"`
	P     float64 `json:"p"`
	Exact bool    `json:"exact"`
}

// exactRanks is the most differences for which the distribution is enumerated, as in R.
const exactRanks = 50

// Wilcoxon tests differences d: exactly for at most 50 without ties, else by the normal approximation
// corrected for ties and continuity. Differences that differ only by rounding count as tied.
func Wilcoxon(d []float64) (SignedRank, error) {
	r, err := newRanks(d)
	switch {
	case err != nil:
		return SignedRank{}, err
	case r.n == 0:
		return SignedRank{Zeros: r.zeros, P: 1, Exact: true}, nil
	case r.n <= exactRanks && r.ties == 0:
		return r.exactTest(), nil
	}
	return r.normalTest()
}

type ranks struct {
	positive, negative float64
	n, zeros           int
	ties               float64 // Σ t³-t over groups of t equal differences
}

func newRanks(d []float64) (ranks, error) {
	if err := checkFinite(d); err != nil {
		return ranks{}, err
	}
	if len(d) == 0 {
		return ranks{}, fmt.Errorf("there are no differences to be ranked")
	}
	sorted := slices.DeleteFunc(evenOut(d), func(v float64) bool { return v == 0 })
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	r := ranks{n: len(sorted), zeros: len(d) - len(sorted)}
	for from := 0; from < r.n; {
		to := from
		for to < r.n && math.Abs(sorted[to]) == math.Abs(sorted[from]) {
			to++
		}
		size, rank := float64(to-from), float64(from+to+1)/2
		r.ties += size*size*size - size
		for _, v := range sorted[from:to] {
			if v > 0 {
				r.positive += rank
			} else {
				r.negative += rank
			}
		}
		from = to
	}
	return r, nil
}

// equal sums of the same terms in another order differ by less, as a share of them.
const equal = 1e-12

// exactTest counts the assignments of signs whose rank sum is as small (n ≤ 50, so they fit).
func (r ranks) exactTest() SignedRank {
	ways := make([]float64, r.n*(r.n+1)/2+1)
	ways[0] = 1
	for rank := 1; rank <= r.n; rank++ {
		for sum := len(ways) - 1; sum >= rank; sum-- {
			ways[sum] += ways[sum-rank]
		}
	}
	w := min(r.positive, r.negative)
	below := 0.0
	for sum := 0; sum <= int(w); sum++ {
		below += ways[sum]
	}
	return SignedRank{W: w, N: r.n, Zeros: r.zeros, P: min(1, 2*below/math.Exp2(float64(r.n))), Exact: true}
}

func (r ranks) normalTest() (SignedRank, error) {
	n := float64(r.n)
	variance := (n*(n+1)*(2*n+1) - r.ties/2) / 24
	if variance <= 0 {
		return SignedRank{}, fmt.Errorf("%d differences without spread cannot be ranked", r.n)
	}
	w := min(r.positive, r.negative)
	off := max(0, n*(n+1)/4-w-0.5)
	return SignedRank{W: w, N: r.n, Zeros: r.zeros, P: twoSidedZ(off / math.Sqrt(variance))}, nil
}

// exactFlips is the most differences of which all 2ⁿ signs are tried.
const exactFlips = 20

// SignFlip returns the two-sided p-value of the sign-flip permutation test that the mean of the paired
// differences d is 0. It enumerates all signs of at most 20 differences; for more it draws times assignments
// with the seed and returns (1+#)/(times+1).
func SignFlip(d []float64, times int, seed uint64) (float64, error) {
	if err := checkFinite(d); err != nil {
		return 0, err
	}
	if len(d) == 0 || len(d) > exactFlips && times < 100 {
		return 0, fmt.Errorf("%d differences and %d assignments of signs; at least 1 and 100 are needed", len(d), times)
	}
	d = evenOut(d)
	sum, scale := 0.0, 0.0
	for _, v := range d {
		sum, scale = sum+v, scale+math.Abs(v)
	}
	least := math.Abs(sum) - equal*scale
	if len(d) <= exactFlips {
		return allFlips(d, sum, least), nil
	}
	draw, as := rand.New(rand.NewPCG(seed, 0x7369676e)), 1
	for range times {
		flipped := 0.0
		var word uint64
		for i, v := range d {
			if i%64 == 0 {
				word = draw.Uint64()
			}
			flipped += v * float64(1-2*int(word>>(i%64)&1))
		}
		if math.Abs(flipped) >= least {
			as++
		}
	}
	return float64(as) / float64(times+1), nil
}

// allFlips goes through all signs in Gray code order, one change at a time.
func allFlips(d []float64, sum, least float64) float64 {
	signs := slices.Clone(d)
	as, all := 1, 1<<len(d)
	for code := 1; code < all; code++ {
		i := bits.TrailingZeros(uint(code))
		sum -= 2 * signs[i]
		signs[i] = -signs[i]
		if math.Abs(sum) >= least {
			as++
		}
	}
	return float64(as) / float64(all)
}
