// Package recount finds every decision again from the ballots in the lake: it
// rebuilds the profile of each vote from the tables, counts it with the
// collaboration's rule, and compares what comes out with what was recorded
// when the collaboration ran.
//
// A retally counts them under a rule that did not count them when the collaborations ran.
// Every conversion of a ballot has a name, what a ballot leaves open is drawn from the
// collaboration's seed, the same on every machine, and nothing is claimed that agents might
// have said or voted otherwise: after the first decision that differs, the later ones are not
// known.
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
	// Asked says that the electorate of a decision is those who were asked for a ballot, not all agents.
	Asked bool
	// Seats say how many votes each agent has; none if each has one.
	Seats []seats.Seat
	// Before is how the turns were counted that a fork has from another campaign; nil without.
	Before *Counting
	// Break selects one of a count's winners, of which there may be none; -1 is
	// none of them, and 0 without winners is the first of all candidates.
	Break func(winners []int, round int, phase string) int
}

// Settings says how a collaboration counts, by its row: settings_json, seed,
// instance and replicate. What rules there are is not for analysis to know.
type Settings func(record.Collaboration) (Counting, error)

// Report is what a recount found.
type Report struct {
	Decisions  int        `json:"decisions"`            // found again, the same or not
	Uncounted  int        `json:"uncounted"`            // decisions that rest on something else than ballots
	Mismatches []Mismatch `json:"mismatches,omitempty"` // by condition, collaboration and entry
}

// Mismatch is one thing in which the tables do not agree with themselves.
type Mismatch struct {
	Collaboration string `json:"collaboration"`
	Generation    int    `json:"generation"`
	Round         int    `json:"round"` // 0 is the collaboration as a whole
	Problem       string `json:"problem"`
}

// Check counts all votes of a campaign again, one collaboration after the other.
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

// Add counts the votes of one collaboration again.
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
	// Before is how the turns were counted that a fork has from another campaign; nil without.
	Before *Counting
	// Break selects one of the winners of another count of it, as Counting.Break does.
	Break func(winners []int) int
}

// Decided returns the key of the proposal that stands once a candidate is selected, or -1
// for none; "" if none stands.
func (v Vote) Decided(selected int) string {
	if selected < 0 {
		return v.Standing
	}
	return v.Keys[selected]
}

// Votes returns the votes of one collaboration in their order: those by ballots, and
// those in which answers or proposals are votes for themselves. One without a valid ballot
// has no candidates. There are none if it decides in another way. The error says what the tables do not agree about.
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

// Scores returns what the rule counts for each candidate of each vote by ballots of one
// collaboration, by entry of the decision; nothing if the tables do not agree with themselves.
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
