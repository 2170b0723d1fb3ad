package protocol

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// RoundtableParams are the parameters of paper 1's protocol (§3, appendix B.1).
type RoundtableParams struct {
	Rounds int                 `json:"rounds"` // 10
	Phases []Phase             `json:"phases"` // message, proposal, vote
	Ties   transcript.TieBreak `json:"ties"`   // keep: several winners select none
	// Reasons of proposals and ballots are private, or shown to all with these.
	Reasons string `json:"reasons"`
}

// Values of RoundtableParams.Reasons.
const (
	ReasonsPrivate = "private"
	ReasonsShown   = "shown"
)

// Phase is one link of the chain that makes a round. In JSON it is a word, or
// {"phase": word, "every": n} for one that takes place in every n-th round only.
type Phase struct {
	Name  string `json:"phase"`
	Every int    `json:"every,omitempty"`
}

// Phases of a roundtable: links of RoundtableParams.Phases.
const (
	PhaseMessage  = "message"
	PhaseProposal = "proposal"
	PhaseVote     = "vote"
)

// UnmarshalJSON accepts both forms of a phase.
func (p *Phase) UnmarshalJSON(data []byte) error {
	*p = Phase{}
	type plain Phase
	if eitherForm(data, &p.Name, (*plain)(p)) != nil {
		return fmt.Errorf("%s is not a phase; a phase is message, proposal or vote, or {phase: vote, every: 2}", data)
	}
	return nil
}

// Roundtable is paper 1's protocol: in each phase all agents act at once and
// see everything said before it. The candidates of a vote are each agent's
// latest proposal and the standing decision, equal ones merged. All agents cast
// ballots on them, or a judge does; under a rule that counts answers or agreement
// nobody does, and an agent's latest proposal is its vote. Agreement ends it.
type Roundtable struct {
	params  RoundtableParams
	setting Setting
}

// DefaultRoundtable returns the paper's own setting.
func DefaultRoundtable() RoundtableParams {
	return RoundtableParams{
		Rounds: 10,
		Phases: []Phase{{Name: PhaseMessage}, {Name: PhaseProposal}, {Name: PhaseVote}},
		Ties:   transcript.TiesKeep, Reasons: ReasonsPrivate,
	}
}

// NewRoundtable checks the parameters; the error joins all that is wrong.
func NewRoundtable(p RoundtableParams, set Setting) (*Roundtable, error) {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Rounds < 1 || p.Rounds > mostRounds {
		wrong("rounds is %d; expected 1 to %d", p.Rounds, mostRounds)
	}
	if err := checkTies(p.Ties); err != nil {
		errs = append(errs, err)
	}
	if p.Reasons != ReasonsPrivate && p.Reasons != ReasonsShown {
		wrong("reasons is %q; expected private or shown", p.Reasons)
	}
	if len(p.Phases) == 0 || len(p.Phases) > mostPhases {
		wrong("phases is a list of %d; expected 1 to %d of message, proposal or vote", len(p.Phases), mostPhases)
	}
	for _, ph := range p.Phases {
		switch ph.Name {
		case PhaseMessage, PhaseProposal, PhaseVote:
		default:
			wrong("unknown phase %q; expected message, proposal or vote", ph.Name)
		}
		if ph.Every < 0 || ph.Every > max(p.Rounds, 1) {
			wrong("phase %s takes place every %d rounds; expected 1 to %d", ph.Name, ph.Every, p.Rounds)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &Roundtable{params: p, setting: set}, nil
}

// ShowsReasons returns Traits().Reasons, for prompts; recorded templates call it.
func (p *Roundtable) ShowsReasons() bool { return p.params.Reasons == ReasonsShown }

const (
	mostRounds = 1000
	mostPhases = 100
)

// Rounds returns the greatest number of rounds.
func (p *Roundtable) Rounds() int { return p.params.Rounds }

// Phases returns the chain, for the prompt that explains it.
func (p *Roundtable) Phases() []Phase { return p.params.Phases }

// Means returns where the votes come from, for the prompt that explains the phases.
func (p *Roundtable) Means() decision.Means { return decision.MeansOf(p.setting.Rule) }

// Ties returns what a vote does with several winners, for the prompt that explains the phases.
func (p *Roundtable) Ties() transcript.TieBreak { return p.params.Ties }

// Traits returns the traits of a roundtable.
func (p *Roundtable) Traits() Traits {
	leaves := []stopping.Trace{stopping.Decisions, stopping.Proposals}
	if len(p.params.Phases) == 0 || slices.ContainsFunc(p.params.Phases,
		func(ph Phase) bool { return ph.Name == PhaseMessage }) {
		leaves = append(leaves, stopping.Messages)
	}
	return Traits{
		NoStrangers: aboutThisInstance, Roles: p.setting.judgeRoles(), Leaves: leaves,
		AskedVote: len(p.setting.judgeRoles()) > 0, Reasons: p.ShowsReasons(), Ties: breakAlways(p.params.Ties),
	}
}

// Next replays the phases against t's entries and returns the first steps that t does not have
// yet.
func (p *Roundtable) Next(t *transcript.Transcript) Plan {
	at := 0 // entries walked over
	for round := 1; round <= p.params.Rounds; round++ {
		for _, phase := range p.params.Phases {
			if phase.Every > 1 && round%phase.Every != 0 {
				continue
			}
			for at < len(t.Entries) && t.Entries[at].Kind == transcript.Annotate { // at the end of the round before
				at++
			}
			if at == len(t.Entries) {
				return Plan{Steps: p.phaseSteps(t, at, round, phase.Name)}
			}
			if t.Entries[at].Kind == transcript.Ask {
				if phase.Name != PhaseVote {
					at += p.setting.Agents
					continue
				}
				first := at // another rule may have asked others, before a fork
				for at < len(t.Entries) && t.Entries[at].Kind == transcript.Ask {
					at++
				}
				if at == len(t.Entries) {
					return Plan{Steps: []transcript.Step{p.decide(round, t.Entries[at-1].Payload,
						transcript.Range{From: first, To: at})}}
				}
			}
			if p.setting.isAgreed(t, at) {
				return Plan{End: &Outcome{Standing: Standing(t), Reason: "consensus", Round: round}}
			}
			at++ // a decision
		}
	}
	return Plan{End: &Outcome{Standing: Standing(t), Reason: "rounds", Round: p.params.Rounds}}
}

// phaseSteps returns the steps of one phase that begins at entry at. Without candidates
// nobody is asked for a ballot and the decision is that nothing is decided.
func (p *Roundtable) phaseSteps(t *transcript.Transcript, at, round int, name string) []transcript.Step {
	payload, speakers := transcript.Payload{Format: transcript.FormatMessage, Standing: -1},
		speakersOf(upTo(p.setting.Agents))
	switch name {
	case PhaseProposal:
		payload.Format = transcript.FormatProposal
		payload.Standing = standingAt(t, at)
		payload.Required = len(latestCandidates(t, at, payload.Standing)) == 0
	case PhaseVote:
		payload.Format = transcript.FormatBallot
		payload.Standing = standingAt(t, at)
		payload.Candidates = latestCandidates(t, at, payload.Standing)
		if len(payload.Candidates) == 0 {
			return []transcript.Step{p.decide(round, payload)}
		}
		if !p.setting.asksVotes() {
			return []transcript.Step{p.decide(round, payload,
				joinRanges(existingEntries(latestProposals(t.Entries[:at], t.Agents)))...)}
		}
		speakers = p.setting.listVoters(upTo(p.setting.Agents))
		payload.Ballot = p.setting.Rule.Ballot(len(payload.Candidates), len(speakers))
	}
	steps := make([]transcript.Step, len(speakers))
	for i, speaker := range speakers {
		steps[i] = transcript.Step{
			Kind: transcript.Ask, Speaker: speaker,
			Round: round, Phase: name,
			Sees: []transcript.Range{{From: 0, To: at}}, Audience: transcript.Everybody,
			Payload: payload,
		}
	}
	return steps
}

// decide counts these votes.
func (p *Roundtable) decide(round int, ballots transcript.Payload, votes ...transcript.Range) transcript.Step {
	payload := transcript.Payload{Candidates: ballots.Candidates, Standing: ballots.Standing, Ties: p.params.Ties,
		Ballots: votes}
	return transcript.Step{
		Kind: transcript.Decide, Speaker: transcript.Speaker{Role: "rule"},
		Round: round, Phase: PhaseVote, Audience: transcript.Everybody, Payload: payload,
	}
}

// standingAt returns the entry whose proposal stands before entry at; -1 if none.
func standingAt(t *transcript.Transcript, at int) int {
	return Standing(&transcript.Transcript{Entries: t.Entries[:at]})
}

// latestCandidates returns each agent's latest proposal before entry at, by agent, then
// the standing decision; equal proposals are one candidate.
func latestCandidates(t *transcript.Transcript, at, standing int) []transcript.Candidate {
	var found []transcript.Candidate
	add := func(entry int) *transcript.Candidate {
		c := mergeCandidate(&found, t.Entries[entry])
		c.Entry = min(c.Entry, entry)
		return c
	}
	for agent, entry := range latestProposals(t.Entries[:at], t.Agents) {
		if entry >= 0 {
			c := add(entry)
			c.Agents = append(c.Agents, agent)
		}
	}
	if standing >= 0 {
		add(standing).Standing = true
	}
	return found
}
