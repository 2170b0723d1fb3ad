package google

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// Batches, from Google's guide to its Batch API and the reference (read on 2026-11-27): requests in
// the body are under 20 MB in all; files would be of up to 2 GB. A batch has a display name. Creating
// it is not idempotent. The target are 24 hours; what is pending or runs after 48 expires and has no
// results. Whether that is billed is not documented; it is taken not to be.
const (
	batchRequests = 50_000
	batchBytes    = 18_000_000
)

// HasBatches reports whether the endpoint has batches; one of one's own whose price has them is
// taken to.
func (c *client) HasBatches() bool { return true }

// BatchLimits returns how many requests and bytes a batch has at most.
func (c *client) BatchLimits() (requests, size int) { return batchRequests, batchBytes }

// operation is a batch in the form of google.longrunning.
type operation struct {
	Name     string        `json:"name"`
	Done     bool          `json:"done"`
	Error    *status       `json:"error"`
	Response batchOutput   `json:"response"`
	Metadata batchMetadata `json:"metadata"`
}

type status struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type batchMetadata struct {
	DisplayName string      `json:"displayName"`
	State       string      `json:"state"` // BATCH_STATE_…, in some answers JOB_STATE_…
	Output      batchOutput `json:"output"`
	Stats       struct {
		Requests   wire.Tokens `json:"requestCount"`
		Successful wire.Tokens `json:"successfulRequestCount"`
		Failed     wire.Tokens `json:"failedRequestCount"`
	} `json:"batchStats"`
}

type batchOutput struct {
	Inlined struct {
		Responses []struct {
			Response jsontext.Value `json:"response"`
			Error    *status        `json:"error"`
			Metadata struct {
				Key string `json:"key"`
			} `json:"metadata"`
		} `json:"inlinedResponses"`
	} `json:"inlinedResponses"`
}

func (c *client) urlOf(path string) string {
	before, _, _ := strings.Cut(c.url, "/"+version+"/")
	return before + "/" + version + "/" + path
}

// CreateBatch sends the requests under a display name.
func (c *client) CreateBatch(ctx context.Context, name string, requests []model.BatchRequest) (string, error) {
	type request struct {
		Request  json.RawMessage   `json:"request"`
		Metadata map[string]string `json:"metadata"`
	}
	all := make([]request, len(requests))
	for i, r := range requests {
		all[i] = request{r.Body, map[string]string{"key": r.ID}}
	}
	body, err := json.Marshal(map[string]any{"batch": map[string]any{
		"displayName": name, "inputConfig": map[string]any{"requests": map[string]any{"requests": all}},
	}})
	if err != nil {
		return "", err
	}
	var made operation
	if err := c.Create(ctx, strings.TrimSuffix(c.url, ":generateContent")+":batchGenerateContent", name, body,
		&made); err != nil {
		return "", err
	}
	return c.CheckID(made.Name)
}

// FindBatch looks through all batches: their order is not documented.
func (c *client) FindBatch(ctx context.Context, b model.SentBatch) (string, error) {
	token := ""
	for range wire.MostPages {
		var page struct {
			Operations []struct {
				Name     string        `json:"name"`
				Metadata batchMetadata `json:"metadata"`
			} `json:"operations"`
			Next string `json:"nextPageToken"`
		}
		query := url.Values{"pageSize": {"100"}}
		if token != "" {
			query.Set("pageToken", token)
		}
		if err := c.Manage(ctx, http.MethodGet, wire.WithQuery(c.urlOf("batches"), query), "", nil, &page); err != nil {
			return "", err
		}
		for _, one := range page.Operations {
			if one.Metadata.DisplayName == b.Name {
				return c.CheckID(one.Name)
			}
		}
		if token = page.Next; token == "" {
			return "", nil
		}
	}
	return "", wire.ErrEndless
}

// httpStatus returns the status that stands for a code of google.rpc.
func httpStatus(code int) int {
	switch code {
	case 1: // cancelled
		return wire.ClientClosed
	case 3, 9, 11: // invalid argument, failed precondition, out of range
		return http.StatusBadRequest
	case 4:
		return http.StatusGatewayTimeout
	case 5:
		return http.StatusNotFound
	case 7:
		return http.StatusForbidden
	case 8:
		return http.StatusTooManyRequests
	case 14:
		return http.StatusServiceUnavailable
	case 16:
		return http.StatusUnauthorized
	}
	return http.StatusInternalServerError
}

// answer returns an error as a single call would be answered.
func (s status) answer() model.BatchAnswer {
	body, _ := json.Marshal(map[string]any{"error": s})
	return model.BatchAnswer{Status: httpStatus(s.Code), Body: body}
}

func (c *client) readBatch(ctx context.Context, id string) (o operation, err error) {
	if id, err = c.CheckID(id); err != nil { // a stranger's lake may hold any
		return o, err
	}
	if err := c.Manage(ctx, http.MethodGet, c.urlOf(id), "", nil, &o); err != nil {
		return o, err
	}
	return o, nil
}

// PollBatch asks how far a batch is.
func (c *client) PollBatch(ctx context.Context, id string) (model.BatchStatus, error) {
	o, err := c.readBatch(ctx, id)
	if err != nil {
		return model.BatchStatus{}, err
	}
	n := o.Metadata.Stats
	s := model.BatchStatus{Ended: o.Done, Done: int(n.Successful + n.Failed), Total: int(n.Requests)}
	switch _, state, _ := strings.Cut(o.Metadata.State, "_STATE_"); state {
	case "SUCCEEDED", "CANCELLED", "EXPIRED":
		s.Ended = true
	case "FAILED":
		s.Ended = true
		refused := status{Code: 13, Message: "the batch has failed without a reason"}
		if o.Error != nil {
			refused = *o.Error
		}
		answer := refused.answer()
		s.Refused = &answer
	}
	return s, nil
}

// BatchResults reads the answers in a batch.
func (c *client) BatchResults(ctx context.Context, id string,
	_ model.BatchStatus) (map[string]model.BatchAnswer, error) {
	o, err := c.readBatch(ctx, id)
	if err != nil {
		return nil, err
	}
	all := map[string]model.BatchAnswer{}
	for _, output := range []batchOutput{o.Metadata.Output, o.Response} {
		for _, r := range output.Inlined.Responses {
			if _, twice := all[r.Metadata.Key]; twice { // the first one counts
				continue
			}
			switch {
			case wire.IsPresent(r.Response):
				all[r.Metadata.Key] = model.BatchAnswer{Status: http.StatusOK, Body: r.Response}
			case r.Error != nil && r.Error.Code != 1: // not cancelled
				all[r.Metadata.Key] = r.Error.answer()
			}
		}
	}
	return all, nil
}

// CancelBatch ends a batch.
func (c *client) CancelBatch(ctx context.Context, id string) error {
	id, err := c.CheckID(id)
	if err != nil {
		return err
	}
	if err := c.Manage(ctx, http.MethodPost, c.urlOf(id)+":cancel", "", []byte("{}"), new(operation)); err != nil {
		return err
	}
	return nil
}
