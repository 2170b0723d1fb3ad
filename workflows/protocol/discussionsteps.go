package protocol

import (
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// ask returns a step of a speaker who sees these entries.
func ask(speaker transcript.Speaker, round int, phase string, format transcript.Format, sees []int) transcript.Step {
	return transcript.Step{
		Kind: transcript.Ask, Speaker: speaker, Round: round, Phase: phase, Sees: joinRanges(sees),
		Audience: transcript.Everybody,
		Payload:  transcript.Payload{Format: format, Standing: -1},
	}
}

// personaStep returns the step that writes the n-th persona, by an author who sees those before it.
func (d *Discussion) personaStep(n int) transcript.Step {
	return ask(author, 1, PhasePersona, transcript.FormatPersona, upTo(n))
}

// messageStep returns the step of an agent's message; it may agree with the draft of the last message that it sees.
func (d *Discussion) messageStep(t *transcript.Transcript, round, agent int) transcript.Step {
	sees := d.entriesSeen(t, round, agent)
	if d.setting.Hears == HearsNobody { // there is no draft of others to agree with
		sees = slices.DeleteFunc(sees, func(i int) bool { return !isHeardAlone(t, transcript.Speaker{Index: agent}, i) })
	}
	s := ask(transcript.Speaker{Index: agent}, round, PhaseTalk, transcript.FormatReply, sees)
	for _, i := range sees {
		isMessage := t.Entries[i].Phase == PhaseTalk || t.Entries[i].Phase == Stranger
		if e := t.Entries[i]; isMessage && e.Act.Status == transcript.Said {
			draft := draftOf(e)
			s.Payload.Candidates = []transcript.Candidate{{
				Key: t.Entries[draft].Act.Key, Entry: draft, Agents: []int{t.Entries[draft].Speaker.Index},
			}}
			s.Payload.Ballot = transcript.BallotSpec{Kind: transcript.Choose, N: 1}
		}
	}
	return s
}

// draftOf returns the message that holds the draft that a message stands for:
// itself, or the one that it agrees with.
func draftOf(e transcript.Entry) int {
	if isAgreement(e) {
		return e.Payload.Candidates[0].Entry
	}
	return e.Index
}

func isAgreement(e transcript.Entry) bool {
	return e.Act.Ballot != nil && !e.Act.Ballot.Abstain && len(e.Payload.Candidates) > 0
}

// check asks the rule whether enough agents stand for the draft of the last
// message: its author, and all whose latest message agrees with it.
func (d *Discussion) check(t *transcript.Transcript, round int) transcript.Step {
	s := d.decide(t, round, PhaseCheck)
	latest := make([]transcript.Entry, d.setting.Agents)
	draft := -1
	for _, i := range messageEntries(t) {
		e := t.Entries[i]
		if latest[e.Speaker.Index] = e; e.Act.Status == transcript.Said {
			draft = draftOf(e)
		}
	}
	if draft < 0 {
		return s
	}
	c := transcript.Candidate{Key: t.Entries[draft].Act.Key, Entry: draft}
	var votes []int
	for agent, e := range latest {
		if e.Act.Status == transcript.Said && draftOf(e) == draft {
			votes, c.Agents = append(votes, e.Index), append(c.Agents, agent)
		}
	}
	slices.Sort(votes)
	s.Payload.Candidates, s.Payload.Ballots = []transcript.Candidate{c}, joinRanges(votes)
	return s
}

// decide returns a decision with nothing in it.
func (d *Discussion) decide(t *transcript.Transcript, round int, phase string) transcript.Step {
	return transcript.Step{
		Kind: transcript.Decide, Speaker: transcript.Speaker{Role: "rule"}, Round: round, Phase: phase,
		Audience: transcript.Everybody,
		Payload:  transcript.Payload{Standing: Standing(t), Ties: d.tiesIn(round, phase), Electorate: d.setting.Agents},
	}
}

// concludeTurn returns the step of an agent's final answer, for the group.
func (d *Discussion) concludeTurn(t *transcript.Transcript, round, agent int) Plan {
	agreed := t.Entries[len(t.Entries)-1].Act.Decision.Selected >= 0
	switch {
	case d.params.Extract:
		return planOf(ask(transcript.Speaker{Index: agent}, round, PhaseFinal, transcript.FormatAnswer,
			d.entriesSeen(t, round, agent)))
	case agreed:
		return d.finish(t, round)
	}
	return planOf(d.settleStep(t, round))
}

// settleStep takes the final answer, or the first agent's solution if none was asked for.
func (d *Discussion) settleStep(t *transcript.Transcript, round int) transcript.Step {
	s := d.decide(t, round, PhaseSettle)
	s.Payload.Candidates = d.listSolutions(t, round)
	if !d.params.Extract && len(s.Payload.Candidates) > 0 {
		s.Payload.Candidates = s.Payload.Candidates[:1]
	}
	return s
}

// finalAnswers returns everybody's final answers at once, from its own last message; who
// kept solutions to itself is shown what it remembers.
func (d *Discussion) finalAnswers(t *transcript.Transcript, round int) Plan {
	var steps []transcript.Step
	for agent := range d.setting.Agents {
		sees := d.entriesSeen(t, round, agent)
		if d.params.Response != reasoning || d.params.Collective {
			sees = slices.DeleteFunc(sees, func(i int) bool { return t.Entries[i].Phase != PhasePersona })
			if e, ok := t.Last(func(e transcript.Entry) bool { return e.Phase == PhaseTalk && e.Speaker.Index == agent }); ok {
				sees = append(sees, e.Index)
			}
		}
		steps = append(steps, ask(transcript.Speaker{Index: agent}, round, PhaseFinal, transcript.FormatAnswer, sees))
	}
	return Plan{Steps: steps}
}

// listSolutions returns the agents' at the end of a turn, by agent: what they gave as
// final answers, or what their latest messages stand for.
func (d *Discussion) listSolutions(t *transcript.Transcript, round int) []transcript.Candidate {
	by := slices.Repeat([]int{-1}, d.setting.Agents)
	for _, e := range t.Entries {
		switch {
		case d.params.Extract && e.Phase == PhaseFinal && e.Round == round:
			by[e.Speaker.Index] = e.Index
		case !d.params.Extract && e.Phase == PhaseTalk && e.Act.Status == transcript.Said:
			if by[e.Speaker.Index] = draftOf(e); t.Entries[draftOf(e)].Act.Key == "" {
				by[e.Speaker.Index] = e.Index
			}
		}
	}
	var list []transcript.Candidate
	for agent, i := range by {
		if i < 0 || t.Entries[i].Act.Key == "" {
			continue
		}
		if !d.params.MergeEqual && d.means != decision.ByAnswers {
			list = append(list, transcript.Candidate{Key: t.Entries[i].Act.Key, Entry: i, Agents: []int{agent}})
			continue
		}
		c := mergeCandidate(&list, t.Entries[i])
		c.Agents = append(c.Agents, agent)
	}
	return list
}

// withUnread returns the solutions with the final answers that could not be read, by agent.
// They have no key, so nothing stands if one of them is selected.
func (d *Discussion) withUnread(t *transcript.Transcript, round int,
	list []transcript.Candidate) []transcript.Candidate {
	for _, e := range t.Entries {
		if e.Phase == PhaseFinal && e.Round == round && e.Act.Status == transcript.Invalid {
			list = append(list, transcript.Candidate{Entry: e.Index, Agents: []int{e.Speaker.Index}})
		}
	}
	slices.SortStableFunc(list, func(a, b transcript.Candidate) int { return a.Agents[0] - b.Agents[0] })
	return list
}

// vote asks all agents, or the judge, for ballots on the solutions; nobody if
// there are none or answers count themselves.
func (d *Discussion) vote(t *transcript.Transcript, round int) Plan {
	candidates := d.listSolutions(t, round)
	if d.params.Unread == UnreadShown && d.means != decision.ByAnswers {
		candidates = d.withUnread(t, round, candidates)
	}
	if len(candidates) == 0 || d.means == decision.ByAnswers {
		return planOf(d.count(t, round, candidates))
	}
	voters := d.setting.listVoters(upTo(d.setting.Agents))
	sees := upTo(d.countAuthored())
	for _, c := range candidates {
		sees = append(sees, c.Entry)
	}
	slices.Sort(sees)
	sees = slices.Compact(sees)
	var steps []transcript.Step
	for _, v := range voters {
		s := ask(v, round, PhaseBallots, transcript.FormatBallot, sees)
		s.Payload.Candidates = candidates
		s.Payload.Ballot = d.setting.Rule.Ballot(len(candidates), len(voters))
		s.Payload.Bare = !d.params.VoteReason
		steps = append(steps, s)
	}
	return Plan{Steps: steps}
}

// count returns the decision step of the rule, over the ballots or answers just given.
func (d *Discussion) count(t *transcript.Transcript, round int, candidates []transcript.Candidate) transcript.Step {
	s := d.decide(t, round, PhaseCount)
	s.Payload.Candidates = candidates
	if d.means == decision.ByJudge {
		s.Payload.Electorate = 1
	}
	if len(candidates) > 0 {
		s.Payload.Ballots = []transcript.Range{{From: len(t.Entries) - s.Payload.Electorate, To: len(t.Entries)}}
	}
	return s
}

// end says why it ended: consensus or vote, or because there were no more rounds.
func (d *Discussion) end(t *transcript.Transcript, round int) Plan {
	o := &Outcome{Standing: Standing(t), Reason: "rounds", Round: round}
	e, decided := t.Last(func(e transcript.Entry) bool { return e.Phase == PhaseCheck || e.Phase == PhaseCount })
	switch {
	case !decided: // skip_decision
	case len(e.Act.Decision.Winners) != 1:
	case e.Phase == PhaseCheck:
		o.Reason = "consensus"
	default:
		o.Reason = "vote"
	}
	return Plan{End: o}
}
