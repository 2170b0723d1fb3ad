package wording

import "strings"

// longestWord is what may be a slip: comparing takes time as the square of the length.
const longestWord = 100

// DidYouMean returns "; did you mean X?" with the word of list that is closest to written; "" if
// none is close.
func DidYouMean[T ~string](written string, list []T) string {
	if len(written) > longestWord {
		return ""
	}
	best, least := "", 1+2*len(written)/5
	for _, word := range list {
		if max(len(word)-len(written), len(written)-len(word)) >= least {
			continue
		}
		if d := Distance(strings.ToLower(written), strings.ToLower(string(word))); d < least {
			best, least = string(word), d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// Distance returns the Levenshtein distance of a and b, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
