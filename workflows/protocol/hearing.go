package protocol

import (
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Hearing says whom agents hear.
type Hearing string

// Values of Hearing. The others are controls of HearsPeers.
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

// Stranger is the role of a speaker that answers another instance in place of the agent with its
// index, before anybody is heard.
const Stranger = "stranger"

// strangerStep asks a stranger, by the template of a phase, in the words in which its agent is asked first.
func strangerStep(agent, round int, template string, format transcript.Format, sees []int) transcript.Step {
	s := ask(transcript.Speaker{Role: Stranger, Index: agent}, round, Stranger, format, sees)
	s.Payload.Prompt = template
	return s
}

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

// meetStrangers asks them all.
func (d *Debate) meetStrangers() Plan {
	var steps []transcript.Step
	for n := range d.countStrangers() {
		s := strangerStep(n%d.setting.Agents, 1, PhaseAnswer, transcript.FormatAnswer, nil)
		s.Payload.Confidence = d.params.Confidence
		steps = append(steps, s)
	}
	return Plan{Steps: steps}
}

// whyNoStrangers returns why a discussion cannot have strangers; "" if it can. Its messages are replies, as those
// of later rounds of a debate are: only what a stranger says alone can stand for them.
func (d *Discussion) whyNoStrangers() string {
	const notFor = ", and a stranger's is about another instance"
	switch p := d.params; {
	case d.means == decision.ByAgreement:
		return "by its rule agents decide by agreeing with each other's drafts" + notFor
	case p.Collective:
		return "with collective: true they are shown final answers alone, which a stranger would give in two turns"
	case !p.Extract:
		return "with extract: false an agent's solution can be the draft it agrees with" + notFor
	case p.Challenge != "none":
		return "with a challenge they are shown the group's solution" + notFor
	}
	return ""
}

// meetStrangers asks one for each message of a round.
func (d *Discussion) meetStrangers(round int) Plan {
	var steps []transcript.Step
	for _, agent := range slices.Concat(d.speakersIn(round)...) {
		steps = append(steps, strangerStep(agent, round, PhaseTalk, transcript.FormatReply, upTo(d.countAuthored())))
	}
	return Plan{Steps: steps}
}

// needsStrangers reports whether what is said in a round, which nobody has said yet, is heard as that of
// strangers who have not been asked. What all say at once in the last round is heard by nobody, but for those
// who kept their solutions to themselves.
func (d *Discussion) needsStrangers(t *transcript.Transcript, round int) bool {
	isHeard := round < d.params.Rounds || len(d.speakersIn(round)) > 1 || d.params.Response == reasoning
	return d.setting.Hears == HearsStrangers && round <= d.params.Rounds && isHeard && !slices.ContainsFunc(t.Entries,
		func(e transcript.Entry) bool { return e.Speaker.Role == Stranger && e.Round == round })
}

// heardBy returns entries with a stranger's in place of each message of another agent: the n-th for the n-th.
func (d *Discussion) heardBy(agent int, t *transcript.Transcript, sees []int) []int {
	if d.setting.Hears != HearsStrangers {
		return sees
	}
	var strangers []int
	for _, e := range t.Entries {
		if e.Speaker.Role == Stranger {
			strangers = append(strangers, e.Index)
		}
	}
	said := messageEntries(t)
	heard := sees[:0]
	for _, i := range sees {
		switch n := slices.Index(said, i); {
		case n < 0 || t.Entries[i].Speaker.Index == agent:
			heard = append(heard, i)
		case n < len(strangers):
			heard = append(heard, strangers[n])
		}
	}
	return heard
}
