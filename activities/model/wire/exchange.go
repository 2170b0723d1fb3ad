package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"roundtable/activities/model"
	"sync"
)

// DefaultTimeout is how long one call may take where the campaign sets nothing.
const DefaultTimeout = model.Duration(10 * time.Minute)

// Exchange asks one model with JSON over HTTP. The provider supplies three
// functions: how to write the request, read the answer and classify a refusal.
// It lives as long as the process: connections and the outcome of Auto are kept in it.
type Exchange struct {
	HTTP    *http.Client
	Header  http.Header // carries the key
	Report  Reporter
	Forms   Forms
	Timeout model.Duration
	Seat    bool // what is asked is a program of one's own: it is sent which turn is asked for

	// Request returns the address and the body, or why the request cannot be sent.
	Request func(model.Request, JSONMode) (url string, body []byte, err error)
	// Read returns the answer in a body that came with a status 2xx, which alone says nothing.
	Read func(model.Request, *Call) (model.Response, *model.Error)
	// Refuse classifies any other response, or returns the answer that it holds.
	Refuse func(*Failure) (model.Response, *model.Error)

	reforming sync.Mutex // held while a request of a batch is asked in another form
}

// Complete asks once, and once more in another form where the service refuses one (Forms).
// Every error is a *model.Error.
func (x *Exchange) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	answer, err := x.Forms.Complete(r, func(sent model.Request, mode JSONMode) (model.Response, *model.Error) {
		return x.askOnce(ctx, sent, mode)
	})
	return x.Report.Clean(answer), err
}

// ModeOf returns the mode in which a request is sent now.
func (x *Exchange) ModeOf(r model.Request) string { return x.Forms.ModeOf(r) }

// askOnce makes one HTTP request.
func (x *Exchange) askOnce(ctx context.Context, r model.Request, mode JSONMode) (model.Response, *model.Error) {
	url, body, err := x.Request(r, mode)
	if err != nil {
		return model.Response{}, x.Report.Unasked(err)
	}
	header := x.Header
	if x.Seat && r.Scene != nil {
		header = turnHeader(header, r.Scene.Turn)
	}
	call, refused, failed := x.Send(ctx, url, body, header, r.IdempotencyKey)
	switch {
	case failed != nil:
		return model.Response{}, failed
	case refused != nil:
		return x.Refuse(refused)
	}
	return x.Read(r, call)
}

// Send posts one body and returns exactly one of three: the answered call, the
// response that is no answer, or what kept any response from arriving.
func (x *Exchange) Send(ctx context.Context, url string, body []byte, header http.Header, idempotencyKey string) (*Call,
	*Failure, *model.Error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(x.Timeout))
	defer cancel()
	ctx, call := Watch(ctx, idempotencyKey)
	err := Post(ctx, x.HTTP, url, body, header)
	if refused, ok := errors.AsType[*Failure](err); ok {
		return nil, refused, nil
	}
	if err != nil {
		return nil, nil, x.Report.Broken(ctx, call, err)
	}
	return call, nil, nil
}

// listTimeout bounds a request for names.
const listTimeout = 10 * time.Second

// List returns the names of models that a service lists at an address, in the form of OpenAI,
// Anthropic or Google.
func (x *Exchange) List(ctx context.Context, url string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ctx, call := Watch(ctx, "")
	if err := send(ctx, x.HTTP, http.MethodGet, url, nil, x.Header); err != nil {
		return nil, err
	}
	var listed struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := json.Unmarshal(call.Body, &listed, Lenient); err != nil {
		return nil, err
	}
	var names []string
	for _, m := range listed.Data {
		names = append(names, x.Report.Word(m.ID, 100))
	}
	for _, m := range listed.Models {
		names = append(names, x.Report.Word(strings.TrimPrefix(m.Name, "models/"), 100))
	}
	return names, nil
}

// CheckSettings returns what is wrong with the settings that all providers share.
func CheckSettings(mode JSONMode, timeout model.Duration, accepted ...JSONMode) (found []error) {
	if err := mode.Check(accepted...); err != nil {
		found = append(found, err)
	}
	if timeout < 0 {
		found = append(found, fmt.Errorf("timeout is %v; it must be positive", time.Duration(timeout)))
	}
	return found
}
