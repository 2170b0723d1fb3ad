package people

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
)

// Desk is a model whose answers a person gives. Make one for the life of the process: however many
// questions wait, a campaign's answers are listed once a second.
type Desk struct {
	store store.Store
	who   string // of several persons; empty if there is one

	mu   sync.Mutex
	seen map[string]*seen // by campaign
}

// seen are the answers that a campaign had when they were last listed.
type seen struct {
	at  time.Time
	ids map[string]bool
}

// NewDesk returns the desk of the person called who, which may be "".
func NewDesk(s store.Store, who string) *Desk {
	return &Desk{store: s, who: who, seen: map[string]*seen{}}
}

// pause between two looks at the answers.
const pause = time.Second

// Await posts the question and waits until it is answered.
func (d *Desk) Await(ctx context.Context, r model.Request) error {
	if r.Scene == nil {
		return errNoTurn
	}
	t := r.Scene.Turn
	q := Question{ID: idOf(t), Who: d.who, Turn: t, Format: r.Name, Messages: r.Messages, Schema: r.Schema,
		AskedAt: time.Now().UTC()}
	if err := put(ctx, d.store, q); err != nil {
		return err
	}
	for {
		answered, err := d.isAnswered(ctx, t.Campaign, q.ID)
		if answered || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

var errNoTurn = &model.Error{Class: model.Fail, Provider: "human", Code: "no_turn",
	Message: "a person was asked for no turn", Unbilled: true}

func (d *Desk) isAnswered(ctx context.Context, campaign, id string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.seen[campaign]
	if known == nil || time.Since(known.at) >= pause {
		objects, err := d.store.List(ctx, folder+campaign+"/")
		if err != nil {
			return false, err
		}
		known = &seen{time.Now(), answeredIn(objects)}
		d.seen[campaign] = known
	}
	return known.ids[id], nil
}

// Check returns an error if p asks for log-probabilities, which no person gives.
func (d *Desk) Check(p model.Parameters) error { return p.CheckNoLogprobs("a person") }

// Complete returns the answer that Await waited for.
func (d *Desk) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if r.Scene == nil {
		return model.Response{}, errNoTurn
	}
	text, err := d.store.Get(ctx, answerKey(r.Scene.Campaign, idOf(r.Scene.Turn)))
	if errors.Is(err, fs.ErrNotExist) {
		return model.Response{}, &model.Error{Class: model.Retry, Provider: "human", Code: "not_answered",
			Message: "nobody has answered yet", Unbilled: true}
	}
	if err != nil {
		return model.Response{}, &model.Error{Class: model.Retry, Provider: "human", Code: "unreadable_answer",
			Message: err.Error(), Unbilled: true}
	}
	by := "human"
	if d.who != "" {
		by += "/" + d.who
	}
	return model.Response{Text: text, Model: by, FinishReason: "stop"}, nil
}
