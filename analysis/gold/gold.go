// Package gold is about labels that people give by hand to a sample of what machines
// labelled: how the sample is drawn with known probabilities, what came of it, and what it
// corrects: rates, ratios and least-squares coefficients from labels that err.
//
// What is drawn is a passage: two rounds of a collaboration that follow each other, all
// messages of both. So rates of single messages, acts that follow on each other and pairs of
// acts can all be corrected from one sample. Within a stratum, which is the collaborations
// of one condition that one draw found, passages are a simple random sample; a later draw
// adds to it, and what was drawn stays drawn.
//
// Machine labels of all units bring precision, gold labels of the sample remove their errors,
// whatever these depend on: no model of the errors is assumed.
//
// Every quantity is the solution θ of linear moment equations Σ(b − Gθ) = 0: of a ratio, G and
// b are its denominator and numerator; of least squares, X'X and X'y. A unit's moments m are
// replaced by m̂·λ + (m − λ·m̂)·R/π, where m̂ comes from the machine's labels, m from gold, R
// says whether the unit was drawn and π is the probability of that. With λ = 1 this is
// design-based supervised learning (Egami, Hinck, Stewart and Wei 2023, arXiv 2306.04746) on moments,
// so that labels may be regressors, and products of labels need no independent errors; with λ
// = 0 it is gold alone. λ is tuned for each estimate to the smallest variance (PPI++:
// Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453).
//
// Estimates know numbers only. What cannot be estimated is an error that says why.
package gold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Draw is a sample that is to be coded by hand. It is stored once and never changes.
type Draw struct {
	Campaign string    `json:"campaign"`
	CodeBook string    `json:"code_book"`        // its id
	BookHash string    `json:"code_book_sha256"` // of the code book as it is recorded
	Labels   []string  `json:"labels"`           // that may be given
	Single   bool      `json:"single"`           // exactly one is given to each item; else one or more
	Whole    bool      `json:"whole"`            // collaborations are coded, not messages; then labels may be none
	Number   int       `json:"draw"`             // from 1
	Asked    int       `json:"asked"`            // items in all, those of earlier draws among them
	Seed     uint64    `json:"seed"`
	Strata   []Stratum `json:"strata"`
	Frame    []Framed  `json:"frame"`  // collaborations that this draw is the first to find
	Drawn    []Passage `json:"drawn"`  // by this draw
	Blocks   []Block   `json:"blocks"` // what coders are shown, in their order
}

// Stratum is the collaborations of a condition that were first found by the same draw.
type Stratum struct {
	Condition string `json:"condition"`
	Since     int    `json:"since"` // number of the draw
	Passages  int    `json:"passages"`
	Drawn     int    `json:"drawn"` // by this and all earlier draws
}

// Framed is a collaboration that could have been drawn.
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

// Block is what a coder reads at once: adjacent passages of a collaboration.
type Block struct {
	lake.Run
	First int    `json:"first"` // round
	Last  int    `json:"last"`
	Items []Item `json:"items"`
}

// Item is a message to code, or a whole collaboration.
type Item struct {
	ID    string `json:"id"` // shown to coders: it does not tell whose message it is
	Entry int    `json:"entry"`
	Round int    `json:"round"`
	Agent int    `json:"agent"`
	Hash  string `json:"sha256"` // of its text
	Check string `json:"check"`  // hash that ties what coders saw to the draw
}

// Items returns how many items are to be coded in this draw.
func (d Draw) Items() int {
	n := 0
	for _, b := range d.Blocks {
		n += len(b.Items)
	}
	return n
}

// Lone returns the conditions in which draws found only one collaboration. The variance between
// collaborations cannot be estimated there, so they get no corrected figures of their own.
func Lone(draws []Draw) []string {
	found := map[string]int{}
	for _, d := range draws {
		for _, f := range d.Frame {
			found[f.Condition]++
		}
	}
	maps.DeleteFunc(found, func(_ string, n int) bool { return n > 1 })
	return slices.Sorted(maps.Keys(found))
}

// Rounds returns the first and the last round of a passage; they are equal if it has one only.
func (p Passage) Rounds() (first, last int) { return max(1, p.Round-1), p.Round }

// Of returns the passages of a run with this many rounds.
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

// Share returns the weight of a round in each of the passages that contain it, so that they add up
// to 1.
func Share(round, rounds int) float64 {
	if round == 1 || round == rounds {
		return 1
	}
	return 0.5
}

func folderOf(campaign, book string) string { return lake.AboutKey(campaign, "gold/"+book+"/") }

// Key returns the key of the object that holds a draw.
func Key(campaign, book string, number int) string {
	return fmt.Sprintf("%sdraw-%d.json", folderOf(campaign, book), number)
}

// ReadDraws returns a campaign's draws for a code book, by number. A gap is an error, since all
// figures rest on the first draw.
func ReadDraws(ctx context.Context, s store.Store, campaign, book string) ([]Draw, error) {
	numbers, err := storedDraws(ctx, s, campaign, book)
	if err != nil {
		return nil, err
	}
	var all []Draw
	for i, n := range numbers {
		if n != i+1 {
			return nil, fmt.Errorf("%s is missing, and draw %d is there: %w", Key(campaign, book, i+1), n,
				store.ErrCorrupt)
		}
		d, err := readDraw(ctx, s, campaign, book, n)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// storedDraws returns the numbers of the draws that are stored, ascending.
func storedDraws(ctx context.Context, s store.Store, campaign, book string) ([]int, error) {
	objects, err := lake.List(ctx, s, folderOf(campaign, book))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, o := range objects {
		var n int
		if _, err := fmt.Sscanf(path.Base(o.Key), "draw-%d.json", &n); err == nil && o.Key == Key(campaign, book, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func readDraw(ctx context.Context, s store.Store, campaign, book string, number int) (d Draw, err error) {
	key := Key(campaign, book, number)
	data, err := s.Get(ctx, key)
	if err != nil {
		return d, err
	}
	if err := lake.Unseal(key, data, &d); err != nil {
		return d, err
	}
	if d.Campaign != campaign || d.CodeBook != book || d.Number != number {
		return d, fmt.Errorf("%s: %w: it is draw %d of campaign %s for %s", key, store.ErrCorrupt, d.Number,
			d.Campaign, d.CodeBook)
	}
	return d, nil
}

// LostCoders returns who coded draws with numbers above draws, which are lost: a new draw of such a
// number would get labels of other items.
func LostCoders(ctx context.Context, s store.Store, campaign, book string, draws int) ([]Maker, error) {
	makers, err := makersOf(ctx, s, campaign)
	return lostOf(makers, book, draws), err
}

// WriteDraw stores d. If another draw has its number, the error wraps store.ErrExists.
func WriteDraw(ctx context.Context, s store.Store, d Draw) error {
	key := Key(d.Campaign, d.CodeBook, d.Number)
	data, err := lake.Seal(key, d)
	if err != nil {
		return err
	}
	err = s.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) {
		if stored, other := s.Get(ctx, key); other == nil && slices.Equal(stored, data) {
			return nil
		}
	}
	return err
}

func compareRuns(a, b lake.Run) int {
	return cmp.Or(cmp.Compare(a.Collaboration, b.Collaboration), cmp.Compare(a.Generation, b.Generation))
}
