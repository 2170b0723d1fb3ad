package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// Batches, from OpenAI's guide to them and its reference (read on 2026-11-27): a file of at most
// 50,000 requests and 200 MB is uploaded, then a batch is made of it for a window of 24 hours, with
// up to 16 pairs of metadata. Which tokens may be enqueued for a model depends on the account; a
// batch beyond it fails when it is validated. A batch that expires, or is cancelled, which takes up
// to ten minutes, keeps the answers that it has, which are billed; the other requests are not. Its
// files are kept for 30 days. A list says nothing of its order.
const (
	batchRequests = 50_000
	batchBytes    = 200_000_000
	batchWindow   = "24h"
	nameKey       = "roundtable" // of the metadata
)

// HasBatches reports whether the server has OpenAI's batch interface: OpenAI, and servers of one's
// own that the campaign gives a price for batches. Of the other services that we know some have one,
// for deployments or prices of their own, which is not used.
func (c *client) HasBatches() bool { return c.host == officialHost || c.host.keyEnv() == "" }

// BatchLimits returns how many requests and bytes a batch has at most.
func (c *client) BatchLimits() (requests, size int) { return batchRequests, batchBytes }

// batchLine is one request in the file of a batch.
type batchLine struct {
	ID     string          `json:"custom_id"`
	Method string          `json:"method"`
	URL    string          `json:"url"`
	Body   json.RawMessage `json:"body"`
}

type batch struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Metadata map[string]string `json:"metadata"`
	Output   string            `json:"output_file_id"`
	Failures string            `json:"error_file_id"`
	Counts   struct {
		Total     wire.Tokens `json:"total"`
		Completed wire.Tokens `json:"completed"`
		Failed    wire.Tokens `json:"failed"`
	} `json:"request_counts"`
	Errors struct {
		Data []struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"data"`
	} `json:"errors"`
}

// CreateBatch uploads the requests and makes a batch of them that has its name in the metadata. A
// file that was uploaded in vain costs nothing, and is deleted by the service.
func (c *client) CreateBatch(ctx context.Context, name string, requests []model.BatchRequest) (string, error) {
	endpoint := "/v1/chat/completions"
	if c.config.API == Responses {
		endpoint = "/v1/responses"
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	err := w.WriteField("purpose", "batch")
	if err != nil {
		return "", err
	}
	file, err := w.CreateFormFile("file", name+".jsonl")
	if err != nil {
		return "", err
	}
	lines := json.NewEncoder(file)
	lines.SetEscapeHTML(false)
	for _, r := range requests {
		if err := lines.Encode(batchLine{r.ID, http.MethodPost, endpoint, r.Body}); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	var uploaded struct {
		ID string `json:"id"`
	}
	if err := c.Manage(ctx, http.MethodPost, c.urlOf("files"), w.FormDataContentType(), form.Bytes(),
		&uploaded); err != nil {
		err.Unbilled = true // there is no batch of it yet
		return "", err
	}
	body, err := json.Marshal(map[string]any{
		"input_file_id": uploaded.ID, "endpoint": endpoint, "completion_window": batchWindow,
		"metadata": map[string]string{nameKey: name},
	})
	if err != nil {
		return "", err
	}
	var made batch
	if err := c.Create(ctx, c.urlOf("batches"), name, body, &made); err != nil {
		return "", err
	}
	return c.CheckID(made.ID)
}

// FindBatch looks through all batches: their order is not documented.
func (c *client) FindBatch(ctx context.Context, b model.SentBatch) (string, error) {
	after := ""
	for range wire.MostPages {
		var page struct {
			Data []batch `json:"data"`
			More bool    `json:"has_more"`
		}
		query := url.Values{"limit": {"100"}}
		if after != "" {
			query.Set("after", after)
		}
		if err := c.Manage(ctx, http.MethodGet, wire.WithQuery(c.urlOf("batches"), query), "", nil, &page); err != nil {
			return "", err
		}
		for _, one := range page.Data {
			if one.Metadata[nameKey] == b.Name {
				return c.CheckID(one.ID)
			}
			after = one.ID
		}
		if !page.More || len(page.Data) == 0 {
			return "", nil
		}
	}
	return "", wire.ErrEndless
}

// PollBatch asks how far a batch is.
func (c *client) PollBatch(ctx context.Context, id string) (model.BatchStatus, error) {
	var b batch
	if err := c.Manage(ctx, http.MethodGet, c.urlOf("batches/"+url.PathEscape(id)), "", nil, &b); err != nil {
		return model.BatchStatus{}, err
	}
	s := model.BatchStatus{Done: int(b.Counts.Completed + b.Counts.Failed), Total: int(b.Counts.Total)}
	for _, file := range []string{b.Output, b.Failures} {
		if file != "" {
			s.Outputs = append(s.Outputs, file)
		}
	}
	switch b.Status {
	case "completed", "expired", "cancelled":
		s.Ended = true
	case "failed": // it was not let in
		s.Ended = true
		refused := model.BatchAnswer{Status: http.StatusBadRequest}
		reason := map[string]string{"code": "batch_failed", "message": "the batch was refused without a reason"}
		if len(b.Errors.Data) > 0 {
			reason["code"], reason["message"] = b.Errors.Data[0].Code, b.Errors.Data[0].Message
		}
		if reason["code"] == "token_limit_exceeded" { // the model's queue is full: later there is room
			refused.Status = http.StatusTooManyRequests
		}
		refused.Body, _ = json.Marshal(map[string]any{"error": reason})
		s.Refused = &refused
	}
	return s, nil
}

// BatchResults reads the files of a batch.
func (c *client) BatchResults(ctx context.Context, _ string,
	s model.BatchStatus) (map[string]model.BatchAnswer, error) {
	type result struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int            `json:"status_code"`
			Body   jsontext.Value `json:"body"`
		} `json:"response"`
		Error jsontext.Value `json:"error"`
	}
	all := map[string]model.BatchAnswer{}
	for _, file := range s.Outputs {
		var content []byte
		if err := c.Manage(ctx, http.MethodGet, c.urlOf("files/"+url.PathEscape(file)+"/content"), "", nil,
			&content); err != nil {
			return nil, err
		}
		results, err := wire.Lines[result](content)
		if err != nil {
			return nil, fmt.Errorf("a file of the batch: %w", err)
		}
		for _, r := range results {
			if _, twice := all[r.ID]; twice { // the first one counts, answers before failures
				continue
			}
			switch {
			case r.Response != nil && r.Response.Status != 0:
				all[r.ID] = model.BatchAnswer{Status: r.Response.Status, Body: r.Response.Body}
			case wire.IsPresent(r.Error) && !isUnworked(r.Error):
				all[r.ID] = model.BatchAnswer{Status: http.StatusInternalServerError,
					Body: fmt.Appendf(nil, `{"error":%s}`, r.Error)}
			}
		}
	}
	return all, nil
}

// isUnworked reports whether a request was not worked on since its batch has ended.
func isUnworked(v jsontext.Value) bool {
	var e struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(v, &e) // what could be read is read
	return e.Code == "batch_expired" || e.Code == "batch_cancelled"
}

// CancelBatch ends a batch.
func (c *client) CancelBatch(ctx context.Context, id string) error {
	if err := c.Manage(ctx, http.MethodPost, c.urlOf("batches/"+url.PathEscape(id)+"/cancel"), "", nil,
		new(batch)); err != nil {
		return err
	}
	return nil
}
