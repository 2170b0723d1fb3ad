// Package wording writes lists into sentences, so that all faults and flags
// name what is accepted in the same way.
package wording

import "strings"

// Or is "a", "a or b", "a, b or c"; "nothing" if there is nothing.
func Or[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	switch n := len(words); n {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}
