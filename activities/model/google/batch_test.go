package google

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/modeltest"
)

// Requests that are too long for a body go into a file, and their results are read from another.
func TestBatchByFile(t *testing.T) {
	for name, c := range map[string]struct {
		long    int // bytes of a request
		uploads int // requests of them
	}{"in the body": {1000, 0}, "in a file": {7_000_000, 2}} {
		t.Run(name, func(t *testing.T) {
			uploads := 0
			service := &modeltest.Batches{
				Say:  func(body []byte) string { return string(body[6:7]) },
				Fate: func(i int, _ []byte) string { return map[int]string{1: "error", 2: "expired"}[i] },
				On: func(event string) bool {
					if event == "upload" {
						uploads++
					}
					return false
				},
			}
			server := httptest.NewServer(service)
			defer server.Close()
			m := at(t, server.URL, nil).(model.Batcher)
			var requests []model.BatchRequest
			for i := range 4 {
				requests = append(requests, model.BatchRequest{
					ID: fmt.Sprintf("b-%d", i), Body: fmt.Appendf(nil, `{"x":"%d%s"}`, i, strings.Repeat("y", c.long)),
				})
			}
			ctx := context.Background()
			id, err := m.CreateBatch(ctx, "b", requests)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := m.FindBatch(ctx, model.SentBatch{Name: "b", Requests: 4}); found != id || err != nil {
				t.Errorf("it is found as %q, %v, want %q", found, err, id)
			}
			status, err := m.PollBatch(ctx, id)
			if err != nil || !status.Ended || status.Total != 4 {
				t.Errorf("it is %+v, %v", status, err)
			}
			got, err := m.BatchResults(ctx, id, status)
			if err != nil || len(got) != 3 || got["b-1"].Status != http.StatusBadRequest {
				t.Errorf("its results are %v, %v", got, err)
			}
			for _, i := range []int{0, 3} {
				if a := got[requests[i].ID]; a.Status != http.StatusOK || !strings.Contains(string(a.Body), fmt.Sprintf(`"text":"%d"`, i)) {
					t.Errorf("request %d was answered %d %s", i, a.Status, a.Body)
				}
			}
			if uploads != c.uploads {
				t.Errorf("%d requests to upload, want %d", uploads, c.uploads)
			}
		})
	}
}

// A file goes to the server that was asked and to no other, and what was not uploaded is certainly no batch.
func TestFileGoesNowhereElse(t *testing.T) {
	for _, place := range []string{"", "https://example.org/upload", "http://user@HOST/upload", "//HOST/upload"} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			w.Header().Set("X-Goog-Upload-Url", strings.ReplaceAll(place, "HOST", r.Host))
			fmt.Fprint(w, "{}")
		}))
		c := at(t, server.URL, nil).(model.Batcher)
		_, err := c.CreateBatch(context.Background(), "b", []model.BatchRequest{
			{ID: "b-0", Body: []byte(`{"x":"` + strings.Repeat("y", inlineBytes) + `"}`)},
		})
		e, is := errors.AsType[*model.Error](err)
		if !is || !e.Unbilled || !strings.Contains(e.Message, "same server") || asked != 1 {
			t.Errorf("at %q: %v after %d requests", place, err, asked)
		}
		server.Close()
	}
}
