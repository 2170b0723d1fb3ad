package language

import (
	"strings"
	"unicode"
)

// countTextstat counts by the rules of textstat 0.7 without its dictionary: syllables
// are places to hyphenate at, apostrophes of contractions stay, sentences of up to
// two words are none. The package itself removes all apostrophes and looks
// syllables up in a pronouncing dictionary first, so its counts differ in some messages.
func countTextstat(text string) Counts {
	words := strings.Fields(stripPunctuation(text))
	c := Counts{Words: len(words)}
	if text == "" {
		return c
	}
	for w := range strings.FieldsSeq(stripPunctuation(strings.ToLower(text))) {
		c.Syllables += countHyphens(w) + 1
	}
	for _, s := range splitClauses(text) {
		if len(strings.Fields(stripPunctuation(s))) > 2 {
			c.Sentences++
		}
	}
	c.Sentences = max(c.Sentences, 1)
	return c
}

// isWordChar reports whether \w of Python's regular expressions matches a character.
func isWordChar(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// stripPunctuation keeps words, spaces, and apostrophes before t, s, d, ve, ll, re.
func stripPunctuation(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if isWordChar(r) || unicode.IsSpace(r) || r == '\'' && isContraction(runes[i+1:]) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isContraction(rest []rune) bool {
	for _, ending := range []string{"t", "s", "d", "ve", "ll", "re"} {
		n := len(ending)
		if len(rest) >= n && string(rest[:n]) == ending && (len(rest) == n || !isWordChar(rest[n])) {
			return true
		}
	}
	return false
}

// splitClauses begin where a word begins or ends and go on to the next run of . ! or ?.
func splitClauses(text string) []string {
	var all []string
	runes := []rune(text)
	ender := func(r rune) bool { return strings.ContainsRune(".!?", r) }
	boundary := func(i int) bool { return (i > 0 && isWordChar(runes[i-1])) != isWordChar(runes[i]) }
	for i := 0; i < len(runes); {
		if ender(runes[i]) || !boundary(i) {
			i++
			continue
		}
		start := i
		for i < len(runes) && !ender(runes[i]) {
			i++
		}
		for i < len(runes) && ender(runes[i]) {
			i++
		}
		all = append(all, string(runes[start:i]))
	}
	return all
}
