package campaign

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// ActsBook is the name and the id of the code book of the dialogue acts, whose labels the tables
// about acts use.
const ActsBook = "acts"

// Units of code books: what is given labels.
const (
	UnitMessage       = "message"
	UnitCollaboration = "collaboration"
)

// Book is a code book.
type Book struct {
	Name   string      `json:"name"`
	Source string      `json:"source,omitempty"` // where the labels come from
	Unit   string      `json:"unit"`             // message or collaboration
	Choice string      `json:"choice"`           // one label each, or any number
	About  string      `json:"about,omitempty"`  // what coders must know besides
	Labels []BookLabel `json:"labels"`
}

// Choices of code books: how many labels a unit has.
const (
	OneLabel  = "one"
	AnyLabels = "any"
)

// BookLabel is one label of a code book.
type BookLabel struct {
	Name       string   `json:"name"`
	Definition string   `json:"definition"`
	Examples   []string `json:"examples,omitempty"`
	Number     string   `json:"number,omitempty"`   // in its source; labels may be given by it
	Category   string   `json:"category,omitempty"` // to which the label belongs
	Alone      bool     `json:"alone,omitempty"`    // no other label may be given with it, e.g. "nothing applies"
}

//go:embed books/*.yaml
var books embed.FS

// BuiltInBooks returns the names of the built-in code books, in alphabetical order.
func BuiltInBooks() []string {
	files, err := books.ReadDir("books")
	if err != nil {
		panic("codebook: " + err.Error()) // it is compiled in
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// LoadBuiltInBook returns the built-in code book of this name; false if there is none.
func LoadBuiltInBook(name string) (Book, bool) {
	data, err := books.ReadFile("books/" + name + ".yaml")
	if err != nil {
		return Book{}, false
	}
	b, err := ParseBook(name+".yaml", data)
	if err != nil {
		panic("codebook: " + err.Error()) // a test reads all of them
	}
	return b, true
}

// ID returns the book's id: its name and 8 digits of a hash of its content, so that labels by
// different wordings are never mixed up. That of the acts is only their name, since they are
// columns of the table labels.
func (b Book) ID() string {
	if b.IsActs() {
		return ActsBook
	}
	data, err := json.Marshal(b)
	if err != nil {
		panic("codebook: " + err.Error()) // texts always marshal
	}
	sum := sha256.Sum256(data)
	return b.Name + "-" + hex.EncodeToString(sum[:4])
}

// IsActs reports whether it is the code book of the dialogue acts.
func (b Book) IsActs() bool { return b.Name == ActsBook }

// Names returns the names of the labels, in order.
func (b Book) Names() []string {
	names := make([]string, len(b.Labels))
	for i, l := range b.Labels {
		names[i] = l.Name
	}
	return names
}

// NoLabel says that a unit was looked at and no label applies, in books without a label of this
// name.
const NoLabel = "none"

// CanBeNone reports whether a unit may have no label, which is coded as NoLabel.
func (b Book) CanBeNone() bool {
	return b.Unit == UnitCollaboration && b.Choice == AnyLabels && b.find(NoLabel) < 0
}

// find returns the index of the label with a name or a number, whatever its capitals; -1 if there is none.
func (b Book) find(name string) int {
	name = strings.TrimSpace(name)
	return slices.IndexFunc(b.Labels, func(l BookLabel) bool {
		return strings.EqualFold(l.Name, name) || l.Number != "" && strings.EqualFold(l.Number, name)
	})
}

// Read checks the labels given to one unit, by name or number, and returns their names in the
// book's order and spelling, each once. The error says what is accepted.
func (b Book) Read(given []string) ([]string, error) {
	if len(given) == 1 && b.CanBeNone() && strings.EqualFold(strings.TrimSpace(given[0]), NoLabel) {
		return nil, nil
	}
	known, has := b.Names(), make([]bool, len(b.Labels))
	for _, name := range given {
		i := b.find(name)
		if i < 0 {
			return nil, fmt.Errorf("unknown label %q; expected %s%s", name, wording.Or(known),
				wording.DidYouMean(name, known))
		}
		has[i] = true
	}
	var shown []string
	alone := ""
	for i, l := range b.Labels {
		if has[i] {
			shown = append(shown, l.Name)
		}
		if has[i] && l.Alone {
			alone = l.Name
		}
	}
	switch {
	case b.Choice == OneLabel && len(shown) != 1:
		return nil, fmt.Errorf("%s given; expected exactly one of %s", wording.Count(len(shown), "label"),
			strings.Join(known, ", "))
	case len(shown) == 0 && b.Unit == UnitMessage:
		return nil, fmt.Errorf("no label is given; at least one of %s is needed", strings.Join(known, ", "))
	case alone != "" && len(shown) > 1:
		return nil, fmt.Errorf("%q is given next to others; it stands alone", alone)
	}
	return shown, nil
}
