// Package quorum is a decision rule that roundtable does not have: the most votes,
// if enough of the agents voted.
package quorum

import (
	"fmt"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
)

// Params are what a campaign file can set.
type Params struct {
	Percent int `json:"percent"` // of all agents, who must have voted
}

// Plugin returns the rule's entry for the catalogue.
func Plugin() catalogue.Rule {
	return catalogue.NewRule("quorum", "the most votes, if enough of the agents voted", Params{Percent: 60}, New)
}

// rule casts the ballots of plurality and counts them so, too.
type rule struct {
	decision.Rule
	percent int
}

// New returns the rule.
func New(p Params) (decision.Rule, error) {
	if p.Percent < 1 || p.Percent > 100 {
		return nil, fmt.Errorf("percent is %d; expected 1 to 100", p.Percent)
	}
	plurality, err := decision.NewPlurality(decision.PluralityParams{})
	return rule{plurality, p.Percent}, err
}

// Tally selects nothing below the quorum.
func (r rule) Tally(p decision.Profile) decision.Result {
	voted := 0
	for _, b := range p.Ballots {
		if !b.Abstain {
			voted++
		}
	}
	result := r.Rule.Tally(p)
	if 100*voted < r.percent*p.Electorate {
		result.Winners = nil
	}
	return result
}

// Words explain the rule to agents.
func (r rule) Words() decision.Words {
	words := r.Rule.Words()
	words.Name = "plurality voting with a quorum"
	words.Explanation = fmt.Sprintf("The candidate with more votes than any other is selected if at least %d %% of "+
		"all agents vote. Otherwise no candidate is selected.", r.percent)
	return words
}
