package language

import (
	"context"
	"fmt"
	"hash/fnv"
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

// Name returns what figures that rest on it print.
func (Hashed) Name() string {
	return fmt.Sprintf("hashed TF-IDF (%d dimensions, rarity within a collaboration)", dimensions)
}

// Embed fails only if it is told to stop.
func (Hashed) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	v := &Vocabulary{}
	split := make([][]string, len(texts))
	for i, text := range texts {
		split[i] = words(text)
		v.add(split[i])
	}
	vectors := make([][]float64, len(texts))
	for i, list := range split {
		vectors[i] = v.vector(list)
	}
	return vectors, ctx.Err()
}

// Vocabulary is how rare words are, as learnt from the texts that were added;
// after that, the same text always has the same vector. Words are hashed into
// dimensions (Weinberger et al. 2009).
type Vocabulary struct {
	documents int
	frequency [dimensions]int // documents with a word of the bucket
}

// Name returns what figures that rest on it print.
func (v *Vocabulary) Name() string {
	return fmt.Sprintf("hashed TF-IDF (%d dimensions, %d documents)", dimensions, v.documents)
}

// Add learns from a document.
func (v *Vocabulary) Add(text string) { v.add(words(text)) }

func (v *Vocabulary) add(list []string) {
	v.documents++
	seen := [dimensions]bool{}
	for _, word := range list {
		if b, _ := bucket(word); !seen[b] {
			seen[b] = true
			v.frequency[b]++
		}
	}
}

// Vector of a text: 1+ln(tf) times ln((1+N)/(1+df))+1, with a sign by the hash,
// of unit length; zero if it has no word.
func (v *Vocabulary) Vector(text string) []float64 { return v.vector(words(text)) }

func (v *Vocabulary) vector(list []string) []float64 {
	vector := make([]float64, dimensions)
	slices.Sort(list) // sums of floats depend on their order
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n] == list[0] {
			n++
		}
		b, sign := bucket(list[0])
		rare := math.Log(float64(1+v.documents)/float64(1+v.frequency[b])) + 1
		vector[b] += sign * (1 + math.Log(float64(n))) * rare
		list = list[n:]
	}
	if length := floats.Norm(vector, 2); length > 0 {
		floats.Scale(1/length, vector)
	}
	return vector
}

func words(text string) []string {
	var all []string
	for token := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		all = AppendWords(all, token)
	}
	return all
}

func bucket(word string) (index int, sign float64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(word)) // never fails
	sum := h.Sum64()
	if sum>>63 == 1 {
		return int(sum % dimensions), -1
	}
	return int(sum % dimensions), 1
}
