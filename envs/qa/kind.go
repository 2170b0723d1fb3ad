package qa

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Unknown is the answer "the text does not say it", right for SQuAD 2.0's unanswerable questions.
const Unknown = "[UNKNOWN]"

// answerForm returns how an answer is written at the end of a text.
func (q Question) answerForm() string {
	switch q.Kind {
	case Choice:
		return fmt.Sprintf("the letter of an option in parentheses, (A) to (%s)", letterOf(len(q.Options)-1))
	case Integer:
		return "a whole number in parentheses, as (42)"
	case YesNo:
		return "Yes or No"
	case Math:
		return `what stands in \boxed{}, as \boxed{\frac{1}{2}}`
	case Number:
		return "a number in parentheses, as (2.5)"
	case Several:
		return fmt.Sprintf("a line that begins with Answer: and has the letters of all right options in parentheses, "+
			"(A) to (%s)", letterOf(len(q.Options)-1))
	}
	return "a line that begins with Answer:"
}

// canonicalAnswer returns the identity of an answer: equal answers, equal texts.
func (q Question) canonicalAnswer(answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	switch q.Kind {
	case Choice:
		return q.canonicalOption(strings.Trim(answer, "()"))
	case Integer:
		return canonicalInteger(strings.TrimSpace(strings.Trim(answer, "()")))
	case YesNo:
		return canonicalYesNo(answer)
	case Math:
		normalise := func(latex string) string { return Normalise(stripWrapping(latex)) }
		if answer = untilUnchanged(answer, normalise); answer == "" {
			return "", errors.New("it is empty")
		}
		return answer, nil
	case Number:
		return canonicalNumber(strings.TrimSpace(strings.Trim(answer, "()")))
	case Several:
		return q.canonicalSeveral(answer)
	case Text:
		return nonEmpty(canonicalText(answer))
	case Open:
		return nonEmpty(answer)
	}
	return canonicalSpan(answer), nil
}

func (q Question) canonicalOption(name string) (string, error) {
	name = strings.ToUpper(strings.TrimSpace(name))
	if len(name) == 1 && name[0] >= 'A' && int(name[0]-'A') < len(q.Options) {
		return "(" + name + ")", nil
	}
	return "", fmt.Errorf("there is no option %.20q; options are (A) to (%s)", name, letterOf(len(q.Options)-1))
}

// grouped are whole numbers as 1,234 and 42.0.
var grouped = regexp.MustCompile(`^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?$`)

// canonicalInteger drops a plus, leading zeros, commas between thousands and zeros after
// the point, so that 1234, +1234, 01234, 1,234 and 1234.0 are one answer.
func canonicalInteger(text string) (string, error) {
	if grouped.MatchString(text) {
		text, _, _ = strings.Cut(strings.ReplaceAll(text, ",", ""), ".")
	}
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return "", fmt.Errorf("%.20q is not a whole number", text)
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		return "0", nil
	}
	if text[0] == '-' {
		return "-" + digits, nil
	}
	return digits, nil
}

func canonicalYesNo(text string) (string, error) {
	switch strings.ToLower(strings.Trim(text, ". ")) {
	case "yes", "true":
		return "yes", nil
	case "no", "false":
		return "no", nil
	}
	return "", fmt.Errorf("%.20q is neither yes nor no", text)
}

// canonicalSpan returns normalised as the official SQuAD script does; what says nothing is Unknown.
func canonicalSpan(text string) string {
	plain := plainWords(text)
	if plain == "" || plain == "unknown" || plain == "unanswerable" {
		return Unknown
	}
	return plain
}
