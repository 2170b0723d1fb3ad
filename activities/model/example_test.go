package model_test

import (
	"bytes"
	"context"
	"fmt"

	"roundtable/activities/model"
)

// shouter is a provider of one's own: it answers with the last message in capitals.
type shouter struct{}

func (shouter) Complete(_ context.Context, r model.Request) (model.Response, error) {
	last := r.Messages[len(r.Messages)-1].Content
	return model.Response{
		Text: bytes.ToUpper([]byte(last)), FinishReason: "stop",
		Usage: model.Usage{Input: int64(len(last)), Output: int64(len(last))},
	}, nil
}

// A model makes one request and does not retry: what failed, and for how long to wait, is
// said by an error of type *model.Error.
func ExampleModel() {
	p := model.Provider{Model: shouter{}, Name: "own/shouter", Simulated: true, Instant: true}
	answer, err := p.Complete(context.Background(), model.Request{Messages: []model.Message{{Role: "user", Content: "Which of the two?"}}})
	fmt.Printf("%s: %s, %v\n", p.Name, answer.Text, err)
	// Output:
	// own/shouter: WHICH OF THE TWO?, <nil>
}
