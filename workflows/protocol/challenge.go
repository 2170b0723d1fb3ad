package protocol

import (
	"slices"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// finish challenges the decision, if it is to be.
func (d *Discussion) finish(t *transcript.Transcript, round int) Plan {
	standing := Standing(t)
	switch name := d.params.Challenge; {
	case name == "none" || standing < 0:
		return d.end(t, round)
	case name == "solution" || name == "history":
		return Plan{Steps: d.challengeSteps(t, round)}
	case name == "retrieval":
		return planOf(ask(retriever, round, PhaseMaterial, transcript.FormatText, nil))
	default:
		return planOf(transcript.Step{
			Kind: transcript.Env, Speaker: transcript.Speaker{Role: "environment"}, Round: round, Phase: PhaseMaterial,
			Sees: joinRanges([]int{standing}), Audience: transcript.Everybody,
			Payload: transcript.Payload{Standing: -1, Data: envs.Cue{Name: name}},
		})
	}
}

// listCues returns what challengers are to be shown, if the environment gives it.
func (d *Discussion) listCues() []envs.Cue {
	switch name := d.params.Challenge; name {
	case "context", "wrong", "irrelevant":
		return []envs.Cue{{Name: name}}
	}
	return nil
}

// challengeSteps ask every agent whether it keeps what is said to be the group's
// solution; what they say changes the decision no more.
func (d *Discussion) challengeSteps(t *transcript.Transcript, round int) []transcript.Step {
	var steps []transcript.Step
	for agent := range d.setting.Agents {
		steps = append(steps, d.contestStep(t, len(t.Entries), round, agent, PhaseChallenge, transcript.FormatReply))
	}
	return steps
}

// newAnswers ask the agents that have challenged the solution for another one,
// if that is a call of its own.
func (d *Discussion) newAnswers(t *transcript.Transcript, round int) []transcript.Step {
	if d.params.ChallengeCalls == 1 {
		return nil
	}
	from := len(t.Entries) - d.setting.Agents
	var steps []transcript.Step
	for _, e := range t.Entries[from:] {
		if e.Act.Status == transcript.Said && !isAgreement(e) {
			steps = append(steps, d.contestStep(t, from, round, e.Speaker.Index, PhaseAnswerNew,
				transcript.FormatAnswer))
		}
	}
	return steps
}

// contestStep returns a step of an agent that is shown the solution, by the entries
// before the challenges.
func (d *Discussion) contestStep(t *transcript.Transcript, before, round, agent int, phase string,
	format transcript.Format) transcript.Step {
	solution, material := Standing(t), before-1
	shown := upTo(d.countAuthored())
	switch d.params.Challenge {
	case "history":
		shown = append(append(shown, messageEntries(t)...), solution)
	case "context", "retrieval":
		shown = append(shown, withoutDiscussion(t, solution)...)
		shown = append(shown, material)
	case "irrelevant", "wrong":
		solution = material
		shown = append(shown, material)
	default:
		shown = append(shown, withoutDiscussion(t, solution)...)
	}
	slices.Sort(shown)
	shown = slices.Compact(shown)
	s := ask(transcript.Speaker{Index: agent}, round, phase, format, shown)
	s.Payload.Candidates = []transcript.Candidate{{Key: t.Entries[solution].Act.Key, Entry: solution}}
	s.Payload.Ballot = transcript.BallotSpec{Kind: transcript.Choose, N: 1}
	return s
}

// withoutDiscussion returns a solution to be shown without the discussion: a message that holds
// it is not, since its reasons belong to the history. The candidate says it.
func withoutDiscussion(t *transcript.Transcript, solution int) []int {
	if t.Entries[solution].Phase == PhaseTalk {
		return nil
	}
	return []int{solution}
}
