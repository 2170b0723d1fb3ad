package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/openai"
)

// A batch refuses the schema of all its requests: a few are asked alone, which shows what the
// service takes, and the others are to be made in that form, in the order of the throttle.
func TestFormThatABatchRefuses(t *testing.T) {
	var alone atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		alone.Add(1)
		fmt.Fprint(w, `{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}`)
	}))
	t.Cleanup(server.Close)
	m, err := openai.New(openai.Config{Model: "m", BaseURL: server.URL + "/v1", JSON: openai.Auto})
	if err != nil {
		t.Fatal(err)
	}
	const requests = 30
	var sent, asked sync.WaitGroup
	var later atomic.Int32
	sent.Add(requests)
	for range requests {
		asked.Go(func() {
			request := model.Request{Messages: []model.Message{{Role: "user", Content: "Well?"}}, Name: "answer", Schema: []byte(`{"type":"object"}`)}
			got, err := m.(model.Batcher).CompleteInBatch(t.Context(), request, func([]byte) (model.BatchAnswer, error) {
				sent.Done()
				sent.Wait()
				return model.BatchAnswer{Status: http.StatusBadRequest, Body: []byte(`{"error": {"message": "response_format json_schema is not supported"}}`)}, nil
			})
			var e *model.Error
			switch {
			case err == nil && string(got.Text) == "yes":
			case errors.As(err, &e) && e.Code == model.BatchEnded && e.Unbilled:
				later.Add(1)
			default:
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	asked.Wait()
	if alone.Load() == 0 || alone.Load()+later.Load() != requests || later.Load() < requests/2 {
		t.Errorf("%d of %d are asked alone at once, %d later", alone.Load(), requests, later.Load())
	}
}
