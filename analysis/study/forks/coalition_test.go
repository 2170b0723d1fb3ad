package forks

import (
	"slices"
	"testing"
)

func TestAbsent(t *testing.T) {
	for c, want := range map[Coalition][]int{0: {0, 1, 2}, 0b101: {1}, Everyone(3): nil} {
		if got := c.Absent(3); !slices.Equal(got, want) {
			t.Errorf("of %b: %v, want %v", c, got, want)
		}
	}
}
