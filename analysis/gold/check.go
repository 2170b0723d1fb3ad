package gold

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
)

// Check compares gold labels with their draws: no draw may be missing, and each coder's labels must
// be of all items of one draw and of nothing else. Damaged objects are skipped: lake.Verify finds
// them.
func Check(ctx context.Context, s store.Store, campaign string) ([]lake.Finding, error) {
	makers, err := makersOf(ctx, s, campaign)
	if errors.Is(err, store.ErrCorrupt) {
		return []lake.Finding{{Object: "gold labels", Problem: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	books, err := Books(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	for _, m := range makers {
		books = append(books, m.Book)
	}
	slices.Sort(books)
	var all []lake.Finding
	for _, book := range slices.Compact(books) {
		problems, err := checkBook(ctx, s, campaign, book, makers)
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return all, nil
}

// Books returns the ids of the code books for which a campaign has draws.
func Books(ctx context.Context, s store.Store, campaign string) ([]string, error) {
	return lake.Folders(ctx, s, lake.AboutKey(campaign, "gold/"))
}

func checkBook(ctx context.Context, s store.Store, campaign, book string,
	makers []Maker) (all []lake.Finding, err error) {
	makers = slices.DeleteFunc(slices.Clone(makers), func(m Maker) bool { return m.Book != book })
	stored, err := storedDraws(ctx, s, campaign, book)
	if err != nil {
		return nil, err
	}
	last := 0
	for _, n := range stored {
		last = max(last, n)
	}
	for _, m := range makers {
		last = max(last, m.Draw)
	}
	for n := 1; n <= last; n++ {
		coded := slices.DeleteFunc(slices.Clone(makers), func(m Maker) bool { return m.Draw != n })
		if !slices.Contains(stored, n) {
			text := "the draw is missing"
			if len(coded) > 0 {
				text += fmt.Sprintf(", and %s coded it: without the draw their labels correct nothing",
					wording.And(codersOf(coded)))
			} else {
				text += ", and later ones are there"
			}
			all = append(all, lake.Finding{Object: Key(campaign, book, n), Problem: text})
			continue
		}
		d, err := readDraw(ctx, s, campaign, book, n)
		if errors.Is(err, store.ErrCorrupt) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, m := range coded {
			g, err := readGiven(ctx, s, d, m)
			switch {
			case errors.Is(err, store.ErrCorrupt):
			case err != nil:
				return nil, err
			default:
				all = append(all, g.findProblems(d, m)...)
			}
		}
	}
	return all, nil
}

func (g given) findProblems(d Draw, m Maker) (all []lake.Finding) {
	object := fmt.Sprintf("gold labels of draw %d (%s) by %s", d.Number, d.CodeBook, m.Coder)
	if g.foreign > 0 {
		all = append(all, lake.Finding{Object: object,
			Problem: wording.Count(g.foreign, "row") +
				" of them: of no item of the draw, of one twice, or of another text than was drawn"})
	}
	if g.missing > 0 {
		all = append(all, lake.Finding{Object: object,
			Problem: fmt.Sprintf("%d of %d items have none; the same label --gold-from stores the rest, if the "+
				"command was interrupted", g.missing, d.Items())})
	}
	return all
}
