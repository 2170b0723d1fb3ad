package ledger

import (
	"context"
	"errors"
	"strings"

	"roundtable/activities/answers"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
)

// Prefixes of the ledger's folders whose calls belong to no collaboration.
const (
	CheckPrefix      = "check-"
	EmbeddingsPrefix = "embeddings-"
)

// CheckCalls returns the check calls in a campaign's ledger.
func CheckCalls(ctx context.Context, s storage.Store, campaign string) ([]record.Call, error) {
	var calls []record.Call
	err := eachPrefixed(ctx, s, campaign, CheckPrefix, func(_ string, c []record.Call) { calls = append(calls, c...) })
	return calls, err
}

// EmbeddingCalls returns the calls for embeddings in a campaign's ledger, by the
// embedder's id.
func EmbeddingCalls(ctx context.Context, s storage.Store, campaign string) (map[string][]record.Call, error) {
	calls := map[string][]record.Call{}
	err := eachPrefixed(ctx, s, campaign, EmbeddingsPrefix, func(name string, c []record.Call) {
		if session := strings.LastIndexByte(name, '-'); session >= 0 {
			calls[name[:session]] = append(calls[name[:session]], c...)
		}
	})
	return calls, err
}

// eachPrefixed visits the calls of each folder whose name begins with a prefix,
// with the rest of its name.
func eachPrefixed(ctx context.Context, s storage.Store, campaign, prefix string, visit func(name string, calls []record.Call)) error {
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return err
	}
	for _, run := range runs {
		name, ok := strings.CutPrefix(run.Collaboration, prefix)
		if !ok {
			continue
		}
		stored, err := answers.Load(ctx, run)
		if err != nil {
			return err
		}
		visit(name, stored.Calls(record.Key{CampaignID: campaign, CollaborationID: run.Collaboration}))
	}
	return nil
}

// lookedAt is how many collaborations AnsweredModels looks at, apart from the checks.
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
		if !strings.HasPrefix(p.Collaboration, CheckPrefix) {
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
