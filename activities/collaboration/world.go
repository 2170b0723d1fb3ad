package collaboration

import (
	"encoding/json"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

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
