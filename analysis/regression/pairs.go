package regression

import (
	"fmt"
	"math/bits"

	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/acts"
)

// Rare is the least number of rows that must show a pair, and that must not show it, for its coefficient to be
// fitted.
const Rare = 5

// Pairs is the design of paper 1's dialogue act regression (appendix D.7.1): one
// row for each collaboration and round from 2 whose score is defined, 0 or 1
// for each pair of acts in it, the score as outcome.
type Pairs struct {
	runs   []acts.Trajectory
	units  []int           // by collaboration, from 0: the units of one environment that are independent
	counts [][]acts.Counts // by collaboration and round from 2
	rows   []row
	y      []float64                         // score by row
	shown  [acts.PairCount]set               // rows that show the pair
	byRun  map[int]struct{ from, after int } // rows of a collaboration
}

type row struct{ run, round int }

// set of rows, one bit each.
type set []uint64

func (s set) hasBit(i int) bool { return s[i/64]>>(i%64)&1 == 1 }
func (s set) add(i int)         { s[i/64] |= 1 << (i % 64) }

// countInAll counts the rows that are in all three sets.
func countInAll(a, b, of set) int {
	n := 0
	for i, w := range a {
		n += bits.OnesCount64(w & b[i] & of[i])
	}
	return n
}

// NewPairs builds the design. A collaboration without labels is an error that names it.
func NewPairs(runs []acts.Trajectory) (*Pairs, error) {
	p := &Pairs{runs: runs, units: unitsOf(runs), counts: make([][]acts.Counts, len(runs)),
		byRun: map[int]struct{ from, after int }{}}
	missing := 0
	for _, t := range runs {
		if !t.IsLabelled() {
			missing++
		}
	}
	if missing > 0 {
		return nil, fmt.Errorf("%d of %d collaborations have rounds without dialogue acts; label them first",
			missing, len(runs))
	}
	for i, t := range runs {
		from := len(p.rows)
		for round := 2; round <= len(t.Rounds); round++ {
			counts, _ := t.Pairs(round)
			p.counts[i] = append(p.counts[i], counts)
			if g := t.ScoreAt(round); g != nil {
				p.rows, p.y = append(p.rows, row{i, round}), append(p.y, *g)
			}
		}
		p.byRun[i] = struct{ from, after int }{from, len(p.rows)}
	}
	p.markRows()
	return p, nil
}

// unitsOf numbers the units of trajectories in the order of their first ones.
func unitsOf(runs []acts.Trajectory) []int {
	index := map[[2]string]int{}
	units := make([]int, len(runs))
	for i, t := range runs {
		key := [2]string{t.Environment, t.Unit}
		n, ok := index[key]
		if !ok {
			n = len(index)
			index[key] = n
		}
		units[i] = n
	}
	return units
}

func (p *Pairs) markRows() {
	for c := range p.shown {
		p.shown[c] = p.emptySet()
	}
	for i, r := range p.rows {
		for c, n := range p.counts[r.run][r.round-2] {
			if n > 0 {
				p.shown[c].add(i)
			}
		}
	}
}

func (p *Pairs) emptySet() set { return make(set, (len(p.rows)+63)/64) }

// rowsOf returns the set of rows of some collaborations.
func (p *Pairs) rowsOf(runs []int) set {
	s := p.emptySet()
	for _, run := range runs {
		for i := p.byRun[run].from; i < p.byRun[run].after; i++ {
			s.add(i)
		}
	}
	return s
}

// Count returns how often a pair occurs in a round, from 2, of the collaboration with index run.
func (p *Pairs) Count(run, round int, pair acts.Pair) int {
	return int(p.counts[run][round-2][pair])
}

// Column is a fitted pair, with the later pairs that occur in exactly the same rows and cannot be told from
// it.
type Column struct {
	Pair acts.Pair
	Same []acts.Pair
}

// fittableColumns that can be fitted on some rows, and the pairs that are too rare or too common there.
func (p *Pairs) fittableColumns(of set) (kept []Column, dropped []acts.Pair) {
	n := countInAll(of, of, of)
	ones := map[acts.Pair]int{}
next:
	for pair := range acts.PairCount {
		ones[pair] = countInAll(p.shown[pair], p.shown[pair], of)
		if ones[pair] < Rare || n-ones[pair] < Rare {
			dropped = append(dropped, pair)
			continue
		}
		for i, k := range kept {
			if ones[k.Pair] == ones[pair] && countInAll(p.shown[k.Pair], p.shown[pair], of) == ones[pair] {
				kept[i].Same = append(kept[i].Same, pair)
				continue next
			}
		}
		kept = append(kept, Column{Pair: pair})
	}
	return kept, dropped
}

// designOf returns the design of some rows with their outcomes and collaborations.
func (p *Pairs) designOf(kept []Column) (names []string, x *mat.Dense) {
	x = mat.NewDense(len(p.rows), len(kept), nil)
	for j, c := range kept {
		names = append(names, c.Pair.String())
		for i := range p.rows {
			if p.shown[c.Pair].hasBit(i) {
				x.Set(i, j, 1)
			}
		}
	}
	return names, x
}
