package qa

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roundtable/envs/wording"
)

// Kind is the form of the answers to a question.
type Kind string

// The kinds of questions.
const (
	Choice  Kind = "choice"  // a letter of the options: (B)
	Integer Kind = "integer" // a whole number: (42)
	YesNo   Kind = "yesno"   // yes or no
	Math    Kind = "math"    // LaTeX in \boxed{}
	Span    Kind = "span"    // words of a text, or Unknown: SQuAD 2.0
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
	// Gold are the accepted answers as the data set writes them; a Choice has one, its letter. For a
	// Span without any, Unknown is right.
	Gold    []string
	reading Reading // of answers in free texts
	// shuffle says that the options are dealt by the campaign's seed.
	shuffle bool

	fields   map[string]any // its columns
	solution string         // how the answer is found, for worked examples

	at    int    // line or row of its file
	place string // its file, and its line or row
	bad   error  // what its reader found wrong with it
}

// Parts of a question.
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

func letterOf(i int) string { return string(rune('A' + i)) }

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
		return errorIn(itsOptions, "there are %d options; expected 2 to %d", len(q.Options), mostOptions)
	case q.Kind == Text && len(q.Gold) == 0:
		return errorIn(itsAnswer, "it is empty; give a right answer or a list of them, or leave the question out: skip: [%s]", q.ID)
	case !q.takesAnyGolds() && len(q.Gold) == 0:
		return errorIn(itsAnswer, "it is empty; give a right answer, or leave the question out: skip: [%s]", q.ID)
	case !q.takesAnyGolds() && len(q.Gold) != 1:
		return errorIn(itsAnswer, "%d right answers, expected one", len(q.Gold))
	}
	for _, gold := range q.Gold {
		if _, err := q.canonicalAnswer(gold); err != nil {
			return errorIn(itsAnswer, "the right answer %.60q: %w%s", gold, err, q.hintAnswer(gold))
		}
	}
	return nil
}

// commaNumber is a number as some languages write it: with a decimal comma, or with spaces or points
// between thousands.
var commaNumber = regexp.MustCompile(`^[+-]?(?:\d[\d. ]*,\d+|\d[\d.]* [\d. ]*\d|\d+(?:\.\d+){2,})\s*%?$`)

// partNumber is one that kind: number reads, and kind: integer does not.
var partNumber = regexp.MustCompile(`^[+-]?\d*\.?\d+\s*%?$`)

var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[ T]|$)`)

// hintAnswer says what to write for answers that are known not to be what they are read as.
func (q Question) hintAnswer(gold string) string {
	switch {
	case (q.Kind == Number || q.Kind == Integer) && commaNumber.MatchString(gold):
		return "; expected a point before decimals, and commas or nothing between thousands, as 1234.5"
	case q.Kind == Integer && partNumber.MatchString(gold):
		return "; kind: number takes decimals and %"
	case q.Kind == YesNo && (gold == "0" || gold == "1"):
		return `; write choices: ["no", "yes"], answer_is: index_0 and no kind if 1 means yes`
	case strings.Contains(gold, "####"):
		return `; write answer_after: "####" if the answer follows it`
	case strings.Contains(gold, `\boxed`):
		return `; write answer_after: \boxed if the answer stands in it`
	case dated.MatchString(gold):
		return "; it is a date, which kind: text compares as it is written"
	}
	return ""
}
