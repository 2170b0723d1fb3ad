package qa

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	decimal = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?$`)
	commas  = regexp.MustCompile(`^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$`)
	// openAnswer begins an answer that goes to the end of the text.
	openAnswer = regexp.MustCompile(`(?im)^[\s*_"]*(?:final\s+)?answer[*_"]*\s*:`)
	severalOf  = regexp.MustCompile(`^[A-Za-z](?:\s*[,;/& ]\s*(?:and\s+)?[A-Za-z])*$`)
)

func nonEmpty(text string) (string, error) {
	if text == "" {
		return "", errors.New("it is empty")
	}
	return text, nil
}

// canonicalNumber returns a decimal number without a plus, commas between
// thousands, signs of money and per cent, and zeros that say nothing.
func canonicalNumber(text string) (string, error) {
	plain := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	plain = strings.NewReplacer("$", "", "€", "", "£", "").Replace(plain)
	if commas.MatchString(plain) {
		plain = strings.ReplaceAll(plain, ",", "")
	}
	wrong := fmt.Errorf("%.20q is not a number", text)
	if len(plain) > 60 { // and so it stays when it is written out
		return "", wrong
	}
	if strings.ContainsAny(plain, "eE") && strings.Trim(plain, "0123456789.eE+-") == "" {
		f, err := strconv.ParseFloat(plain, 64)
		if plain = strconv.FormatFloat(f, 'f', -1, 64); err != nil || len(plain) > 60 {
			return "", wrong
		}
	}
	m := decimal.FindStringSubmatch(plain)
	if m == nil || m[2]+m[3] == "" {
		return "", wrong
	}
	whole, fraction := strings.TrimLeft(m[2], "0"), strings.TrimRight(m[3], "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if m[1] == "-" && whole != "0" {
		whole = "-" + whole
	}
	return whole, nil
}

// canonicalText returns a text in lower case, with single spaces, without quotation
// marks around it and without a full stop at its end.
func canonicalText(text string) string {
	for {
		next := strings.Join(strings.Fields(strings.ToLower(text)), " ")
		next = strings.TrimRight(strings.Trim(next, "\"'“”‘’*_` "), ".,;:!?")
		if next == text {
			return next
		}
		text = next
	}
}

// canonicalSeveral returns the letters of options in their order, each once: (A)(C).
func (q Question) canonicalSeveral(text string) (string, error) {
	var names []string
	for _, m := range letters.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 && severalOf.MatchString(text) {
		names = strings.FieldsFunc(strings.ReplaceAll(strings.ToUpper(text), "AND ", " "),
			func(r rune) bool { return r < 'A' || r > 'Z' })
	}
	var all []string
	for _, name := range names {
		option, err := q.canonicalOption(name)
		if err != nil {
			return "", err
		}
		all = append(all, option)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("%.20q names no option; letters in parentheses are expected, as (A)(C)", text)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ""), nil
}
