package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/language/sentence"
	"roundtable/envs"
	"roundtable/workflows/plan"
)

// TFIDF is the name of the embedder that needs no model.
const TFIDF = "tfidf"

// isServed reports whether an embedder is behind a service.
func isServed(name string) bool { return strings.HasPrefix(name, "openai/") }

// checkEmbedder returns an error if name is not that of an embedder. It sends and loads nothing.
func checkEmbedder(name string) error {
	if model, served := strings.CutPrefix(name, "openai/"); name == TFIDF || served && model != "" {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is not a folder; expected %s, openai/MODEL, or the folder of a sentence transformer", name, TFIDF)
	}
	return nil
}

// Embedder returns the name of an embedder that the file names; a folder becomes its absolute path.
func (b FileFolder) Embedder(name string) (string, error) {
	if _, served := strings.CutPrefix(name, "openai/"); served || name == TFIDF || name == "" {
		return name, nil
	}
	path, err := b.Path(name)
	if err != nil {
		return name, err
	}
	if checkEmbedder(path) != nil {
		return name, checkEmbedder(name)
	}
	return path, nil
}

// OpenEmbedder returns the local embedder called name: TFIDF, or the folder of a sentence transformer.
func OpenEmbedder(s store.Store, name string) (language.Embedder, error) {
	if name == TFIDF || name == "" {
		return language.Hashed{}, nil
	}
	if err := checkEmbedder(name); err != nil {
		return nil, fmt.Errorf("--embedder: %w", err)
	}
	m, err := sentence.Open(name, os.Getenv(sentence.LibraryVariable))
	if err != nil {
		return nil, err
	}
	return language.Cached{Embedder: m, Store: s}, nil
}

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

// DistanceModel returns the model, as plans write it, that measures distances with an embedder during a
// collaboration; called is the embedder's own Name. Embedders behind a service are an error.
func DistanceModel(embedder, called string) (plan.Choice, error) {
	switch {
	case embedder == "" || embedder == TFIDF:
		return plan.Choice{Name: plan.EmbedderPrefix + TFIDF}, nil
	case isServed(embedder):
		return plan.Choice{}, fmt.Errorf("the embedder %s is behind a service, and a collaboration measures "+
			"distances with one that is computed here: %s, or the folder of a sentence transformer", embedder, TFIDF)
	case checkEmbedder(embedder) != nil:
		return plan.Choice{}, checkEmbedder(embedder)
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
