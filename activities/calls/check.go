package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
)

// checkMessages are what a model is asked to find out whether it can be asked.
var checkMessages = []model.Message{
	{Role: "system", Content: "This call checks that you can be reached."},
	{Role: "user", Content: "Answer with the one word yes."},
}

// checkSchema is that of the check's answer where a campaign asks for answers by a schema.
var checkSchema = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)

// CheckBytes returns the length of the question that checks whether a model can
// be asked.
func CheckBytes() int { return ByteSize(checkMessages) + len(checkSchema) }

// CheckOptions are how a model is checked.
type CheckOptions struct {
	Parameters model.Parameters
	Plain      bool // without a schema
}

// isCheck reports whether a run is that of a check.
func isCheck(run answers.RunKey) bool {
	return strings.HasPrefix(run.Collaboration, ledger.CheckPrefix)
}

// Check asks a model once in the way in which a campaign asks it: whether it is there, the key
// is right, the parameters are taken, and how it is told the form of an answer. The call goes
// like any other through the campaign's limits, budget and ledger.
func (c *Caller) Check(ctx context.Context, campaign string, p model.Provider, o CheckOptions) (answers.Answer, error) {
	m, err := c.Manifest(ctx, campaign, false)
	if err != nil {
		return answers.Answer{}, err
	}
	c.Ceiling(m, p)
	run := answers.RunKey{Campaign: campaign, Collaboration: ledger.CheckPrefix + strings.ToLower(rand.Text())}
	q := Order{Run: run, Provider: p, Longest: o.Parameters.MaxTokens, Messages: checkMessages}
	request := model.Request{Messages: checkMessages, Parameters: o.Parameters,
		IdempotencyKey: fmt.Sprintf("%s/0/0", run)}
	if !o.Plain {
		request.Schema, request.Name = checkSchema, "check"
	}
	answer, err := c.buyOnce(ctx, q, request, func(context.Context, *answers.Answer) error { return nil })
	return answer, withKnownModels(ctx, p, err)
}

// shownModels is how many names of models are shown.
const shownModels = 20

// withKnownModels adds to the error of a model that is unknown which there are, if its service
// says so.
func withKnownModels(ctx context.Context, p model.Provider, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	lister, lists := p.Model.(model.Lister)
	if !ok || !lists || e.Fault != model.Missing {
		return err
	}
	names, failed := lister.Models(ctx)
	if failed != nil || len(names) == 0 {
		return err
	}
	slices.Sort(names)
	more := ""
	if len(names) > shownModels {
		more = fmt.Sprintf(" and %d more", len(names)-shownModels)
	}
	told := *e
	told.Message += ". The service has " + strings.Join(names[:min(len(names), shownModels)], ", ") + more
	return &told
}

// buyOnce makes the one call of an entry that belongs to no turn, and stores its
// answer as prepare leaves it.
func (c *Caller) buyOnce(ctx context.Context, q Order, r model.Request,
	prepare func(context.Context, *answers.Answer) error) (answers.Answer, error) {
	permit, err := c.Permit(ctx, q)
	if err != nil {
		return answers.Answer{}, err
	}
	defer permit.Leave()
	got, err := c.Call(ctx, q, 0, r, permit)
	for errors.Is(err, errLate) {
		got, err = c.Call(ctx, q, 0, r, permit)
	}
	if err != nil {
		return answers.Answer{}, err
	}
	c.TellAnswer(q, got, "")
	defer got.Hold.Keep()              // without its answer the ledger says that its outcome is not known
	kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not
	if err := prepare(kept, &got.Answer); err != nil {
		return answers.Answer{}, err
	}
	if _, err := c.StoreTurn(kept, q.Run, answers.Turn{Entry: q.Entry, Asks: []answers.Answer{got.Answer}, Done: true},
		""); err != nil {
		return answers.Answer{}, err
	}
	c.Settle(q, got)
	return got.Answer, nil
}
