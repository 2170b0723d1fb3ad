package recount

import (
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
)

// Recounted is what another rule makes of one collaboration.
type Recounted struct {
	Votes   int      // counted again
	Differ  int      // of these, votes after which another proposal stands, or none, or one instead of none
	Drawn   int      // ballots of which something was drawn
	First   int      // round of the first vote that differs; 0 if none does
	Was     string   // key of what stood after that vote; "" if nothing did
	Instead string   // key of what would have stood; "" if nothing would
	Known   bool     // the final decision under the rule is known: Instead, or the recorded one if no vote differs
	How     []string // names of the conversions
}

// Retally counts the votes of one collaboration under a rule.
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

func (r *Recounted) addHow(how string) {
	if !slices.Contains(r.How, how) {
		r.How = append(r.How, how)
	}
}
