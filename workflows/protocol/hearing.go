package protocol

import (
	"slices"

	"roundtable/workflows/transcript"
)

// Hearing is whom agents hear.
type Hearing string

// Whom agents hear. The others are controls of HearsPeers.
const (
	HearsPeers Hearing = ""
	// an agent sees what it said itself, what the environment gives, and what it votes on
	HearsNobody    Hearing = "nobody"
	HearsStrangers Hearing = "strangers" // in place of peers' texts it sees as many about another instance
)

// rangesHeard returns what of some entries a step's agent is shown where it hears nobody: neither
// what others said, nor what tells of that (summaries, counts, feedback). It still sees
// what it votes on.
func (s Setting) rangesHeard(t *transcript.Transcript, step transcript.Step,
	sees []transcript.Range) []transcript.Range {
	if s.Hears != HearsNobody || step.Kind != transcript.Ask || step.Speaker.Role != "" {
		return sees
	}
	var kept []int
	for _, r := range sees {
		for i := r.From; i < r.To; i++ {
			votesOn := slices.ContainsFunc(step.Payload.Candidates,
				func(c transcript.Candidate) bool { return c.Entry == i })
			if votesOn || isHeardAlone(t, step.Speaker, i) {
				kept = append(kept, i)
			}
		}
	}
	return joinRanges(kept)
}

// isHeardAlone reports whether an entry is the speaker's own, but no ballot on what others
// proposed, or of a role that had seen nothing of the other agents when it made it.
func isHeardAlone(t *transcript.Transcript, speaker transcript.Speaker, entry int) bool {
	if e := t.Entries[entry]; e.Speaker.Role == "" || e.Kind == transcript.Decide {
		return e.Speaker == speaker && e.Payload.Format != transcript.FormatBallot
	}
	tells := make([]bool, entry+1) // of other agents; roles see roles
	for i := range tells {
		e := t.Entries[i]
		tells[i] = e.Kind == transcript.Decide || e.Speaker.Role == "" && e.Speaker != speaker
		for _, r := range e.Sees {
			tells[i] = tells[i] || e.Speaker.Role != "" && slices.Contains(tells[r.From:r.To], true)
		}
	}
	return !tells[entry]
}

// Stranger is the role of who answers another instance in place of an agent, whose
// index it has, before the rounds begin.
const Stranger = "stranger"

// heardOf returns the entry that is shown in place of an agent's answer: itself, or
// that of a stranger, another one for each round, since an agent says something new in each.
func (d *Debate) heardOf(t *transcript.Transcript, r reply) int {
	if d.countStrangers() == 0 {
		return r.entry
	}
	return (t.Entries[r.entry].Round-1)*d.setting.Agents + r.agent
}

// countStrangers returns how many there are: one for each agent and round whose answers are heard.
func (d *Debate) countStrangers() int {
	if d.setting.Hears != HearsStrangers {
		return 0
	}
	rounds := d.params.Rounds
	if d.params.Talk == TalkOneByOne { // those after it in its round hear an agent, too
		rounds++
	}
	return rounds * d.setting.Agents
}

// meetStrangers asks them all. Each is asked in the words in which its agent is asked first.
func (d *Debate) meetStrangers() Plan {
	var steps []transcript.Step
	for n := range d.countStrangers() {
		s := ask(transcript.Speaker{Role: Stranger, Index: n % d.setting.Agents}, 1, Stranger,
			transcript.FormatAnswer, nil)
		s.Payload.Prompt, s.Payload.Confidence = PhaseAnswer, d.params.Confidence
		steps = append(steps, s)
	}
	return Plan{Steps: steps}
}
