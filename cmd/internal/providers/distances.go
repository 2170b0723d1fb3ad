package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/analysis/language"
	"roundtable/envs"
	"roundtable/workflows/plan"
)

// folderEmbedder is what follows plan.EmbedderPrefix for a sentence transformer.
const folderEmbedder = "folder"

// distances measures how far the messages of a round are from those before it. It is
// asked as a model is, so that what it measured is stored, found again and verified
// like an answer.
type distances struct{ by language.Embedder }

// Complete answers a collaboration.Heard.
func (d distances) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	var heard collaboration.Heard
	if err := json.Unmarshal([]byte(r.Messages[0].Content), &heard); err != nil {
		return model.Response{}, &model.Error{Class: model.Fail, Provider: "embedder", Code: "no_question",
			Message: err.Error(), Unbilled: true}
	}
	distance, err := language.DistanceHeard(ctx, d.by, heard.Rounds)
	if err != nil {
		return model.Response{}, err
	}
	text, err := json.Marshal(map[string]*float64{"distance": distance})
	return model.Response{Text: text, Model: d.by.Name(), FinishReason: "stop"}, err
}

// distanceParams are those of a sentence transformer.
type distanceParams struct {
	Folder   string `json:"folder"`
	Embedder string `json:"embedder"` // what it must be, as embedders name themselves
}

// DistanceModel returns the model that measures distances by an embedder's name, as plans
// write it; called says what the embedder calls itself. Only embedders that are computed
// here can be asked on the way.
func DistanceModel(embedder, called string) (plan.Choice, error) {
	switch {
	case embedder == "" || embedder == TFIDF:
		return plan.Choice{Name: plan.EmbedderPrefix + TFIDF}, nil
	case isServed(embedder):
		return plan.Choice{}, fmt.Errorf("the embedder %s is behind a service, and a collaboration measures distances with one that is computed here: %s, or the folder of a sentence transformer", embedder, TFIDF)
	case CheckEmbedder(embedder) != nil:
		return plan.Choice{}, CheckEmbedder(embedder)
	}
	params, err := json.Marshal(distanceParams{embedder, called})
	return plan.Choice{Name: plan.EmbedderPrefix + folderEmbedder, Params: params}, err
}

// newDistances makes the model that measures distances.
func (p Models) newDistances(name, rest string, decode envs.Decode, env envs.Environment) (model.Provider, error) {
	if env != nil {
		return model.Provider{}, fmt.Errorf("%s measures messages and plays no agent", name)
	}
	var params distanceParams
	if err := decode(&params); err != nil {
		return model.Provider{}, err
	}
	switch {
	case rest == TFIDF && params == distanceParams{}:
		return model.Provider{Model: distances{language.Hashed{}}, Name: name, Instant: true}, nil
	case rest == folderEmbedder && params.Folder != "" && !isServed(params.Folder):
		e, err := OpenEmbedder(p.store, params.Folder)
		if err == nil && e.Name() != params.Embedder {
			err = fmt.Errorf("%s holds %s, and the stopping rule was fitted on distances by %s", params.Folder,
				e.Name(), params.Embedder)
		}
		return model.Provider{Model: distances{e}, Name: name}, err
	}
	return model.Provider{}, errors.New("there are embedder/tfidf and embedder/folder, which has the parameter folder")
}
