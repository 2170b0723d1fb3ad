package collaboration

import (
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// answerCue returns the entry that a cue is answered with. Of proposals that mean
// the same the first gives the key; the keys of the others are its tags.
func (c *Collaboration) answerCue(entry int, step transcript.Step) (answers.Turn, error) {
	t := answers.Turn{Entry: entry, Done: true, Act: transcript.Act{Status: transcript.Said}}
	cued, ok := c.Instance.(envs.Cued)
	if !ok {
		return t, fmt.Errorf("the environment %s has no %s to give to the protocol %s", c.Condition.Env.Name,
			step.Phase, c.Condition.Protocol.Name)
	}
	cue := step.Payload.Data.(envs.Cue)
	cue.Shown = c.shownTo(step)
	made, err := cued.Cue(cue)
	if err != nil {
		return t, err
	}
	t.Text, t.Simulated = made.Text, made.Simulated
	for i, p := range made.Proposals {
		if key := prompt.Key(p); i == 0 {
			t.Proposal, t.Act.Key = string(p), key
		} else {
			t.Act.Tags = append(t.Act.Tags, key)
		}
	}
	return t, nil
}

// shownTo returns what a cue's step sees.
func (c *Collaboration) shownTo(step transcript.Step) []envs.Shown {
	var list []envs.Shown
	for _, r := range step.Sees {
		for _, e := range c.Session.Transcript().Entries[r.From:r.To] {
			agent := e.Speaker.Index
			if e.Speaker.Role != "" {
				agent = -1
			}
			t := c.Turns[e.Index]
			list = append(list, envs.Shown{Phase: e.Phase, Agent: agent, Text: t.Text,
				Proposal: envs.Proposal(t.Proposal)})
		}
	}
	return list
}
