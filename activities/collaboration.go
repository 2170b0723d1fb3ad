package activities

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// collaboration is the picture of one collaboration: the protocol's session
// played over the stored turns.
type collaboration struct {
	ref       task.Ref
	campaign  *campaign
	condition *condition
	run       answers.RunKey
	instance  envs.Instance

	mu      sync.Mutex // what follows changes as turns come in
	session *protocol.Session
	turns   map[int]answers.Turn   // finished ones, by entry
	systems []*prompt.SystemPrompt // by agent, rendered when first needed
	stuck   error                  // why the environment cannot give a pending entry
	taken   atomic.Int64           // how many turns were asked; read without mu

	// As of the last load: turns that are still to be asked again, and calls whose outcome is not known.
	unfinished []answers.Turn
	unknown    []answers.Intent
}

// replay takes stored turns in. After one that does not fit, the others still
// make rows if they can.
func (c *collaboration) replay(turns []answers.Turn) (broken error) {
	for _, t := range turns {
		var err error
		if t.Done {
			err = c.record(t)
		}
		panics := errors.Is(err, protocol.ErrPanic)
		if !t.Done || err != nil && !panics {
			c.unfinished = append(c.unfinished, t)
		}
		if err != nil && !panics {
			err = fmt.Errorf("stored answers of %s do not fit its protocol: %w", c.run, err)
		}
		broken = cmp.Or(broken, err)
	}
	return broken
}

// begin is a collaboration of which nothing is known yet. With an error it has
// no session, and nothing can be asked in it.
func begin(camp *campaign, ref task.Ref, run answers.RunKey) (c *collaboration, err error) {
	c = &collaboration{
		ref: ref, campaign: camp, condition: camp.conditions[ref.Cell.Condition], run: run, turns: map[int]answers.Turn{},
	}
	c.systems = make([]*prompt.SystemPrompt, c.condition.agents)
	defer failure.Recover(&err)
	if c.instance, err = c.condition.env.Instance(camp.Campaign.Seed, ref.Cell.Instance); err != nil {
		return c, fmt.Errorf("instance %d of the environment %s: %w", ref.Cell.Instance, c.condition.Env.Name, err)
	}
	if c.session, err = c.condition.Session(c.condition.agents, camp.Campaign.TreatmentSeed(ref.Cell)); err != nil {
		return c, err
	}
	c.giveAll()
	return c, nil
}

// record takes a finished turn into the picture. The caller holds mu or owns c alone.
func (c *collaboration) record(t answers.Turn) error {
	if _, known := c.turns[t.Entry]; known {
		return nil
	}
	err := c.session.Record(t.Entry, t.Act)
	if err != nil && !errors.Is(err, protocol.ErrPanic) {
		return err
	}
	c.turns[t.Entry] = t
	c.taken.Add(1)
	if err != nil {
		return fmt.Errorf("after entry %d: %w", t.Entry, err)
	}
	c.giveAll()
	return nil
}

// pendingStep finds a pending entry.
func (c *collaboration) pendingStep(entry int) (transcript.Step, bool) {
	pending := c.session.Pending()
	i := slices.IndexFunc(pending, func(p protocol.Pending) bool { return p.Entry == entry })
	if i < 0 {
		return transcript.Step{}, false
	}
	return pending[i].Step, true
}

// source is what prompts and scenes are made from. The caller holds mu.
func (c *collaboration) source() prompt.Source {
	return prompt.Source{
		Env: c.condition.env, Instance: c.instance, Protocol: c.session.Protocol(), Transcript: c.session.Transcript(),
		Said: func(entry int) prompt.Said {
			t := c.turns[entry]
			return prompt.Said{Text: t.Text, Reason: t.Reason, Proposal: envs.Proposal(t.Proposal)}
		},
	}
}

// acts are those of the finished turns from an entry on.
func (c *collaboration) acts(from int) []task.Act {
	var acts []task.Act
	for entry, t := range c.turns {
		if entry >= from {
			acts = append(acts, task.Act{Entry: entry, Act: t.Act})
		}
	}
	slices.SortFunc(acts, func(a, b task.Act) int { return a.Entry - b.Entry })
	return acts
}

// queues are those of speakers whose model has one.
func (c *collaboration) queues(m Manifest) map[string]string {
	queues := map[string]string{}
	for i, agent := range c.instance.Agents() {
		if q := m.queue(c.condition.asked(agent.Name).Name); q != "" {
			queues[task.Speaker(transcript.Speaker{Index: i})] = q
		}
	}
	for _, role := range c.session.Protocol().Traits().Roles {
		if q := m.queue(c.condition.asked(role).Name); q != "" {
			queues[role] = q
		}
	}
	return queues
}

func (c *collaboration) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.Outcome() != nil
}

// add takes a finished turn into the picture, without its raw answers.
func (c *collaboration) add(t answers.Turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record(withoutRawAnswers(t))
}

// recalled returns what a workflow must know to play the session itself.
func (c *collaboration) recalled(m Manifest) task.Recalled {
	c.mu.Lock()
	defer c.mu.Unlock()
	cond := c.condition.Condition
	return task.Recalled{
		Condition: plan.Condition{Protocol: cond.Protocol, Rule: cond.Rule, Stop: cond.Stop},
		Agents:    c.condition.agents, Seed: c.campaign.Campaign.TreatmentSeed(c.ref.Cell),
		Instant: c.condition.instant(), Acts: c.acts(0), Queues: c.queues(m),
	}
}
