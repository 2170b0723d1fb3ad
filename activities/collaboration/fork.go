package collaboration

import (
	"context"
	"encoding/json"
	"fmt"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/workflows/transcript"
)

// origin returns the collaboration of which a fork takes over the turns before it: its
// latest generation that has ended.
func (l *Live) origin(ctx context.Context, c *Collaboration) (answers.RunKey, error) {
	f := c.Condition.Fork
	run := answers.RunKey{Campaign: f.Campaign, Collaboration: f.OriginID(c.Ref.Cell), Generation: -1}
	for {
		next := lake.Marker{Campaign: run.Campaign, Collaboration: run.Collaboration, Generation: run.Generation + 1}.Key()
		if _, err := l.store.Head(ctx, next); err != nil {
			if err = failure.IgnoreMissing(err); err == nil && run.Generation < 0 {
				err = failure.Fail(fmt.Errorf("the collaboration %s of %s, from which this one goes on, has not ended", run.Collaboration, run.Campaign))
			}
			return run, err
		}
		run.Generation++
	}
}

// takePrefix gives a fork the turns of the collaboration that it goes on from, and stores
// them as one object before anything follows.
func (l *Live) takePrefix(ctx context.Context, c *Collaboration) error {
	from, err := l.origin(ctx, c)
	if err != nil {
		return err
	}
	stored, err := l.answers.Load(ctx, from)
	if err != nil {
		return fmt.Errorf("the turns of %s, from which this collaboration goes on: %w", from, err)
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
		if !c.Session.InPrefix() {
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
	if c.Session.InPrefix() {
		return nil, failure.Fail(fmt.Errorf("%s ends at entry %d, before the fork, and not by itself", from, len(c.Session.Transcript().Entries)))
	}
	return turns, nil
}

// replaced returns the entry that a fork puts in the place of a message. A text alone is
// what others see of it; other forms are read as a model's answer would be.
func (c *Collaboration) replaced(entry int, step transcript.Step) (answers.Turn, error) {
	text, _ := c.Session.Instead(entry)
	raw := []byte(text)
	if step.Payload.Format == transcript.FormatMessage && !json.Valid(raw) {
		var err error
		if raw, err = json.Marshal(map[string]any{"target": []string{"all"}, "message": text}); err != nil {
			return answers.Turn{}, err
		}
	}
	parsed, invalid := prompt.Parse(raw, step, c.Instance)
	if invalid != nil {
		return answers.Turn{}, fmt.Errorf("what is to replace the %s of %s cannot be used: %w", step.Phase, c.Instance.Agents()[step.Speaker.Index].Name, invalid)
	}
	return answers.Turn{Entry: entry, Done: true, Act: parsed.Act, Text: parsed.Text, Reason: parsed.Reason, Proposal: string(parsed.Proposal)}, nil
}
