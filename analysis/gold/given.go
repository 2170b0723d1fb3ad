package gold

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Maker identifies who made gold labels: a coder, for one draw by one code book.
type Maker struct {
	Book  string
	Coder string
	Draw  int
	by    string
}

// By returns the name under which a coder's labels of a draw are committed.
func By(book, coder string, number int) string { return fmt.Sprintf("%s.%s.%d", book, coder, number) }

// makersOf returns all makers of a campaign's gold labels, by code book, draw and coder.
func makersOf(ctx context.Context, s store.Store, campaign string) ([]Maker, error) {
	names, err := lake.Annotators(ctx, s, record.Gold, campaign)
	if err != nil {
		return nil, err
	}
	var all []Maker
	for _, by := range names {
		parts := strings.Split(by, ".")
		m := Maker{by: by}
		if len(parts) == 3 {
			m.Book, m.Coder = parts[0], parts[1]
			m.Draw, err = strconv.Atoi(parts[2])
		}
		if len(parts) != 3 || err != nil || m.Draw < 1 {
			return nil, fmt.Errorf("gold labels by %q: %w: a code book, a coder and the number of a draw are expected",
				by, store.ErrCorrupt)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Maker) int {
		return cmp.Or(cmp.Compare(a.Book, b.Book), cmp.Compare(a.Draw, b.Draw), cmp.Compare(a.Coder, b.Coder))
	})
	return all, nil
}

// lostOf returns who has coded draws by a code book after the last one that is stored.
func lostOf(makers []Maker, book string, draws int) []Maker {
	return slices.DeleteFunc(slices.Clone(makers), func(m Maker) bool { return m.Book != book || m.Draw <= draws })
}

func codersOf(makers []Maker) []string {
	var all []string
	for _, m := range makers {
		all = append(all, m.Coder)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// itemKey is which message, or with entry -1 which collaboration, an item is.
type itemKey struct {
	lake.Run
	entry int
}

// hashesOfItems returns the hash of the text of each item.
func (d Draw) hashesOfItems() map[itemKey]string {
	all := map[itemKey]string{}
	for _, b := range d.Blocks {
		for _, i := range b.Items {
			all[itemKey{b.Run, i.Entry}] = i.Hash
		}
	}
	return all
}

// given is what a coder gave to a draw, held to its items.
type given struct {
	by      map[lake.Run][]Coded
	missing int // items without labels
	foreign int // labels of what is not an item of the draw, or of another text
}

// readGiven reads what a coder gave to a draw.
func readGiven(ctx context.Context, s store.Store, d Draw, m Maker) (g given, err error) {
	markers, err := lake.AnnotationMarkers(ctx, s, record.Gold, d.Campaign, m.by)
	if err != nil {
		return g, err
	}
	hashes := d.hashesOfItems()
	g.by = map[lake.Run][]Coded{}
	for row, err := range lake.ReadTable[record.GoldLabel](ctx, s, markers) {
		if err != nil {
			return g, err
		}
		var labels []string
		if err := json.Unmarshal([]byte(row.Labels), &labels); err != nil {
			return g, fmt.Errorf("gold label of entry %d of %s: %w: %w", row.Entry, row.CollaborationID,
				store.ErrCorrupt, err)
		}
		run := lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}
		key := itemKey{run, int(row.Entry)}
		if hash, ok := hashes[key]; !ok || hash != row.TextHash {
			g.foreign++
			continue
		}
		delete(hashes, key) // so that a second row of the item is foreign
		g.by[run] = append(g.by[run], Coded{int(row.Entry), int(row.Round), int(row.Agent), labels})
	}
	g.missing = len(hashes)
	return g, nil
}
