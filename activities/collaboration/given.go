package collaboration

import (
	"encoding/json"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// giveAll makes the pending entries that the environment gives: answers to cues,
// and where agents are; and those in whose place a fork puts a text. They are pure, so nothing of them is stored: they are
// found again whenever the stored turns are played. One that cannot be made
// stays pending, and stuck says why. The caller holds mu or owns c alone.
func (c *Collaboration) giveAll() {
	for given := true; given && c.stuck == nil; { // one may be the last of its plan and open the next
		given = false
		for _, p := range c.Session.Pending() {
			_, instead := c.Session.Instead(p.Entry)
			if (instead || p.Kind == transcript.Env) && c.stuck == nil {
				c.stuck, given = c.giveOne(p), true
			}
		}
	}
}

func (c *Collaboration) giveOne(p protocol.Pending) (err error) {
	defer failure.Recover(&err)
	given := c.moveAgent
	if _, instead := c.Session.Instead(p.Entry); instead {
		given = c.replacedEntry
	} else if _, isCue := p.Payload.Data.(envs.Cue); isCue {
		given = c.answerCue
	}
	t, err := given(p.Entry, p.Step)
	if err != nil {
		return failure.Fail(fmt.Errorf("entry %d: %w", p.Entry, err))
	}
	c.Turns[t.Entry] = t
	return c.Session.Record(t.Entry, t.Act)
}

// missingEntry returns why an entry is not there to be taken. The caller holds mu.
func (c *Collaboration) missingEntry(entry int) error {
	if c.stuck != nil {
		return c.stuck
	}
	return fmt.Errorf("entry %d of %s %w", entry, c.Run, errNotPending)
}

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

// moveAgent returns where an agent starts if the step is shown nothing, else where it
// comes to from its latest state with the plan that it made since.
func (c *Collaboration) moveAgent(entry int, step transcript.Step) (answers.Turn, error) {
	world, ok := c.Instance.(envs.World)
	if !ok {
		return answers.Turn{}, fmt.Errorf("the environment %s has no states that move, as the protocol %s needs",
			c.Condition.Env.Name, c.Condition.Protocol.Name)
	}
	from, target, err := c.latestState(step)
	state := envs.State{}
	switch {
	case err != nil:
	case len(step.Sees) == 0:
		state = world.Start(step.Speaker.Index)
	default:
		state, err = world.Move(step.Speaker.Index, from, target)
	}
	if err != nil {
		return answers.Turn{}, err
	}
	t := answers.Turn{
		Entry: entry, Done: true, Text: state.Path, Proposal: string(state.Position),
		Act: transcript.Act{Status: transcript.Said, Key: prompt.Key(state.Position), Values: state.At},
	}
	if len(state.Rest) > 0 {
		rest, err := json.Marshal(state.Rest)
		if err != nil {
			return answers.Turn{}, err
		}
		t.Reason = string(rest)
	}
	return t, nil
}

// latestState returns an agent's latest state among what the step sees, and its plan; "" if it made none.
func (c *Collaboration) latestState(step transcript.Step) (from envs.State, target envs.Proposal, err error) {
	entries := c.Session.Transcript().Entries
	for _, r := range step.Sees {
		for _, e := range entries[r.From:r.To] {
			said := c.Turns[e.Index]
			switch {
			case e.Kind == transcript.Ask && e.Act.Status == transcript.Said:
				target = envs.Proposal(said.Proposal)
			case e.Kind == transcript.Env:
				from = envs.State{Position: envs.Proposal(said.Proposal), At: e.Act.Values}
				if said.Reason != "" {
					err = json.Unmarshal([]byte(said.Reason), &from.Rest)
				}
			}
		}
	}
	return from, target, err
}
