package protocol

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// ConsensusParams are the parameters of paper 5's protocol (§2, §3.3).
type ConsensusParams struct {
	Rounds      int     `json:"rounds"`      // 9, as in the paper's code
	Network     Network `json:"network"`     // who hears whom: full
	Probability float64 `json:"probability"` // of a link of a random network: 0.5
	// weight of each agent (column) for each agent (row), itself included: all equal
	Weights [][]float64 `json:"weights"`
	Delay   Delay       `json:"delay"` // how many rounds old what is seen of others is: 0
	// full: all earlier rounds and one's own reasons; current: the present positions
	Memory  string  `json:"memory"`
	Epsilon float64 `json:"epsilon"` // positions no farther apart than this, in each coordinate, are a consensus: 1
	Horizon bool    `json:"horizon"` // agents are told how many rounds there are, and which one it is
}

// Values of Memory. In paper 5's code agents on a line keep the whole chat, robots see the
// current positions only.
const (
	MemoryFull    = "full"
	MemoryCurrent = "current"
)

// Phases of consensus.
const (
	PhaseStart    = "start"    // the world puts an agent somewhere
	PhasePosition = "position" // an agent says where it wants to be
	PhaseMove     = "move"     // the world moves an agent
)

// DefaultConsensus returns the paper's own setting.
func DefaultConsensus() ConsensusParams {
	return ConsensusParams{Rounds: 9, Network: Network{{name: "full"}}, Probability: 0.5,
		Memory: MemoryFull, Epsilon: 1}
}

// Consensus is paper 5's protocol: in each round all agents are shown, at the same time, the
// positions of the agents they hear, and say where they want to be; then the world moves them.
// Only the world is told these plans: other agents see positions.
//
// Entries come in blocks with one for each agent: the starts, then for each round the plans and
// the positions reached.
type Consensus struct {
	params  ConsensusParams
	setting Setting
	hears   [][][]bool // by round from 0, listener and speaker
	heard   []transcript.Audience
}

// NewConsensus checks the parameters; the error joins all that is wrong.
func NewConsensus(p ConsensusParams, set Setting) (*Consensus, error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Rounds < 1 || p.Rounds > mostRounds {
		wrong("rounds is %d; expected 1 to %d", p.Rounds, mostRounds)
	}
	if p.Memory != MemoryFull && p.Memory != MemoryCurrent {
		wrong("memory is %q; expected full or current", p.Memory)
	}
	if !(p.Probability >= 0 && p.Probability <= 1) {
		wrong("probability is %v; it is from 0 to 1", p.Probability)
	}
	if !(p.Epsilon >= 0 && p.Epsilon <= math.MaxFloat64) {
		wrong("epsilon is %v; it is a distance from 0 on", p.Epsilon)
	}
	errs = append(errs, p.Network.check(set.Agents), checkWeights(p.Weights, set.Agents), p.Delay.check(set.Agents))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	c := &Consensus{params: p, setting: set}
	for round := range p.Rounds {
		c.hears = append(c.hears, p.Network.linksIn(round, set, p.Probability))
	}
	for i := range set.Agents {
		c.heard = append(c.heard, c.audienceOf(i))
	}
	return c, nil
}

func checkWeights(w [][]float64, agents int) error {
	if w == nil {
		return nil
	}
	if len(w) != agents || slices.ContainsFunc(w, func(row []float64) bool { return len(row) != agents }) {
		return fmt.Errorf("weights is not a matrix of %d rows and columns, one for each agent", agents)
	}
	for i, row := range w {
		for _, v := range row {
			if !(v >= 0 && v <= math.MaxFloat64) {
				return fmt.Errorf("weights is wrong in row %d: %v; weights are from 0 on", i+1, v)
			}
		}
	}
	return nil
}

// Rounds returns the greatest number of rounds.
func (c *Consensus) Rounds() int { return c.params.Rounds }

// Traits returns the traits of consensus: agents move until they stand together.
func (c *Consensus) Traits() Traits {
	return Traits{NoStrangers: "agents see positions there, and hear no texts", Ruleless: true, World: true,
		Leaves: []stopping.Trace{stopping.States}, Standing: c.standingState}
}

// Remembers reports whether agents see earlier rounds; for prompts.
func (c *Consensus) Remembers() bool { return c.params.Memory == MemoryFull }

// Horizon reports whether agents are told the number of rounds; for prompts.
func (c *Consensus) Horizon() bool { return c.params.Horizon }

// Next returns the steps of the next block.
func (c *Consensus) Next(t *transcript.Transcript) Plan {
	n := c.setting.Agents
	block := len(t.Entries) / n
	round := (block + 1) / 2
	if round > c.params.Rounds {
		return Plan{End: &Outcome{Standing: c.standingState(t), Reason: "rounds", Round: c.params.Rounds}}
	}
	steps := make([]transcript.Step, n)
	for i := range steps {
		self := transcript.Speaker{Index: i}
		steps[i] = transcript.Step{Kind: transcript.Env, Speaker: self, Round: max(round, 1), Audience: c.heard[i]}
		steps[i].Payload.Standing = -1
		switch {
		case block == 0:
			steps[i].Phase = PhaseStart
		case block%2 == 0:
			steps[i].Phase = PhaseMove
			steps[i].Sees = joinRanges([]int{c.stateEntry(round-1, i), c.plan(round, i)})
		default:
			steps[i].Kind, steps[i].Phase, steps[i].Sees = transcript.Ask, PhasePosition,
				joinRanges(c.entriesSeen(round, i))
			steps[i].Audience = transcript.Audience{Speakers: []transcript.Speaker{self}}
			steps[i].Payload.Format, steps[i].Payload.Required, steps[i].Payload.Data = transcript.FormatProposal, true,
				c.weightsOf(round, i)
		}
	}
	return Plan{Steps: steps}
}

// stateEntry returns the entry of where an agent is after a round; 0 is before the first.
func (c *Consensus) stateEntry(round, agent int) int { return 2*round*c.setting.Agents + agent }

// plan returns the entry of where an agent wants to be in a round.
func (c *Consensus) plan(round, agent int) int { return (2*round-1)*c.setting.Agents + agent }

// entriesSeen returns the entries that an agent sees when it plans a round, in the order
// in which they were made.
func (c *Consensus) entriesSeen(round, agent int) []int {
	first := round
	if c.Remembers() {
		first = 1
	}
	var seen []int
	for r := first; r <= round; r++ {
		seen = append(seen, c.stateEntry(r-1, agent))
		if r < round {
			seen = append(seen, c.plan(r, agent))
		}
		for other, hears := range c.hears[r-1][agent] {
			if hears {
				seen = append(seen, c.stateEntry(max(0, r-1-c.params.Delay.delayOf(agent, other)), other))
			}
		}
	}
	slices.Sort(seen)
	return slices.Compact(seen)
}

// weightsOf by agent are those of who is heard, and the agent's own.
func (c *Consensus) weightsOf(round, agent int) []float64 {
	w := make([]float64, c.setting.Agents)
	for other := range w {
		if other != agent && !c.hears[round-1][agent][other] {
			continue
		}
		w[other] = 1
		if c.params.Weights != nil {
			w[other] = c.params.Weights[agent][other]
		}
	}
	return w
}

// audienceOf returns who may ever hear an agent.
func (c *Consensus) audienceOf(agent int) transcript.Audience {
	var who []transcript.Speaker
	for i := range c.setting.Agents {
		if i == agent || slices.ContainsFunc(c.hears, func(h [][]bool) bool { return h[i][agent] }) {
			who = append(who, transcript.Speaker{Index: i})
		}
	}
	if len(who) == c.setting.Agents {
		return transcript.Everybody
	}
	return transcript.Audience{Speakers: who}
}

// standingState returns the latest position of the first agent if all agents are there, within epsilon; else -1.
func (c *Consensus) standingState(t *transcript.Transcript) int {
	blocks := len(t.Entries) / c.setting.Agents
	if blocks == 0 {
		return -1
	}
	first := c.stateEntry((blocks-1)/2, 0)
	if stopping.Width(t.Entries[first:first+c.setting.Agents]) > c.params.Epsilon {
		return -1
	}
	return first
}
