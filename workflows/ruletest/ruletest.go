// Package ruletest has the suites that every decision rule and every stopping rule passes. Run
// draws votes at random in a decision rule's own form of ballot, whatever it counts: sums of
// ballots, thresholds or pairs of candidates, and holds its decisions to laws. RunStopping
// draws transcripts and shows that a stopping rule gives the same answer twice, changes
// nothing, does not look ahead, and looks at what it says it does.
//
//	func TestCopeland(t *testing.T) { ruletest.Run(t, rule, ruletest.Options{}) }
package ruletest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
)

// Law is what the decisions of a rule are held to.
type Law string

// The laws. All rules keep the first group: the engine and verify depend on it.
// Those of the second are promised unless Options.Without names them.
const (
	// a ballot's form fits the candidates, refuses what does not, and what it accepts can be counted
	Forms       Law = "forms"
	Repeatable  Law = "repeatable"  // the same profile gives the same result and stays as it was
	NoVotes     Law = "no votes"    // nobody wins where all abstain or stay away, or without candidates
	Abstentions Law = "abstentions" // abstaining is the same as staying away
	Values      Law = "values"      // one ballot gives a candidate nothing or more, an abstention nothing
	Recount     Law = "recount"     // ballots as the lake records them give the same decision and values
	Words       Law = "words"       // agents are told the rule, and the example of a ballot is one that counts

	Anonymity    Law = "anonymity"    // no voter's name counts
	Neutrality   Law = "neutrality"   // no candidate's number counts
	Ties         Law = "ties"         // candidates that the ballots do not tell apart win together or not at all
	Monotonicity Law = "monotonicity" // a winner that rises on one ballot still wins, and nobody joins it
	Unanimity    Law = "unanimity"    // a candidate that everybody puts strictly first wins alone

	Sums          Law = "sums"          // scores are sums of values, and the electorate decides nothing
	Reinforcement Law = "reinforcement" // groups that agree on some winners elect exactly these together (Young 1975)
)

// Options of Run. The zero value holds a rule to all laws but those of sums.
type Options struct {
	// Additive rules add up what ballots give, and elect the candidates with the most: they
	// are held to Sums and Reinforcement as well.
	Additive bool
	// Without are promises that the rule does not make, each of the second group.
	Without []Law
}

// law is one law with its check.
type law struct {
	name     Law
	check    func(*rapid.T, decision.Rule)
	optional bool // may be left out by Options.Without
	additive bool // only for rules that add up
}

func laws() []law {
	return []law{
		{name: Forms, check: checkForms},
		{name: Repeatable, check: checkRepeatable},
		{name: NoVotes, check: checkNoVotes},
		{name: Abstentions, check: checkAbstentions},
		{name: Values, check: checkValues},
		{name: Recount, check: checkRecount},
		{name: Words, check: checkWords},
		{name: Anonymity, check: checkAnonymity, optional: true},
		{name: Neutrality, check: checkNeutrality, optional: true},
		{name: Ties, check: checkTies, optional: true},
		{name: Monotonicity, check: checkMonotonicity, optional: true},
		{name: Unanimity, check: checkUnanimity, optional: true},
		{name: Sums, check: checkSums, additive: true},
		{name: Reinforcement, check: checkReinforcement, additive: true},
	}
}

// Run holds a rule to the laws, each as a subtest of its name.
func Run(t *testing.T, rule decision.Rule, opt Options) {
	t.Helper()
	chosen, err := opt.laws()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range chosen {
		t.Run(string(l.name), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { l.check(t, rule) })
		})
	}
}

// laws returns the laws that a rule is held to.
func (o Options) laws() ([]law, error) {
	var chosen []law
	for _, name := range o.Without {
		if !slices.ContainsFunc(laws(), func(l law) bool { return l.name == name && l.optional }) {
			return nil, fmt.Errorf("ruletest: no rule can do without the law %q", name)
		}
	}
	for _, l := range laws() {
		if !slices.Contains(o.Without, l.name) && (o.Additive || !l.additive) {
			chosen = append(chosen, l)
		}
	}
	return chosen, nil
}

// Fuzz holds one of the rules to Forms, with profiles of the fuzzer's.
func Fuzz(f *testing.F, rules ...decision.Rule) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkForms(t, rapid.SampledFrom(rules).Draw(t, "rule")) }))
}
