package activities

import (
	"context"
	"fmt"
	"iter"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// talk is the messages of one ended collaboration.
type talk struct {
	condition string
	messages  []record.Turn // by entry
}

// talk reads the messages of a collaboration, or finds them in memory.
func (a *Activities) talk(ctx context.Context, ref task.LabelRef) (*talk, error) {
	ref.Labeller = ""
	if t, ok := a.talks.Get(ref); ok {
		return t, nil
	}
	d, err := lake.ReadDataset(ctx, a.config.Store, ref.Campaign)
	if err != nil {
		return nil, err
	}
	run := lake.Run{Collaboration: ref.Collaboration, Generation: ref.Generation}
	for t, err := range a.said(ctx, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return t, err
	}
	return nil, failure.Fail(fmt.Errorf("%s is not the latest generation of a collaboration of %s any more", run, ref.Campaign))
}

// said is the messages of each member of a dataset, in their order. They are
// kept in memory, for they are about to be labelled.
func (a *Activities) said(ctx context.Context, d lake.Dataset) iter.Seq2[*talk, error] {
	return func(yield func(*talk, error) bool) {
		i := 0
		for rows, err := range lake.Collaborations(ctx, a.config.Store, d, record.Turns) {
			if err != nil {
				yield(nil, err)
				return
			}
			m := d.Members[i]
			i++
			t := &talk{condition: m.Condition}
			for _, turn := range rows.Turns {
				if turn.IsMessage() {
					t.messages = append(t.messages, turn)
				}
			}
			a.talks.Add(task.LabelRef{Campaign: d.Campaign, Collaboration: m.Collaboration, Generation: m.Generation}, t)
			if !yield(t, nil) {
				return
			}
		}
	}
}

// labelRun is where the answers of a labeller are stored. They count against
// the campaign's budget like those of its agents.
func labelRun(ref task.LabelRef) answers.RunKey {
	return answers.RunKey{Campaign: ref.Campaign, Collaboration: fmt.Sprintf("labels-%s-%s", ref.Labeller, ref.Collaboration), Generation: ref.Generation}
}

// question about one message, after what was said in the round before.
func (l labeller) question(ref task.LabelRef, t *talk, message record.Turn) question {
	asked := label.Question{Message: label.Said{From: message.AgentName, Text: *message.Text}}
	for _, m := range t.messages {
		if m.Round == message.Round-1 {
			asked.Before = append(asked.Before, label.Said{From: m.AgentName, Text: *m.Text})
		}
	}
	q := question{
		run: labelRun(ref), entry: int(message.Entry), provider: l.provider, price: l.Price,
		messages: asked.Messages(l.Words), longest: l.Generate.MaxTokens, reasks: l.Reasks, read: readLabel,
	}
	q.hash = prompt.Hash(q.messages)
	q.request = func(before []answers.Answer) model.Request {
		return q.after(before, model.Parameters(l.Generate), label.Schema(), "acts")
	}
	// Whose message it is makes no difference to its label: the same question is answered once.
	q.cacheKey = func(r model.Request, ask int) (string, error) {
		return answers.CacheKey(answers.Question{
			Provider: l.provider.Endpoint, Model: l.provider.Name, Parameters: r.Parameters, Messages: r.Messages, Schema: r.Schema,
			Speaker: transcript.Speaker{Role: "labeller"}, Ask: ask,
		})
	}
	return q
}

func readLabel(raw []byte, t *answers.Turn) error {
	acts, err := label.Parse(raw)
	if err == nil {
		t.Act, t.Text = transcript.Act{Status: transcript.Said}, *encode(acts)
	}
	return err
}

// LabelMessage labels one message with a model that takes time or money: the
// stored label if there is one, else as TakeTurn.
func (a *Activities) LabelMessage(ctx context.Context, in task.LabelTurn) (struct{}, error) {
	none := struct{}{}
	stored, err := a.answers.Turn(ctx, labelRun(in.LabelRef), in.Entry)
	if err != nil || stored.Done {
		return none, err
	}
	l, err := a.labeller(ctx, in.Campaign, in.Labeller)
	if err != nil {
		return none, err
	}
	t, err := a.talk(ctx, in.LabelRef)
	if err != nil {
		return none, err
	}
	for _, m := range t.messages {
		if int(m.Entry) == in.Entry {
			_, err := a.takeTurnOnce(ctx, l.question(in.LabelRef, t, m))
			return none, err
		}
	}
	return none, failure.Fail(fmt.Errorf("entry %d of %s is no message", in.Entry, in.Collaboration))
}

// LabelTalk labels all messages of a collaboration with a labeller that takes
// no time, and stores the labels as one object.
func (a *Activities) LabelTalk(ctx context.Context, ref task.LabelRef) (struct{}, error) {
	none := struct{}{}
	l, err := a.labeller(ctx, ref.Campaign, ref.Labeller)
	if err != nil {
		return none, err
	}
	t, err := a.talk(ctx, ref)
	if err != nil {
		return none, err
	}
	var labels []answers.Turn
	for _, m := range t.messages {
		got, err := a.instant(ctx, l.question(ref, t, m))
		if err != nil {
			return none, err
		}
		labels = append(labels, got)
	}
	_, err = a.answers.PutBatch(ctx, labelRun(ref), labels)
	return none, err
}
