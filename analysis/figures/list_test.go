package figures

import (
	"testing"

	"roundtable/analysis/naming/namingtest"
)

func TestNames(t *testing.T) {
	namingtest.Check(t, "figure", Figures(), map[string]string{
		"3": "utility-by-rule", "4": "rating-errors", "5": "message-length",
		"5.distance": "information-distance", "20": "utility-by-model", "21": "squared-rating-errors",
		"2.2": "discussion-accuracy", "2.3": "answerable-questions", "2.4": "discussion-by-rounds",
		"2.5": "discussion-by-agents", "2.6": "challenges", "2.7": "challenge-outcomes",
		"2.8": "all-agents-drafting", "2.9": "collective-improvement", "2.10": "response-generators",
		"4.1": "debate-accuracy", "4.3": "debate-repetitions", "4.7": "debate-by-round",
		"4.8": "viewpoint-pool", "4.9": "viewpoints", "22": "transitions",
		"23": "exchange-transitions", "24": "recsys-transitions",
	})
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
