package qa

import (
	"fmt"
	"slices"

	"roundtable/envs/wording"
)

// Kind is the form that the answers to a question have.
type Kind string

// The kinds of questions.
const (
	Choice  Kind = "choice"  // a letter of the options: (B)
	Integer Kind = "integer" // a whole number: (42)
	YesNo   Kind = "yesno"   // yes or no
	Math    Kind = "math"    // LaTeX in \boxed{}
	Span    Kind = "span"    // words of a text, or that it does not say: SQuAD 2.0
	Number  Kind = "number"  // a decimal number: (2.5)
	Text    Kind = "text"    // a short text, compared without case and punctuation around it
	Several Kind = "several" // the letters of all options that are right: (A)(C)
	Open    Kind = "open"    // a text of any length, with or without a right one
)

func allKinds() []Kind {
	return []Kind{Choice, Integer, YesNo, Math, Span, Number, Text, Several, Open}
}

// Question is one item of a data set.
type Question struct {
	ID      string
	Kind    Kind
	Text    string
	Context string   // a story or paragraph that the question is about
	Options []string // of a Choice, in the order of their letters
	// Gold are the accepted answers as the data set writes them; a Choice has
	// one, its letter. A Span without any cannot be answered from its text.
	Gold    []string
	reading Reading // of answers in free texts
	// shuffle says that the data set has no order of its own for the options.
	shuffle bool

	fields   map[string]any // its columns, in files of the user's own
	solution string         // how the answer is found, for worked examples

	at    location // in its file
	place string   // its file and line, where a file has one question a line
	bad   error    // what its reader found wrong with it
}

// Parts of a question, which each format has in fields of its own.
const (
	itsText    = "question"
	itsOptions = "options"
	itsAnswer  = "answer"
)

// partError is what is wrong with one part of a question.
type partError struct {
	part string
	error
}

func errorIn(part, format string, args ...any) error {
	return partError{part, fmt.Errorf(format, args...)}
}

// mostOptions is how many letters there are.
const mostOptions = 26

func letter(i int) string { return string(rune('A' + i)) }

// newChoice returns a Choice whose right option is known by its index.
func newChoice(text string, options []string, right *int) Question {
	q := Question{Kind: Choice, Text: text, Options: options}
	switch {
	case right == nil:
	case *right < 0 || *right >= len(options):
		q.bad = errorIn(itsAnswer, "the answer is option %d of %d, counted from 0", *right, len(options))
	default:
		q.Gold = []string{letter(*right)}
	}
	return q
}

// hasOptions reports whether the answers are letters of options.
func (q Question) hasOptions() bool { return q.Kind == Choice || q.Kind == Several }

// takesAnyGolds reports whether there may be any number of right answers.
func (q Question) takesAnyGolds() bool { return q.Kind == Span || q.Kind == Text || q.Kind == Open }

// check returns what keeps a question from being asked, as a partError.
func (q Question) check() error {
	switch {
	case q.bad != nil:
		return q.bad
	case q.Text == "":
		return errorIn(itsText, "there is no question")
	case !slices.Contains(allKinds(), q.Kind):
		return errorIn(itsText, "its kind is %q; %s are known", q.Kind, wording.And(allKinds()))
	case q.hasOptions() && (len(q.Options) < 2 || len(q.Options) > mostOptions):
		return errorIn(itsOptions, "there are %d options; 2 to %d are accepted", len(q.Options), mostOptions)
	case q.Kind == Text && len(q.Gold) == 0:
		return errorIn(itsAnswer, "there is no right answer; there must be one, or a list of them")
	case !q.takesAnyGolds() && len(q.Gold) != 1:
		return errorIn(itsAnswer, "there are %d right answers; there must be one", len(q.Gold))
	}
	for _, gold := range q.Gold {
		if _, err := q.canonicalAnswer(gold); err != nil {
			return errorIn(itsAnswer, "the right answer %.60q: %w", gold, err)
		}
	}
	return nil
}
