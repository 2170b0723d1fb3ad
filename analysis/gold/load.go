package gold

import (
	"context"
	"maps"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Acts is the id of the code book of the dialogue acts.
const Acts = "acts"

// Adjudicated is the coder whose labels replace all others': what several coders agreed on after
// each had coded alone. Without it, figures are means over the coders.
const Adjudicated = "adjudicated"

// Coded is the labels that one coder gave one item.
type Coded struct {
	Entry  int
	Round  int
	Agent  int
	Labels []string
}

// Coding holds the labels of a draw: each coder has labelled all of its items.
type Coding struct {
	Coders []string // in alphabetical order
	Each   []map[lake.Run][]Coded
}

// Sample is what was coded of a campaign: the draws up to the first one without labels.
type Sample struct {
	Draws   []Draw
	Codings []Coding // of the draws
	Waiting int      // draws that no coder has coded yet
	// coders whose labels are stored in part only: the command that stores them was interrupted, or some are lost
	Partial []string
	Foreign []string // coders whose labels are of other items than the draw that is stored
	Lost    []string // coders of draws that are not stored any more
	stratum map[lake.Run]int
	drawn   map[Passage]int // index of the draw
}

// Load returns a campaign's draws for a code book with the coders' labels; without draws the sample
// is empty.
func Load(ctx context.Context, s store.Store, campaign, book string) (*Sample, error) {
	draws, err := ReadDraws(ctx, s, campaign, book)
	if err != nil {
		return nil, err
	}
	makers, err := makersOf(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	a := &Sample{stratum: map[lake.Run]int{}, drawn: map[Passage]int{},
		Lost: codersOf(lostOf(makers, book, len(draws)))}
	strata := map[Stratum]int{}
	for i, d := range draws {
		c, err := a.loadCoding(ctx, s, d, makers)
		if err != nil {
			return nil, err
		}
		if len(c.Coders) == 0 {
			a.Waiting = len(draws) - i
			break
		}
		a.Draws, a.Codings = append(a.Draws, d), append(a.Codings, c)
		for _, f := range d.Frame {
			key := Stratum{Condition: f.Condition, Since: d.Number}
			n, ok := strata[key]
			if !ok {
				n = len(strata)
				strata[key] = n
			}
			a.stratum[f.Run] = n
		}
		for _, p := range d.Drawn {
			a.drawn[p] = i
		}
	}
	return a, nil
}

func (a *Sample) loadCoding(ctx context.Context, s store.Store, d Draw, makers []Maker) (c Coding, err error) {
	for _, m := range makers {
		if m.Book != d.CodeBook || m.Draw != d.Number {
			continue
		}
		given, err := readGiven(ctx, s, d, m)
		switch {
		case err != nil:
			return c, err
		case given.foreign > 0:
			a.Foreign = append(a.Foreign, m.Coder)
		case given.missing > 0:
			a.Partial = append(a.Partial, m.Coder)
		default:
			c.Coders, c.Each = append(c.Coders, m.Coder), append(c.Each, given.by)
		}
	}
	return c, nil
}

// IsEmpty reports whether nothing is coded.
func (a *Sample) IsEmpty() bool { return a == nil || len(a.Draws) == 0 }

// Stratum returns the number of a run's stratum; false if it could not have been drawn.
func (a *Sample) Stratum(run lake.Run) (int, bool) {
	if a == nil {
		return 0, false
	}
	n, ok := a.stratum[run]
	return n, ok
}

// Of returns each coder's labels of a passage; nil if it was not drawn. If there are labels of
// Adjudicated, only these.
func (a *Sample) Of(p Passage) [][]Coded {
	if a == nil {
		return nil
	}
	i, ok := a.drawn[p]
	if !ok {
		return nil
	}
	first, last := p.Rounds()
	var all [][]Coded
	for _, by := range a.Codings[i].countedCodings() {
		var within []Coded
		for _, c := range by[p.Run] {
			if p.Round == 0 || c.Round >= first && c.Round <= last {
				within = append(within, c)
			}
		}
		all = append(all, within)
	}
	return all
}

// countedCodings returns the codings that figures rest on.
func (c Coding) countedCodings() []map[lake.Run][]Coded {
	if i := slices.Index(c.Coders, Adjudicated); i >= 0 {
		return c.Each[i : i+1]
	}
	return c.Each
}

// Items returns how many items are coded, each once however many draws it is in.
func (a *Sample) Items() int {
	seen := map[itemKey]string{}
	for _, d := range a.Draws {
		maps.Copy(seen, d.hashesOfItems())
	}
	return len(seen)
}

// Coders returns everyone who coded in the sample.
func (a *Sample) Coders() []string {
	var all []string
	for _, c := range a.Codings {
		all = append(all, c.Coders...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
