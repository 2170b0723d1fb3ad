package qa

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reading is how the final answer of a free text is found.
type Reading string

// The readings of free texts.
const (
	// Stated takes the answer that follows the last "answer is", "I choose" or the
	// like, else the last one in the text. What is negated, one of several that
	// are left open, and an answer followed by the word that none can be given do
	// not count.
	Stated Reading = "stated"
	// Last takes the last match anywhere, as the code of paper 4's authors does.
	Last Reading = "last"
)

func allReadings() []string { return []string{string(Stated), string(Last)} }

var (
	errNegated = errors.New("it says what the answer is not")
	errOpen    = errors.New("it leaves open which of several answers it gives")
	errNone    = errors.New("it says that there is no answer")
)

// marked is what an answer follows.
const marked = `(?:\b(?:answer|(?:correct|right|best)\s+(?:option|choice))[*_"]*\s*(?:(?:is|must be|should be|has to be)\b[*_"]*\s*:?|:)` +
	`|\bI(?:['’]d|['’]ll|\s+will|\s+would)?\s+(?:choose|pick|select|go with)\b)`

var (
	// markers end where the answer may begin; "Answer (B)" opens a sentence.
	markers = regexp.MustCompile(`(?i)` + marked + `|(?:^|[.!?\n])[\s*_"]*\banswer[*_"]*\s+\(`)
	// denials stand right before a marker and say that what follows is not the answer.
	denials = `(?i)(?:\bnot|\bcannot|n['’]t|\bnever|\bno way|\bimpossible|\bunlikely|\bI doubt|\bwrong)` +
		`(?:\s+(?:think|believe|say|claim|agree|mean|sure|convinced|the case|true|possible|that|the|final|correct|right))*\s*$`
	denied = regexp.MustCompile(denials)
	// deniedAnswer precedes the first answer after a denied marker.
	deniedAnswer = regexp.MustCompile(strings.TrimSuffix(denials, `$`) + marked + `(?:\s+(?:option|choice|the))*[\s*_"'“‘$:]*$`)
	// others precede an "answer is" that is not the text's own, or only supposed.
	others   = regexp.MustCompile(`(?i)(?:\b(?:their|his|her|your)|\b(?:agent|other|expert|peer)\b[^.\n]{0,16})\s+(?:final |own |first |latest )?$|\b(?:if|whether|unless|should|suppose|assume|assuming)\s+(?:that\s+)?(?:the\s+)?(?:right |correct |final )?$`)
	sentence = regexp.MustCompile(`[.!?](?:\s|$)|\n`)
	bare     = regexp.MustCompile(`^[\s*_"'$]*([A-Z])(?:[\s*_"'$]*$|[).,:;!*"'$])`)
	// whole is a letter that is the whole text.
	whole = regexp.MustCompile(`^[\s*_"'$]*([A-Za-z])[\s*_"'$.)]*$`)
	// writtenLetters and writtenIntegers are (B), \boxed{B} and **B**, (1,234) and (42.0).
	writtenLetters  = regexp.MustCompile(`\(([A-Za-z])\)|\\boxed\{\s*(?:\\text\{)?([A-Za-z])\}?\s*\}|\*\*([A-Z])\*\*`)
	writtenIntegers = regexp.MustCompile(`\(\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?)\s*\)`)
	// negations stand right before what they exclude.
	negations = regexp.MustCompile(`(?i)(?:\bnot|\bcannot|n['’]t|\bneither|\bnor|\bnever|\brather than|\binstead of|\bexcept|\bother than)(?:\s+(?:be|option|options|choice|answer|choose|pick|select|take|go with|simply|necessarily|just|either|the|a|an))*[\s*_"'“‘$]*$`)
	// further members of a list share what was said of the first.
	further = regexp.MustCompile(`(?i)^[\s*_"',/]*(?:(?:or|nor|and|to)[\s*_"']*(?:(?:option|choice)\s*)?)?$`)
	// either and or leave open which one it is.
	either   = regexp.MustCompile(`(?i)\beither(?:\s+(?:option|choice))?[\s*_"'$]*$`)
	or       = regexp.MustCompile(`(?i)^[\s*_"',/]*or[\s*_"']*(?:(?:option|choice)\s*)?$`)
	isMarked = regexp.MustCompile(`(?i)` + marked + `(?:\s+(?:option|choice))?[\s*_"'$]*$`)
	noneOf   = regexp.MustCompile(`(?i)\b(?:none|neither) of\b`)
	noneEnds = regexp.MustCompile(`(?i)\b(?:but|except|so|therefore|hence|thus|besides|apart from)\b`)
	// refusals are sentences that give no answer.
	refusals = regexp.MustCompile(`(?i)\b(?:i|we)\s+(?:can\s?not|can['’]t|am unable to|are unable to)\s+(?:answer|determine|decide|tell|say|choose)\b|\b(?:i|we)\s+(?:do not|don['’]t)\s+know\b|\bnone of (?:the|these|those|them)\b`)
	butOther = regexp.MustCompile(`(?i)\bnone of (?:the|these|those) other`)
	// attached brackets belong to what is before them, as in Rule 12(b)(6) or f(3).
	attached = regexp.MustCompile(`(?:\p{N}|(?:^|[^\p{L}])\p{L}{1,2})(?:\([^()\s]{1,3}\))*$`)
	echoes   = regexp.MustCompile(`(?i)\b(?:yes(?: or |/)no|no(?: or |/)yes)\b`)
	// noun follows a "no" that is no answer: there is no doubt.
	noun = regexp.MustCompile(`^(?: +|-)\p{L}`)
	// clause begins after a "no" that is an answer: no it is not.
	clause = regexp.MustCompile(`(?i)^ +(?:it|he|she|they|we|you|i|this|that|these|those|there|the|a|an|as|because|since|but|based|according|given|not)\b`)
)

// match is something in a text that can be its answer.
type match struct {
	from, to int
	answer   string
	negated  bool
	open     bool // one of several, left open which
}

func (m match) isStatement() bool { return !m.negated && !m.open }

// statedAnswer returns the answer that a text states.
func (q Question) statedAnswer(text string) (string, error) {
	if m := whole.FindStringSubmatch(text); m != nil && q.Kind == Choice {
		return m[1], nil
	}
	all := q.findMatches(text)
	spans := markers.FindAllStringIndex(text, -1)
	for i, span := range slices.Backward(spans) {
		if before := tailOf(text[:span[0]]); others.MatchString(before) || denied.MatchString(before) {
			continue
		}
		end := len(text)
		if i+1 < len(spans) {
			end = spans[i+1][0]
		}
		if answer, err, found := q.answerAfter(text[:end], len(strings.TrimSuffix(text[:span[1]], "(")), all); found {
			return answer, err
		}
	}
	at, negated, open := -1, false, false
	for i, m := range all {
		if negated, open = negated || m.negated, open || m.open; m.isStatement() {
			at = i
		}
	}
	switch {
	case at < 0 && open:
		return "", fmt.Errorf("%w; an answer is %s", errOpen, q.answerForm())
	case at < 0 && (negated || isRefusal(text)):
		return "", fmt.Errorf("%w; an answer is %s", errNegated, q.answerForm())
	case at < 0:
		return "", fmt.Errorf("it does not end with an answer; an answer is %s", q.answerForm())
	case isRefusal(afterSentence(text[all[at].to:])):
		return "", fmt.Errorf("%w; an answer is %s", errNone, q.answerForm())
	}
	return all[at].answer, nil
}

// answerAfter returns what the sentence that goes on at a place of the text states;
// found is false if it names no answer at all.
func (q Question) answerAfter(text string, at int, all []match) (answer string, err error, found bool) {
	rest := strings.TrimLeftFunc(text[at:], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`*_"'$:`, r) })
	at = len(text) - len(rest)
	end := len(text)
	if stop := sentence.FindStringIndex(rest); stop != nil {
		end = at + stop[0] + 1
	}
	if m := bare.FindStringSubmatch(strings.TrimRight(text[at:end], ".!?\n")); m != nil && q.Kind == Choice {
		if _, err := q.canonicalOption(m[1]); err == nil {
			return m[1], nil, true
		}
	}
	first, _ := slices.BinarySearchFunc(all, at, func(m match, at int) int { return m.from - at })
	for _, m := range all[first:] {
		if m.from >= end {
			break
		}
		if found = found || !m.open; m.isStatement() {
			return m.answer, nil, true
		}
	}
	return "", fmt.Errorf("%w; an answer is %s", errNegated, q.answerForm()), found
}

// isRefusal reports whether a text says that it gives no answer.
func isRefusal(text string) bool {
	return refusals.MatchString(butOther.ReplaceAllString(text, ""))
}

// findMatches returns all that can be the answer of a text, in order.
func (q Question) findMatches(text string) []match {
	var all []match
	for _, m := range q.answerPattern().FindAllStringSubmatchIndex(text, -1) {
		before, after := text[:m[0]], text[m[1]:]
		group := 2
		for m[group] < 0 {
			group += 2
		}
		found := match{from: m[0], to: m[1], answer: text[m[group]:m[group+1]]}
		if !q.isAnswer(found.answer, before, after) {
			continue
		}
		found.negated = negations.MatchString(tailOf(before)) || amongNone(lastOf(before, 400)) || deniedAnswer.MatchString(lastOf(before, 128))
		found.open = either.MatchString(tailOf(before))
		if n := len(all); n > 0 {
			prior, between := &all[n-1], text[all[n-1].to:m[0]]
			found.negated = found.negated || prior.negated && further.MatchString(between)
			if or.MatchString(between) && !prior.negated && prior.answer != found.answer {
				prior.open = prior.open || isMarked.MatchString(tailOf(text[:prior.from]))
				found.open = prior.open
			}
		}
		all = append(all, found)
	}
	return all
}

// answerPattern finds what an answer of the question's kind looks like.
func (q Question) answerPattern() *regexp.Regexp {
	switch q.Kind {
	case Choice:
		return writtenLetters
	case Integer:
		return writtenIntegers
	case Number:
		return numbers
	}
	return words
}

// isAnswer reports whether a match is an answer, by what stands around it.
func (q Question) isAnswer(answer, before, after string) bool {
	switch q.Kind {
	case Choice:
		_, err := q.canonicalOption(answer)
		return err == nil && !attached.MatchString(tailOf(before))
	case Integer, Number:
		return !attached.MatchString(tailOf(before))
	}
	if around := lastOf(before, 8) + answer + after[:min(len(after), 8)]; echoes.MatchString(around) {
		return false
	}
	return !strings.EqualFold(answer, "no") || !noun.MatchString(after) || clause.MatchString(after)
}

// amongNone reports whether a sentence has said "none of" so far.
func amongNone(before string) bool {
	if stops := sentence.FindAllStringIndex(before, -1); stops != nil {
		before = before[stops[len(stops)-1][1]:]
	}
	at := noneOf.FindStringIndex(before)
	return at != nil && !noneEnds.MatchString(before[at[1]:])
}

// afterSentence returns a text without the rest of the sentence that it begins with.
func afterSentence(text string) string {
	if stop := sentence.FindStringIndex(text); stop != nil {
		return text[stop[1]:]
	}
	return ""
}

// tailOf returns the end of a text, as much as decides what follows it.
func tailOf(text string) string { return lastOf(text, 64) }

// lastOf returns up to n last bytes of a text, in whole characters.
func lastOf(text string, bytes int) string {
	at := max(0, len(text)-bytes)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}
