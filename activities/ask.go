package activities

import (
	"errors"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

var errNotPending = errors.New("is not pending: answers before it are missing from the store")

// ask renders the question of a pending entry, or returns the turn if it is finished.
func (c *collaboration) ask(entry int) (question, *answers.Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.turns[entry]; ok {
		return question{}, &t, nil
	}
	step, ok := c.pendingStep(entry)
	if !ok || step.Kind == transcript.Env {
		return question{}, nil, c.missingEntry(entry)
	}
	q, err := c.question(entry, step)
	return q, nil, err
}

// question renders. The caller holds mu.
func (c *collaboration) question(entry int, step transcript.Step) (question, error) {
	if step.Kind != transcript.Ask {
		return question{}, failure.Fail(fmt.Errorf("entry %d: this version has nobody who takes %s steps of %q", entry, step.Kind, step.Speaker.Role))
	}
	source := c.source()
	q := question{Order: Order{Run: c.run, Entry: entry, Longest: c.condition.Generate.MaxTokens}, reasks: c.condition.Reasks}
	system, err := c.systemPrompt(step.Speaker)
	if err != nil {
		return question{}, failure.Fail(err)
	}
	if q.Messages, err = c.condition.templates.Render(source, system, step); err != nil {
		return question{}, failure.Fail(err)
	}
	q.hash = prompt.Hash(q.Messages)
	names := prompt.Names(c.instance.Agents())
	if q.speaker = step.Speaker.Role; q.speaker == "" {
		q.speaker = names[step.Speaker.Index]
	}
	q.Provider = c.condition.asked(q.speaker)
	scene := source.Scene(step, nil)
	at := func(ask int) *model.Scene {
		s := *scene
		// The condition is left out: two rules are compared on the same draws.
		s.Situation.Rand = envs.Stream(c.campaign.Campaign.Seed, "agent",
			c.ref.Cell.Instance, c.ref.Cell.Replicate, step.Speaker.Role, step.Speaker.Index, step.Round, step.Phase, entry, ask)
		s.Campaign, s.Condition, s.Collaboration = c.ref.Campaign, c.condition.id, c.run.Collaboration
		s.Instance, s.Replicate, s.Entry, s.Ask = c.ref.Cell.Instance, c.ref.Cell.Replicate, entry, ask
		return &s
	}
	q.request = func(before []answers.Answer) model.Request {
		r := q.after(before, model.Parameters(c.condition.Generate), prompt.Schema(step, names), string(step.Payload.Format))
		r.Scene = at(len(before))
		return r
	}
	q.read = func(raw []byte, t *answers.Turn) error {
		parsed, fault := prompt.Parse(raw, step, c.instance)
		if t.Text = parsed.Text; fault == nil { // a text without a usable answer can still be shown
			t.Act, t.Reason, t.Proposal = parsed.Act, parsed.Reason, string(parsed.Proposal)
		}
		return fault
	}
	q.cacheKey = func(r model.Request, ask int) (string, error) { return c.cacheKey(q.Provider, step.Speaker, r, ask) }
	return q, nil
}

// systemPrompt renders once what an agent is system in every turn. The caller holds mu.
func (c *collaboration) systemPrompt(s transcript.Speaker) (prompt.SystemPrompt, error) {
	if s.Role != "" {
		return c.condition.templates.RenderRoleSystem(c.instance.Observe(0))
	}
	if c.systems[s.Index] == nil {
		system, err := c.condition.templates.RenderSystem(c.instance.Observe(s.Index))
		if err != nil {
			return prompt.SystemPrompt{}, err
		}
		c.systems[s.Index] = &system
	}
	return *c.systems[s.Index], nil
}

func (c *collaboration) cacheKey(p model.Provider, speaker transcript.Speaker, r model.Request, ask int) (string, error) {
	camp := c.campaign.Campaign
	scope, err := answers.Scope(camp.CacheScope, camp.Name, c.condition.id)
	if err != nil {
		return "", failure.Fail(err)
	}
	return answers.CacheKey(answers.Question{
		Provider: p.Endpoint, Model: p.Name,
		Parameters: r.Parameters, Messages: r.Messages, Schema: r.Schema,
		Seed: int64(camp.Seed), Instance: c.ref.Cell.Instance, Replicate: c.ref.Cell.Replicate,
		Speaker: speaker, Ask: ask, Scope: scope,
	})
}
