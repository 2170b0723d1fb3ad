package openai

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// Embedder asks one model for vectors: POST embeddings. It promises what the package does, and that
// no text gets the vector of another.
type Embedder struct{ client *client }

// NewEmbedder checks c and returns its embedder; it sends nothing. API, JSON and MaxTokensField are
// about answers in words and must be empty.
func NewEmbedder(c Config) (*Embedder, error) {
	if c.API != "" || c.JSON != "" || c.MaxTokensField != "" {
		return nil, fmt.Errorf("openai embedder %q: api, json and max_tokens_field are not for embeddings", c.Model)
	}
	made, err := newClient(c)
	if err != nil {
		return nil, err
	}
	return &Embedder{made}, nil
}

// embeddingRequest is the body of a request for vectors.
type embeddingRequest struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
}

// Vectors returns the vectors of the texts, in their order, from one request. Every
// error is a *model.Error.
func (e *Embedder) Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error) {
	c := e.client
	body, err := json.Marshal(embeddingRequest{c.config.Model, texts, "float"}, wire.Lenient)
	if err != nil {
		return nil, model.Usage{}, c.Report.Unasked(err)
	}
	call, refused, failed := c.Send(ctx, c.urlOf("embeddings"), body, c.Header, "")
	switch {
	case failed != nil:
		return nil, model.Usage{}, failed
	case refused != nil:
		return nil, model.Usage{}, c.statusError(refused)
	}
	vectors, used, useless := c.readVectors(call.Body, len(texts))
	if useless != nil {
		return nil, used, useless
	}
	return vectors, used, nil
}

// readVectors takes the vectors of n texts from a body that came with a status 2xx.
func (c *client) readVectors(body []byte, n int) ([][]float64, model.Usage, *model.Error) {
	var e struct {
		Error jsontext.Value `json:"error"`
		Data  []struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt wire.Tokens `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &e, wire.Lenient); err != nil {
		return nil, model.Usage{}, c.Report.Useless("unreadable_body",
			"the body holds no embeddings: "+err.Error(), body)
	}
	used := model.Usage{Input: int64(e.Usage.Prompt)}
	if wire.HasError(e.Error) {
		return nil, used, c.Report.InBody(body)
	}
	vectors := make([][]float64, n)
	for _, d := range e.Data {
		if d.Index < 0 || d.Index >= n || vectors[d.Index] != nil {
			return nil, used, c.Report.Useless("strange_content",
				fmt.Sprintf("the vector of text %d was not asked for, or is there twice", d.Index), nil)
		}
		vectors[d.Index] = d.Embedding
	}
	if err := checkVectors(vectors); err != nil {
		return nil, used, c.Report.Useless("strange_content", err.Error(), nil)
	}
	return vectors, used, nil
}

// checkVectors says what vectors cannot be.
func checkVectors(vectors [][]float64) error {
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return fmt.Errorf("the vector of text %d has %d numbers, that of text 0 has %d", i, len(v), len(vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(x) || math.Abs(x) > math.MaxFloat32 {
				return errors.New("a vector holds what is not a number")
			}
		}
	}
	return nil
}
