package language

import (
	"cmp"
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
	var v Vocabulary
	var known lexicon
	split := make([][]int, len(texts))
	for i, text := range texts {
		split[i] = known.read(text)
		v.add(split[i], known.terms)
	}
	known.sort(split...)
	vectors := make([][]float64, len(texts))
	for i, list := range split {
		vectors[i] = v.vector(list, known.terms)
	}
	return vectors, ctx.Err()
}

// lexicon numbers words, so that each is hashed and put into its order once.
type lexicon struct {
	numbers map[string]int
	terms   []term // by number
	buffer  []string
}

// term is a word, and what vectors need of it.
type term struct {
	word   string
	bucket int
	sign   float64
	rare   float64 // 0 before it is needed
}

// read returns the numbers of a text's words.
func (l *lexicon) read(text string) []int {
	if l.numbers == nil {
		l.numbers = map[string]int{}
	}
	l.buffer = appendLower(l.buffer[:0], text)
	list := make([]int, len(l.buffer))
	for i, word := range l.buffer {
		n, known := l.numbers[word]
		if !known {
			n = len(l.terms)
			l.numbers[word] = n
			b, sign := bucket(word)
			l.terms = append(l.terms, term{word: word, bucket: b, sign: sign})
		}
		list[i] = n
	}
	return list
}

// sort numbers the words in their order, also in the texts that were read.
func (l *lexicon) sort(texts ...[]int) {
	slices.SortFunc(l.terms, func(a, b term) int { return cmp.Compare(a.word, b.word) })
	places := make([]int, len(l.terms))
	for place, t := range l.terms {
		places[l.numbers[t.word]] = place
	}
	for _, list := range texts {
		for i, n := range list {
			list[i] = places[n]
		}
	}
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
func (v *Vocabulary) Add(text string) {
	var l lexicon
	v.add(l.read(text), l.terms)
}

func (v *Vocabulary) add(list []int, terms []term) {
	v.documents++
	seen := [dimensions]bool{}
	for _, n := range list {
		if b := terms[n].bucket; !seen[b] {
			seen[b] = true
			v.frequency[b]++
		}
	}
}

// Vector of a text: 1+ln(tf) times ln((1+N)/(1+df))+1, with a sign by the hash,
// of unit length; zero if it has no word.
func (v *Vocabulary) Vector(text string) []float64 {
	var l lexicon
	list := l.read(text)
	l.sort(list)
	return v.vector(list, l.terms)
}

// vector is of words whose numbers are in their order.
func (v *Vocabulary) vector(list []int, terms []term) []float64 {
	vector := make([]float64, dimensions)
	slices.Sort(list) // sums of floats depend on their order
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n] == list[0] {
			n++
		}
		t := &terms[list[0]]
		if t.rare == 0 {
			t.rare = math.Log(float64(1+v.documents)/float64(1+v.frequency[t.bucket])) + 1
		}
		vector[t.bucket] += t.sign * (1 + math.Log(float64(n))) * t.rare
		list = list[n:]
	}
	if length := floats.Norm(vector, 2); length > 0 {
		floats.Scale(1/length, vector)
	}
	return vector
}

// appendLower appends the words of a text in lower case.
func appendLower(all []string, text string) []string {
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
