// Package recount recomputes every decision from the ballots in the lake: it rebuilds the profile of each vote
// from the tables, counts it by the collaboration's rule, and compares the result with what was recorded when
// the collaboration ran.
//
// A retally counts the same votes by a rule that did not count them when the collaborations ran. Every
// conversion of a ballot has a name, and what a ballot leaves open is drawn from the collaboration's seed, the
// same on every machine. It does not say what agents would have said or voted otherwise: after the first
// decision that differs, the later ones are unknown.
package recount

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// Counting is how a collaboration counts its votes.
type Counting struct {
	Rule decision.Rule // nil if it decides without votes
	// Asked says that the electorate of a decision is the agents who were asked for a ballot, not all agents.
	Asked bool
	// Seats say how many votes each agent has; none if each has one.
	Seats []seats.Seat
	// Before says how votes in turns taken from the forked campaign are counted; nil without a fork.
	Before *Counting
	// Break selects one of a count's winners, by index; -1 selects none. Without winners, 0 selects the
	// first of all candidates.
	Break func(winners []int, round int, phase string) int
}

// Settings returns how a collaboration counts its votes, given its row (settings_json, seed, instance,
// replicate). The caller supplies it because analysis does not know the rules that exist.
type Settings func(record.Collaboration) (Counting, error)

// Report is the result of a recount.
type Report struct {
	Decisions  int        `json:"decisions"`            // found again, the same or not
	Uncounted  int        `json:"uncounted"`            // decisions that rest on something else than ballots
	Mismatches []Mismatch `json:"mismatches,omitempty"` // by condition, collaboration and entry
}

// Mismatch is one place in which the tables of a collaboration contradict themselves.
type Mismatch struct {
	Collaboration string `json:"collaboration"`
	Generation    int    `json:"generation"`
	Round         int    `json:"round"` // 0 is the collaboration as a whole
	Problem       string `json:"problem"`
}

// Check recounts all votes of a campaign, one collaboration after the other.
func Check(ctx context.Context, store store.Store, d lake.Dataset, settings Settings) (Report, error) {
	var r Report
	for rows, err := range lake.Collaborations(ctx, store, d.ByPart(), record.Collaborations, record.Rounds,
		record.Turns, record.Ballots) {
		if err != nil {
			return r, err
		}
		r.Add(rows, settings)
	}
	slices.SortStableFunc(r.Mismatches, func(a, b Mismatch) int { return cmp.Compare(a.Collaboration, b.Collaboration) })
	return r, nil
}

// Add recounts the votes of one collaboration and adds the result to r.
func (r *Report) Add(rows record.Rows, settings Settings) {
	if len(rows.Turns) == 0 { // it was never begun, or could not be
		return
	}
	c := rows.Collaborations[0]
	counting, err := settings(c)
	if err != nil {
		r.Mismatches = append(r.Mismatches,
			Mismatch{c.CollaborationID, int(c.Generation), 0, "how it counts cannot be found out: " + err.Error()})
		return
	}
	if counting.Rule == nil {
		return
	}
	v := newCount(rows, counting)
	v.run()
	r.Decisions += v.decisions
	r.Uncounted += v.uncounted
	r.Mismatches = append(r.Mismatches, v.found...)
}

// Vote is one vote as it was recorded and counted.
type Vote struct {
	Entry, Round int
	Keys         []string              // of the proposals, by candidate
	Standing     string                // key of the proposal that stood before; "" if none did
	Profile      decision.Profile      // each ballot as often as its agent has votes
	Ballot       transcript.BallotSpec // the form of its ballots
	Selected     int                   // candidate; -1 if none
	// Before says how votes in turns taken from the forked campaign are counted; nil without a fork.
	Before *Counting
	// Break selects one of the winners of another count of it, as Counting.Break does.
	Break func(winners []int) int
}

// Decided returns the key of the proposal that stands after the vote if candidate number selected, or none
// (-1), is selected; "" if none stands.
func (v Vote) Decided(selected int) string {
	if selected < 0 {
		return v.Standing
	}
	return v.Keys[selected]
}

// Votes returns the votes of one collaboration in their order: those by ballots, and those in which each
// answer or proposal counts as a vote for itself. A vote without a valid ballot has no candidates. The result
// is empty if the collaboration decides in another way. The error says where the tables contradict themselves.
func Votes(rows record.Rows, settings Settings) ([]Vote, error) {
	c := rows.Collaborations[0]
	counting, err := settings(c)
	if err != nil || counting.Rule == nil || len(rows.Turns) == 0 {
		return nil, err
	}
	v := newCount(rows, counting)
	if v.run(); len(v.found) > 0 {
		return nil, fmt.Errorf("collaboration %s, round %d: %s", c.CollaborationID, v.found[0].Round,
			v.found[0].Problem)
	}
	return v.counted, nil
}

// Scores returns, by entry of each decision by ballots in one collaboration, the rule's score of each
// candidate; nil if the tables contradict themselves.
func Scores(rows record.Rows, settings Settings) map[int32][]*big.Rat {
	counting, err := settings(rows.Collaborations[0])
	if err != nil || counting.Rule == nil {
		return nil
	}
	v := newCount(rows, counting)
	if v.run(); len(v.found) > 0 {
		return nil
	}
	return v.scores
}
