package integrity

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// checkBooks holds labels of both kinds to the code books that say what they mean.
func (v *Verification) checkBooks(ctx context.Context, s store.Store) error {
	for _, key := range v.Uncommitted { // a marker is lost, or the command was interrupted and has to be repeated
		if strings.HasPrefix(key, "raw/"+record.Gold+"/") {
			v.find(key, "no marker names these gold labels, so no reader sees them; the same label --gold-from stores them, if the command was interrupted")
		}
	}
	books, err := v.usedBooks(ctx, s)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(books)) {
		if err := v.checkBook(ctx, s, id, books[id]); err != nil {
			return err
		}
	}
	return nil
}

// usedBooks returns the ids of the code books of draws and of labellers, and of all that are
// recorded; with the hash of the recorded book, where a draw has it.
func (v *Verification) usedBooks(ctx context.Context, s store.Store) (map[string]string, error) {
	books := map[string]string{}
	objects, err := s.List(ctx, campaign.BooksFolder(v.Campaign))
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		books[strings.TrimSuffix(strings.TrimPrefix(o.Key, campaign.BooksFolder(v.Campaign)), ".json")] = ""
	}
	ids, err := lake.AllLabellers(ctx, s, v.Campaign)
	if err != nil {
		return nil, err
	}
	for _, id := range ids { // one that cannot be read is found with its labels
		if l, err := campaign.ReadLabelling(ctx, s, v.Campaign, id); err == nil && l.CodeBook != nil {
			books[l.CodeBook.ID()] = ""
		}
	}
	drawn, err := gold.Books(ctx, s, v.Campaign)
	if err != nil {
		return nil, err
	}
	for _, id := range drawn {
		books[id] = ""
		draws, err := gold.ReadDraws(ctx, s, v.Campaign, id)
		if err != nil && !errors.Is(err, store.ErrCorrupt) { // that is found already
			return nil, err
		}
		for _, d := range draws {
			books[id] = cmp.Or(books[id], d.BookHash)
		}
	}
	return books, nil
}

func (v *Verification) checkBook(ctx context.Context, s store.Store, id, hash string) error {
	key := campaign.BookKey(v.Campaign, id)
	data, err := s.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		v.find(key, "the code book is missing: nothing says what labels by it mean")
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := campaign.DecodeBook(id, data); err != nil {
		v.find(key, err.Error())
	} else if hash != "" && hash != campaign.BookHash(data) {
		v.find(key, "it is not the code book that coders were shown: its hash is another than the draw's")
	}
	return nil
}
