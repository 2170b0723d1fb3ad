package qa

import (
	"slices"
	"strings"
	"unicode"
)

// plainWords returns a text as the official SQuAD script compares it: lower case,
// without ASCII punctuation and articles, words apart by one space.
func plainWords(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return -1
		}
		return r
	}, strings.ToLower(text))
	return strings.Join(strings.Fields(withoutArticles(text)), " ")
}

// withoutArticles drops a, an and the where they are words of their own.
func withoutArticles(text string) string {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }
	var b strings.Builder
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !part(r) })
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			_, rest := splitFirst(text)
			b.WriteString(text[:len(text)-len(rest)])
			text = rest
			continue
		}
		if word := text[:end]; word == "a" || word == "an" || word == "the" {
			b.WriteByte(' ')
		} else {
			b.WriteString(word)
		}
		text = text[end:]
	}
	return b.String()
}

// IsExactMatch reports whether answer equals one of gold, the accepted answers, in SQuAD's
// canonical form. An empty gold accepts only Unknown.
func IsExactMatch(answer string, gold []string) bool {
	return slices.Contains(acceptedSpans(gold), canonicalSpan(answer))
}

// F1 returns the greatest F1 over words, from 0 to 1, of answer against one of gold, the accepted
// answers.
func F1(answer string, gold []string) float64 {
	best := 0.0
	for _, g := range acceptedSpans(gold) {
		best = max(best, wordOverlap(canonicalSpan(answer), g))
	}
	return best
}

// acceptedSpans returns the right answers in canonical form.
func acceptedSpans(gold []string) []string {
	var all []string
	for _, g := range gold {
		if c := canonicalSpan(g); c != Unknown {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return []string{Unknown}
	}
	return all
}

func wordOverlap(given, gold string) float64 {
	if given == Unknown || gold == Unknown {
		if given == gold {
			return 1
		}
		return 0
	}
	have, want := strings.Fields(given), strings.Fields(gold)
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	same := 0
	for _, w := range have {
		if left[w] > 0 {
			left[w]--
			same++
		}
	}
	return 2 * float64(same) / float64(len(have)+len(want))
}
