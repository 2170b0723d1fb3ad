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

// SharedCalls are the calls in a campaign's ledger that belong to no collaboration.
type SharedCalls struct {
	Checks     []record.Call
	Embeddings map[string][]record.Call // by the embedder's id
}

// ReadShared reads the calls that belong to no collaboration.
func ReadShared(ctx context.Context, s storage.Store, campaign string) (SharedCalls, error) {
	shared := SharedCalls{Embeddings: map[string][]record.Call{}}
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return shared, err
	}
	for _, run := range runs {
		name, embeds := strings.CutPrefix(run.Collaboration, EmbeddingsPrefix)
		if !embeds && !strings.HasPrefix(run.Collaboration, CheckPrefix) {
			continue
		}
		stored, err := answers.Load(ctx, run)
		if err != nil {
			return shared, err
		}
		calls := stored.Calls(record.Key{CampaignID: campaign, CollaborationID: run.Collaboration})
		if session := strings.LastIndexByte(name, '-'); embeds && session >= 0 {
			shared.Embeddings[name[:session]] = append(shared.Embeddings[name[:session]], calls...)
		} else if !embeds {
			shared.Checks = append(shared.Checks, calls...)
		}
	}
	return shared, nil
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
