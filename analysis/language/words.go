package language

import (
	"strings"
	"unicode"

	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// isUnspaced is quick for ASCII, which most texts are made of.
func isUnspaced(r rune) bool { return r > unicode.MaxASCII && unicode.In(r, unspaced...) }

// appendWords appends to all the words in a token, i.e. a text without spaces: the token itself,
// or, of a script that is written without spaces, its segments by Unicode (UAX 29) that hold a
// letter or digit. That makes each Chinese character a word, and so of kana and Thai: such figures
// are for comparisons within a language.
func appendWords(all []string, token string) []string {
	if isASCII(token) || !strings.ContainsFunc(token, isUnspaced) {
		if isWord(token) {
			all = append(all, token)
		}
		return all
	}
	for segments := uax29.FromString(token); segments.Next(); {
		if word := segments.Value(); isWord(word) {
			all = append(all, word)
		}
	}
	return all
}

// IsEnglish reports whether texts, taken together, seem to be English: most letters are Latin, and of
// 50 words or more at least a tenth is among frequent ones, which make up about a quarter of
// English and some hundredths of other languages. Fewer words in Latin letters pass for English.
func IsEnglish(texts []string) bool {
	latin, letters, words, known := 0, 0, 0, 0
	for _, text := range texts {
		if isASCII(text) {
			ofText, ofWords, ofKnown := countASCII(text)
			latin, letters, words, known = latin+ofText, letters+ofText, words+ofWords, known+ofKnown
			continue
		}
		for _, r := range text {
			if unicode.IsLetter(r) {
				letters++
				if r <= unicode.MaxASCII || unicode.Is(unicode.Latin, r) {
					latin++
				}
			}
		}
		for token := range strings.FieldsSeq(strings.ToLower(text)) {
			if word := strings.TrimFunc(token, isNoLetter); word != "" {
				words++
				if isFrequent(word) {
					known++
				}
			}
		}
	}
	return 2*latin >= letters && (words < 50 || 10*known >= words)
}

// countASCII returns how many letters and words a text has, and how many of the words are frequent, as IsEnglish
// counts them, without a copy of the text.
func countASCII(text string) (letters, words, known int) {
	var lower [longestFrequent]byte
	first, last := -1, -1 // letters of the present token
	for i := 0; i <= len(text); i++ {
		if i < len(text) {
			if c := text[i] | 0x20; 'a' <= c && c <= 'z' {
				letters++
				if last = i; first < 0 {
					first = i
				}
				continue
			}
			if !isSpace(text[i]) {
				continue
			}
		}
		if first < 0 {
			continue
		}
		words++
		if n := last + 1 - first; n <= len(lower) {
			for at := range n {
				lower[at] = text[first+at] | 0x20
			}
			if isFrequent(string(lower[:n])) {
				known++
			}
		}
		first = -1
	}
	return letters, words, known
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) }

// longestFrequent is the length of the longest words of isFrequent.
const longestFrequent = 6

// isFrequent reports whether a word is among frequent ones of English; without those that are
// frequent elsewhere, as "a" is in Portuguese.
func isFrequent(word string) bool {
	switch word {
	case "the", "of", "and", "to", "it", "you", "that", "for", "are", "with", "this", "be", "have", "from", "by", "but",
		"not", "what",
		"all", "my", "our", "your", "can", "will", "if", "would", "should", "more", "most":
		return true
	}
	return false
}
