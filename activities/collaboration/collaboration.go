// Package collaboration plays collaborations: the protocol's session over the stored turns. It
// renders the question of each pending entry, makes the entries that the environment gives,
// and in the end the rows, from the stored answers alone and the same in every process. A
// rehearsal plays a condition with scripted agents in memory: to show its prompts, to predict
// what it takes, and to see whether replicates differ.
package collaboration

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Collaboration is the state of one collaboration in memory: the protocol's session played over the
// stored turns.
type Collaboration struct {
	Ref       task.Ref
	Campaign  *setup.Campaign
	Condition *setup.Condition
	Run       answers.RunKey
	Instance  envs.Instance
	Seated    []plan.Agent // by agent; none if the condition says nothing of them

	mu      sync.Mutex // what follows changes as turns come in
	Session *protocol.Session
	Turns   map[int]answers.Turn   // finished ones, by entry
	systems []*prompt.SystemPrompt // by agent, rendered when first needed
	stuck   error                  // why the environment cannot give a pending entry
	taken   atomic.Int64           // how many turns were asked; read without mu
	// beginning is that of the prompts of the last phase, hashed; 0 if they had none in common.
	beginning uint64

	// As of the last load: turns that are still to be asked again, and calls whose outcome is not known.
	Unfinished []answers.Turn
	Unknown    []answers.Intent

	// Scored is a program's score of the final decision; nil without one. It is set
	// before rows are made.
	Scored *float64
	// Label is what the campaign's file calls the condition; "" without one. It is set likewise.
	Label string
}

// Final returns the entry of the final decision, or of the latest one so far; -1 if there is none.
// The caller must own c alone.
func (c *Collaboration) Final() int {
	if o := c.Session.Outcome(); o != nil {
		return o.Standing
	}
	return protocol.Standing(c.Session.Transcript())
}

// replay takes in what is stored. After a turn that does not fit, the others still
// make rows if they can. Those of a collaboration that could not begin make none.
func (c *Collaboration) replay(stored answers.Stored, unbegun error) (broken error) {
	c.Unknown = stored.Unknown
	if unbegun != nil {
		c.Unfinished = stored.Turns
		return unbegun
	}
	for _, t := range stored.Turns {
		var err error
		if t.Done {
			err = c.Record(t)
		}
		panics := errors.Is(err, protocol.ErrPanic)
		if !t.Done || err != nil && !panics {
			c.Unfinished = append(c.Unfinished, t)
		}
		if err != nil && !panics {
			err = fmt.Errorf("stored answers of %s do not fit its protocol: %w", c.Run, err)
		}
		broken = cmp.Or(broken, err)
	}
	return broken
}

// Begin returns a collaboration without any turn. With an error it has no session, and nothing can
// be asked in it.
func Begin(camp *setup.Campaign, ref task.Ref, run answers.RunKey) (c *Collaboration, err error) {
	c = &Collaboration{
		Ref: ref, Campaign: camp, Condition: camp.Conditions[ref.Cell.Condition], Run: run,
		Turns: map[int]answers.Turn{},
	}
	c.systems = make([]*prompt.SystemPrompt, c.Condition.Agents)
	defer failure.Recover(&err)
	if c.Instance, err = c.Condition.Environment.Instance(camp.Campaign.Seed, ref.Cell.Instance); err != nil {
		return c, fmt.Errorf("instance %d of the environment %s: %w", ref.Cell.Instance, c.Condition.Env.Name, err)
	}
	if n := len(c.Instance.Agents()); n != c.Condition.Agents {
		return c, fmt.Errorf("instance %d of the environment %s has %d agents, where the plan has %d; all "+
			"instances of an environment have the same number", ref.Cell.Instance, c.Condition.Env.Name, n,
			c.Condition.Agents)
	}
	if c.Session, err = c.Condition.Session(camp.Campaign.TreatmentSeed(ref.Cell)); err != nil {
		return c, err
	}
	c.Seated = c.Condition.Seated(c.Condition.Agents, camp.Campaign.TreatmentSeed(ref.Cell))
	c.giveAll()
	return c, nil
}

// ProviderOf returns the model of speaker s: the agent's own, or else the condition's.
func (c *Collaboration) ProviderOf(s transcript.Speaker) model.Provider {
	if s.Role != "" {
		return c.Condition.ProviderOf(s.Role)
	}
	if c.ownModel(s) != "" {
		return c.Condition.ProviderFor(*c.Seated[s.Index].Model)
	}
	return c.Condition.ProviderOf(c.Instance.Agents()[s.Index].Name)
}

// ownModel returns the name of the model that the campaign gives agent s for its own; "" if it
// gives none.
func (c *Collaboration) ownModel(s transcript.Speaker) string {
	if s.Role != "" || s.Index >= len(c.Seated) || c.Seated[s.Index].Model == nil {
		return ""
	}
	return c.Seated[s.Index].Model.Name
}

// generateOf returns the parameters of a speaker's questions.
func (c *Collaboration) generateOf(s transcript.Speaker) plan.Generate {
	if s.Role == "" && s.Index < len(c.Seated) && c.Seated[s.Index].Generate != nil {
		return *c.Seated[s.Index].Generate
	}
	return c.Condition.Generate
}

// Record adds a finished turn to the session. The caller holds mu or owns c alone.
func (c *Collaboration) Record(t answers.Turn) error {
	if _, known := c.Turns[t.Entry]; known {
		return nil
	}
	err := c.Session.Record(t.Entry, t.Act)
	if err != nil && !errors.Is(err, protocol.ErrPanic) {
		return err
	}
	c.Turns[t.Entry] = t
	if len(t.Asks) == 0 || t.Asks[0].From == "" {
		c.taken.Add(1)
	}
	if err != nil {
		return fmt.Errorf("after entry %d: %w", t.Entry, err)
	}
	c.giveAll()
	return nil
}

// pendingStep finds a pending entry.
func (c *Collaboration) pendingStep(entry int) (transcript.Step, bool) {
	pending := c.Session.Pending()
	i := slices.IndexFunc(pending, func(p protocol.Pending) bool { return p.Entry == entry })
	if i < 0 {
		return transcript.Step{}, false
	}
	return pending[i].Step, true
}

// promptSource returns what prompts and scenes are made from. The caller holds mu.
func (c *Collaboration) promptSource() prompt.Source {
	return prompt.Source{
		Seats: c.Session.Seats(),
		Env:   c.Condition.Environment, Instance: c.Instance, Protocol: c.Session.Protocol(),
		Transcript: c.Session.Transcript(),
		Said: func(entry int) prompt.Said {
			t := c.Turns[entry]
			return prompt.Said{Text: t.Text, Reason: t.Reason, Proposal: envs.Proposal(t.Proposal)}
		},
	}
}

// Acts returns the acts of the finished turns from entry from on.
func (c *Collaboration) Acts(from int) []task.Act {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.actsFrom(from)
}

// actsFrom returns the acts of the finished turns from an entry on. The caller holds mu.
func (c *Collaboration) actsFrom(from int) []task.Act {
	var acts []task.Act
	for entry, t := range c.Turns {
		if entry >= from {
			acts = append(acts, task.Act{Entry: entry, Act: t.Act})
		}
	}
	slices.SortFunc(acts, func(a, b task.Act) int { return a.Entry - b.Entry })
	return acts
}

// queuesOfSpeakers returns the task queues of speakers whose model has one.
func (c *Collaboration) queuesOfSpeakers(ctx context.Context, m campaign.Manifest) map[string]string {
	queues := map[string]string{}
	for i := range c.Instance.Agents() {
		if q := setup.ModelQueue(ctx, m, c.ProviderOf(transcript.Speaker{Index: i}).Name); q != "" {
			queues[task.Speaker(transcript.Speaker{Index: i})] = q
		}
	}
	for _, role := range c.Session.Protocol().Traits().Roles {
		if q := setup.ModelQueue(ctx, m, c.Condition.ProviderOf(role).Name); q != "" {
			queues[role] = q
		}
	}
	if a := c.Condition.Annotator; a != nil {
		if q := setup.ModelQueue(ctx, m, a.Provider.Name); q != "" {
			queues[a.Role] = q
		}
	}
	if j := c.Condition.Judge; j != nil {
		if q := setup.ModelQueue(ctx, m, j.Provider.Name); q != "" {
			queues[task.JudgeSpeaker] = q
		}
	}
	return queues
}

// IsOver reports whether the session has an outcome.
func (c *Collaboration) IsOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Session.Outcome() != nil
}

// Add is Record for a collaboration that others use too. It keeps no raw answers.
func (c *Collaboration) Add(t answers.Turn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Record(withoutRawAnswers(t))
}

// playedCondition returns what a session needs of a condition; all of it where it continues
// another one, whose identity it must show.
func playedCondition(c plan.Condition) plan.Condition {
	if c.Fork != nil {
		return c
	}
	return plan.Condition{Protocol: c.Protocol, Rule: c.Rule, Stop: c.Stop.ForHistory(), Agents: c.Agents,
		Control: c.Control}
}

// Setting returns what a workflow must know to follow the session under manifest m.
func (c *Collaboration) Setting(ctx context.Context, m campaign.Manifest) task.Setting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return task.Setting{
		Condition: playedCondition(c.Condition.Condition), Agents: c.Condition.Agents,
		Seed:   c.Campaign.Campaign.TreatmentSeed(c.Ref.Cell),
		Judged: c.Condition.Judge != nil, Queues: c.queuesOfSpeakers(ctx, m),
	}
}

// Round returns the round of the pending entries, or 0 once the session has its outcome.
func (c *Collaboration) Round() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Session.Outcome() != nil {
		return 0
	}
	return c.Session.Round()
}

// isBehind reports whether an entry before the given one has no act.
func (c *Collaboration) isBehind(entry int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := c.Session.Pending()
	return len(pending) > 0 && pending[0].Entry < entry
}
