package gold

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"roundtable/analysis/lake"
)

// Least is the least number of passages drawn from each stratum (all, if it has fewer), since fewer
// give no estimate of a variance.
const Least = 4

// Candidate is a collaboration that may be drawn.
type Candidate struct {
	lake.Run
	Condition string
	Rounds    int
	Messages  int
}

// Request says how many items to draw, and of what.
type Request struct {
	Campaign, CodeBook string
	Labels             []string
	Single, Whole      bool
	Asked              int // items in all, with those of earlier draws
	Seed               uint64
}

// New draws a sample from all. Passages of earlier draws stay drawn, and enough others are added to
// reach about r.Asked items. The draw has no Blocks yet, since these need the messages.
func New(r Request, all []Candidate, earlier []Draw) (Draw, error) {
	d := Draw{Campaign: r.Campaign, CodeBook: r.CodeBook, Labels: r.Labels, Single: r.Single, Whole: r.Whole,
		Number: len(earlier) + 1, Asked: r.Asked, Seed: r.Seed}
	if n := len(earlier); n > 0 {
		d.Seed = earlier[0].Seed
	}
	f := newFrame(d, all, earlier)
	if len(f.strata) == 0 {
		return d, fmt.Errorf("campaign %s has no succeeded collaboration with a message", r.Campaign)
	}
	if err := f.allocate(r.Asked); err != nil {
		return d, err
	}
	d.Frame = f.found
	for _, s := range f.strata {
		d.Drawn = append(d.Drawn, s.draw(d.Seed)...)
		d.Strata = append(d.Strata, s.Stratum)
	}
	if len(d.Drawn) == 0 {
		return d, fmt.Errorf("%d items are drawn already, of %d that are asked for; ask for more",
			itemsOf(earlier), r.Asked)
	}
	return d, nil
}

func itemsOf(draws []Draw) int {
	n := 0
	for _, d := range draws {
		n += d.Items()
	}
	return n
}

// frame is what may be drawn, in strata.
type frame struct {
	strata []*openStratum
	found  []Framed // for the first time
	items  float64  // of all passages together, each item counted in each
	units  int
}

type openStratum struct {
	Stratum
	left  []Passage // not drawn yet
	extra int       // to draw now
}

func newFrame(d Draw, all []Candidate, earlier []Draw) *frame {
	since, drawn := map[lake.Run]int{}, map[Passage]bool{}
	for _, e := range earlier {
		for _, f := range e.Frame {
			since[f.Run] = e.Number
		}
		for _, p := range e.Drawn {
			drawn[p] = true
		}
	}
	f := &frame{}
	strata := map[string]*openStratum{}
	for _, c := range slices.SortedFunc(slices.Values(all), func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Condition, b.Condition), compareRuns(a.Run, b.Run))
	}) {
		passages := d.passagesOf(c)
		if len(passages) == 0 {
			continue
		}
		number, known := since[c.Run]
		if !known {
			number = d.Number
			f.found = append(f.found, Framed{c.Run, c.Condition, len(passages)})
		}
		key := fmt.Sprintf("%s %d", c.Condition, number)
		s := strata[key]
		if s == nil {
			s = &openStratum{Stratum: Stratum{Condition: c.Condition, Since: number}}
			strata[key] = s
			f.strata = append(f.strata, s)
		}
		s.Passages += len(passages)
		f.units, f.items = f.units+len(passages), f.items+d.itemsOf(c, passages)
		for _, p := range passages {
			if drawn[p] {
				s.Drawn++
			} else {
				s.left = append(s.left, p)
			}
		}
	}
	return f
}

func (d Draw) passagesOf(c Candidate) []Passage {
	switch {
	case c.Messages == 0:
		return nil
	case d.Whole:
		return []Passage{{c.Run, 0}}
	}
	return Of(c.Run, c.Rounds)
}

// itemsOf all passages of a collaboration together: rounds in the middle count twice.
func (d Draw) itemsOf(c Candidate, passages []Passage) float64 {
	if d.Whole {
		return 1
	}
	halves := 0.0
	for _, p := range passages {
		first, last := p.Rounds()
		halves += float64(last - first + 1)
	}
	return float64(c.Messages) * halves / float64(c.Rounds)
}

// allocate divides the passages that about some items make among the strata, as evenly as
// their sizes and what is drawn permit.
func (f *frame) allocate(items int) error {
	each := f.items / float64(f.units)
	want := int(float64(items) / each)
	floor := 0
	for _, s := range f.strata {
		floor += max(s.Drawn, min(Least, s.Passages))
	}
	if want < floor {
		return fmt.Errorf("%d items make about %d passages of %.1f, for %d strata (conditions, by the draw that "+
			"found them); at least %d of each are needed: ask for %d or more", items, want, each, len(f.strata), Least,
			int(float64(floor+1)*each)+1)
	}
	for _, s := range f.strata {
		s.extra = max(0, min(Least, s.Passages)-s.Drawn)
	}
	for left := want - floor; left > 0; left-- {
		next := slices.MinFunc(f.strata, func(a, b *openStratum) int {
			return cmp.Or(cmp.Compare(a.countFull(), b.countFull()), cmp.Compare(a.Drawn+a.extra, b.Drawn+b.extra))
		})
		if next.countFull() == 1 {
			break
		}
		next.extra++
	}
	return nil
}

// countFull returns 1 if nothing of the stratum is left to draw.
func (s *openStratum) countFull() int {
	if s.extra >= len(s.left) {
		return 1
	}
	return 0
}

// draw takes the passages with the smallest random numbers: a simple random sample.
func (s *openStratum) draw(seed uint64) []Passage {
	byChance(seed, "draw", s.left)
	s.Drawn += s.extra
	return s.left[:s.extra]
}

// byChance orders passages by a number that the seed gives to each, whatever the others are.
func byChance(seed uint64, purpose string, all []Passage) {
	numbers := make(map[Passage]uint64, len(all))
	for _, p := range all {
		numbers[p] = chanceOf(seed, purpose, p)
	}
	slices.SortFunc(all, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), compareRuns(a.Run, b.Run), cmp.Compare(a.Round, b.Round))
	})
}

func chanceOf(seed uint64, purpose string, p Passage) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%d\x00%d", seed, purpose, p.Collaboration,
		p.Generation, p.Round))
	return binary.BigEndian.Uint64(sum[:])
}

// Arrange returns the blocks of the draw in random order, without items: adjacent passages are one
// block, so that no message is coded twice.
func (d Draw) Arrange() []Block {
	byRun := map[lake.Run][]Passage{}
	for _, p := range d.Drawn {
		byRun[p.Run] = append(byRun[p.Run], p)
	}
	var blocks []Block
	for _, run := range slices.SortedFunc(maps.Keys(byRun), compareRuns) {
		passages := byRun[run]
		slices.SortFunc(passages, func(a, b Passage) int { return cmp.Compare(a.Round, b.Round) })
		for i, p := range passages {
			first, last := p.Rounds()
			if n := len(blocks) - 1; i > 0 && first <= blocks[n].Last {
				blocks[n].Last = last
				continue
			}
			blocks = append(blocks, Block{Run: run, First: first, Last: last})
		}
	}
	slices.SortStableFunc(blocks, func(a, b Block) int {
		return cmp.Compare(chanceOf(d.Seed, "order", Passage{a.Run, a.First}),
			chanceOf(d.Seed, "order", Passage{b.Run, b.First}))
	})
	return blocks
}
