package recount

import (
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Recounted is the result of counting one collaboration by another rule.
type Recounted struct {
	Votes   int      // counted again
	Differ  int      // of these, votes after which the standing proposal differs, or only one of the two counts has one
	Drawn   int      // ballots of which something was drawn
	First   int      // round of the first vote that differs; 0 if none does
	Was     string   // key of what stood after that vote; "" if nothing did
	Instead string   // key of what would have stood; "" if nothing would
	Known   bool     // the final decision under the rule is known: Instead, or the recorded one if no vote differs
	How     []string // names of the conversions
}

// Retally counts the votes of one collaboration by rule. An error of type Untold says that its ballots do not
// tell what the rule counts.
func Retally(rows record.Rows, settings Settings, rule decision.Rule, o RetallyOptions) (Recounted, error) {
	votes, err := Votes(rows, settings)
	if err != nil {
		return Recounted{}, err
	}
	c := rows.Collaborations[0]
	var r Recounted
	for i, v := range votes {
		if len(v.Keys) == 0 { // no rule selects anything
			r.Votes++
			continue
		}
		selected, drawn, how, err := countVote(v, c, rule, o)
		if err != nil {
			return r, err
		}
		r.Votes++
		r.Drawn += drawn
		r.addHow(how)
		if v.Decided(selected) == v.Decided(v.Selected) {
			continue
		}
		r.Differ++
		if r.First == 0 {
			r.First, r.Was, r.Instead = v.Round, v.Decided(v.Selected), v.Decided(selected)
			r.Known = i == len(votes)-1 && c.EndReason == endedByRounds
		}
	}
	r.Known = r.Known || r.First == 0
	return r, nil
}

// endedByRounds is the end reason of a collaboration that took all its rounds: with
// another last decision it would have ended, too.
const endedByRounds = "rounds"

// countVote counts one vote under the rule.
func countVote(v Vote, c record.Collaboration, rule decision.Rule, o RetallyOptions) (selected, drawn int,
	how string, err error) {
	to := rule.Ballot(v.Profile.Candidates, v.Profile.Electorate)
	isCast := func(b transcript.Ballot) bool { return !b.Abstain }
	if decision.Weighs(rule) && slices.ContainsFunc(v.Profile.Ballots, isCast) &&
		!slices.ContainsFunc(v.Profile.Ballots, hasWeight) {
		return 0, 0, "", errUntold("the answers have no log-probabilities, which generate: {logprobs: true} keeps")
	}
	conversion, err := convert(v.Ballot, to, o)
	if err != nil {
		return 0, 0, "", err
	}
	draw := o.Draw(c, v.Entry)
	profile := v.Profile
	profile.Ballots = nil
	for _, b := range v.Profile.Ballots {
		as, wasDrawn := conversion.ballot(b, draw)
		if wasDrawn {
			drawn++
		}
		profile.Ballots = append(profile.Ballots, as)
	}
	return v.Break(rule.Tally(profile).Winners), drawn, conversion.Name, nil
}

func hasWeight(b transcript.Ballot) bool { return b.Weight > 0 }

func (r *Recounted) addHow(how string) {
	if !slices.Contains(r.How, how) {
		r.How = append(r.How, how)
	}
}
