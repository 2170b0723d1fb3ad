package labelling

import (
	"fmt"
	"strings"

	"roundtable/analysis/gold"
)

// place is where an item is in a draw: in which block, and as which of its messages, both from 1;
// a whole collaboration is not a message.
type place struct{ block, message int }

// placeID is what coders see. It has letters, because spreadsheets take 1.10 for the number 1.1.
func (p place) placeID() string {
	if p.message == 0 {
		return fmt.Sprintf("c%d", p.block)
	}
	return fmt.Sprintf("p%d-m%d", p.block, p.message)
}

// checkMark begins a check, so that no spreadsheet takes its digits for a number.
const checkMark = "k"

// checkOf binds an item and the text that coders see of it to a draw.
func checkOf(d gold.Draw, p place, shown string) string {
	return checkMark + hash(strings.Join([]string{d.Campaign, d.CodeBook, fmt.Sprint(d.Number), p.placeID(),
		shown}, "\x00"))[:12]
}

// plainCheck returns a check as it is compared.
func plainCheck(check string) string {
	return strings.ToLower(strings.TrimSpace(check))
}

// drawn is an item of a draw with its place.
type drawn struct {
	gold.Item
	place place
}

// items finds the items of a draw by what tables say of them.
type items struct {
	draw    gold.Draw
	all     []drawn
	byCheck map[string]int
	byID    map[string]int
}

func itemsOf(d gold.Draw) items {
	s := items{draw: d, byCheck: map[string]int{}, byID: map[string]int{}}
	for n, b := range d.Blocks {
		for m, i := range b.Items {
			at := place{n + 1, m + 1}
			if d.Whole {
				at.message = 0
			}
			s.byCheck[plainCheck(i.Check)] = len(s.all)
			s.byID[at.placeID()] = len(s.all)
			s.all = append(s.all, drawn{i, at})
		}
	}
	return s
}

// checkAt returns the check of the item at a place.
func (s items) checkAt(p place) string {
	if n, ok := s.byID[p.placeID()]; ok {
		return s.all[n].Check
	}
	return ""
}

// find returns the item that a row is about. Its check says which, whatever became of its id; but
// an id that is clearly another item's means that cells were moved.
func (s items) find(r row) (int, error) {
	at, bound := s.byCheck[plainCheck(r.check)]
	named, known := s.byID[strings.ToLower(r.id)]
	switch {
	case bound && known && named != at:
		return 0, fmt.Errorf("its check is that of item %s: cells of the table were moved against each other",
			s.all[at].place.placeID())
	case bound:
		return at, nil
	case known:
		return 0, fmt.Errorf("its check is %q, that of draw %d is %q: it is of another draw, campaign or code book, or was moved", r.shownCheck(), s.draw.Number, s.all[named].Check)
	}
	return 0, fmt.Errorf("draw %d has no such item", s.draw.Number)
}
