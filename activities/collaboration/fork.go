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
	"roundtable/analysis/lake/record"
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

// checkReplaced returns sentences that say in which instances a fork's text cannot replace a
// message that was played so far or is pending.
func (c *Collaboration) checkReplaced(instances []int) (problems []string, err error) {
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

// Forked is what CheckFork found by replaying a fork's stored turns.
type Forked struct {
	Problems []string       // sentences for people
	Replaced map[int]string // the texts that stand in place of messages, by entry
}

// CheckFork compares the turns that a fork took over with the stored answers of its original, which
// must be in the lake. For a collaboration that is not a fork it returns nothing.
func (r *Reader) CheckFork(ctx context.Context, of record.Key) (found Forked, err error) {
	c, err := r.begin(ctx, of)
	if err != nil || c.Condition.Fork == nil {
		return found, err
	}
	stored, err := r.answers.Load(ctx, c.Run)
	if err != nil {
		return found, err
	}
	origins := origins{r, map[string]answers.Stored{}}
	for _, t := range stored.Turns {
		problem := ""
		switch _, instead := c.Session.Instead(t.Entry); {
		case instead:
			problem = fmt.Sprintf("entry %d was asked for or taken over, and a text is to stand in its place", t.Entry)
		case c.Session.InPrefix():
			if problem, err = origins.compare(ctx, c, t); err != nil {
				return found, err
			}
		case len(t.Asks) > 0 && t.Asks[0].From != "":
			problem = fmt.Sprintf("entry %d comes after the fork, and says that it is from %s", t.Entry, t.Asks[0].From)
		}
		if problem != "" {
			found.Problems = append(found.Problems, problem)
		}
		if !t.Done {
			continue
		}
		if err := c.Record(withoutRawAnswers(t)); err != nil {
			found.Problems = append(found.Problems, err.Error())
			return found, nil
		}
	}
	found.Replaced = map[int]string{}
	for entry, t := range c.Turns {
		if _, instead := c.Session.Instead(entry); instead {
			found.Replaced[entry] = t.Text
		}
	}
	return found, nil
}

// origins are the stored answers that a fork continues, read once each.
type origins struct {
	*Reader
	read map[string]answers.Stored
}

// compare returns what is wrong with a turn from before a fork, in words; "" if nothing is.
func (o origins) compare(ctx context.Context, c *Collaboration, t answers.Turn) (problem string, err error) {
	says := func(text string, args ...any) (string, error) {
		return fmt.Sprintf("entry %d, which comes from before the fork, ", t.Entry) + fmt.Sprintf(text, args...), nil
	}
	if len(t.Asks) == 0 || t.Asks[0].From == "" {
		return says("does not say from where")
	}
	name, f := t.Asks[0].From, c.Condition.Fork
	from, ok := answers.ParseRunKey(name)
	if !ok || from.Campaign != f.Campaign || from.Collaboration != f.OriginID(c.Ref.Cell) {
		return says("says that it is from %s; this collaboration continues %s/%s", name, f.Campaign,
			f.OriginID(c.Ref.Cell))
	}
	if _, known := o.read[name]; !known {
		if o.read[name], err = o.answers.Load(ctx, from); err != nil {
			return "", err
		}
	}
	if original, _ := o.read[name].Turn(t.Entry); !isSameTurn(original.OfFork(from), t) {
		return says("is not what is stored of it in %s", from)
	}
	return "", nil
}

// isSameTurn reports whether two turns are the same, with their answers byte for byte. How
// often a question was put before its answer came in is of the one that paid.
func isSameTurn(a, b answers.Turn) bool {
	for _, t := range []*answers.Turn{&a, &b} {
		t.Asks = slices.Clone(t.Asks)
		for i := range t.Asks {
			t.Asks[i].Attempt = 0
		}
	}
	mine, failed := json.Marshal(a)
	theirs, err := json.Marshal(b)
	return failed == nil && err == nil && string(mine) == string(theirs)
}
