// Package people lets persons sit at the table. A question for a person is kept in
// the store until it is answered there, however long that takes and whatever
// is restarted meanwhile. The first answer to a question counts; nothing is billed.
package people

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Question is one prompt to a person. Its ID identifies a turn and one of its asks.
type Question struct {
	ID       string
	Who      string `json:",omitempty"` // of several persons
	Turn     model.Turn
	Format   string          // of the answer, as transcript.Format has it
	Messages []model.Message // what the person may see, and the task
	Schema   json.RawMessage `json:",omitempty"` // of an answer in JSON
	AskedAt  time.Time
}

const folder = "people/campaign="

func questionKey(campaign, id string) string { return folder + campaign + "/" + id + question }
func answerKey(campaign, id string) string   { return folder + campaign + "/" + id + answer }

// Ends of the names of questions and answers.
const (
	question = ".question.json"
	answer   = ".answer.txt"
)

// idOf returns the id of the question that a turn asks, the same after every restart.
func idOf(t model.Turn) string { return fmt.Sprintf("%s-e%d-a%d", t.Collaboration, t.Entry, t.Ask) }

// put posts a question, unless it is there already.
func put(ctx context.Context, s store.Store, q Question) error {
	data, err := json.MarshalIndent(q, "", "  ")
	if err != nil {
		return err
	}
	if err := s.PutIfAbsent(ctx, questionKey(q.Turn.Campaign, q.ID), data); !errors.Is(err, store.ErrExists) {
		return err
	}
	return nil
}

// Open returns the questions of a campaign that nobody has answered, the oldest first.
func Open(ctx context.Context, s store.Store, campaign string) ([]Question, error) {
	objects, err := s.List(ctx, folder+campaign+"/")
	if err != nil {
		return nil, err
	}
	answered := answeredIn(objects)
	var open []Question
	for _, o := range objects {
		id, ok := strings.CutSuffix(path.Base(o.Key), question)
		if !ok || answered[id] {
			continue
		}
		var q Question
		data, err := s.Get(ctx, o.Key)
		if err == nil {
			err = json.Unmarshal(data, &q)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Key, err)
		}
		open = append(open, q)
	}
	slices.SortFunc(open, func(a, b Question) int { return cmp.Or(a.AskedAt.Compare(b.AskedAt), strings.Compare(a.ID, b.ID)) })
	return open, nil
}

// answeredIn returns the ids of the questions that have an answer among these objects.
func answeredIn(objects []store.Object) map[string]bool {
	ids := map[string]bool{}
	for _, o := range objects {
		if id, ok := strings.CutSuffix(path.Base(o.Key), answer); ok {
			ids[id] = true
		}
	}
	return ids
}

// IsPerson reports whether the model of this name is a person.
func IsPerson(model string) bool { return model == "human" || strings.HasPrefix(model, "human/") }

// MaxAnswer is the greatest length of an answer, in bytes.
const MaxAnswer = 1 << 20

// Errors of Answer.
var (
	ErrAnswered = errors.New("the question has been answered already; the first answer counts")
	ErrNotAsked = errors.New("there is no such question")
)

// Answer stores text as the answer to the question id. The error is ErrAnswered or ErrNotAsked, or
// says why text cannot be used.
func Answer(ctx context.Context, s store.Store, campaign, id, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the answer is empty")
	case len(text) > MaxAnswer:
		return fmt.Errorf("the answer has %d bytes; expected at most %d", len(text), MaxAnswer)
	case strings.ContainsAny(id, "/\\"):
		return ErrNotAsked
	}
	if _, err := s.Head(ctx, questionKey(campaign, id)); errors.Is(err, fs.ErrNotExist) {
		return ErrNotAsked
	} else if err != nil {
		return err
	}
	err := s.PutIfAbsent(ctx, answerKey(campaign, id), []byte(text))
	if errors.Is(err, store.ErrExists) {
		return ErrAnswered
	}
	return err
}

// Check returns the answers of people among these turns that differ from what is stored as they
// typed it. What they typed may have been deleted: the answers are also stored with all others.
func Check(ctx context.Context, s store.Store, campaign, collaboration string,
	turns []answers.Turn) (findings []lake.Finding, err error) {
	for _, t := range turns {
		for _, a := range t.Asks {
			if !IsPerson(a.ModelAsked) || a.Cached || a.From != "" {
				continue
			}
			key := answerKey(campaign, idOf(model.Turn{Collaboration: collaboration, Entry: t.Entry, Ask: a.Ask}))
			typed, err := s.Get(ctx, key)
			if store.IgnoreMissing(err) != nil {
				return findings, err
			}
			if err == nil && !bytes.Equal(typed, a.Raw) {
				findings = append(findings,
					lake.Finding{Object: key, Problem: "it is not the answer that was stored of it"})
			}
		}
	}
	return findings, nil
}
