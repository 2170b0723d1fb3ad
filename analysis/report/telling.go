package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/transcript"
)

// Told is a collaboration in words, in the order in which it happened.
type Told struct {
	Collaboration record.Collaboration
	About         []string // sentences on what was run
	Facts         []Fact   // what it was about, for readers; the rows do not hold it
	Rounds        []Round
	End           string // how it ended and what was decided

	names agentNames
	also  map[int32]string
}

// Fact is a named fact about a collaboration's task, for readers.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Round is one round, and what stands at its end.
type Round struct {
	Number   int32 // from 1
	Phases   []Phase
	Standing string // what stands at its end
}

// Phase is a sequence of turns of one kind; a decision ends it.
type Phase struct {
	Name       string
	Candidates []candidate // of its ballots
	Turns      []Turn
}

// candidate is what ballots are about.
type candidate struct {
	Number   int32  // from 1
	From     string // whose proposal it is, and whether it stands
	Proposal string
	Votes    []vote // by voter, abstentions left out
}

// vote is what a ballot gives a candidate.
type vote struct {
	Voter string
	Value string // an exact fraction
}

// Turn is one entry of a transcript.
type Turn struct {
	Entry    int32
	Who      string // the speaker, with its role
	Does     string // to be read right after Who, as in "Ann to Bob:"
	Choice   int32  // the number of the one candidate that it votes for or selects; 0 if there is none
	Tied     bool   // it chose among several with the same count
	Selected string // the proposal that a count of ballots selects; "" if it selects none, or that is not known
	Again    string // how often the model was asked again, in words; "" if it was not
	Proposal string // "" if there is none or it is the Text
	Text     string // what others could see
	Reason   string // private
	Thinking string // what the model thought before its answer: private, and long
	Invalid  bool   // there was no usable answer
	Decided  bool   // it is a count of ballots
	Asked    bool   // a model was asked for it
	Sees     []transcript.Range
}

// telling is a story while it is told.
type telling struct {
	record.Rows
	names     agentNames
	also      map[int32]string  // what else agents are called: the role, or the name where the role stands first
	proposals map[string]string // by key
}

// Tell returns the rows of one collaboration, which must be in the order of their keys, in words.
func Tell(rows record.Rows) Told {
	t := &telling{Rows: rows, names: agentNames{}, also: map[int32]string{}, proposals: map[string]string{}}
	t.nameAgents()
	for _, turn := range rows.Turns {
		if turn.ProposalKey != nil && turn.ProposalJSON != nil {
			t.proposals[*turn.ProposalKey] = *turn.ProposalJSON
		}
	}
	c := rows.Collaborations[0]
	story := Told{Collaboration: c, About: slices.Concat(unfinishedText(c), settingsText(c), forkText(t.Turns)),
		End: endingText(c), names: t.names, also: t.also}
	turns := t.Turns
	var before *string // key of what stood
	for _, round := range t.Rounds {
		n := 0
		for n < len(turns) && turns[n].Round == round.Round {
			n++
		}
		phases := t.splitPhases(turns[:n])
		setSelected(phases, round.DecisionJSON)
		story.Rounds = append(story.Rounds,
			Round{Number: round.Round, Phases: phases, Standing: standingText(round, before)})
		before = round.DecisionKey
		turns = turns[n:]
	}
	return story
}

// setSelected stores the round's decision with its last count of ballots, if that selects a proposal.
func setSelected(phases []Phase, decision *string) {
	for _, p := range slices.Backward(phases) {
		for i, turn := range slices.Backward(p.Turns) {
			if turn.Decided {
				if turn.Choice > 0 && decision != nil {
					p.Turns[i].Selected = *decision
				}
				return
			}
		}
	}
}

// nameAgents names agents by what tells most: a role where the name is but a number.
func (t *telling) nameAgents() {
	roles, count := map[int32]string{}, map[string]int{}
	for _, turn := range t.Turns {
		if turn.Agent == nil || turn.Role != "" {
			continue
		}
		t.names[*turn.Agent] = turn.AgentName
		if turn.AgentRole != nil && roles[*turn.Agent] == "" {
			roles[*turn.Agent] = *turn.AgentRole
			count[*turn.AgentRole]++
		}
	}
	for agent, role := range roles {
		t.also[agent] = role
		if isNumbered(t.names[agent]) && count[role] == 1 {
			t.names[agent], t.also[agent] = role, t.names[agent]
		}
	}
}

// isNumbered reports whether a name is one that an environment made of a number: Agent 3.
func isNumbered(name string) bool {
	number, is := strings.CutPrefix(strings.ToLower(name), "agent ")
	_, err := strconv.Atoi(number)
	return is && err == nil
}

// unfinishedText says that a collaboration has not ended; nothing of one that has.
func unfinishedText(c record.Collaboration) []string {
	if c.Status != record.Unfinished {
		return nil
	}
	return []string{fmt.Sprintf("Unfinished, in round %d of %d: this is what has been answered so far. No table of "+
		"results counts it.", c.RoundsRun, c.RoundsPlanned)}
}

func settingsText(c record.Collaboration) []string {
	return []string{
		fmt.Sprintf("%s (%s), protocol %s, rule %s, model %s", c.Environment, cmp.Or(c.InstanceID, "no instance"),
			c.Protocol, cmp.Or(c.Rule, "none"), c.Model),
		fmt.Sprintf("%d agents, %d of %d rounds, %d turns (%d invalid), %d questions asked, %d calls", c.Agents,
			c.RoundsRun, c.RoundsPlanned, c.Turns, c.InvalidTurns, c.Asks, c.Calls),
	}
}

// forkText says which turns come from another collaboration; nothing without a fork.
func forkText(turns []record.Turn) []string {
	n, from := 0, ""
	for _, t := range turns {
		if t.ForkedFrom != nil {
			n, from = n+1, *t.ForkedFrom
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("A fork: its first %d turns are those of %s, and were not asked for again", n, from)}
}

func (t *telling) splitPhases(turns []record.Turn) []Phase {
	var phases []Phase
	for len(turns) > 0 {
		n := 1
		for n < len(turns) && turns[n].Phase == turns[0].Phase && turns[n-1].Kind != "decide" {
			n++
		}
		p := Phase{Name: turns[0].Phase, Candidates: t.candidatesOf(turns[:n])}
		for _, turn := range turns[:n] {
			p.Turns = append(p.Turns, t.newTurn(turn))
		}
		phases = append(phases, p)
		turns = turns[n:]
	}
	return phases
}

// standingText says what a round left, after what stood before.
func standingText(r record.Round, before *string) string {
	if r.DecisionJSON == nil {
		return "Nothing is decided yet."
	}
	how := "stands as before"
	switch {
	case r.Changed, r.DecisionKey != nil && (before == nil || *before != *r.DecisionKey): // the latter without a vote
		how = "stands from now on"
	case r.Passed:
		how = "was selected again and stands"
	case r.Voted:
		how = "is kept and stands"
	}
	return fmt.Sprintf("%s %s.%s", plainProposal(*r.DecisionJSON), how, scoreText(r.Score, r.Utilities))
}

// plainProposal returns a proposal that is a text without its quotes, and any other as it is written.
func plainProposal(proposal string) string {
	var text string
	if json.Unmarshal([]byte(proposal), &text) == nil && text != "" {
		return text
	}
	return proposal
}

func scoreText(score *float64, utilities []float64) string {
	if score == nil {
		return ""
	}
	s := fmt.Sprintf(" Score %.4g", roundForPeople(*score))
	if len(slices.Compact(slices.Clone(utilities))) > 1 { // else they say what the score says
		var parts []string
		for _, u := range utilities {
			parts = append(parts, fmt.Sprintf("%.4g", roundForPeople(u)))
		}
		s += "; utilities " + strings.Join(parts, ", ")
	}
	return s + "."
}

func endingText(c record.Collaboration) string {
	if c.Status == record.Unfinished && c.DecisionJSON == nil {
		return "In progress. No decision yet."
	} else if c.Status == record.Unfinished {
		return fmt.Sprintf("In progress. Decision so far: %s.%s", plainProposal(*c.DecisionJSON),
			scoreText(c.Score, c.Utilities))
	}
	end := map[string]string{"": "It did not come to its own end", "rounds": "All rounds were run",
		"stopped": "The stopping rule ended it"}[c.EndReason]
	if end == "" {
		end = "It ended: " + c.EndReason
	}
	if c.DecisionJSON == nil {
		return end + ". There is no decision."
	}
	return fmt.Sprintf("%s. Decision: %s.%s", end, plainProposal(*c.DecisionJSON), scoreText(c.Score, c.Utilities))
}

// AgentName returns the name of an agent.
func (s Told) AgentName(agent int32) string { return s.names.nameOf(agent) }

// AgentAlso returns the other name of an agent: its role, or its name; "" if it has none.
func (s Told) AgentAlso(agent int32) string { return s.also[agent] }

// agentNames are what agents are called, by index.
type agentNames map[int32]string

func (n agentNames) nameOf(agent int32) string {
	return cmp.Or(n[agent], fmt.Sprint("agent ", agent+1))
}

// agentNames returns agents by their names.
func (t *telling) agentNames(agents []int32) string {
	var names []string
	for _, a := range agents {
		names = append(names, t.names.nameOf(a))
	}
	return strings.Join(names, ", ")
}

// parseAgents returns a JSON list of agents; empty if it cannot be read.
func parseAgents(text *string) []int32 {
	var agents []int32
	if text == nil || json.Unmarshal([]byte(*text), &agents) != nil {
		return nil
	}
	return agents
}
