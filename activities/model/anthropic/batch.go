package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// Message batches, from Anthropic's guide to batch processing and its reference (read on
// 2026-11-27): at most 100,000 requests and 256 MB, each with a custom_id of 1 to 64 letters, digits,
// hyphens and underscores. A batch has no name. It ends when all requests have succeeded, errored,
// were cancelled, or have expired after 24 hours; until then its counts say that all are processed.
// Requests that did not succeed are not billed. Results are kept for 29 days. A list begins with the
// batch created last.
const (
	batchRequests = 100_000
	batchBytes    = 256_000_000
	// clockSkew is how far the service's clock may be behind ours.
	clockSkew = 10 * time.Minute
)

// HasBatches reports whether the endpoint has batches; one of one's own whose price has them is
// taken to.
func (c *client) HasBatches() bool { return true }

// BatchLimits returns how many requests and bytes a batch has at most.
func (c *client) BatchLimits() (requests, size int) { return batchRequests, batchBytes }

type batch struct {
	ID        string    `json:"id"`
	Status    string    `json:"processing_status"`
	CreatedAt time.Time `json:"created_at"`
	Counts    struct {
		Processing wire.Tokens `json:"processing"`
		Succeeded  wire.Tokens `json:"succeeded"`
		Errored    wire.Tokens `json:"errored"`
		Cancelled  wire.Tokens `json:"canceled"`
		Expired    wire.Tokens `json:"expired"`
	} `json:"request_counts"`
}

func (b batch) batchStatus() model.BatchStatus {
	n := b.Counts
	done := n.Succeeded + n.Errored + n.Cancelled + n.Expired
	return model.BatchStatus{Ended: b.Status == "ended", Done: int(done), Total: int(done + n.Processing)}
}

// CreateBatch sends the requests. What names the batch are the IDs of its requests.
func (c *client) CreateBatch(ctx context.Context, name string, requests []model.BatchRequest) (string, error) {
	type request struct {
		ID     string          `json:"custom_id"`
		Params json.RawMessage `json:"params"`
	}
	all := make([]request, len(requests))
	for i, r := range requests {
		all[i] = request{r.ID, r.Body}
	}
	body, err := json.Marshal(map[string]any{"requests": all})
	if err != nil {
		return "", err
	}
	var made batch
	if err := c.Create(ctx, c.url+"/batches", name, body, &made); err != nil {
		return "", err
	}
	return c.CheckID(made.ID)
}

// FindBatch looks at the batches of the same size that were created since: the IDs of requests are
// in the results, which are there when a batch has ended.
func (c *client) FindBatch(ctx context.Context, b model.SentBatch) (string, error) {
	unclear, over := false, false
	after := ""
	for range wire.MostPages {
		var page struct {
			Data []batch `json:"data"`
			More bool    `json:"has_more"`
			Last string  `json:"last_id"`
		}
		query := url.Values{"limit": {"100"}}
		if after != "" {
			query.Set("after_id", after)
		}
		if err := c.Manage(ctx, http.MethodGet, wire.WithQuery(c.url+"/batches", query), "", nil, &page); err != nil {
			return "", err
		}
		for _, one := range page.Data {
			switch s := one.batchStatus(); {
			case one.CreatedAt.Before(b.CreatedAt.Add(-clockSkew)) || s.Total != b.Requests:
			case !s.Ended:
				unclear = true
			default:
				results, err := c.batchResults(ctx, one.ID)
				if err != nil {
					return "", err
				}
				if slices.ContainsFunc(results, func(r result) bool { return strings.HasPrefix(r.ID, b.Name+"-") }) {
					return c.CheckID(one.ID)
				}
			}
		}
		old := slices.ContainsFunc(page.Data,
			func(one batch) bool { return one.CreatedAt.Before(b.CreatedAt.Add(-clockSkew)) })
		if after = page.Last; !page.More || after == "" || old {
			over = true
			break
		}
	}
	if !over {
		return "", wire.ErrEndless
	}
	if unclear {
		return "", model.ErrUnclearBatch
	}
	return "", nil
}

// PollBatch asks how far a batch is.
func (c *client) PollBatch(ctx context.Context, id string) (model.BatchStatus, error) {
	var b batch
	if err := c.Manage(ctx, http.MethodGet, c.url+"/batches/"+url.PathEscape(id), "", nil, &b); err != nil {
		return model.BatchStatus{}, err
	}
	return b.batchStatus(), nil
}

// result is one line of the results.
type result struct {
	ID     string `json:"custom_id"`
	Result struct {
		Type    string         `json:"type"`
		Message jsontext.Value `json:"message"`
		Error   jsontext.Value `json:"error"`
	} `json:"result"`
}

func (c *client) batchResults(ctx context.Context, id string) ([]result, error) {
	var content []byte
	if err := c.Manage(ctx, http.MethodGet, c.url+"/batches/"+url.PathEscape(id)+"/results", "", nil,
		&content); err != nil {
		return nil, err
	}
	lines, err := wire.Lines[result](content)
	if err != nil {
		err = fmt.Errorf("the results of the batch: %w", err)
	}
	return lines, err
}

// statuses with which a single call is answered that has an error of a type.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest, "authentication_error": http.StatusUnauthorized,
	"billing_error":    http.StatusPaymentRequired,
	"permission_error": http.StatusForbidden, "not_found_error": http.StatusNotFound,
	"request_too_large": http.StatusRequestEntityTooLarge,
	"rate_limit_error":  http.StatusTooManyRequests, "overloaded_error": 529,
}

// BatchResults reads the results of a batch.
func (c *client) BatchResults(ctx context.Context, id string,
	_ model.BatchStatus) (map[string]model.BatchAnswer, error) {
	results, err := c.batchResults(ctx, id)
	if err != nil {
		return nil, err
	}
	all := map[string]model.BatchAnswer{}
	for _, r := range results {
		if _, twice := all[r.ID]; twice { // the first one counts
			continue
		}
		switch r.Result.Type {
		case "succeeded":
			all[r.ID] = model.BatchAnswer{Status: http.StatusOK, Body: r.Result.Message}
		case "errored":
			var body struct {
				Error struct {
					Type string `json:"type"`
				} `json:"error"`
			}
			_ = json.Unmarshal(r.Result.Error, &body) // what could be read is read
			status, known := statuses[body.Error.Type]
			if !known {
				status = http.StatusInternalServerError
			}
			all[r.ID] = model.BatchAnswer{Status: status, Body: r.Result.Error}
		}
	}
	return all, nil
}

// CancelBatch ends a batch; requests that cannot be interrupted are answered first.
func (c *client) CancelBatch(ctx context.Context, id string) error {
	if err := c.Manage(ctx, http.MethodPost, c.url+"/batches/"+url.PathEscape(id)+"/cancel", "", nil,
		new(batch)); err != nil {
		return err
	}
	return nil
}
