package bedrock

import (
	"net/http"
	"testing"
	"time"

	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/wire"
)

// Whatever a server says, it becomes an answer or a classified error.
func FuzzRead(f *testing.F) {
	for _, c := range modeltest.Read(f, "testdata/faults.yaml") {
		f.Add([]byte(c.Body), c.Status, "ThrottlingException:http://x/")
	}
	a := answer{report: wire.NewReporter("bedrock", modeltest.Canary), model: "m"}
	f.Fuzz(func(t *testing.T, body []byte, status int, name string) {
		if _, useless := a.readAnswer(body, http.Header{}); useless != nil {
			modeltest.Failure(t, useless)
		}
		h := http.Header{"X-Amzn-Errortype": {name}}
		refused := classifyFailure(&wire.Failure{Status: status, Header: h, Body: body}, a.report)
		if e := modeltest.Failure(t, refused); e.Class == "" || e.Status != status || e.RetryAfter < 0 || e.RetryAfter > 24*time.Hour {
			t.Errorf("got %+v", *e)
		}
	})
}
