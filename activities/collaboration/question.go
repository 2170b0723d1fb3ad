package collaboration

import (
	"errors"
	"fmt"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

var errNotPending = errors.New("is not pending: answers before it are missing from the store")

// Ask renders the question of a pending entry, or returns the turn if it is finished.
func (c *Collaboration) Ask(entry int) (calls.Question, *answers.Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.Turns[entry]; ok {
		return calls.Question{}, &t, nil
	}
	step, ok := c.pendingStep(entry)
	if !ok || step.Kind == transcript.Env {
		return calls.Question{}, nil, c.missingEntry(entry)
	}
	q, err := c.renderQuestion(entry, step)
	return q, nil, err
}

// Askable returns the pending entries that can be asked now, but those of speakers
// whose turns are taken elsewhere; none if it is over or waits for those.
func (c *Collaboration) Askable(elsewhere []string) (entries []int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.Session.Pending() {
		_, instead := c.Session.Instead(p.Entry)
		switch {
		case instead || p.Kind == transcript.Env:
			return nil, c.missingEntry(p.Entry)
		case !slices.Contains(elsewhere, task.Speaker(p.Speaker)):
			entries = append(entries, p.Entry)
		}
	}
	return entries, nil
}

// renderQuestion renders. The caller holds mu.
func (c *Collaboration) renderQuestion(entry int, step transcript.Step) (calls.Question, error) {
	if _, instead := c.Session.Instead(entry); instead { // its text cannot be used, or it would have been given
		return calls.Question{}, c.missingEntry(entry)
	}
	if step.Kind == transcript.Annotate {
		return c.annotationQuestion(entry, step)
	}
	if step.Kind != transcript.Ask {
		return calls.Question{}, failure.Fail(fmt.Errorf("entry %d: this version cannot take %s steps of %q", entry,
			step.Kind, step.Speaker.Role))
	}
	source, instance, cell := c.promptSource(), c.Instance, c.Ref.Cell
	spoken, generate, provider := entry, c.generateOf(step.Speaker), c.ProviderOf(step.Speaker)
	for _, e := range c.Session.Transcript().Entries { // agents draw the same whether these are there or not
		if e.Kind == transcript.Annotate || e.Speaker.Role == protocol.Stranger {
			spoken--
		}
	}
	system, err := c.systemPrompt(step.Speaker)
	speaker := step.Speaker.Role
	if speaker == protocol.Stranger { // asked as the agent that it stands for is asked first, of another instance
		cell.Instance = c.Campaign.Campaign.StrangersInstance(cell, entry, c.Condition.Environment.Instances())
		if instance, err = c.Condition.Environment.Instance(c.Campaign.Campaign.Seed, cell.Instance); err != nil {
			return calls.Question{}, failure.Fail(err)
		}
		step.Speaker.Role, step.Phase, source.Instance, spoken = "", protocol.PhaseAnswer, instance, step.Speaker.Index
		system, err = c.Condition.Templates.RenderSystem(instance.Observe(step.Speaker.Index))
	}
	if err != nil {
		return calls.Question{}, failure.Fail(err)
	}
	q := calls.Question{Order: calls.Order{Run: c.Run, Entry: entry, Longest: generate.MaxTokens},
		Reasks: c.Condition.Reasks, Reask: c.Condition.Reask}
	if q.Messages, err = c.Condition.Templates.Render(source, system, step); err != nil {
		return calls.Question{}, failure.Fail(err)
	}
	q.Hash, q.Form = prompt.Hash(q.Messages), prompt.FormOf(step, instance, system)
	names := prompt.Names(instance.Agents())
	if q.Speaker = speaker; q.Speaker == "" {
		q.Speaker = names[step.Speaker.Index]
	}
	q.Provider = provider
	scene := source.Scene(step, nil)
	at := func(ask int) *model.Scene {
		s := *scene
		// The condition is left out: two rules are compared on the same draws.
		s.Situation.Rand = envs.Stream(c.Campaign.Campaign.Seed, "agent",
			cell.Instance, c.Condition.Draws(cell.Replicate), step.Speaker.Role, step.Speaker.Index, step.Round,
			step.Phase, spoken, ask)
		s.Turn = model.Turn{
			Campaign: c.Ref.Campaign, Condition: c.Condition.ConditionID, Collaboration: c.Run.Collaboration,
			Agent: q.Speaker, Role: speaker, Phase: step.Phase,
			Instance: cell.Instance, Replicate: cell.Replicate, Round: step.Round, Entry: entry, Ask: ask,
		}
		if speaker != "" {
			s.Turn.Agent = ""
		}
		return &s
	}
	q.Request = func(before []answers.Answer) model.Request {
		r := q.After(before, model.Parameters(generate), string(step.Payload.Format))
		r.Scene = at(len(before))
		return r
	}
	q.Read = func(raw []byte, t *answers.Turn) error {
		reply := prompt.Reply{Raw: raw}
		if n := len(t.Asks); n > 0 {
			reply.Thinking, reply.Cut = t.Asks[n-1].Thinking, prompt.IsCut(t.Asks[n-1].FinishReason)
		}
		parsed, invalid := prompt.ParseReply(reply, step, instance)
		t.Thinking, t.ReadAs = parsed.Thinking, parsed.ReadAs
		if !q.Form.Text && invalid == nil {
			var reasonless bool
			if reasonless, invalid = prompt.CheckCopied(raw, q.Messages, q.Form); reasonless {
				parsed.Reason = ""
			}
		}
		if t.Text = parsed.Text; invalid == nil { // a text without a usable answer can still be shown
			t.Act, t.Reason, t.Proposal = parsed.Act, parsed.Reason, string(parsed.Proposal)
		}
		return invalid
	}
	q.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return c.cacheKey(q.Provider, cell, step.Speaker, r, mode, ask)
	}
	return q, nil
}

// systemPrompt renders once what an agent is system in every turn. The caller holds mu.
func (c *Collaboration) systemPrompt(s transcript.Speaker) (prompt.SystemPrompt, error) {
	if s.Role != "" {
		return c.Condition.Templates.RenderRoleSystem(c.Instance.Observe(0))
	}
	if c.systems[s.Index] == nil {
		system, err := c.Condition.Templates.RenderSystem(c.Instance.Observe(s.Index))
		if err != nil {
			return prompt.SystemPrompt{}, err
		}
		c.systems[s.Index] = &system
	}
	return *c.systems[s.Index], nil
}

func (c *Collaboration) cacheKey(p model.Provider, cell plan.Cell, speaker transcript.Speaker, r model.Request,
	mode string, ask int) (string, error) {
	camp := c.Campaign.Campaign
	scope, err := answers.Scope(camp.CacheScope, camp.Name, c.Condition.ConditionID)
	if err != nil {
		return "", failure.Fail(err)
	}
	return answers.CacheKey(answers.Question{
		Model: p.Name,
		Sent:  r, Mode: mode,
		Seed: int64(camp.Seed), Instance: cell.Instance, Replicate: c.Condition.Draws(cell.Replicate),
		Speaker: speaker, Ask: ask, Scope: scope,
	})
}
