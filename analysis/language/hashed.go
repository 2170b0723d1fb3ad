package language

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/floats"
)

// dimensions of a vector of Hashed.
const dimensions = 1024

// Hashed is TF-IDF whose words are hashed (see Vocabulary). How rare a word is,
// is learnt from the texts of the call alone. So a collaboration's vectors do
// not change when a campaign grows, and nothing leaks from one into another.
type Hashed struct{}

// Name returns the name that figures print.
func (Hashed) Name() string {
	return fmt.Sprintf("hashed TF-IDF (%d dimensions, rarity within a collaboration)", dimensions)
}

// Embed returns the vectors of texts; it fails only if ctx ends.
func (Hashed) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	var v Vocabulary
	split := make([][]term, len(texts))
	for i, text := range texts {
		split[i] = termsOf(text)
		v.add(split[i])
	}
	vectors := make([][]float64, len(texts))
	var rare rarities
	for i, list := range split {
		vectors[i] = v.vectorOf(list, &rare)
	}
	return vectors, ctx.Err()
}

// term is a word of a text, with how often it is there.
type term struct {
	word   string
	n      int
	bucket int
	sign   float64
	before int // the place, from 1, of a term of the same bucket; 0 if it is the first
}

// termsOf returns the words of a text, each once: in their order if three share a bucket, since
// sums of so many floats depend on it.
func termsOf(text string) []term {
	var last [dimensions]int32 // place of the bucket's last term, from 1
	words := appendLower(make([]string, 0, len(text)/4), text)
	all, crowded := make([]term, 0, len(words)), false
	for _, word := range words {
		b, sign := bucketOf(word)
		at := int(last[b])
		for at > 0 && all[at-1].word != word {
			at = all[at-1].before
		}
		if at > 0 {
			all[at-1].n++
			continue
		}
		crowded = crowded || last[b] > 0 && all[last[b]-1].before > 0
		all = append(all, term{word, 1, b, sign, int(last[b])})
		last[b] = int32(len(all))
	}
	if crowded {
		slices.SortFunc(all, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	}
	return all
}

// Vocabulary is how rare words are, as learnt from the texts that were added;
// after that, the same text always has the same vector. Words are hashed into
// dimensions (Weinberger et al. 2009).
type Vocabulary struct {
	documents int
	frequency [dimensions]int // documents with a word of the bucket
}

// Name returns the name that figures print.
func (v *Vocabulary) Name() string {
	return fmt.Sprintf("hashed TF-IDF (%d dimensions, %d documents)", dimensions, v.documents)
}

// Add learns from one document.
func (v *Vocabulary) Add(text string) { v.add(termsOf(text)) }

func (v *Vocabulary) add(list []term) {
	v.documents++
	for _, t := range list {
		if t.before == 0 {
			v.frequency[t.bucket]++
		}
	}
}

// Vector returns the vector of text: 1+ln(tf) times ln((1+N)/(1+df))+1 with a sign by the hash,
// scaled to unit length; zero if it has no word.
func (v *Vocabulary) Vector(text string) []float64 { return v.vectorOf(termsOf(text), &rarities{}) }

// rarities are the second factor by bucket; 0 before it is needed.
type rarities [dimensions]float64

func (v *Vocabulary) vectorOf(list []term, rare *rarities) []float64 {
	vector := make([]float64, dimensions)
	for _, t := range list {
		if rare[t.bucket] == 0 {
			rare[t.bucket] = math.Log(float64(1+v.documents)/float64(1+v.frequency[t.bucket])) + 1
		}
		often := 1.0
		if t.n > 1 { // as few words are
			often += math.Log(float64(t.n))
		}
		vector[t.bucket] += t.sign * often * rare[t.bucket]
	}
	if length := floats.Norm(vector, 2); length > 0 {
		floats.Scale(1/length, vector)
	}
	return vector
}

// appendLower appends the words of a text in lower case.
func appendLower(all []string, text string) []string {
	text = strings.ToLower(text)
	if isASCII(text) {
		for start, i := -1, 0; i <= len(text); i++ {
			switch inWord := i < len(text) && ('a' <= text[i] && text[i] <= 'z' || '0' <= text[i] && text[i] <= '9'); {
			case inWord && start < 0:
				start = i
			case !inWord && start >= 0:
				all, start = append(all, text[start:i]), -1
			}
		}
		return all
	}
	for token := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all = appendWords(all, token)
	}
	return all
}

// bucketOf hashes a word by FNV-1a.
func bucketOf(word string) (index int, sign float64) {
	sum := uint64(14695981039346656037)
	for i := range len(word) {
		sum = (sum ^ uint64(word[i])) * 1099511628211
	}
	if sum>>63 == 1 {
		return int(sum % dimensions), -1
	}
	return int(sum % dimensions), 1
}
