// Package labels labels the messages of ended collaborations by the acts that
// they perform, and commits the labels. Labels are paid for and stored as turns are.
package labels

import (
	"context"
	"fmt"
	"iter"

	lru "github.com/hashicorp/golang-lru/v2"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/activities/turn"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// Labels labels the messages of ended collaborations.
type Labels struct {
	store   store.Store
	answers *answers.Answers
	caller  *calls.Caller
	taker   *turn.Taker
	models  setup.Models
	talks   *lru.Cache[task.LabelRef, *talk] // whose messages are being labelled
}

// NewLabels returns a Labels that asks through a caller and a taker.
func NewLabels(store store.Store, a *answers.Answers, c *calls.Caller, t *turn.Taker, models setup.Models) *Labels {
	talks, err := lru.New[task.LabelRef, *talk](talksKept)
	if err != nil {
		panic("labels: " + err.Error()) // only a size below 1 is an error
	}
	return &Labels{store: store, answers: a, caller: c, taker: t, models: models, talks: talks}
}

// talksKept bounds the memory for messages that are being labelled.
const talksKept = 1024

// talk is the messages of one ended collaboration.
type talk struct {
	condition string
	messages  []record.Turn // by entry
}

// talk reads the messages of a collaboration, or finds them in memory.
func (s *Labels) talk(ctx context.Context, ref task.LabelRef) (*talk, error) {
	ref.Labeller = ""
	if t, ok := s.talks.Get(ref); ok {
		return t, nil
	}
	d, err := lake.ReadDataset(ctx, s.store, ref.Campaign)
	if err != nil {
		return nil, err
	}
	run := lake.Run{Collaboration: ref.Collaboration, Generation: ref.Generation}
	for t, err := range s.said(ctx, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return t, err
	}
	return nil, failure.Fail(fmt.Errorf("%s is not the latest generation of a collaboration of %s any more", run, ref.Campaign))
}

// said yields the messages of each member of a dataset, in their order. They are
// kept in memory, for they are about to be labelled.
func (s *Labels) said(ctx context.Context, d lake.Dataset) iter.Seq2[*talk, error] {
	return func(yield func(*talk, error) bool) {
		i := 0
		for rows, err := range lake.Collaborations(ctx, s.store, d, record.Turns) {
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
			s.talks.Add(task.LabelRef{Campaign: d.Campaign, Collaboration: m.Collaboration, Generation: m.Generation}, t)
			if !yield(t, nil) {
				return
			}
		}
	}
}

// labelRun returns the key under which the answers of a labeller are stored. They count against
// the campaign's budget like those of its agents.
func labelRun(ref task.LabelRef) answers.RunKey {
	return answers.RunKey{Campaign: ref.Campaign, Collaboration: fmt.Sprintf("labels-%s-%s", ref.Labeller, ref.Collaboration), Generation: ref.Generation}
}

// question about one message, after what was said in the round before.
func (l labeller) question(ref task.LabelRef, t *talk, message record.Turn) turn.Question {
	order := calls.Order{Run: labelRun(ref), Entry: int(message.Entry), Provider: l.provider, Price: l.Price, Messages: l.messages(t, message)}
	form := label.Acts()
	if l.CodeBook != nil {
		form = label.ByBook(*l.CodeBook)
	}
	return label.Turn(order, l.Generate, l.Reasks, form)
}

// messages returns the question about one message, or about all of them.
func (l labeller) messages(t *talk, message record.Turn) []model.Message {
	said := func(m record.Turn) label.Said { return label.Said{From: m.AgentName, Text: *m.Text} }
	if l.whole() {
		var asked label.Whole
		for _, m := range t.messages {
			asked.Transcript = append(asked.Transcript, said(m))
		}
		return asked.Messages(l.Words)
	}
	asked := label.Question{Message: said(message)}
	for _, m := range t.messages {
		if m.Round == message.Round-1 {
			asked.Before = append(asked.Before, said(m))
		}
	}
	return asked.Messages(l.Words)
}

// items returns the messages that are asked about: of a collaboration that is labelled as a
// whole, the first stands for all.
func (l labeller) items(t *talk) []record.Turn {
	if l.whole() {
		return t.messages[:min(1, len(t.messages))]
	}
	return t.messages
}

// LabelMessage labels one message with a model that takes time or money: the
// stored label if there is one, else as TakeTurn.
func (s *Labels) LabelMessage(ctx context.Context, in task.LabelTurn) (struct{}, error) {
	none := struct{}{}
	stored, err := s.answers.Turn(ctx, labelRun(in.LabelRef), in.Entry)
	if err != nil || stored.Done {
		return none, err
	}
	l, err := s.labeller(ctx, in.Campaign, in.Labeller)
	if err != nil {
		return none, err
	}
	t, err := s.talk(ctx, in.LabelRef)
	if err != nil {
		return none, err
	}
	for _, m := range l.items(t) {
		if int(m.Entry) == in.Entry {
			_, err := s.taker.TakeTurnOnce(ctx, l.question(in.LabelRef, t, m))
			return none, err
		}
	}
	return none, failure.Fail(fmt.Errorf("entry %d of %s is no message", in.Entry, in.Collaboration))
}

// LabelTalk labels all messages of a collaboration with a labeller that takes
// no time, and stores the labels as one object.
func (s *Labels) LabelTalk(ctx context.Context, ref task.LabelRef) (struct{}, error) {
	none := struct{}{}
	l, err := s.labeller(ctx, ref.Campaign, ref.Labeller)
	if err != nil {
		return none, err
	}
	t, err := s.talk(ctx, ref)
	if err != nil {
		return none, err
	}
	var labels []answers.Turn
	for _, m := range l.items(t) {
		got, err := turn.Instant(ctx, l.question(ref, t, m), &s.caller.Meter)
		if err != nil {
			return none, err
		}
		labels = append(labels, got)
	}
	_, err = s.answers.PutBatch(ctx, labelRun(ref), labels)
	return none, err
}
