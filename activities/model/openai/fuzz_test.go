package openai

import (
	"net/http"
	"testing"
	"time"

	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
)

// Whatever a server says, in either interface, it becomes an answer, vectors or a
// classified error.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"testdata/faults.yaml", "testdata/responses.yaml"} {
		for _, c := range modeltest.Read(f, file) {
			f.Add([]byte(c.Body), c.Status)
		}
	}
	f.Add([]byte(`{"data":[{"index":0,"embedding":[0.5,1]},{"index":1,"embedding":[1,2]}],"usage":{"prompt_tokens":3}}`), 200)
	c := at(f, "http://localhost:1/v1", nil)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		if _, useless := c.readChat(body, http.Header{}); useless != nil {
			modeltest.Failure(t, useless)
		}
		if _, useless := c.readResponse(body, http.Header{}); useless != nil {
			modeltest.Failure(t, useless)
		}
		if vectors, _, useless := c.readVectors(body, 2); useless != nil {
			modeltest.Failure(t, useless)
		} else if len(vectors) != 2 {
			t.Errorf("%d vectors of 2 texts", len(vectors))
		}
		_, refused := c.classifyRefusal(&wire.Failure{Status: status, Header: http.Header{}, Body: body})
		if refused == nil { // a filter that says so is an answer
			return
		}
		if e := modeltest.Failure(t, refused); e.Class == "" || e.Status != status || e.RetryAfter < 0 || e.RetryAfter > 24*time.Hour {
			t.Errorf("got %+v", *e)
		}
		wire.ReadUsage(body) // usage that cannot be is the caller's to refuse
	})
}
