package figures

import (
	"testing"

	"roundtable/analysis/analysistest"
)

func TestNames(t *testing.T) {
	analysistest.CheckNames(t, "figure", Figures())
}

// Each figure is made in one way.
func TestEachFigureHasAMaker(t *testing.T) {
	for _, name := range Names() {
		makers := 0
		for _, is := range []bool{ofAny[name] != nil, ofStates[name] != nil, ofDebates[name] != nil, ofDiscussions[name].lines != nil, kinds[name].at != nil} {
			if is {
				makers++
			}
		}
		if makers != 1 {
			t.Errorf("figure %s is made in %d ways", name, makers)
		}
	}
	for _, name := range TransitionNames() {
		if flows[name].title == "" {
			t.Errorf("figure %s has no title", name)
		}
	}
}
