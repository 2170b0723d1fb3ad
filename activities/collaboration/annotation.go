package collaboration

import (
	"encoding/json"
	"fmt"
	"math"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

// annotationQuestion renders the question of an entry that a stopping rule needs. The caller
// holds mu.
func (c *Collaboration) annotationQuestion(entry int, step transcript.Step) (q calls.Question, err error) {
	by := c.Condition.Annotator
	if by == nil {
		return q, failure.Fail(fmt.Errorf("entry %d: the stopping rule needs a %s, and its fit names no model", entry,
			step.Speaker.Role))
	}
	order := calls.Order{Run: c.Run, Entry: entry, Provider: by.Provider}
	switch step.Payload.Format {
	case transcript.FormatActs:
		heard := c.messagesSeen(step)
		last := len(heard) - 1
		q = labels.Question{Before: heard[:last:last], Message: heard[last]}.Turn(order, by.Words,
			by.Generate, by.Reasks)
	case transcript.FormatDistance:
		q, err = c.distanceQuestion(order, step)
	default:
		err = fmt.Errorf("this version makes no annotations of the format %q", step.Payload.Format)
	}
	q.Speaker = step.Speaker.Role
	if err != nil {
		return q, failure.Fail(fmt.Errorf("entry %d: %w", entry, err))
	}
	return q, nil
}

// messagesSeen returns the messages that a step sees, with the names of their agents.
func (c *Collaboration) messagesSeen(step transcript.Step) []labels.Said {
	names := prompt.Names(c.Instance.Agents())
	var all []labels.Said
	for _, e := range c.entriesSeen(step) {
		all = append(all, labels.Said{From: names[e.Speaker.Index], Text: c.Turns[e.Index].Text})
	}
	return all
}

// entriesSeen returns the entries that a step sees.
func (c *Collaboration) entriesSeen(step transcript.Step) (all []transcript.Entry) {
	for _, r := range step.Sees {
		all = append(all, c.Session.Transcript().Entries[r.From:r.To]...)
	}
	return all
}

// Heard is the question of a distance: what was said up to a round, by round.
type Heard struct {
	Rounds [][]string `json:"rounds"`
}

// distanceQuestion asks how far the messages of the round are from those before it.
func (c *Collaboration) distanceQuestion(order calls.Order, step transcript.Step) (q calls.Question, err error) {
	heard := Heard{Rounds: make([][]string, step.Round)}
	for _, e := range c.entriesSeen(step) {
		heard.Rounds[e.Round-1] = append(heard.Rounds[e.Round-1], c.Turns[e.Index].Text)
	}
	text, err := json.Marshal(heard)
	if err != nil {
		return q, err
	}
	order.Messages = []model.Message{{Role: "user", Content: string(text)}}
	q = calls.Question{Order: order, Read: readDistance, Hash: prompt.Hash(order.Messages)}
	q.Request = func(before []answers.Answer) model.Request {
		return q.After(before, model.Parameters{}, string(transcript.FormatDistance))
	}
	q.CacheKey = func(r model.Request, mode string, ask int) (string, error) {
		return answers.CacheKey(answers.Question{Model: order.Provider.Name, Sent: r, Mode: mode,
			Speaker: step.Speaker, Ask: ask})
	}
	return q, nil
}

// readDistance fills a turn from {"distance": 0.25}; null is a round without one.
func readDistance(raw []byte, t *answers.Turn) error {
	var answer struct {
		Distance *float64 `json:"distance"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf(`it needs {"distance": a number or null}: %w`, err)
	}
	t.Act = transcript.Act{Status: transcript.Said}
	if d := answer.Distance; d != nil {
		if math.IsNaN(*d) || math.IsInf(*d, 0) {
			return fmt.Errorf("the distance is %v", *d)
		}
		t.Act.Values, t.Text = []float64{*d}, fmt.Sprint(*d)
	}
	return nil
}
