package qa

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"roundtable/envs/reading"
)

// Reading is how the final answer of a free text is found.
type Reading string

// Values of Params.Reading.
const (
	// Stated takes the answer that the text states; see package reading.
	Stated Reading = "stated"
	// Last takes the last match anywhere, as the code of paper 4's authors does.
	Last Reading = "last"
)

func allReadings() []string { return []string{string(Stated), string(Last)} }

// Extract returns the final answer in a text that was not cut off; see Read.
func (q Question) Extract(text string) (string, error) {
	answer, _, err := q.Read(text, false)
	return answer, err
}

// Read finds the final answer in a free text and returns it in canonical form, with how it was
// found. By kind and Params.Reading, it is what package reading finds, or the last match (Last);
// the content of the last \boxed{}; or what follows the last "Answer:". cut says that text was
// cut off: then only a statement counts. The error says what is missing, in words that can be
// shown to a model.
func (q Question) Read(text string, cut bool) (answer string, readAs reading.Way, err error) {
	switch {
	case q.hasReading() && q.reading == Last:
		answer, err = q.lastMatch(text)
		readAs = "last"
	case q.hasReading() || q.Kind == Several:
		answer, readAs, err = q.statedAnswer(text, cut)
	case q.Kind == Math:
		answer, readAs, err = mathAnswer(text, cut)
	default:
		answer, readAs, err = q.textAnswer(text, cut)
	}
	if err != nil {
		return "", "", fmt.Errorf("%w; an answer is %s", err, q.answerForm())
	}
	answer, err = q.canonicalAnswer(answer)
	return answer, readAs, err
}

// hasReading reports whether texts may hold several answers of which one counts.
func (q Question) hasReading() bool {
	return q.Kind == Choice || q.Kind == Integer || q.Kind == YesNo || q.Kind == Number
}

// readingForm returns what an answer to the question looks like in a text.
func (q Question) readingForm() reading.Form {
	switch q.Kind {
	case Choice:
		return reading.Options(q.Options)
	case Several:
		return reading.Several(q.Options)
	case YesNo:
		return reading.YesNo()
	}
	return reading.Number(reading.WritesComma(q.Text + "\n" + q.Context))
}

func (q Question) statedAnswer(text string, cut bool) (string, reading.Way, error) {
	found, err := q.readingForm().Read(text, cut)
	if err == nil && q.Kind == Several {
		found.Text = "(" + strings.Join(strings.Split(found.Text, ""), ")(") + ")"
	}
	return found.Text, found.Way, err
}

var (
	letters  = regexp.MustCompile(`\(([A-Za-z])\)`)
	integers = regexp.MustCompile(`\(\s*([+-]?\d+)\s*\)`)
	words    = regexp.MustCompile(`(?i)\b(yes|no)\b`)
	// numbers are (2.5), (-1,234.5), ($12) and (40 %).
	numbers = regexp.MustCompile(`\(\s*([+-]?[$€£]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\s*%?)\s*\)`)
)

// lastMatch returns the last that looks like an answer. It passes over letters that no
// option bears: models repeat the (X) of their instructions.
func (q Question) lastMatch(text string) (string, error) {
	pattern := map[Kind]*regexp.Regexp{Choice: letters, Integer: integers, YesNo: words, Number: numbers}[q.Kind]
	found := ""
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if _, err := q.canonicalOption(m[1]); err == nil || q.Kind != Choice {
			found = m[1]
		}
	}
	if found == "" {
		return "", errNotAtEnd
	}
	return found, nil
}

var errNotAtEnd = errors.New("it does not end with an answer")

// mathAnswer returns what stands in the last box, or alone after "The answer is".
func mathAnswer(text string, cut bool) (string, reading.Way, error) {
	if found, ok := lastBoxed(text); ok {
		return found, reading.Boxed, nil
	}
	found, ok := reading.AfterMark(text, cut)
	if found = strings.TrimRight(found, " ."); !ok || !formula.MatchString(found) {
		return "", "", errNotAtEnd
	}
	return found, reading.Stated, nil
}

// formula is one formula between dollar signs, or one without words.
var formula = regexp.MustCompile(`^(?:\$[^$]+\$|\\\(.+\\\)|(?:\\[a-z]+|[^\pL\\]|\pL(?:$|\PL))+)$`)

// textAnswer returns what a text of several lines says after its last "Answer:", of Open up
// to its end; a text of one line is an answer as it is.
func (q Question) textAnswer(text string, cut bool) (string, reading.Way, error) {
	if q.Kind == Open {
		spans := openAnswer.FindAllStringIndex(text, -1)
		if spans != nil {
			text = text[spans[len(spans)-1][1]:]
		}
		text = strings.TrimLeft(text, "*_ ") // emphasis
		if strings.TrimSpace(text) == "" {
			return "", "", errNotAtEnd
		}
		if spans != nil {
			return text, reading.Stated, nil
		}
	}
	if found, ok := reading.AfterMark(text, cut); ok {
		return found, reading.Stated, nil
	}
	text = strings.TrimSpace(text)
	switch {
	case cut:
		return "", "", reading.ErrCut
	case text == "" || strings.Contains(text, "\n") || reading.EndsWithMark(text):
		return "", "", errNotAtEnd
	}
	return text, reading.Alone, nil
}
