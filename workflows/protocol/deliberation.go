package protocol

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// DeliberationParams are the parameters of deliberation (paper 3, §3, Algorithm 1).
type DeliberationParams struct {
	// Variant is deliberation, centralized (one agent with all observations, one
	// round) or oracle (deliberation in which all have all observations) (§4).
	Variant string `json:"variant"`
	// Rounds in which each agent has one turn; 6.
	Rounds int `json:"rounds"`
	// Tools that each agent has for planning: solver, calculator; none by default.
	Tools []string `json:"tools"`
	// Authority over the decision: acceptance (of two agents, each can accept the
	// other's proposal), leader (the last agent submits a proposal) or vote (the
	// rule, at the end of each round). By default acceptance for two agents and
	// leader for more.
	Authority string `json:"authority"`
	// Characters is the length at which a message is cut; 4,000, 0 means no limit.
	Characters int `json:"characters"`
	// Ties of a vote.
	Ties transcript.TieBreak `json:"ties"`
	// Explanations of plans and decisions are shared, as in the paper's Tables 11
	// to 13: a plan's goes to all decisions, a decision's to its author's next message,
	// and messages are reasoned about first. Or everywhere: a plan's goes to messages too.
	// Or private: reasons stay with each module.
	Explanations string `json:"explanations"`
	// Memory is current (Tables 10 to 13: the dialogue, the agent's latest estimate
	// and what tools say of it, the latest plans, each where the module needs it),
	// or full (all that the agent ever saw, in every prompt).
	Memory string `json:"memory"`
	// WorkersDecide says that under a leader workers are asked what they would accept (C.1).
	WorkersDecide bool `json:"workers_decide"`
	// CentralizedEstimate asks the centralized agent for an estimate even if it has no tools that need one.
	CentralizedEstimate bool `json:"centralized_estimate"`
}

// Values of DeliberationParams.Explanations.
const (
	ExplanationsShared     = "shared"
	ExplanationsEverywhere = "everywhere"
	ExplanationsPrivate    = "private"
)

// DefaultDeliberation returns the paper's setting without tools. The paper states no limit of
// characters; this one is ours.
func DefaultDeliberation() DeliberationParams {
	return DeliberationParams{
		Variant: Deliberating, Rounds: 6, Characters: 4000, Ties: transcript.TiesKeep,
		Explanations: ExplanationsShared, Memory: MemoryCurrent, WorkersDecide: true,
	}
}

// Values of DeliberationParams.Authority: who decides.
const (
	Acceptance = "acceptance"
	Leader     = "leader"
	Vote       = "vote"
)

// Values of DeliberationParams.Variant: what agents know and how many act.
const (
	Deliberating = "deliberation"
	Centralized  = "centralized"
	Oracle       = "oracle"
)

// Deliberation is the protocol: agents take turns, and a turn is a chain of
// modules: an estimate of the state (private), tools, a plan, a decision on what
// is proposed, and, unless that ends it, a message.
type Deliberation struct {
	params  DeliberationParams
	setting Setting
}

// NewDeliberation checks the parameters; the error joins all that is wrong.
func NewDeliberation(p DeliberationParams, set Setting) (*Deliberation, error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !slices.Contains([]string{Deliberating, Centralized, Oracle}, p.Variant) {
		wrong("variant is %q; expected deliberation, centralized or oracle", p.Variant)
	}
	if p.Rounds < 1 || p.Rounds > mostRounds {
		wrong("rounds is %d; expected 1 to %d", p.Rounds, mostRounds)
	}
	if p.Characters < 0 {
		wrong("characters is %d; expected 0, which means no limit, or more", p.Characters)
	}
	for i, tool := range p.Tools {
		if !slices.Contains(deliberationTools(), tool) || slices.Contains(p.Tools[:i], tool) {
			wrong("tools is %q; each is solver or calculator, and named once", p.Tools)
		}
	}
	if err := checkTies(p.Ties); err != nil {
		errs = append(errs, err)
	}
	if !slices.Contains([]string{ExplanationsShared, ExplanationsEverywhere, ExplanationsPrivate}, p.Explanations) {
		wrong("explanations is %q; expected shared, everywhere or private", p.Explanations)
	}
	if p.Memory != MemoryFull && p.Memory != MemoryCurrent {
		wrong("memory is %q; expected full or current", p.Memory)
	}
	if p.Authority == "" {
		p.Authority = Leader
		if set.Agents == 2 {
			p.Authority = Acceptance
		}
	}
	switch {
	case !slices.Contains([]string{Acceptance, Leader, Vote}, p.Authority):
		wrong("authority is %q; expected acceptance, leader or vote", p.Authority)
	case p.Authority == Acceptance && set.Agents != 2:
		wrong("authority is acceptance; that is for two agents, and the group has %d: expected leader or vote", set.Agents)
	}
	votes := p.Authority == Vote && p.Variant != Centralized
	if set.Rule != nil && !votes && (set.Rule.Ballot(2, 2).Kind != transcript.Choose ||
		decision.MeansOf(set.Rule) != decision.ByBallots) {
		wrong("authority is one agent's here, whose word is one vote; the rule %s needs other votes: expected "+
			"authority: vote", set.Rule.Words().Name)
	}
	if p.Variant == Centralized {
		p.Rounds = 1
	}
	return &Deliberation{params: p, setting: set}, errors.Join(errs...)
}

// Rounds returns the greatest number of rounds.
func (d *Deliberation) Rounds() int { return d.params.Rounds }

// Traits returns the traits of deliberation: the agent that may end it needs nobody's agreement.
func (d *Deliberation) Traits() Traits {
	t := Traits{NoStrangers: aboutThisInstance, Roles: d.setting.judgeRoles(), Estimates: true,
		Tools: deliberationTools(), AskedVote: true, Ties: breakAlways(d.params.Ties)}
	if d.Alone() {
		t.Members = 1
	}
	return t
}

// Means returns where the votes come from, for prompts.
func (d *Deliberation) Means() decision.Means { return decision.MeansOf(d.setting.Rule) }

// Authority returns who decides. It and the following methods are for prompts.
func (d *Deliberation) Authority() string { return d.params.Authority }

// Characters returns the length at which a message is cut; 0 means no limit.
func (d *Deliberation) Characters() int { return d.params.Characters }

// Alone reports whether one agent decides for all (centralized).
func (d *Deliberation) Alone() bool { return d.params.Variant == Centralized }

// Informed reports whether agents have all observations (centralized, oracle).
func (d *Deliberation) Informed() bool { return d.params.Variant != Deliberating }

// Explains reports whether explanations are shared.
func (d *Deliberation) Explains() bool { return d.params.Explanations != ExplanationsPrivate }

// ExplainsInMessages reports whether messages are shown explanations of plans.
func (d *Deliberation) ExplainsInMessages() bool {
	return d.params.Explanations == ExplanationsEverywhere
}

// Remembers reports whether prompts show all that the agent ever saw.
func (d *Deliberation) Remembers() bool { return d.params.Memory == MemoryFull }

// Estimates reports whether agents are asked for estimates of the state.
func (d *Deliberation) Estimates() bool {
	return !d.Alone() || d.params.CentralizedEstimate || len(d.Tools()) > 0
}

// Tools returns the tools of the first agent, for the prompts of one that is alone.
func (d *Deliberation) Tools() []string { return d.toolsOf(0) }

// toolsOf returns the tools of an agent: its seat's, or everybody's, which a judge has too.
func (d *Deliberation) toolsOf(agent int) []string {
	if seats := d.setting.Seats; agent >= 0 && agent < len(seats) && seats[agent].Tools != nil {
		return *seats[agent].Tools
	}
	return d.params.Tools
}

func deliberationTools() []string { return []string{toolSolver, toolCalculator} }

// Phases of deliberation.
const (
	PhaseMerged       = "merged" // all observations, for all
	PhaseObservation  = "observation"
	PhasePlanning     = "planning"
	PhaseDecision     = "decision"
	PhaseConversation = "conversation"
	PhaseBallot       = "ballot"
	PhaseAgreement    = "agreement"
	PhaseResult       = "result" // the measures, for nobody

	toolSolver     = "solver"
	toolCalculator = "calculator"
)

// Next returns the steps that follow the last entry, or the end.
func (d *Deliberation) Next(t *transcript.Transcript) Plan {
	if len(t.Entries) == 0 {
		if d.params.Variant != Deliberating {
			return planOf(d.mergedObservations())
		}
		return planOf(d.observationStep(t, 1, 0))
	}
	last := t.Entries[len(t.Entries)-1]
	round, agent := last.Round, d.turnOf(t)
	switch last.Phase {
	case PhaseMerged:
		if !d.Estimates() {
			return planOf(d.planningStep(t, 1, 0))
		}
		return planOf(d.observationStep(t, 1, 0))
	case PhasePlanning:
		switch {
		case d.params.Variant == Centralized:
			return planOf(d.count(round, d.listCandidates(t), transcript.Range{From: last.Index, To: last.Index + 1}))
		case d.canDecide(t, agent):
			return planOf(d.decisionStep(t, round, agent))
		}
		return planOf(d.conversationStep(t, round, agent))
	case PhaseDecision:
		if !d.canEnd(agent) {
			return planOf(d.conversationStep(t, round, agent))
		}
		return planOf(d.count(round, last.Payload.Candidates, transcript.Range{From: last.Index, To: last.Index + 1}))
	case PhaseBallot:
		n := len(t.Entries)
		return planOf(d.count(round, last.Payload.Candidates,
			transcript.Range{From: n - len(d.setting.listVoters(upTo(d.setting.Agents))), To: n}))
	case PhaseAgreement:
		switch {
		case last.Act.Decision.Selected >= 0 || d.params.Variant == Centralized:
			return planOf(d.resultStep(t, round))
		case d.params.Authority == Vote:
			return d.nextTurn(t, round, agent)
		}
		return planOf(d.conversationStep(t, round, agent))
	case PhaseConversation:
		if agent == d.setting.Agents-1 && d.params.Authority == Vote {
			if steps := d.vote(t, round); len(steps) > 0 {
				return Plan{Steps: steps}
			}
		}
		return d.nextTurn(t, round, agent)
	case PhaseResult:
		return Plan{End: d.end(t, round)}
	}
	return planOf(d.moduleStep(t, round, agent, last.Phase))
}

func planOf(s transcript.Step) Plan { return Plan{Steps: []transcript.Step{s}} }

// turnOf returns the agent whose turn it is: the one who estimated last.
func (d *Deliberation) turnOf(t *transcript.Transcript) int {
	e, _ := t.Last(func(e transcript.Entry) bool { return e.Phase == PhaseObservation })
	return e.Speaker.Index
}

// nextTurn returns the next agent's turn, or the measures after the last round.
func (d *Deliberation) nextTurn(t *transcript.Transcript, round, agent int) Plan {
	if agent++; agent == d.setting.Agents {
		round, agent = round+1, 0
	}
	if round > d.params.Rounds {
		return planOf(d.resultStep(t, d.params.Rounds))
	}
	return planOf(d.observationStep(t, round, agent))
}

// moduleStep returns what follows an estimate or a tool: the next tool, or the plan.
func (d *Deliberation) moduleStep(t *transcript.Transcript, round, agent int, phase string) transcript.Step {
	tools := d.toolsOf(agent)
	next := slices.Index(tools, phase) + 1 // an estimate is not a tool: the first
	if next < len(tools) {
		return d.toolStep(t, round, agent, tools[next])
	}
	return d.planningStep(t, round, agent)
}

func (d *Deliberation) end(t *transcript.Transcript, round int) *Outcome {
	o := &Outcome{Standing: Standing(t), Reason: "rounds", Round: round}
	if o.Standing >= 0 {
		o.Reason = "agreement"
	}
	return o
}

// canDecide reports whether an agent is asked to decide: if there is something to
// accept. A leader may submit a plan of its own too.
func (d *Deliberation) canDecide(t *transcript.Transcript, agent int) bool {
	return d.params.Authority != Vote && (d.canEnd(agent) || d.params.WorkersDecide) && len(d.choicesOf(t, agent)) > 0
}

// canEnd reports whether an agent's decision can end it. A worker's cannot: it says
// what the worker would accept (paper 3, A.2.1, C.1).
func (d *Deliberation) canEnd(agent int) bool {
	return d.params.Authority == Acceptance || agent == d.setting.Agents-1
}
