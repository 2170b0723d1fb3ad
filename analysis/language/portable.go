package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// countPortable counts in one pass. Sentences end with marks, and what closes after them, before a space or the
// end of the text. Pieces without a word are none; a text with words has one.
func countPortable(text string) (c Counts) {
	isOpen := false // a word has come since the last end of a sentence
	take := func(piece string, hasWord bool) {
		if isOpen = isOpen || hasWord; isOpen && endsSentence(piece) {
			c.Sentences, isOpen = c.Sentences+1, false
		}
	}
	var words []string
	for token := range strings.FieldsSeq(text) {
		words = appendWords(words[:0], token)
		for _, word := range words {
			c.Words++
			c.Syllables += countSyllables(word)
		}
		if isASCII(token) {
			take(token, len(words) > 0)
			continue
		}
		for piece := range strings.FieldsSeq(spaced.Replace(token)) {
			take(piece, isWord(piece))
		}
	}
	if isOpen {
		c.Sentences++
	}
	return c
}

const closers = "\"')]}»”’」』）"

// spaced puts a space after the marks that end a sentence without one.
var spaced = strings.NewReplacer("。", "。 ", "！", "！ ", "？", "？ ", "｡", "｡ ")

// endsSentence says that a token ends a sentence.
func endsSentence(token string) bool {
	if last := token[len(token)-1]; 'a' <= last && last <= 'z' {
		return false // most tokens end in a letter
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(token, closers))
	return unicode.Is(unicode.Sentence_Terminal, last)
}

// countSyllables of one word: its runs of vowels, but for a silent e.
func countSyllables(word string) int {
	w := plainLetters(word)
	if w == "" {
		return 1
	}
	n, after := 0, false
	for i := range len(w) {
		is := isVowel(w[i])
		if is && !after {
			n++
		}
		after = is
	}
	if isSilent(w) {
		n--
	}
	return max(n, 1)
}

// plainLetters returns a to z, in lower case and without accents.
func plainLetters(word string) string {
	if isLower(word) {
		return word // as most are
	}
	if isASCII(word) {
		all := make([]byte, 0, len(word))
		for i := range len(word) {
			if c := word[i] | 0x20; 'a' <= c && c <= 'z' {
				all = append(all, c)
			}
		}
		return string(all)
	}
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, norm.NFD.String(strings.Map(unicode.ToLower, word)))
}

// isLower reports whether a word has only the letters a to z.
func isLower(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// vowels are bits by letter.
const vowels = 1 | 1<<('e'-'a') | 1<<('i'-'a') | 1<<('o'-'a') | 1<<('u'-'a') | 1<<('y'-'a')

func isVowel(letter byte) bool { return vowels>>(letter-'a')&1 == 1 }

// hasConsonantBefore says that the word is …, a consonant, and the ending.
func hasConsonantBefore(w, ending string) bool {
	stem, ok := strings.CutSuffix(w, ending)
	return ok && stem != "" && !isVowel(stem[len(stem)-1])
}

// isSilent says that the word ends in an e, es or ed that is not spoken.
func isSilent(w string) bool {
	switch last := w[len(w)-1]; {
	case last != 'e' && last != 's' && last != 'd': // as in most words
	case hasConsonantBefore(w, "e"):
		return !hasConsonantBefore(w, "le")
	case hasConsonantBefore(w, "es"):
		return !hasConsonantBefore(w, "les") && !isHissing(strings.TrimSuffix(w, "es"))
	case hasConsonantBefore(w, "ed"):
		return !strings.HasSuffix(w, "ted") && !strings.HasSuffix(w, "ded")
	}
	return false
}

// isHissing sounds keep the e of an ending es.
func isHissing(stem string) bool {
	return strings.IndexByte("sxzcg", stem[len(stem)-1]) >= 0 || strings.HasSuffix(stem, "sh") ||
		strings.HasSuffix(stem, "ch")
}
