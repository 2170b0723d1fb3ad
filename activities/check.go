package activities

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
)

// checkPrefix begins the names of the ledger's folders of check calls.
const checkPrefix = "check-"

// checkMessages are what a model is asked to find out whether it can be asked.
var checkMessages = []model.Message{
	{Role: "system", Content: "This call checks that you can be reached."},
	{Role: "user", Content: "Answer with the one word yes."},
}

// Check asks a model once with the parameters of a campaign: whether it is
// there, the key is right and the parameters are taken. The call goes like any
// other through the campaign's limits, budget and ledger.
func (a *Activities) Check(ctx context.Context, campaign string, p Provider, params model.Parameters) (answers.Answer, error) {
	m, err := a.manifest(ctx, campaign, false)
	if err != nil {
		return answers.Answer{}, err
	}
	a.mu.Lock()
	a.ceiling(m, p)
	a.mu.Unlock()
	at := answers.RunKey{Campaign: campaign, Collaboration: checkPrefix + strings.ToLower(rand.Text())}
	q := question{run: at, provider: p, longest: params.MaxTokens, messages: checkMessages}
	pass, err := a.permit(ctx, q)
	if err != nil {
		return answers.Answer{}, err
	}
	defer pass.Leave()
	request := model.Request{Messages: checkMessages, Parameters: params, IdempotencyKey: fmt.Sprintf("%s/0/0", at)}
	got, err := a.call(ctx, q, 0, request, pass)
	for errors.Is(err, errLate) {
		got, err = a.call(ctx, q, 0, request, pass)
	}
	if err != nil {
		return answers.Answer{}, err
	}
	defer got.hold.Keep()
	if _, err := a.storeTurn(context.WithoutCancel(ctx), at, answers.Turn{Asks: []answers.Answer{got.answer}, Done: true}); err != nil {
		return answers.Answer{}, err
	}
	got.hold.Settle(got.charge)
	return got.answer, nil
}

// CheckCalls returns the check calls in a campaign's ledger.
func CheckCalls(ctx context.Context, s storage.Store, campaign string) ([]record.Call, error) {
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return nil, err
	}
	var calls []record.Call
	for _, p := range runs {
		if !strings.HasPrefix(p.Collaboration, checkPrefix) {
			continue
		}
		stored, err := answers.Load(ctx, p)
		if err != nil {
			return nil, err
		}
		calls = append(calls, stored.Calls(record.Key{CampaignID: campaign, CollaborationID: p.Collaboration})...)
	}
	return calls, nil
}

// lookedAt is how many collaborations AnsweredModels looks at, besides the checks.
const lookedAt = 20

// AnsweredModels returns the names of models that have answered in a campaign,
// as far as its checks and its first collaborations say.
func AnsweredModels(ctx context.Context, s storage.Store, campaign string) (map[string]bool, error) {
	answers, models := answers.NewAnswers(s), map[string]bool{}
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return nil, err
	}
	others := 0
	for _, p := range runs {
		if !strings.HasPrefix(p.Collaboration, checkPrefix) {
			if others++; others > lookedAt {
				continue
			}
		}
		stored, err := answers.Load(ctx, p)
		if err != nil && !errors.Is(err, storage.ErrCorrupt) {
			return nil, err
		}
		for _, t := range stored.Turns {
			for _, answer := range t.Asks {
				if !answer.Cached {
					models[answer.ModelAsked] = true
				}
			}
		}
	}
	return models, nil
}
