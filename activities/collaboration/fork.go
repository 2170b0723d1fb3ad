package collaboration

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/transcript"
)

// findOrigin returns the collaboration of which a fork takes over the turns before it: its
// latest generation that has ended.
func (l *Live) findOrigin(ctx context.Context, c *Collaboration) (answers.RunKey, error) {
	f := c.Condition.Fork
	run := answers.RunKey{Campaign: f.Campaign, Collaboration: f.OriginID(c.Ref.Cell), Generation: -1}
	for {
		next := lake.Marker{Campaign: run.Campaign, Collaboration: run.Collaboration,
			Generation: run.Generation + 1}.Key()
		if _, err := l.store.Head(ctx, next); err != nil {
			if err = store.IgnoreMissing(err); err == nil && run.Generation < 0 {
				err = failure.Fail(fmt.Errorf("the collaboration %s of %s, which this one continues, has not finished",
					run.Collaboration, run.Campaign))
			}
			return run, err
		}
		run.Generation++
	}
}

// takePrefix gives a fork the turns of the collaboration that it continues, and stores
// them as one object before anything follows.
func (l *Live) takePrefix(ctx context.Context, c *Collaboration) error {
	from, err := l.findOrigin(ctx, c)
	if err != nil {
		return err
	}
	stored, err := l.answers.Load(ctx, from)
	if err != nil {
		return fmt.Errorf("the turns of %s, which this collaboration continues: %w", from, err)
	}
	turns, err := c.goOnFrom(from, stored.Turns)
	if err != nil || len(turns) == 0 {
		return err
	}
	_, err = l.answers.PutBatch(ctx, c.Run, turns)
	return err
}

// goOnFrom plays the turns of another collaboration up to where this one leaves it, and
// returns them.
func (c *Collaboration) goOnFrom(from answers.RunKey, stored []answers.Turn) ([]answers.Turn, error) {
	var turns []answers.Turn
	for _, t := range stored {
		if !c.Session.InPrefix() || c.stuck != nil {
			break
		}
		if _, pending := c.pendingStep(t.Entry); !pending || !t.Done { // what is removed or replaced is not
			continue
		}
		t = t.OfFork(from)
		if err := c.Record(withoutRawAnswers(t)); err != nil {
			return nil, failure.Fail(fmt.Errorf("going on from %s: %w", from, err))
		}
		turns = append(turns, t)
	}
	if c.stuck != nil {
		return nil, c.stuck
	}
	if c.Session.InPrefix() {
		return nil, failure.Fail(fmt.Errorf("%s ends at entry %d, before the fork, and not by itself", from,
			len(c.Session.Transcript().Entries)))
	}
	return turns, nil
}

// replacedEntry returns the entry that a fork puts in place of a message. A text alone is
// what others see of it; other forms are read as a model's answer would be.
func (c *Collaboration) replacedEntry(entry int, step transcript.Step) (answers.Turn, error) {
	text, _ := c.Session.Instead(entry)
	return replacementTurn(entry, step, text, c.Instance)
}

func replacementTurn(entry int, step transcript.Step, text string, instance envs.Instance) (answers.Turn, error) {
	raw := []byte(text)
	if step.Payload.Format == transcript.FormatMessage && !json.Valid(raw) {
		var err error
		if raw, err = json.Marshal(map[string]any{"target": []string{"all"}, "message": text}); err != nil {
			return answers.Turn{}, err
		}
	}
	parsed, invalid := prompt.Parse(raw, step, instance)
	if invalid != nil {
		return answers.Turn{}, fmt.Errorf("the text cannot stand in place of what %s says in round %d, phase %s: %w",
			instance.Agents()[step.Speaker.Index].Name, step.Round, step.Phase, invalid)
	}
	return answers.Turn{Entry: entry, Done: true, Act: parsed.Act, Text: parsed.Text, Reason: parsed.Reason,
		ReadAs: parsed.ReadAs, Proposal: string(parsed.Proposal)}, nil
}

// CheckReplaced returns, in words, in which of the campaign's instances a text cannot be used
// that stands in place of a message which was played so far, or is pending.
func (c *Collaboration) CheckReplaced(instances []int) (problems []string, err error) {
	steps := map[int]transcript.Step{}
	for _, e := range c.Session.Entries() {
		steps[e.Index] = e.Step
	}
	for _, p := range c.Session.Pending() {
		steps[p.Entry] = p.Step
	}
	in := map[string][]int{}
	for _, i := range instances {
		instance, err := c.Condition.Environment.Instance(c.Campaign.Campaign.Seed, i)
		if err != nil {
			return nil, err
		}
		for _, entry := range slices.Sorted(maps.Keys(steps)) {
			text, instead := c.Session.Instead(entry)
			if !instead {
				continue
			}
			if _, err := replacementTurn(entry, steps[entry], text, instance); err != nil {
				if in[err.Error()] == nil {
					problems = append(problems, err.Error())
				}
				in[err.Error()] = append(in[err.Error()], i)
			}
		}
	}
	for n, problem := range problems {
		problems[n] = fmt.Sprintf("%s (in %d of %s, as %d)", problem, len(in[problem]),
			wording.Count(len(instances), "instance"), in[problem][0])
	}
	return problems, nil
}
