package protocol

import (
	"errors"
	"fmt"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// DelphiParams are the parameters of the protocol delphi.
type DelphiParams struct {
	Rounds int `json:"rounds"` // the most rounds: 5
	// Stable is how many rounds with an unchanged median end it: 1. 0 runs all rounds.
	Stable int `json:"stable"`
}

// DefaultDelphi returns at most 5 rounds, ending once the median is unchanged.
func DefaultDelphi() DelphiParams { return DelphiParams{Rounds: 5, Stable: 1} }

// Delphi is the method of Dalkey and Helmer (1963): in each round all agents
// give an estimate at once and see nobody else's. Then they are told the group's
// median and quartiles, without names, and may revise. It ends when the median is
// stable (Scheibe, Skutsch and Schofer 1975) or rounds are over; the last median
// is the decision.
//
// Entries of a round are one estimate of each agent and the feedback.
type Delphi struct {
	params  DelphiParams
	setting Setting
}

// Phases of Delphi.
const (
	PhaseEstimate = "estimate"
	PhaseFeedback = "feedback" // median and quartiles, from the environment
)

var facilitator = transcript.Speaker{Role: "facilitator"}

// NewDelphi checks the parameters; the error joins all that is wrong.
func NewDelphi(p DelphiParams, set Setting) (*Delphi, error) {
	var errs []error
	if p.Rounds < 1 || p.Rounds > mostRounds {
		errs = append(errs, fmt.Errorf("rounds is %d; expected 1 to %d", p.Rounds, mostRounds))
	}
	if p.Stable < 0 || p.Stable > mostRounds {
		errs = append(errs, fmt.Errorf("stable is %d; expected 0 to %d", p.Stable, mostRounds))
	}
	return &Delphi{p, set}, errors.Join(errs...)
}

// Rounds returns the greatest number of rounds.
func (d *Delphi) Rounds() int { return d.params.Rounds }

// Traits returns the traits of Delphi: the median stands without a vote.
func (d *Delphi) Traits() Traits {
	return Traits{NoStrangers: "agents are told medians and quartiles there, and hear no texts", Ruleless: true,
		Cues: []envs.Cue{{Name: envs.CueMedian}}, Standing: d.standingFeedback}
}

// Next asks for the estimates of a round, then for the feedback on them.
func (d *Delphi) Next(t *transcript.Transcript) Plan {
	n := d.setting.Agents
	done, at := len(t.Entries)/(n+1), len(t.Entries)
	if at%(n+1) == n {
		return planOf(transcript.Step{
			Kind: transcript.Env, Speaker: facilitator, Round: done + 1, Phase: PhaseFeedback,
			Sees: []transcript.Range{{From: at - n, To: at}}, Audience: transcript.Everybody,
			Payload: transcript.Payload{Format: transcript.FormatText, Standing: -1,
				Data: envs.Cue{Name: envs.CueMedian}},
		})
	}
	switch {
	case d.isStable(t, done):
		return Plan{End: &Outcome{Standing: d.standingFeedback(t), Reason: "stable", Round: done}}
	case done == d.params.Rounds:
		return Plan{End: &Outcome{Standing: d.standingFeedback(t), Reason: "rounds", Round: done}}
	}
	steps := make([]transcript.Step, n)
	for i := range steps {
		self := transcript.Speaker{Index: i}
		var seen []int
		for r := range done {
			seen = append(seen, r*(n+1)+i, d.feedbackEntry(r))
		}
		steps[i] = transcript.Step{
			Kind: transcript.Ask, Speaker: self, Round: done + 1, Phase: PhaseEstimate, Sees: joinRanges(seen),
			Audience: transcript.Audience{Speakers: []transcript.Speaker{self}},
			Payload:  transcript.Payload{Format: transcript.FormatProposal, Standing: -1, Required: true},
		}
	}
	return Plan{Steps: steps}
}

// feedbackEntry returns the entry that ends a round, counted from 0.
func (d *Delphi) feedbackEntry(round int) int { return round*(d.setting.Agents+1) + d.setting.Agents }

// isStable reports whether the median has stayed for as many rounds as it must.
func (d *Delphi) isStable(t *transcript.Transcript, done int) bool {
	if d.params.Stable == 0 || done <= d.params.Stable {
		return false
	}
	last := t.Entries[d.feedbackEntry(done-1)].Act.Key
	for r := done - 1 - d.params.Stable; r < done; r++ {
		if t.Entries[d.feedbackEntry(r)].Act.Key != last {
			return false
		}
	}
	return last != ""
}

// standingFeedback returns the latest feedback that has a median; -1 if none.
func (d *Delphi) standingFeedback(t *transcript.Transcript) int {
	e, ok := t.Last(func(e transcript.Entry) bool { return e.Phase == PhaseFeedback && e.Act.Key != "" })
	if !ok {
		return -1
	}
	return e.Index
}
