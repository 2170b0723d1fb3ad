package recount

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/transcript"
)

// candidateKeys returns the keys of a ballot's candidates; none if it is an abstention.
func candidateKeys(rows []record.Ballot) []string {
	var keys []string
	for _, r := range rows {
		if r.Candidate != nil {
			keys = append(keys, textOf(r.CandidateKey))
		}
	}
	return keys
}

// ballotAt returns a vote as the engine recorded it with its turn, after holding it
// to the rule's form and to its rows in the table ballots.
func (c *count) ballotAt(entry int, keys []string, electorate int) (transcript.Ballot, error) {
	rows, turn, recorded := c.ballots[entry], c.rows.Turns[entry], c.acts[entry].Ballot
	abstain := transcript.Ballot{Abstain: true}
	switch {
	case len(rows) == 0:
		return abstain, errors.New("it is not in the table ballots")
	case voterOf(turn) != rows[0].Agent || turn.Round != rows[0].Round:
		return abstain, errors.New("it is another agent's or another round's in the table turns")
	case rows[0].Abstained:
		if len(rows) > 1 || recorded != nil && !recorded.Abstain {
			return abstain, errors.New("it is an abstention and a vote")
		}
		return abstain, nil
	case recorded == nil || recorded.Abstain:
		return abstain, errors.New("it is an abstention in the table turns")
	}
	values, err := exactValues(rows, keys)
	if err != nil {
		return abstain, err
	}
	// The vote is what the engine recorded. Its values need not say all of it: a
	// rule that compares pairs gives candidates no value of their own.
	if err := c.Rule.Ballot(len(keys), electorate).Validate(*recorded); err != nil {
		return abstain, err
	}
	for i, v := range values {
		if said := c.Rule.Value(*recorded, i, len(keys)); said.Cmp(v) != 0 {
			return abstain, fmt.Errorf("it gives candidate %d %s, the table turns says %s", i, v.RatString(),
				said.RatString())
		}
	}
	return *recorded, nil
}

// voterOf returns an agent, or -1 for a judge.
func voterOf(t record.Turn) int32 {
	if t.Agent == nil {
		return -1
	}
	return *t.Agent
}

// exactValues returns the values by candidate.
func exactValues(rows []record.Ballot, keys []string) ([]*big.Rat, error) {
	if !slices.Equal(candidateKeys(rows), keys) {
		return nil, errors.New("its candidates are not those of the other voters")
	}
	values := make([]*big.Rat, len(rows))
	for i, r := range rows {
		v, ok := new(big.Rat).SetString(textOf(r.ValueExact))
		if !ok || r.Value == nil || *r.Candidate != int32(i) || r.Abstained {
			return nil, fmt.Errorf("its row of candidate %d has no exact value or is out of order", i)
		}
		if near, _ := v.Float64(); near != *r.Value {
			return nil, fmt.Errorf("candidate %d has value %v, but exactly %s", i, *r.Value, textOf(r.ValueExact))
		}
		values[i] = v
	}
	return values, nil
}
