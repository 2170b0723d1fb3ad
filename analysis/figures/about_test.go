package figures

import (
	"slices"
	"testing"
)

func TestEachFigureSaysWhatItShows(t *testing.T) {
	for _, name := range slices.Concat(Names(), OfActs()) {
		if About(name) == "" {
			t.Errorf("figure %s says nothing", name)
		}
	}
}
