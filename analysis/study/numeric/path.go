package numeric

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"roundtable/analysis/lake/record"
)

// State is the positions of all agents at one time, by agent and coordinate.
type State [][]float64

// Path is the sequence of states of one collaboration.
type Path struct {
	States []State // by time: 0 is the start, n the end of round n
	Moves  []Move  // plans, by round and agent; turns without a usable answer are left out
	// Steps are the positions between two times, by round from 1, agent, step and
	// coordinate; none if agents arrive at once.
	Steps [][][][]float64
}

// Move is one plan of an agent: where it wanted to go, and what it saw then.
type Move struct {
	Agent, Round int
	Own          []float64
	Others       [][]float64 // the position of each other agent that it heard then
	To           []float64
}

// FromTurns returns the path in a collaboration's turns, which must be in the order of entries; it is empty if
// they hold no states. An unfinished last round is left out of States. An agent with a memory counts as
// hearing those agents of whom it sees something new. So where networks change, what it remembers does not
// count as heard, and where messages are late, neither does what is repeated before the first message arrives.
func FromTurns(turns []record.Turn, agents int) (Path, error) {
	entries, err := record.TurnsByEntry(turns)
	if err != nil {
		return Path{}, err
	}
	r := reading{agents: agents, turns: entries, at: make([][]float64, len(entries)), before: map[int32][]int{}}
	for i, t := range entries {
		stays := t.Status == "skipped"
		if t.Agent == nil || t.Kind != "env" && t.Phase != "position" || t.ProposalJSON == nil && !stays {
			continue // no usable answer, or nothing of ours
		}
		if !stays {
			if err := json.Unmarshal([]byte(*t.ProposalJSON), &r.at[i]); err != nil {
				return Path{}, fmt.Errorf("the position of entry %d: %w", t.Entry, err)
			}
		}
		if t.Kind == "env" {
			err = r.takeState(i)
		} else {
			err = r.move(i)
		}
		if err != nil {
			return Path{}, fmt.Errorf("entry %d: %w", t.Entry, err)
		}
	}
	return r.path, nil
}

type reading struct {
	agents int
	turns  []record.Turn // by entry
	at     [][]float64   // by entry
	path   Path
	now    State // being filled
	steps  [][][]float64
	before map[int32][]int // by agent: the latest entry that it had seen of each, at its plan before
}

// takeState takes where one agent is; the last agent completes a time.
func (r *reading) takeState(entry int) error {
	t := r.turns[entry]
	if int(*t.Agent) != len(r.now) {
		return fmt.Errorf("it is agent %d's state, but agent %d's is next", *t.Agent, len(r.now))
	}
	r.now = append(r.now, r.at[entry])
	if t.Text != nil {
		var steps [][]float64
		if err := json.Unmarshal([]byte(*t.Text), &steps); err != nil {
			return fmt.Errorf("its path: %w", err)
		}
		r.steps = append(r.steps, steps)
	}
	if len(r.now) < r.agents {
		return nil
	}
	r.path.States = append(r.path.States, r.now)
	if len(r.steps) == r.agents {
		r.path.Steps = append(r.path.Steps, r.steps)
	}
	r.now, r.steps = nil, nil
	return nil
}

// move takes a plan with the latest position seen of each agent.
func (r *reading) move(entry int) error {
	t := r.turns[entry]
	var sees [][2]int
	if err := json.Unmarshal([]byte(t.SeesJSON), &sees); err != nil {
		return fmt.Errorf("sees_json: %w", err)
	}
	latest, remembers := slices.Repeat([]int{-1}, r.agents), false
	for _, s := range sees {
		for e := max(s[0], 0); e < min(s[1], entry); e++ {
			seen := r.turns[e]
			remembers = remembers || seen.Kind == "ask"
			if seen.Kind == "env" && seen.Agent != nil && int(*seen.Agent) < r.agents {
				latest[*seen.Agent] = e
			}
		}
	}
	m := Move{Agent: int(*t.Agent), Round: int(t.Round), To: r.at[entry], Others: make([][]float64, 0, r.agents)}
	before := r.before[*t.Agent]
	for agent, e := range latest {
		switch {
		case agent == m.Agent && e >= 0:
			m.Own = r.at[e]
		case e < 0 || remembers && before != nil && e == before[agent]: // not heard, or of old
		default:
			m.Others = append(m.Others, r.at[e])
		}
	}
	r.before[*t.Agent] = latest
	if m.Own == nil {
		return errors.New("its agent did not see itself")
	}
	if m.To == nil { // it chose to stay
		m.To = m.Own
	}
	r.path.Moves = append(r.path.Moves, m)
	return nil
}
