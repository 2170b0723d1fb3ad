// Package language measures what agents write: words, sentences, syllables,
// the Flesch-Kincaid grade of a message, and how far a round's messages are
// from those of the round before (paper 1, appendix D.4).
//
// Counts are a function of the texts: no clock, no randomness, no network.
// Grades and syllables are made for English; words are counted in any language.
//
// An Embedder turns messages into vectors. Distances can be compared only if one embedder made
// them, so each has a name that is recorded and printed with every figure. Hashed needs
// nothing; models are behind the same interface, and Cached keeps what they answered. A Method
// measures a campaign, one collaboration after the other, so that memory does not grow with
// the number of messages.
package language

import (
	"strings"
	"unicode"
)

// Rule is how sentences, words and syllables are counted. Rules differ by about
// one grade on average and by six on single messages: compare trends, not levels.
type Rule string

const (
	// Portable counts by rules on letters, so that any program can repeat it.
	Portable Rule = "portable"
	// Textstat counts by the outline of the Python package textstat 0.7: syllables
	// are one more than the places where a word can be hyphenated. The package
	// also has a dictionary of syllables, so some of its counts are others.
	Textstat Rule = "textstat"
)

// Counts are the numbers that Grade uses.
type Counts struct{ Words, Sentences, Syllables int }

// Count counts a text by the rule.
func (r Rule) Count(text string) Counts {
	if r == Textstat {
		return countTextstat(text)
	}
	return countPortable(text)
}

// Grade returns the Flesch-Kincaid grade level (Kincaid et al. 1975): 0.39 × words per sentence +
// 11.8 × syllables per word − 15.59. A text without words has grade 0.
func (c Counts) Grade() float64 {
	if c.Words == 0 || c.Sentences == 0 {
		return 0
	}
	words := float64(c.Words)
	return .39*(words/float64(c.Sentences)) + 11.8*(float64(c.Syllables)/words) - 15.59
}

// Words returns the length of a message: its whitespace-separated tokens that hold
// a letter or digit, and more of scripts that are written without spaces (see appendWords).
func Words(text string) int {
	n := 0
	var words []string
	for token := range strings.FieldsSeq(text) {
		words = appendWords(words[:0], token)
		n += len(words)
	}
	return n
}

func isWord(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
