// Package wording writes lists, numbers and foreign text into sentences: all errors and flags
// name what is accepted in the same way, and what a model or a service wrote can neither steer
// a terminal nor turn the reading direction of a page.
package wording

import (
	"fmt"
	"math"
	"strings"
)

// Or returns "a", "a or b", "a, b or c"; "nothing" if list is empty.
func Or[T ~string](list []T) string {
	if len(list) == 0 {
		return "nothing"
	}
	return joinWith(list, " or ")
}

// And returns "a", "a and b", "a, b and c"; "" if list is empty.
func And[T ~string](list []T) string { return joinWith(list, " and ") }

func joinWith[T ~string](list []T, last string) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n-1], ", ") + last + words[n-1]
}

// Count returns "1 cell", "2 cells", "2 batches", "2 retries": n of a noun with
// a regular plural.
func Count[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	stem, ending := noun, "s"
	switch {
	case strings.HasSuffix(noun, "ch"):
		ending = "es"
	case strings.HasSuffix(noun, "ry"):
		stem, ending = strings.TrimSuffix(noun, "y"), "ies"
	}
	return fmt.Sprint(n, " ", stem, ending)
}

// Bytes returns a size in words: "999 B", "1.2 kB", "35 MB".
func Bytes(n int64) string {
	size, units := float64(n), []string{"B", "kB", "MB", "GB", "TB"}
	for len(units) > 1 && size >= 999.5 {
		size, units = size/1000, units[1:]
	}
	if size < 9.95 && units[0] != "B" {
		return fmt.Sprintf("%.1f %s", size, units[0])
	}
	return fmt.Sprintf("%.0f %s", size, units[0])
}

// MostNamed is how many names Some lists.
const MostNamed = 3

// Some returns the first MostNamed names and how many more there are: "a, b, c and 4 more".
func Some(names []string) string {
	if more := len(names) - MostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:MostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Dollars returns an amount of US dollars with two decimals, below a dollar with four.
func Dollars(usd float64) string {
	switch {
	case usd > 0 && usd < 0.00005:
		return "<$0.0001"
	case usd > 0 && usd < 1:
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// DollarsAtMost returns a bound of US dollars as Dollars does, and never a lower one.
func DollarsAtMost(usd float64) string {
	scale := 100.
	if usd < 1 {
		scale = 10_000
	}
	return Dollars(max(0, math.Ceil(usd*scale-1e-6)) / scale)
}
