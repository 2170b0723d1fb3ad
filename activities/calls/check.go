package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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

// CheckBytes returns the length of the question that checks whether a model can
// be asked.
func CheckBytes() int { return ByteSize(checkMessages) }

// Check asks a model once with the parameters of a campaign: whether it is
// there, the key is right and the parameters are taken. The call goes like any
// other through the campaign's limits, budget and ledger.
func (c *Caller) Check(ctx context.Context, campaign string, p model.Provider, params model.Parameters) (answers.Answer, error) {
	m, err := c.Manifest(ctx, campaign, false)
	if err != nil {
		return answers.Answer{}, err
	}
	c.Ceiling(m, p)
	run := answers.RunKey{Campaign: campaign, Collaboration: ledger.CheckPrefix + strings.ToLower(rand.Text())}
	q := Order{Run: run, Provider: p, Longest: params.MaxTokens, Messages: checkMessages}
	request := model.Request{Messages: checkMessages, Parameters: params, IdempotencyKey: fmt.Sprintf("%s/0/0", run)}
	return c.buyOnce(ctx, q, request, func(context.Context, *answers.Answer) error { return nil })
}

// buyOnce makes the one call of an entry that belongs to no turn, and stores its
// answer as prepare leaves it.
func (c *Caller) buyOnce(ctx context.Context, q Order, r model.Request, prepare func(context.Context, *answers.Answer) error) (answers.Answer, error) {
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
	if _, err := c.StoreTurn(kept, q.Run, answers.Turn{Entry: q.Entry, Asks: []answers.Answer{got.Answer}, Done: true}, ""); err != nil {
		return answers.Answer{}, err
	}
	c.Settle(q, got)
	return got.Answer, nil
}
