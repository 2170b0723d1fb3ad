// Package gold is about labels that people give by hand to a sample of what machines
// labelled: how the sample is drawn with known probabilities, and what came of it.
//
// What is drawn is a passage: two rounds of a collaboration that follow each other, all
// messages of both. So rates of single messages, acts that follow on each other and pairs of
// acts can all be corrected from one sample. Within a stratum, which is the collaborations
// of one condition that one draw found, passages are a simple random sample; a later draw
// adds to it, and what was drawn stays drawn.
package gold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
)

// Draw is a sample that is to be coded by hand. It is stored once and never changes.
type Draw struct {
	Campaign string    `json:"campaign"`
	CodeBook string    `json:"code_book"` // its id
	Labels   []string  `json:"labels"`    // that may be given
	Single   bool      `json:"single"`    // exactly one is given to each item; else one or more
	Whole    bool      `json:"whole"`     // collaborations are coded, not messages; then labels may be none
	Number   int       `json:"draw"`      // from 1
	Asked    int       `json:"asked"`     // items in all, those of earlier draws among them
	Seed     uint64    `json:"seed"`
	Strata   []Stratum `json:"strata"`
	Frame    []Framed  `json:"frame"`  // collaborations that this draw is the first to find
	Drawn    []Passage `json:"drawn"`  // by this draw
	Blocks   []Block   `json:"blocks"` // what coders are shown, in their order
}

// Stratum is the collaborations of a condition that one draw was the first to find.
type Stratum struct {
	Condition string `json:"condition"`
	Since     int    `json:"since"` // number of the draw
	Passages  int    `json:"passages"`
	Drawn     int    `json:"drawn"` // by this and all earlier draws
}

// Framed is a collaboration that could be drawn.
type Framed struct {
	lake.Run
	Condition string `json:"condition"`
	Passages  int    `json:"passages"`
}

// Passage is two rounds of a collaboration that follow each other.
type Passage struct {
	lake.Run
	Round int `json:"round"` // the later one; 1 where there is but one; 0 for a whole collaboration
}

// Block is what a coder reads at once: passages of a collaboration that touch each other.
type Block struct {
	lake.Run
	First int    `json:"first"` // round
	Last  int    `json:"last"`
	Items []Item `json:"items"`
}

// Item is a message to code, or a whole collaboration.
type Item struct {
	ID    string `json:"id"` // what coders see: it says nothing of whose message it is
	Entry int    `json:"entry"`
	Round int    `json:"round"`
	Agent int    `json:"agent"`
	Hash  string `json:"sha256"` // of its text
	Check string `json:"check"`  // binds what coders see to the draw
}

// Items returns how many items are to be coded.
func (d Draw) Items() int {
	n := 0
	for _, b := range d.Blocks {
		n += len(b.Items)
	}
	return n
}

// Rounds returns the earlier and the later round of a passage; the same where there is but one.
func (p Passage) Rounds() (first, last int) { return max(1, p.Round-1), p.Round }

// Of returns the passages of a collaboration.
func Of(run lake.Run, rounds int) []Passage {
	if rounds == 1 {
		return []Passage{{run, 1}}
	}
	var all []Passage
	for round := 2; round <= rounds; round++ {
		all = append(all, Passage{run, round})
	}
	return all
}

// Share returns what a round counts in each of the passages that it is part of, so that
// all together count it once.
func Share(round, rounds int) float64 {
	if round == 1 || round == rounds {
		return 1
	}
	return 0.5
}

func folder(campaign, book string) string { return lake.AboutKey(campaign, "gold/"+book+"/") }

// Key returns the name of a draw's object.
func Key(campaign, book string, number int) string {
	return fmt.Sprintf("%sdraw-%d.json", folder(campaign, book), number)
}

// By returns under which name a coder's labels of a draw are committed.
func By(book, coder string, number int) string { return fmt.Sprintf("%s.%s.%d", book, coder, number) }

// ReadDraws reads the draws of a campaign for a code book, in their order.
func ReadDraws(ctx context.Context, s storage.Store, campaign, book string) ([]Draw, error) {
	var all []Draw
	for number := 1; ; number++ {
		key := Key(campaign, book, number)
		data, err := s.Get(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var d Draw
		if err := lake.Unseal(key, data, &d); err != nil {
			return nil, err
		}
		if d.Campaign != campaign || d.CodeBook != book || d.Number != number {
			return nil, fmt.Errorf("%s: %w: it is draw %d of campaign %s for %s", key, storage.ErrCorrupt, d.Number, d.Campaign, d.CodeBook)
		}
		all = append(all, d)
	}
}

// WriteDraw stores a draw. One that is stored under its number already is an error that
// wraps storage.ErrExists, unless it is the same.
func WriteDraw(ctx context.Context, s storage.Store, d Draw) error {
	data, err := lake.Seal(d)
	if err != nil {
		return err
	}
	key := Key(d.Campaign, d.CodeBook, d.Number)
	err = s.PutIfAbsent(ctx, key, data)
	if errors.Is(err, storage.ErrExists) {
		if stored, other := s.Get(ctx, key); other == nil && slices.Equal(stored, data) {
			return nil
		}
	}
	return err
}

func compareRuns(a, b lake.Run) int {
	return cmp.Or(cmp.Compare(a.Collaboration, b.Collaboration), cmp.Compare(a.Generation, b.Generation))
}
