package protocol

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/envs/wording"
	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// DiscussionParams are the parameters of paper 2's multi-agent debate (§3.1,
// §4.3, appendix C.1).
type DiscussionParams struct {
	Rounds   int    `json:"rounds"`    // turns of discussion at most; 5
	VoteFrom int    `json:"vote_from"` // the turn after which there is a first vote; 3
	Paradigm string `json:"paradigm"`  // who sees what: memory, relay, report, debate, collective_refinement
	Order    string `json:"order"`     // of speaking: fixed, rotating (each turn another begins), random
	Memory   int    `json:"memory"`    // earlier turns that are still seen; 2, and 0 is all
	// Inner is how often the others speak per turn in the paradigm debate; 2.
	Inner    int    `json:"inner_rounds"`
	Response string `json:"response"` // free_text, simple, critical, reasoning
	// ChainOfThought asks to think step by step.
	ChainOfThought bool `json:"chain_of_thought"`
	// Extract asks for the final answer in a turn of its own; else it is read in what was said.
	Extract bool `json:"extract"`
	// AllDraft has every agent draft on its own in the first turn (All-Agents Drafting).
	AllDraft bool `json:"all_draft"`
	// Collective shows agents nothing but the solutions of the turn before (Collective Improvement).
	Collective bool     `json:"collective"`
	Personas   Personas `json:"personas"`
	Neutral    int      `json:"neutral"` // agents without a persona, the last ones; 0
	// MergeEqual makes equal answers one candidate; the paper's agents vote on
	// each agent's answer (Figures 16-19). Rules that count answers always merge.
	MergeEqual bool `json:"merge_equal"`
	// Answers are shown to voters and challengers as they were written, or in
	// the canonical form in which they are compared.
	Answers string `json:"answers"`
	// Unread is what happens to a final answer that cannot be read after all re-asks: shown to voters
	// like any other, deciding nothing if it wins, as in the paper; or left out of the vote.
	Unread string `json:"unread"`
	// VoteReason asks voters for a reason before their ballot; the paper's give
	// nothing but the ballot.
	VoteReason bool `json:"vote_reason"`
	// ExplainRule tells voters how their votes are counted; the paper's are not told
	// (Figures 16 to 19).
	ExplainRule bool `json:"explain_rule"`
	// Authors tells voters whose each solution is: the "public" votes of the
	// code of the paper's authors.
	Authors bool `json:"authors"`
	// SkipDecision has agents talk for all rounds and give their final answers;
	// nobody votes, and nothing is decided (skip_decision_making of that code).
	SkipDecision bool   `json:"skip_decision"`
	Challenge    string `json:"challenge"` // of the final answer: none, solution, history, context, retrieval, irrelevant, wrong (§4.2)
	// ChallengeCalls is 2, to agree or not and then, for those who do not, to
	// answer (Figures 20, 21), or 1 for both at once.
	ChallengeCalls int `json:"challenge_calls"`
}

// DefaultDiscussion returns the paper's own setting.
func DefaultDiscussion() DiscussionParams {
	return DiscussionParams{
		Rounds: 5, VoteFrom: 3, Paradigm: "memory", Order: "fixed", Memory: 2, Inner: 2, Response: "simple",
		ChainOfThought: true, Extract: true, Personas: Personas{Kind: "generated"}, Answers: Written,
		Unread: UnreadShown, Challenge: "none", ChallengeCalls: 2,
	}
}

// Discussion is the protocol. In each turn every agent speaks, in this order and
// seeing this of the turns that it remembers:
//
//	memory                 one after another            all messages
//	relay                  one after another            its own, and those after which it speaks
//	report                 a moderator, then the        the moderator all, the others
//	                       others one after another     their own and the moderator's
//	debate                 a moderator, then the        all messages
//	                       others in inner rounds
//	collective_refinement  all at once                  all messages of earlier turns
//	any, all_draft         turn 1: all at once          nothing
//	collective             all at once                  the answers of the turn before
//
// The moderator is the first agent. By agreement, the rule is asked after each
// message, and agents are told neither that nor how many must agree, so that
// the first turns are the same under every rule; else final answers are given and voted on after each turn from
// vote_from on. Without a decision after the last turn the first agent's
// solution is taken.
type Discussion struct {
	params  DiscussionParams
	setting Setting
	means   decision.Means
}

// NewDiscussion checks the parameters; the error joins all that is wrong.
func NewDiscussion(p DiscussionParams, set Setting) (*Discussion, error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	one := func(key, value string, of ...string) {
		if !slices.Contains(of, value) {
			wrong("%s is %q; expected %s", key, value, wording.Or(of))
		}
	}
	one("paradigm", p.Paradigm, "memory", "relay", "report", "debate", refinement)
	one("order", p.Order, "fixed", "rotating", "random")
	one("response", p.Response, "free_text", "simple", "critical", reasoning)
	one("answers", p.Answers, Written, Canonical)
	one("unread", p.Unread, UnreadShown, UnreadLeftOut)
	one("challenge", p.Challenge, "none", "solution", "history", "context", "retrieval", "irrelevant", "wrong")
	switch {
	case p.Rounds < 1 || p.Rounds > mostRounds:
		wrong("rounds is %d; expected 1 to %d", p.Rounds, mostRounds)
	case p.VoteFrom < 1 || p.VoteFrom > p.Rounds:
		wrong("vote_from is %d; expected 1 to %d, the number of rounds", p.VoteFrom, p.Rounds)
	}
	if p.Memory < 0 {
		wrong("memory is %d; expected 0, which is all turns, or more", p.Memory)
	}
	if p.Inner < 1 || p.Inner > mostRounds {
		wrong("inner_rounds is %d; expected 1 to %d", p.Inner, mostRounds)
	}
	if p.ChallengeCalls != 1 && p.ChallengeCalls != 2 {
		wrong("challenge_calls is %d; expected 1 or 2", p.ChallengeCalls)
	}
	if slices.ContainsFunc(set.Seats, func(s seats.Seat) bool { return s.Role != "" }) {
		if p.Personas.Kind != "generated" && p.Personas.Kind != "none" {
			wrong("personas is %q, and the agents have roles under agents already; say it in one place",
				p.Personas.Kind)
		}
		p.Personas = Personas{Kind: "none"} // the agents are who the campaign says
	}
	if p.Neutral < 0 || p.Neutral > set.Agents {
		wrong("neutral is %d; the group has %d agents", p.Neutral, set.Agents)
	}
	d := &Discussion{params: p, setting: set, means: decision.MeansOf(set.Rule)}
	return d, errors.Join(append(errs, p.Personas.check(set.Agents-p.Neutral), d.checkCombination())...)
}

// checkCombination refuses parameters that do not go together.
func (d *Discussion) checkCombination() error {
	p, rule := d.params, ""
	if d.setting.Rule != nil {
		rule = d.setting.Rule.Words().Name
	}
	var errs []error
	refuse := func(when bool, format string, args ...any) {
		if when {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(d.speaksAtOnce() && d.means == decision.ByAgreement,
		"agents who all speak at once cannot agree with one another in turn, which the rule %s needs (paper 2 §4.3); "+
			"with collective and %s, expected a rule with a vote", rule, refinement)
	refuse(p.Collective && p.Paradigm != "memory",
		"paradigm is %s; collective shows nothing but solutions, so it is accepted with memory only", p.Paradigm)
	refuse(p.SkipDecision && p.Challenge != "none",
		"challenge is %s, and skip_decision leaves no decision to challenge: challenge: none is accepted", p.Challenge)
	refuse(p.Collective && !p.Extract, "extract is false; collective shows final answers, which are turns of their "+
		"own: expected extract: true")
	refuse(p.Response == reasoning && !p.Extract,
		"extract is false; with response: reasoning no message tells a solution: expected extract: true")
	refuse(d.means == decision.ByAnswers && !p.Extract,
		"extract is false; %s counts final answers: expected extract: true", rule)
	return errors.Join(errs...)
}

// Values of DiscussionParams.Answers: how voters see answers.
const (
	Written   = "written"
	Canonical = "canonical"
)

// Values of DiscussionParams.Unread: unreadable final answers in a vote.
const (
	UnreadShown   = "shown"
	UnreadLeftOut = "left_out"
)

const (
	refinement = "collective_refinement"
	reasoning  = "reasoning"
)

// speaksAtOnce reports whether all agents speak at once.
func (d *Discussion) speaksAtOnce() bool {
	return d.params.Collective || d.params.Paradigm == refinement
}

// Rounds returns the greatest number of turns.
func (d *Discussion) Rounds() int { return d.params.Rounds }

// Traits returns the traits of a discussion: those asked for a ballot are the electorate, and it
// ends by itself.
func (d *Discussion) Traits() Traits {
	why := d.whyNoStrangers()
	return Traits{Strangers: why == "", NoStrangers: why, Roles: d.listRoles(), Cues: d.listCues(), AskedVote: true,
		Authored: d.authoredAgents(), Persona: d.givenPersona, Ties: d.tiesIn}
}

// listRoles write personas, judge, retrieve, and stand for agents.
func (d *Discussion) listRoles() []string {
	var roles []string
	if d.countAuthored() > 0 {
		roles = append(roles, author.Role)
	}
	roles = append(roles, d.setting.judgeRoles()...)
	if d.params.Challenge == "retrieval" {
		roles = append(roles, retriever.Role)
	}
	if d.setting.Hears == HearsStrangers {
		roles = append(roles, Stranger)
	}
	return roles
}

var (
	author = transcript.Speaker{Role: "personas"}
	// retriever is asked for texts about the question: a retrieval endpoint, or a model.
	retriever = transcript.Speaker{Role: "retriever"}
)

// tiesIn keeps the ties of a count: there is another turn and another vote, except after the last.
func (d *Discussion) tiesIn(round int, phase string) transcript.TieBreak {
	if phase == PhaseSettle || phase == PhaseCount && round == d.params.Rounds {
		return transcript.TiesSettle
	}
	return transcript.TiesKeep
}

// Params returns the parameters, for prompts.
func (d *Discussion) Params() DiscussionParams { return d.params }

// Phases of a discussion.
const (
	PhasePersona   = "persona"
	PhaseTalk      = "talk"
	PhaseCheck     = "check"  // by agreement: the rule, after each message
	PhaseFinal     = "final"  // answers
	PhaseBallots   = "vote"   // on them
	PhaseCount     = "count"  // of the votes
	PhaseSettle    = "settle" // by agreement: the final answer
	PhaseMaterial  = "material"
	PhaseChallenge = "challenge"
	PhaseAnswerNew = "new_answer" // of an agent that has challenged
)
