// Package language measures what agents write: words, sentences, syllables,
// the Flesch-Kincaid grade of a message, and how far a round's messages are
// from those of the round before (paper 1, appendix D.4).
//
// All of it is a function of the texts: no clock, no randomness, no network.
// Words and sentences are counted in any script, grades are made for English.
package language

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
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

// Counts are what a grade is made from.
type Counts struct {
	Words, Sentences, Syllables int

	Foreign bool // at least half of the letters are not Latin, so the text is not English
}

// Count counts a text by the rule.
func (r Rule) Count(text string) Counts {
	c := portable
	if r == Textstat {
		c = textstat
	}
	counts := c(text)
	counts.Foreign = isForeign(text)
	return counts
}

func isForeign(text string) bool {
	latin, others := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			others++
		}
	}
	return others > 0 && others >= latin
}

// Grade returns the Flesch-Kincaid grade level (Kincaid et al. 1975): 0.39 words a
// sentence + 11.8 syllables a word − 15.59. A text without words has grade 0, one
// in another script none.
func (c Counts) Grade() *float64 {
	switch {
	case c.Foreign:
		return nil
	case c.Words == 0 || c.Sentences == 0:
		return new(0.)
	}
	words := float64(c.Words)
	return new(.39*(words/float64(c.Sentences)) + 11.8*(float64(c.Syllables)/words) - 15.59)
}

// Words returns the length of a message: its whitespace-separated tokens that hold
// a letter or digit. What is written without spaces is cut as Unicode says (UAX 29),
// which makes a word of each Chinese character.
func Words(text string) int { return len(wordsOf(text)) }

func wordsOf(text string) []string {
	var all []string
	for token := range strings.FieldsSeq(otherEnders.Replace(text)) {
		pieces := []string{token}
		if strings.ContainsFunc(token, isUnspaced) {
			pieces = nil
			for cut := words.FromString(token); cut.Next(); {
				pieces = append(pieces, cut.Value())
			}
		}
		for _, piece := range pieces {
			if isWord(piece) {
				all = append(all, piece)
			}
		}
	}
	return all
}

// isUnspaced reports whether a character is of a script that has no spaces between words.
func isUnspaced(r rune) bool {
	return r > unicode.MaxLatin1 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func isWord(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
