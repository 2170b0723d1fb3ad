package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// Labelling says who labels messages, and how. The labeller's id depends on all of it but the price
// and the model's address, so that labels by different prompts are never mixed up.
type Labelling struct {
	Labeller plan.Choice   `json:"labeller"`
	Generate plan.Generate `json:"generate"`
	Reasks   int           `json:"reasks"` // after answers that could not be read
	Words    string        `json:"words"`  // what the labeller is told
	// CodeBook says what it labels; nil is the dialogue acts.
	CodeBook *Book  `json:"code_book,omitempty"`
	Price    *Price `json:"price,omitempty"`
}

// NewLabelling returns the Labelling that a campaign file's labels section asks for; words are the
// instructions, and a nil price is unknown.
func NewLabelling(l plan.Labels, words string, price *Price) *Labelling {
	return &Labelling{Labeller: l.Model, Generate: l.Generate, Reasks: l.Reasks, Words: words, Price: price}
}

// Keep sets l's words to those of recorded, its earlier record, since built-in words may change
// with an upgrade. It does nothing if recorded is another labeller.
func (l *Labelling) Keep(recorded *Labelling) {
	if l == nil || recorded == nil {
		return
	}
	same := *l
	if same.Words = recorded.Words; same.ID() == recorded.ID() {
		l.Words = recorded.Words
	}
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// ID returns the labeller's id: its model's name and 8 digits of a hash, after the code book's name
// and a dot unless that is of the acts.
func (l Labelling) ID() string {
	l.Price, l.Labeller = nil, l.Labeller.WithoutAddress()
	data, err := json.Marshal(l)
	if err != nil {
		panic("campaign: " + err.Error()) // its parameters are valid JSON
	}
	sum := sha256.Sum256(data)
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(l.Labeller.Name), "-"), "-")
	id := name[:min(len(name), 60)] + "-" + hex.EncodeToString(sum[:4])
	if l.CodeBook != nil {
		id = l.CodeBook.Name + lake.BookEnd + id
	}
	return id
}

// LabellingKey returns the key of a labeller's record.
func LabellingKey(campaign, id string) string {
	return lake.AboutKey(campaign, "labellers/"+id+".json")
}

// WriteLabelling records a labeller of a campaign. Only its price may change later.
func WriteLabelling(ctx context.Context, s store.Store, campaign string, l Labelling) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return s.Replace(ctx, LabellingKey(campaign, l.ID()), append(data, '\n'), "")
}

// ReadLabelling returns the record of a labeller, by its id.
func ReadLabelling(ctx context.Context, s store.Store, campaign, id string) (l Labelling, err error) {
	data, err := s.Get(ctx, LabellingKey(campaign, id))
	if err != nil {
		return l, err
	}
	if err = json.Unmarshal(data, &l); err == nil && l.ID() != id {
		err = errors.New("it is the record of another labeller")
	}
	if err != nil {
		return l, fmt.Errorf("%s: %w", LabellingKey(campaign, id), err)
	}
	return l, nil
}
