package protocol

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/envs/wording"
	"roundtable/workflows/decision"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// DebateParams are the parameters of multi-agent debate (Du et al. 2023) as
// paper 4 varies it (Figure 11, Algorithm 1).
type DebateParams struct {
	// Rounds of debate after the first answers. 0 asks once: chain of thought for
	// one agent, self-consistency for several.
	Rounds int `json:"rounds"`
	// ChainOfThought asks to think step by step before the first answer.
	ChainOfThought bool `json:"chain_of_thought"`
	// Order in which a receiver is shown its peers' answers: see Orders.
	Order string `json:"order"`
	// Talk is simultaneous, one_by_one, or summarizer: simultaneous, and what is
	// shown is a summary of all answers.
	Talk string `json:"talk"`
	// Speaking is who answers when in one_by_one: by the order of the treatment,
	// from the first round on (Figure 2; each sees those before), or by index after
	// a first round in which all answer alone.
	Speaking string `json:"speaking"`
	// Memory is chat: an agent's earlier prompts and answers are turns of a chat; or retold: one
	// message tells it its own answers.
	Memory   string   `json:"memory"`
	Topology Topology `json:"topology"`
	// Agents is how many agents take part, the first ones of the group; 0 means all.
	Agents int       `json:"agents"`
	Remove []Removal `json:"remove"`
	// Viewpoints take the place of the first answers (paper 4, RQ3).
	Viewpoints Viewpoints          `json:"viewpoints"`
	Ties       transcript.TieBreak `json:"ties"` // first: the earliest agent's answer
	// Ballots asks all agents for ballots on the answers after the last round, in place of counting
	// the answers of each round. Rules whose ballots say more than an answer always ask for them.
	Ballots bool `json:"ballots"`
	// Confidence asks for a confidence from 0 to 100 with each answer, on a separate
	// line before it. Like the rest of an answer, peers see it.
	Confidence bool `json:"confidence"`
}

// Values of DebateParams.Talk.
const (
	TalkSimultaneous = "simultaneous"
	TalkOneByOne     = "one_by_one"
	TalkSummarizer   = "summarizer"
)

// Values of DebateParams.Speaking and Memory.
const (
	SpeakingOrder = "order"
	SpeakingIndex = "index"
	MemoryChat    = "chat"
	MemoryRetold  = "retold"
)

// DefaultDebate returns the paper's own setting: one round, all hear all, in index order.
func DefaultDebate() DebateParams {
	return DebateParams{
		Rounds: 1, ChainOfThought: true, Order: OrderFixed, Talk: TalkSimultaneous, Speaking: SpeakingOrder,
		Memory:   MemoryChat,
		Topology: Topology{Name: "full"}, Viewpoints: Viewpoints{Each: 40, Receivers: ReceiversAll},
		Ties: transcript.TiesFirst,
	}
}

// Debate is the protocol: in its first round everyone answers alone, then
// everyone sees its own answers and its peers' latest ones. In each round the
// rule counts the answers as votes; nobody is shown the count, and agreement ends
// it. Or all agents, or a judge, cast ballots on the answers of the last round.
type Debate struct {
	params  DebateParams
	setting Setting // its agents are those that take part
	hears   [][]int // by agent
}

// NewDebate checks the parameters; the error joins all that is wrong.
func NewDebate(p DebateParams, set Setting) (*Debate, error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Rounds < 0 || p.Rounds >= mostRounds {
		wrong("rounds is %d; expected 0 to %d", p.Rounds, mostRounds-1)
	}
	if !slices.Contains(Orders(), p.Order) {
		wrong("order is %q; expected %s", p.Order, wording.Or(Orders()))
	}
	if !slices.Contains([]string{TalkSimultaneous, TalkOneByOne, TalkSummarizer}, p.Talk) {
		wrong("talk is %q; expected simultaneous, one_by_one or summarizer", p.Talk)
	}
	if p.Speaking != SpeakingOrder && p.Speaking != SpeakingIndex {
		wrong("speaking is %q; expected order or index", p.Speaking)
	}
	if p.Memory != MemoryChat && p.Memory != MemoryRetold {
		wrong("memory is %q; expected chat or retold", p.Memory)
	}
	if p.Talk == TalkSummarizer && p.Topology.Name != "full" {
		wrong("topology is %s; a summary of all answers needs full", p.Topology.Name)
	}
	if err := checkTies(p.Ties); err != nil {
		errs = append(errs, err)
	}
	if p.Viewpoints.Scaling != "" && decision.Weighs(set.Rule) {
		wrong("viewpoints are given by the environment, without log-probabilities; %s needs those of all answers",
			set.Rule.Words().Name)
	}
	if p.Agents < 0 || p.Agents > set.Agents {
		wrong("agents is %d; the group has %d, and 0 is all of them", p.Agents, set.Agents)
	}
	if p.Ballots && !set.asksVotes() {
		wrong("ballots is true; %s counts the answers themselves: expected ballots: false", set.Rule.Words().Name)
	}
	if p.Agents > 0 {
		set.Agents = min(p.Agents, set.Agents)
	}
	hears, err := p.Topology.whomHears(set.Agents, set.Seed)
	if err != nil {
		wrong("topology is wrong: %w", err)
	}
	errs = append(errs, p.Viewpoints.check(set.Agents), p.checkRemovals(set.Agents))
	return &Debate{params: p, setting: set, hears: hears}, errors.Join(errs...)
}

// Params returns the parameters, for prompts.
func (d *Debate) Params() DebateParams { return d.params }

// Rounds returns 1, for the first answers, plus the rounds of debate.
func (d *Debate) Rounds() int { return d.params.Rounds + 1 }

// Chat returns Traits().Chat, for prompts; recorded templates call it.
func (d *Debate) Chat() bool { return d.params.Memory == MemoryChat }

// Traits returns the traits of a debate: its agents may be fewer than the environment's.
func (d *Debate) Traits() Traits {
	t := Traits{Members: d.setting.Agents, Roles: d.setting.judgeRoles(), Chat: d.Chat(),
		Ties: breakAlways(d.params.Ties)}
	if d.params.Talk == TalkSummarizer {
		t.Roles = append(t.Roles, summarizer.Role)
	}
	if d.countStrangers() > 0 {
		t.Roles = append(t.Roles, Stranger)
	}
	if t.Strangers = d.params.Viewpoints.Scaling == ""; !t.Strangers {
		t.NoStrangers = "first answers are given by the environment here, and nobody is asked for them"
	}
	if t.AtEnd, t.AskedVote = d.castsBallots(), d.castsBallots(); !t.AtEnd {
		t.Leaves = []stopping.Trace{stopping.Decisions}
		if d.params.Confidence && d.params.Viewpoints.Scaling == "" {
			t.Leaves = append(t.Leaves, stopping.Confidences)
		}
	}
	return t
}

// castsBallots reports whether ballots are cast at the end; else answers are votes, in each round.
func (d *Debate) castsBallots() bool {
	rule := d.setting.Rule
	return d.params.Ballots || rule != nil && d.setting.asksVotes() &&
		(decision.MeansOf(rule) == decision.ByJudge || rule.Ballot(2, 2).Kind != transcript.Choose)
}

var summarizer = transcript.Speaker{Role: "summarizer"}

// Phases of a debate.
const (
	PhaseAnswer  = "answer"  // alone
	PhaseDebate  = "debate"  // having seen others
	PhaseGold    = "gold"    // the right answer, which no agent sees
	PhaseSummary = "summary" // of a round
)

// Next replays the rounds against t's entries and returns the first steps that t does not have
// yet.
func (d *Debate) Next(t *transcript.Transcript) Plan {
	at := d.countStrangers() // entries walked over
	if len(t.Entries) < at {
		return d.meetStrangers()
	}
	for round := 1; round <= d.Rounds(); round++ {
		first, steps := at, d.nextSpeakers(t, round, at)
		for len(steps) > 0 {
			together := len(steps)
			if d.isInTurn(round) {
				together = 1
			}
			if at == len(t.Entries) {
				return Plan{Steps: d.answerSteps(t, round, steps[:together], together == len(steps))}
			}
			at, steps = at+together, steps[together:]
		}
		answers := transcript.Range{From: first, To: at}
		if round == 1 && d.needsGold() {
			at++ // it is among the first steps
		}
		if d.castsBallots() && round == d.Rounds() {
			return d.vote(t, at, answers)
		}
		if !d.castsBallots() {
			if at == len(t.Entries) {
				return Plan{Steps: []transcript.Step{d.decide(t, round, answers)}}
			}
			if d.setting.isAgreed(t, at) {
				return Plan{End: &Outcome{Standing: Standing(t), Reason: "consensus", Round: round}}
			}
			at++
		}
		if d.params.Talk == TalkSummarizer && round < d.Rounds() {
			if at == len(t.Entries) {
				return Plan{Steps: []transcript.Step{d.summaryStep(t, round)}}
			}
			at++
		}
	}
	return Plan{End: &Outcome{Standing: Standing(t), Reason: "rounds", Round: d.Rounds()}}
}
