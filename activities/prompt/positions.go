package prompt

import (
	"fmt"
	"strconv"

	"roundtable/workflows/transcript"
)

// Positions are where an agent sees itself and others, in an environment that moves states. Others
// have no names, as in paper 5's prompts.
type Positions struct {
	Own    string     // its position now
	Weight string     // of its own position; "" if all count the same
	Others []Position // positions of the agents that it hears now, by agent
	Past   []Moment   // earlier rounds that it remembers, oldest first
}

// Position is where an agent sees another agent.
type Position struct {
	Position string
	Age      int    // in rounds
	Weight   string // "" if all count the same
}

// Moment is what an agent remembers of one round: 0 is the start, n the end of round n.
type Moment struct {
	Round  int
	Own    string
	Others []string
	Reason string // why it wanted to move there
	Plan   string // position that it wanted
}

// positionsSeen sorts what a step sees.
func (s Source) positionsSeen(step transcript.Step) Positions {
	weights, _ := step.Payload.Data.([]float64)
	if weights == nil {
		return Positions{}
	}
	now := step.Round - 1
	self := step.Speaker.Index
	latest := make([]transcript.Entry, len(weights))
	moments := make([]Moment, now+1)
	s.visitVisible(step, func(e transcript.Entry) {
		said := s.Said(e.Index)
		switch {
		case e.Kind == transcript.Env:
			latest[e.Speaker.Index] = e
			m := &moments[roundsSoFar(e)]
			if m.Round = roundsSoFar(e); e.Speaker.Index == self {
				m.Own = string(said.Proposal)
			} else {
				m.Others = append(m.Others, string(said.Proposal))
			}
		case e.Kind == transcript.Ask && e.Speaker.Index == self:
			moments[e.Round].Reason, moments[e.Round].Plan = said.Reason, string(said.Proposal)
		}
	})
	p := Positions{Own: moments[now].Own, Past: moments[:now]}
	if len(step.Sees) > 0 && moments[0].Own == "" || now == 0 {
		p.Past = nil // it remembers nothing
	}
	if now > 0 && p.Past != nil { // why it came to where it is
		p.Past = append(p.Past[:now:now],
			Moment{Round: now, Own: p.Own, Reason: moments[now].Reason, Plan: moments[now].Plan})
	}
	uneven := areUneven(weights)
	if uneven {
		p.Weight = weightText(weights[self])
	}
	for i, e := range latest {
		if i == self || weights[i] == 0 || e.Kind != transcript.Env {
			continue
		}
		place := Position{Position: string(s.Said(e.Index).Proposal), Age: now - roundsSoFar(e)}
		if uneven {
			place.Weight = weightText(weights[i])
		}
		p.Others = append(p.Others, place)
	}
	return p
}

// roundsSoFar of a state: after how many rounds.
func roundsSoFar(e transcript.Entry) int {
	if len(e.Sees) == 0 { // a start
		return 0
	}
	return e.Round
}

// areUneven says that those who count do not all count the same.
func areUneven(weights []float64) bool {
	first := 0.0
	for _, w := range weights {
		switch {
		case w == 0:
		case first == 0:
			first = w
		case w != first:
			return true
		}
	}
	return false
}

func weightText(w float64) string { return strconv.FormatFloat(w, 'g', -1, 64) }

// String returns the position as an agent reads it.
func (p Position) String() string {
	text := p.Position
	if p.Age > 0 {
		rounds := "rounds"
		if p.Age == 1 {
			rounds = "round"
		}
		text += fmt.Sprintf(" (%d %s ago)", p.Age, rounds)
	}
	if p.Weight != "" {
		text += fmt.Sprintf(" (weight %s)", p.Weight)
	}
	return text
}
