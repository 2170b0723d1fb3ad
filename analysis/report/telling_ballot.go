package report

import (
	"fmt"
	"strconv"
	"strings"

	"roundtable/analysis/lake/record"
)

// candidatesOf returns what the ballots of a phase are about, with what each ballot gives them.
func (t *telling) candidatesOf(turns []record.Turn) []candidate {
	var list []candidate
	at := map[int32]int{}
	for _, b := range t.Ballots {
		if b.Candidate == nil || b.Entry < turns[0].Entry || b.Entry > turns[len(turns)-1].Entry {
			continue
		}
		i, known := at[*b.Candidate]
		if !known {
			i = len(list)
			at[*b.Candidate] = i
			list = append(list, t.newCandidate(b))
		}
		if b.ValueExact != nil {
			list[i].Votes = append(list[i].Votes, vote{t.agentNames([]int32{b.Agent}), *b.ValueExact})
		}
	}
	return list
}

func (t *telling) newCandidate(b record.Ballot) candidate {
	by := parseAgents(b.ProposersJSON)
	c := candidate{Number: *b.Candidate + 1, From: "by " + t.agentNames(by)}
	switch {
	case b.Standing != nil && *b.Standing && len(by) > 0:
		c.From += "; it stands"
	case b.Standing != nil && *b.Standing:
		c.From = "it stands"
	}
	if b.CandidateKey != nil {
		c.Proposal = t.proposals[*b.CandidateKey]
	}
	return c
}

// ballotText says for what an agent votes, candidates numbered from 1.
func ballotText(row record.Turn, approval bool) string {
	b := actOf(row).Ballot
	switch {
	case b == nil:
		return "a ballot that is not recorded"
	case b.Abstain:
		return "abstains"
	case len(b.Points) > 0:
		var parts []string
		for c, points := range b.Points {
			if points >= 0 {
				parts = append(parts, fmt.Sprintf("candidate %d: %d", c+1, points))
			}
		}
		return strings.Join(parts, ", ")
	case len(b.Order) > 0 && approval:
		return "approves of " + candidatesNumbered(b.Order)
	case len(b.Order) > 0:
		return "candidates " + candidateNumbers(b.Order, " > ")
	}
	return fmt.Sprintf("candidate %d", b.Choice+1)
}

// choiceOf returns the number of the candidate that a ballot names alone; 0 if it names several, or none.
func choiceOf(row record.Turn) int32 {
	b := actOf(row).Ballot
	if b == nil || b.Abstain || len(b.Points) > 0 || len(b.Order) > 0 {
		return 0
	}
	return int32(b.Choice + 1)
}

func candidatesNumbered(candidates []int) string {
	if len(candidates) == 1 {
		return "candidate " + candidateNumbers(candidates, "")
	}
	return "candidates " + candidateNumbers(candidates, ", ")
}

// approvesAll reports whether a ballot gives all its candidates the same: it is a set
// of them, no ranking.
func (t *telling) approvesAll(entry int32) bool {
	if rule := t.Collaborations[0].Rule; rule == "approval" {
		return true
	}
	given, same := map[string]int{}, 0
	for _, b := range t.Ballots {
		if b.Entry == entry && b.ValueExact != nil && *b.ValueExact != "0" {
			given[*b.ValueExact]++
			same = max(same, given[*b.ValueExact])
		}
	}
	return len(given) == 1 && same > 1
}

func candidateNumbers(candidates []int, separator string) string {
	var parts []string
	for _, c := range candidates {
		parts = append(parts, strconv.Itoa(c+1))
	}
	return strings.Join(parts, separator)
}

// countText returns what a count of ballots came to.
func countText(row record.Turn) string {
	d := actOf(row).Decision
	switch {
	case d == nil:
		return "it is not recorded"
	case len(d.Winners) > 1 && d.Selected < 0:
		return "a tie between candidates " + candidateNumbers(d.Winners, ", ") + ": none is selected"
	case len(d.Winners) > 1:
		return fmt.Sprintf("a tie between candidates %s; candidate %d is selected",
			candidateNumbers(d.Winners, ", "), d.Selected+1)
	case d.Selected >= 0:
		return fmt.Sprintf("candidate %d is selected", d.Selected+1)
	}
	return "no candidate passes"
}
