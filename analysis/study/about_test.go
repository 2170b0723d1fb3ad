package study

import (
	"slices"
	"testing"
)

func TestEachTableSaysWhatItShows(t *testing.T) {
	for _, name := range slices.Concat(Names(), OfMessages()) {
		if About(name) == "" {
			t.Errorf("table %s says nothing", name)
		}
	}
}
