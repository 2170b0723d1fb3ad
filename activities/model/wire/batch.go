package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/go-json-experiment/json"

	"roundtable/activities/model"
	"roundtable/workflows/plan"
)

// CompleteInBatch does as model.Batcher says.
func (x *Exchange) CompleteInBatch(ctx context.Context, r model.Request,
	send func(body []byte) (model.BatchAnswer, error)) (model.Response, error) {
	var unanswered error // what send returned
	first := true
	answer, err := x.Forms.Complete(r, func(sent model.Request, mode JSONMode) (model.Response, *model.Error) {
		if !first {
			alone, fault := x.askReformed(ctx, r, sent, mode)
			if fault != nil && fault.Code == model.BatchEnded {
				unanswered = fault
			}
			return alone, fault
		}
		first = false
		_, body, err := x.Request(sent, mode)
		if err != nil {
			return model.Response{}, x.Report.Unasked(err)
		}
		var got model.BatchAnswer
		if got, unanswered = send(body); unanswered != nil {
			return model.Response{}, x.Report.Unasked(unanswered)
		}
		if got.Whole {
			unanswered = x.refusedBatch(got)
			return model.Response{}, x.Report.Unasked(unanswered)
		}
		if got.Status/100 != 2 {
			return x.Refuse(failureOf(got))
		}
		if len(got.Body) > maxBody {
			return model.Response{}, x.Report.Failed(model.Rejected, "answer_too_large", errTooLarge.Error())
		}
		read, failed := x.Read(sent, &Call{Header: http.Header{}, Body: unwrapJSON(got.Body)})
		read.Tier = plan.Batch // the answer itself names the tier of a single call
		return read, failed
	})
	if unanswered != nil {
		return model.Response{}, unanswered
	}
	return x.Report.Clean(answer), err
}

// askReformed asks a request that a batch has refused alone, in another form. One such call is
// made at a time: once it has shown which form the service takes, the others are to be made in
// that, in the way that calls are.
func (x *Exchange) askReformed(ctx context.Context, r, sent model.Request, mode JSONMode) (model.Response,
	*model.Error) {
	x.reforming.Lock()
	defer x.reforming.Unlock()
	if known, system := x.Forms.formOf(r); known == mode &&
		(system == hasSystem(sent.Messages) || !hasSystem(r.Messages)) {
		return model.Response{}, &model.Error{
			Class: model.Retry, Provider: x.Report.provider, Code: model.BatchEnded, Unbilled: true,
			Message: "the batch has refused the form of this request, and the service takes another",
		}
	}
	sent.Tier = ""
	return x.askOnce(ctx, sent, mode)
}

// refusedBatch returns the error of a request whose batch was refused as a whole: it is made
// otherwise, unless the service is only busy or broken, or no call would be answered.
func (x *Exchange) refusedBatch(got model.BatchAnswer) *model.Error {
	_, refused := x.Refuse(failureOf(got))
	e := *refused
	e.Unbilled = true
	if e.Status/100 == 4 && e.Status != http.StatusTooManyRequests && e.Class != model.Pause {
		e.Class, e.Code, e.Message = model.Retry, model.BatchEnded, e.Code+": "+e.Message
	}
	return &e
}

// failureOf returns an answer in a batch as the response of a single call that is no answer.
func failureOf(got model.BatchAnswer) *Failure {
	return &Failure{Status: got.Status, Header: http.Header{}, Body: got.Body[:min(len(got.Body), maxErrorBody)],
		At: time.Now()}
}

// MostPages is how many pages of a list of batches are read: some services never say that it ends.
const MostPages = 1000

// ErrEndless says that a batch was not found in the first MostPages pages of a service's list.
var ErrEndless = fmt.Errorf("the service's list of batches does not end after %d pages", MostPages)

// batchID is one that leads nowhere else as a part of an address. Gateways pack their own words
// into it, as Base64.
var batchID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:=+-]*(/[A-Za-z0-9=+][A-Za-z0-9_.:=+-]*)*$`)

const maxBatchID = 1000

// CheckID returns id, a service's ID of a batch; "" stays "". IDs are stored and become parts of
// addresses, so one that is no plain name, or repeats a secret, is an error.
func (x *Exchange) CheckID(id string) (string, error) {
	if id != "" && (len(id) > maxBatchID || !batchID.MatchString(id) || x.Report.Word(id, maxBatchID) != id) {
		return "", x.Report.Useless("unreadable_body", "the ID of the batch is not a name", nil)
	}
	return id, nil
}

// Manage sends one request of a batch interface and decodes the JSON answer into out, or, if out is
// a *[]byte, stores the body, a file of lines. An empty contentType is JSON.
func (x *Exchange) Manage(ctx context.Context, method, url, contentType string, body []byte, out any) *model.Error {
	return x.exchangeOnce(ctx, method, url, "", contentType, body, out)
}

func (x *Exchange) exchangeOnce(ctx context.Context, method, url, key, contentType string, body []byte,
	out any) *model.Error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(DefaultTimeout))
	defer cancel()
	ctx, call := Watch(ctx, key)
	call.file = true
	header := x.Header.Clone()
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	err := send(ctx, x.HTTP, method, url, body, header)
	if refused, ok := errors.AsType[*Failure](err); ok {
		return x.Report.Refused(refused, ReadWords(refused.Body, refused.Header))
	}
	if err != nil {
		return x.Report.Broken(ctx, call, err)
	}
	if lines, ok := out.(*[]byte); ok {
		*lines = call.Body
		return nil
	}
	if err := json.Unmarshal(call.Body, out, Lenient); err != nil {
		return x.Report.Useless("unreadable_body", "the body is not what the batch interface answers", call.Body)
	}
	return nil
}

// Create is Manage for requests that must not be repeated, such as creating a batch. The error is
// Unbilled only if the service certainly refused.
func (x *Exchange) Create(ctx context.Context, url, idempotencyKey string, body []byte, out any) error {
	err := x.exchangeOnce(ctx, http.MethodPost, url, idempotencyKey, "", body, out)
	if err == nil {
		return nil
	}
	sure := err.Status/100 == 4 && err.Status != http.StatusRequestTimeout && err.Status != ClientClosed
	err.Unbilled = sure || err.Status == 0 && err.Unbilled // refused, or never connected
	return err
}

// Lines decodes a file of JSON lines, without blank ones. The error quotes nothing of the file.
func Lines[T any](file []byte) ([]T, error) {
	var all []T
	number := 0
	for line := range bytes.Lines(file) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(line, &one, Lenient); err != nil {
			return all, fmt.Errorf("line %d is not JSON of the expected form", number)
		}
		all = append(all, one)
	}
	return all, nil
}

// WithQuery returns address with the query parameters more added.
func WithQuery(address string, more url.Values) string {
	u, err := url.Parse(address)
	if err != nil { // it was made by us
		return address
	}
	query := u.Query()
	maps.Copy(query, more)
	u.RawQuery = query.Encode()
	return u.String()
}
