package gold

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
)

// Acts is the id of the code book of the dialogue acts.
const Acts = "acts"

// Adjudicated is the coder whose labels stand for all: what several agreed on after they
// had coded each for themselves. Without, figures are means over the coders.
const Adjudicated = "adjudicated"

// Coded is what one coder says of one item.
type Coded struct {
	Entry  int
	Round  int
	Agent  int
	Labels []string
}

// Coding is the labels that coders gave to a draw, each of them to all of its items.
type Coding struct {
	Coders []string // in alphabetical order
	Each   []map[lake.Run][]Coded
}

// Sample is what is coded of a campaign: the first draws, up to one without labels.
type Sample struct {
	Draws   []Draw
	Codings []Coding // of the draws
	Waiting int      // draws that no coder has coded yet
	Partial []string // coders whose labels are stored in part only: the command that stores them was interrupted
	stratum map[lake.Run]int
	drawn   map[Passage]int // index of the draw
}

// Load reads the draws of a campaign for a code book and what coders gave. Without any the
// sample is empty.
func Load(ctx context.Context, s storage.Store, campaign, book string) (*Sample, error) {
	draws, err := ReadDraws(ctx, s, campaign, book)
	if err != nil {
		return nil, err
	}
	a := &Sample{stratum: map[lake.Run]int{}, drawn: map[Passage]int{}}
	strata := map[Stratum]int{}
	for i, d := range draws {
		c, partial, err := loadCoding(ctx, s, d)
		if err != nil {
			return nil, err
		}
		a.Partial = append(a.Partial, partial...)
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

func loadCoding(ctx context.Context, s storage.Store, d Draw) (c Coding, partial []string, err error) {
	makers, err := lake.Annotators(ctx, s, record.Gold, d.Campaign)
	if err != nil {
		return c, nil, err
	}
	for _, coder := range CodersOf(makers, d) {
		markers, err := lake.AnnotationMarkers(ctx, s, record.Gold, d.Campaign, By(d.CodeBook, coder, d.Number))
		if err != nil {
			return c, nil, err
		}
		by, n := map[lake.Run][]Coded{}, 0
		for row, err := range lake.ReadTable[record.GoldLabel](ctx, s, markers) {
			if err != nil {
				return c, nil, err
			}
			var labels []string
			if err := json.Unmarshal([]byte(row.Labels), &labels); err != nil {
				return c, nil, fmt.Errorf("gold label of entry %d of %s: %w", row.Entry, row.CollaborationID, err)
			}
			run := lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}
			by[run] = append(by[run], Coded{int(row.Entry), int(row.Round), int(row.Agent), labels})
			n++
		}
		if n < d.Items() {
			partial = append(partial, coder)
			continue
		}
		c.Coders, c.Each = append(c.Coders, coder), append(c.Each, by)
	}
	return c, partial, nil
}

// CodersOf returns who, of all makers of gold labels, has coded a draw.
func CodersOf(makers []string, d Draw) []string {
	var coders []string
	for _, by := range makers {
		rest, ok := strings.CutPrefix(by, d.CodeBook+".")
		coder, number, found := strings.Cut(rest, ".")
		if ok && found && number == fmt.Sprint(d.Number) {
			coders = append(coders, coder)
		}
	}
	slices.Sort(coders)
	return coders
}

// Empty reports whether nothing is coded.
func (a *Sample) Empty() bool { return a == nil || len(a.Draws) == 0 }

// Stratum returns the number of a collaboration's stratum; false if it could not be drawn.
func (a *Sample) Stratum(run lake.Run) (int, bool) {
	if a == nil {
		return 0, false
	}
	n, ok := a.stratum[run]
	return n, ok
}

// Of returns what each coder says of the items of a passage; nil if it was not drawn. Where
// coders have adjudicated, it is that alone.
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
	for _, by := range a.Codings[i].counted() {
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

// counted returns the codings that figures rest on.
func (c Coding) counted() []map[lake.Run][]Coded {
	if i := slices.Index(c.Coders, Adjudicated); i >= 0 {
		return c.Each[i : i+1]
	}
	return c.Each
}

// Items returns how many items are coded, each once however many draws it is in.
func (a *Sample) Items() int {
	type item struct {
		lake.Run
		entry int
	}
	seen := map[item]bool{}
	for _, d := range a.Draws {
		for _, b := range d.Blocks {
			for _, i := range b.Items {
				seen[item{b.Run, i.Entry}] = true
			}
		}
	}
	return len(seen)
}

// Coders returns everyone who has coded.
func (a *Sample) Coders() []string {
	var all []string
	for _, c := range a.Codings {
		all = append(all, c.Coders...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
