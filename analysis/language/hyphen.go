package language

import (
	_ "embed"
	"strings"
	"sync"
)

// The American English patterns of the Hyphen library; their licence and
// origin are in README_hyph_en_US.txt.
//
//go:embed hyph_en_US.dic
var dictionary string

// patterns of Liang (1983): letters, and how much a hyphen is wanted (odd) or
// unwanted (even) before each and after the last.
type patterns struct {
	weights map[string][]int
	longest int // letters
}

var english = sync.OnceValue(func() patterns {
	p := patterns{weights: map[string][]int{}}
	for line := range strings.SplitSeq(dictionary, "\n") {
		if line == "" || strings.HasPrefix(line, "UTF-8") || strings.Contains(line, "HYPHENMIN") {
			continue
		}
		p.add(line)
	}
	return p
})

func (p *patterns) add(line string) {
	var letters []rune
	weights := []int{0}
	for _, r := range line {
		if '0' <= r && r <= '9' {
			weights[len(letters)] = int(r - '0')
			continue
		}
		letters, weights = append(letters, r), append(weights, 0)
	}
	p.weights[string(letters)] = weights
	p.longest = max(p.longest, len(letters))
}

// countHyphens returns how many places a word in lower case can be hyphenated at, two
// letters from either end at least.
func countHyphens(word string) int {
	p := english()
	dotted := "." + word + "."
	var starts []int // of each letter, and the end
	for i := range dotted {
		starts = append(starts, i)
	}
	starts = append(starts, len(dotted))
	n := len(starts) - 1
	points := make([]int, n+1)
	for i := range n {
		for j := i + 1; j <= min(i+p.longest, n); j++ {
			for k, w := range p.weights[dotted[starts[i]:starts[j]]] {
				points[i+k] = max(points[i+k], w)
			}
		}
	}
	count := 0
	for at := 3; at < n-2; at++ { // before the letter at-1 of the word
		count += points[at] % 2
	}
	return count
}
