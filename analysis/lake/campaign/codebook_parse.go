package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// accepted keys of a file and of a label.
var (
	keys      = []string{"name", "source", "unit", "choice", "about", "labels"}
	labelKeys = []string{"name", "definition", "examples", "number", "category", "alone"}
)

var (
	bookName  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	labelName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._'/()-]{0,59}$`)
)

// longest is the most characters of a text of a code book, most the most labels.
const (
	longest = 4000
	most    = 100
)

// reader collects the errors of a file.
type reader struct {
	file string
	errs []error
}

func (r *reader) addWrong(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s, line %d: %s", r.file, n.Line, fmt.Sprintf(format, args...)))
}

// ParseBook parses a code book, YAML called file in errors. It returns all errors at once, with
// line numbers.
func ParseBook(file string, data []byte) (Book, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return Book{}, fmt.Errorf("%s: %w", file, err)
	}
	r := &reader{file: file}
	b := Book{Unit: UnitMessage, Choice: AnyLabels}
	root := doc.Content[0]
	for key, value := range r.readMapping(root, "a code book", keys) {
		switch key {
		case "name":
			b.Name = r.readText(value, key)
			if b.Name != "" && !bookName.MatchString(b.Name) {
				r.addWrong(value, "name is %q; expected small letters, digits and hyphens, at most 40", b.Name)
			}
		case "source":
			b.Source = r.readText(value, key)
		case "about":
			b.About = r.readText(value, key)
		case "unit":
			b.Unit = r.oneOf(value, key, UnitMessage, UnitCollaboration)
		case "choice":
			b.Choice = r.oneOf(value, key, OneLabel, AnyLabels)
		case "labels":
			b.Labels = r.readLabels(value)
		}
	}
	if b.Name == "" {
		r.addWrong(root, "a code book needs a name")
	}
	if len(b.Labels) == 0 && len(r.errs) == 0 {
		r.addWrong(root, "a code book needs labels, each with a name and a definition")
	}
	return b, errors.Join(r.errs...)
}

// readMapping yields the keys and values of a mapping; those that are not known are errors.
func (r *reader) readMapping(n *yaml.Node, what string, known []string) func(func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			r.addWrong(n, "%s has the keys %s", what, wording.And(known))
			return
		}
		seen := map[string]bool{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			switch {
			case !slices.Contains(known, key):
				r.addWrong(n.Content[i], "%s has no key %q; the keys are %s%s", what, key, wording.And(known),
					wording.DidYouMean(key, known))
				continue
			case seen[key]:
				r.addWrong(n.Content[i], "%s is there twice", key)
				continue
			}
			seen[key] = true
			if !yield(key, n.Content[i+1]) {
				return
			}
		}
	}
}

func (r *reader) readText(n *yaml.Node, key string) string {
	text := strings.TrimSpace(n.Value)
	if n.Kind != yaml.ScalarNode || text == "" || len([]rune(text)) > longest {
		r.addWrong(n, "%s is a text of 1 to %d characters", key, longest)
		return ""
	}
	return text
}

func (r *reader) oneOf(n *yaml.Node, key string, known ...string) string {
	if n.Kind != yaml.ScalarNode || !slices.Contains(known, n.Value) {
		r.addWrong(n, "%s is %q; expected %s", key, n.Value, wording.Or(known))
		return known[0]
	}
	return n.Value
}

func (r *reader) readLabels(n *yaml.Node) []BookLabel {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 || len(n.Content) > most {
		r.addWrong(n, "labels is a list of 1 to %d labels, each with a name and a definition", most)
		return nil
	}
	var b Book
	for _, item := range n.Content {
		l, ok := r.label(item)
		if !ok {
			continue
		}
		switch {
		case b.find(l.Name) >= 0:
			r.addWrong(item, "the label %q is there twice", l.Name)
			continue
		case l.Number != "" && b.find(l.Number) >= 0:
			r.addWrong(item, "the number %q is there twice", l.Number)
			continue
		}
		b.Labels = append(b.Labels, l)
	}
	return b.Labels
}

// labelText reads what a label may be given by: its name or its number.
func (r *reader) labelText(n *yaml.Node, key string) string {
	text := r.readText(n, key)
	if text != "" && !labelName.MatchString(text) {
		r.addWrong(n, "the %s of a label is %q; expected letters, digits, spaces and . _ ' / ( ) -, at most 60, with "+
			"a letter or digit first", key, text)
	}
	return text
}

func (r *reader) label(n *yaml.Node) (l BookLabel, ok bool) {
	before := len(r.errs)
	for key, value := range r.readMapping(n, "a label", labelKeys) {
		switch key {
		case "name":
			l.Name = r.labelText(value, key)
		case "definition":
			l.Definition = r.readText(value, key)
		case "number":
			l.Number = r.labelText(value, key)
		case "category":
			l.Category = r.readText(value, key)
		case "alone":
			if err := value.Decode(&l.Alone); err != nil {
				r.addWrong(value, "alone is %q; expected true or false", value.Value)
			}
		case "examples":
			if value.Kind != yaml.SequenceNode {
				r.addWrong(value, "examples is a list of texts")
				continue
			}
			for _, example := range value.Content {
				l.Examples = append(l.Examples, r.readText(example, "an example"))
			}
		}
	}
	if len(r.errs) == before && (l.Name == "" || l.Definition == "") {
		r.addWrong(n, "a label needs a name and a definition")
	}
	return l, len(r.errs) == before
}
