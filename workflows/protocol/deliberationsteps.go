package protocol

import (
	"slices"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// step of an agent's turn.
func (d *Deliberation) step(t *transcript.Transcript, round, agent int, phase string,
	format transcript.Format) transcript.Step {
	return transcript.Step{
		Kind: transcript.Ask, Speaker: transcript.Speaker{Index: agent}, Round: round, Phase: phase,
		Sees: d.rangesSeen(t, agent, phase), Audience: transcript.Everybody,
		Payload: transcript.Payload{Format: format, Standing: -1},
	}
}

// rangesSeen returns what a module is shown: all that the agent may hear, or what the
// paper's prompt of that module has (Tables 10 to 13).
func (d *Deliberation) rangesSeen(t *transcript.Transcript, agent int, phase string) []transcript.Range {
	if d.params.Memory == MemoryFull {
		return []transcript.Range{{From: 0, To: len(t.Entries)}}
	}
	said := func(e transcript.Entry) bool { return e.Act.Status == transcript.Said }
	mine := func(e transcript.Entry) bool { return said(e) && e.Audience.Hears(transcript.Speaker{Index: agent}) }
	var seen []int
	for _, e := range t.Entries {
		if e.Phase == PhaseMerged || e.Phase == PhaseConversation && phase != PhasePlanning {
			seen = append(seen, e.Index)
		}
	}
	if phase != PhaseObservation {
		estimates := d.latestEntries(t, PhaseObservation,
			func(e transcript.Entry) bool { return said(e) && e.Speaker.Index == agent })
		seen = append(seen, estimates...)
		for _, tool := range d.toolsOf(agent) {
			if e, ok := t.Last(func(e transcript.Entry) bool { return e.Phase == tool && mine(e) }); ok {
				seen = append(seen, e.Index)
			}
		}
	}
	if phase != PhaseObservation && phase != PhasePlanning {
		seen = append(seen, d.latestEntries(t, PhasePlanning, said)...)
	}
	if last := len(t.Entries) - 1; phase == PhaseConversation && last >= 0 && t.Entries[last].Phase == PhaseAgreement {
		seen = append(seen, last-1) // what the leader has just decided
	} else if phase == PhaseConversation && last >= 0 && t.Entries[last].Phase == PhaseDecision {
		seen = append(seen, last)
	}
	slices.Sort(seen)
	return joinRanges(slices.Compact(seen))
}

func audienceOf(agent int) transcript.Audience {
	return transcript.Audience{Speakers: []transcript.Speaker{{Index: agent}}}
}

// mergedObservations returns all observations, told to everybody.
func (d *Deliberation) mergedObservations() transcript.Step {
	return transcript.Step{
		Kind: transcript.Env, Speaker: transcript.Speaker{Role: "environment"}, Round: 1, Phase: PhaseMerged,
		Audience: transcript.Everybody,
		Payload:  transcript.Payload{Format: transcript.FormatText, Standing: -1, Data: envs.Cue{Name: PhaseMerged}},
	}
}

func (d *Deliberation) observationStep(t *transcript.Transcript, round, agent int) transcript.Step {
	s := d.step(t, round, agent, PhaseObservation, transcript.FormatEstimate)
	s.Audience = audienceOf(agent)
	return s
}

// toolStep returns the step of a tool, which is shown the agent's latest estimate and all
// latest proposals, nothing else.
func (d *Deliberation) toolStep(t *transcript.Transcript, round, agent int, name string) transcript.Step {
	s := d.step(t, round, agent, name, "")
	s.Kind, s.Speaker, s.Audience = transcript.Env, transcript.Speaker{Role: name}, audienceOf(agent)
	s.Payload.Data, s.Sees = envs.Cue{Name: name}, nil
	for _, e := range d.latestEntries(t, PhaseObservation,
		func(e transcript.Entry) bool { return e.Act.Status == transcript.Said && e.Speaker.Index == agent }) {
		s.Sees = append(s.Sees, transcript.Range{From: e, To: e + 1})
	}
	for _, c := range d.listCandidates(t) {
		s.Sees = append(s.Sees, transcript.Range{From: c.Entry, To: c.Entry + 1})
	}
	return s
}

func (d *Deliberation) planningStep(t *transcript.Transcript, round, agent int) transcript.Step {
	s := d.step(t, round, agent, PhasePlanning, transcript.FormatProposal)
	s.Payload.Reasoned = d.Explains() && !d.Alone()
	s.Payload.Required = len(d.listCandidates(t)) == 0
	return s
}

// decisionStep returns a ballot over the plans that the agent can accept.
func (d *Deliberation) decisionStep(t *transcript.Transcript, round, agent int) transcript.Step {
	s := d.step(t, round, agent, PhaseDecision, transcript.FormatBallot)
	s.Payload.Candidates, s.Payload.Reasoned = d.choicesOf(t, agent), d.Explains()
	s.Payload.Ballot = d.setting.Rule.Ballot(len(s.Payload.Candidates), 1)
	return s
}

func (d *Deliberation) conversationStep(t *transcript.Transcript, round, agent int) transcript.Step {
	s := d.step(t, round, agent, PhaseConversation, transcript.FormatMessage)
	s.Payload.MaxText, s.Payload.Reasoned = d.params.Characters, d.Explains()
	return s
}

// vote returns the ballots at the end of a round, or the count if plans are votes
// themselves; nothing if nothing is proposed.
func (d *Deliberation) vote(t *transcript.Transcript, round int) []transcript.Step {
	candidates := d.listCandidates(t)
	if len(candidates) == 0 {
		return nil
	}
	if !d.setting.asksVotes() {
		s := d.count(round, candidates, joinRanges(existingEntries(latestProposals(t.Entries, d.setting.Agents)))...)
		s.Payload.Electorate = d.setting.Agents
		return []transcript.Step{s}
	}
	var steps []transcript.Step
	voters := d.setting.listVoters(upTo(d.setting.Agents))
	for _, voter := range voters {
		s := d.step(t, round, voter.Index, PhaseBallot, transcript.FormatBallot)
		if s.Speaker = voter; voter.Role != "" { // who has no estimates
			s.Sees = d.rangesSeen(t, nobody, PhaseBallot)
		}
		s.Payload.Candidates, s.Payload.Ballot = candidates, d.setting.Rule.Ballot(len(candidates), len(voters))
		steps = append(steps, s)
	}
	return steps
}

// count returns the decision by the votes of some entries: those who were asked are the electorate.
func (d *Deliberation) count(round int, candidates []transcript.Candidate, votes ...transcript.Range) transcript.Step {
	electorate := 0
	for _, r := range votes {
		electorate += r.To - r.From
	}
	return transcript.Step{
		Kind: transcript.Decide, Speaker: transcript.Speaker{Role: "rule"}, Round: round, Phase: PhaseAgreement,
		Audience: transcript.Everybody,
		Payload: transcript.Payload{Candidates: candidates, Standing: -1, Ballots: votes, Electorate: electorate,
			Ties: d.params.Ties},
	}
}

// resultStep returns the closing step. It is shown each agent's last estimate, the solver's
// last proposal to the agent that decides, and the decision; no agent sees it.
func (d *Deliberation) resultStep(t *transcript.Transcript, round int) transcript.Step {
	s := transcript.Step{
		Kind: transcript.Env, Speaker: transcript.Speaker{Role: "environment"}, Round: round, Phase: PhaseResult,
		Payload: transcript.Payload{Standing: -1, Data: envs.Cue{Name: PhaseResult}},
	}
	shown := d.latestEntries(t, PhaseObservation,
		func(e transcript.Entry) bool { return e.Act.Status == transcript.Said })
	if e, ok := t.Last(func(e transcript.Entry) bool { return e.Phase == toolSolver && e.Act.Key != "" }); ok {
		shown = append(shown, e.Index)
	}
	if standing := Standing(t); standing >= 0 {
		shown = append(shown, standing)
	}
	for _, e := range shown {
		s.Sees = append(s.Sees, transcript.Range{From: e, To: e + 1})
	}
	return s
}

// latestEntries returns each agent's last entry of a phase that holds.
func (d *Deliberation) latestEntries(t *transcript.Transcript, phase string, holds func(transcript.Entry) bool) []int {
	by := slices.Repeat([]int{-1}, d.setting.Agents)
	for _, e := range t.Entries {
		if e.Phase == phase && holds(e) {
			by[e.Speaker.Index] = e.Index
		}
	}
	return existingEntries(by)
}

// listCandidates returns the agents' latest proposals; equal ones are one.
func (d *Deliberation) listCandidates(t *transcript.Transcript) []transcript.Candidate {
	var list []transcript.Candidate
	for _, i := range d.latestEntries(t, PhasePlanning,
		func(e transcript.Entry) bool { return e.Act.Status == transcript.Said }) {
		c := mergeCandidate(&list, t.Entries[i])
		c.Agents, c.Entry = append(c.Agents, t.Entries[i].Speaker.Index), min(c.Entry, i)
	}
	return list
}

// choicesOf returns the latest proposals of others than the agent; for a leader, its own too.
func (d *Deliberation) choicesOf(t *transcript.Transcript, agent int) []transcript.Candidate {
	all := d.listCandidates(t)
	if d.params.Authority == Leader && d.canEnd(agent) {
		return all
	}
	return slices.DeleteFunc(all, func(c transcript.Candidate) bool { return slices.Equal(c.Agents, []int{agent}) })
}
