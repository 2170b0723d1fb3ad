package protocol

import (
	"slices"

	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Next returns the steps that follow the last entry, or the end.
func (d *Discussion) Next(t *transcript.Transcript) Plan {
	if n := len(t.Entries); n < d.countAuthored() {
		return planOf(d.personaStep(n))
	} else if n == d.countAuthored() {
		return d.talk(t)
	}
	last := t.Entries[len(t.Entries)-1]
	round := last.Round
	switch last.Phase {
	case PhaseTalk, PhaseFinal:
		if d.params.SkipDecision {
			return d.continueUndecided(t, last)
		}
	}
	switch last.Phase {
	case Stranger:
		return d.talk(t)
	case PhaseTalk:
		if d.means == decision.ByAgreement {
			return planOf(d.check(t, round))
		}
		return d.continueTurn(t, round)
	case PhaseCheck:
		if last.Act.Decision.Selected >= 0 {
			return d.concludeTurn(t, round, t.Entries[last.Index-1].Speaker.Index)
		}
		return d.continueTurn(t, round)
	case PhaseFinal:
		switch {
		case d.means == decision.ByAgreement:
			return planOf(d.settleStep(t, round))
		case round < d.params.VoteFrom:
			return d.talk(t)
		}
		return d.vote(t, round)
	case PhaseBallots:
		return planOf(d.count(t, round, last.Payload.Candidates))
	case PhaseCount:
		if last.Act.Decision.Selected < 0 && round < d.params.Rounds {
			return d.talk(t)
		}
		return d.finish(t, round)
	case PhaseSettle:
		return d.finish(t, round)
	case PhaseMaterial:
		return Plan{Steps: d.challengeSteps(t, round)}
	case PhaseChallenge:
		if steps := d.newAnswers(t, round); len(steps) > 0 {
			return Plan{Steps: steps}
		}
	}
	return d.end(t, round)
}

// continueUndecided goes on after a message or an answer where nothing is decided: all
// rounds are talked, and then everybody answers; with collective, answers are
// what the next round sees.
func (d *Discussion) continueUndecided(t *transcript.Transcript, last transcript.Entry) Plan {
	next, _ := d.nextSpeakers(t)
	over := next > d.params.Rounds
	answer := d.params.Extract && last.Phase == PhaseTalk && next != last.Round && (over || d.params.Collective)
	switch {
	case answer:
		return d.finalAnswers(t, last.Round)
	case over:
		return d.end(t, last.Round)
	}
	return d.talk(t)
}

// talk returns who speaks next; before a round, the strangers who are heard in it.
func (d *Discussion) talk(t *transcript.Transcript) Plan {
	round, speakers := d.nextSpeakers(t)
	if d.needsStrangers(t, round) {
		return d.meetStrangers(round)
	}
	var steps []transcript.Step
	for _, agent := range speakers {
		steps = append(steps, d.messageStep(t, round, agent))
	}
	return Plan{Steps: steps}
}

// continueTurn goes on after a message that has decided nothing.
func (d *Discussion) continueTurn(t *transcript.Transcript, round int) Plan {
	next, _ := d.nextSpeakers(t)
	agreement := d.means == decision.ByAgreement
	switch {
	case next == round, agreement && next <= d.params.Rounds:
		return d.talk(t)
	case agreement:
		return d.concludeTurn(t, round, 0)
	case d.params.Extract && (d.params.Collective || round >= d.params.VoteFrom):
		return d.finalAnswers(t, round)
	case round >= d.params.VoteFrom:
		return d.vote(t, round)
	}
	return d.talk(t)
}

// nextSpeakers returns the turn and the agents that speak next, at once; none after the last turn.
func (d *Discussion) nextSpeakers(t *transcript.Transcript) (round int, speakers []int) {
	said := len(messageEntries(t))
	for round = 1; round <= d.params.Rounds; round++ {
		for _, speakers := range d.speakersIn(round) {
			if said == 0 {
				return round, speakers
			}
			said -= len(speakers)
		}
	}
	return round, nil
}

// speakersIn of a turn, in their order; those of one group speak at once.
func (d *Discussion) speakersIn(round int) [][]int {
	order := d.order(round)
	if d.speaksAtOnce() || round == 1 && d.params.AllDraft {
		return [][]int{order}
	}
	var groups [][]int
	for i, agent := range order {
		if i == 1 && d.params.Paradigm == "debate" {
			for range d.params.Inner - 1 {
				for _, agent := range order[1:] {
					groups = append(groups, []int{agent})
				}
			}
		}
		groups = append(groups, []int{agent})
	}
	return groups
}

// order of speaking; a moderator is always first.
func (d *Discussion) order(round int) []int {
	order := upTo(d.setting.Agents)
	rest := order
	if d.isModerated() {
		rest = order[1:]
	}
	switch d.params.Order {
	case "rotating":
		at := 0
		if len(rest) > 0 {
			at = (round - 1) % len(rest)
		}
		copy(rest, slices.Concat(rest[at:], rest[:at]))
	case "random":
		envs.Stream(d.setting.Seed, "speaking", round).Shuffle(len(rest),
			func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	return order
}

func (d *Discussion) isModerated() bool {
	return !d.params.Collective && (d.params.Paradigm == "report" || d.params.Paradigm == "debate")
}

// messageEntries returns the entries of what agents have said in discussion.
func messageEntries(t *transcript.Transcript) []int {
	var said []int
	for i := range t.Entries {
		if t.Entries[i].Phase == PhaseTalk {
			said = append(said, i)
		}
	}
	return said
}

// entriesSeen returns the entries that an agent is shown in a turn: personas, and the
// messages that the paradigm lets it see.
func (d *Discussion) entriesSeen(t *transcript.Transcript, round, agent int) []int {
	seen := upTo(d.countAuthored())
	if d.params.Collective {
		for _, e := range t.Entries {
			if e.Phase == PhaseFinal && e.Round == round-1 {
				seen = append(seen, e.Index)
			}
		}
		return seen
	}
	said := messageEntries(t)
	for n, i := range said {
		next := agent // who has spoken after it, or does so now
		if n+1 < len(said) {
			next = t.Entries[said[n+1]].Speaker.Index
		}
		speaker, recent := t.Entries[i].Speaker.Index, d.params.Memory == 0 ||
			t.Entries[i].Round >= round-d.params.Memory
		if recent && (speaker == agent || d.canHear(agent, speaker, next)) {
			seen = append(seen, i)
		}
	}
	return d.heardBy(agent, t, seen)
}

// canHear reports whether an agent sees a message of another after which next spoke.
func (d *Discussion) canHear(agent, speaker, next int) bool {
	switch d.params.Paradigm {
	case "relay":
		return next == agent
	case "report":
		return agent == 0 || speaker == 0
	}
	return true
}
