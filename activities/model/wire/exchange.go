package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"roundtable/activities/model"
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
	JSON    JSONMode
	Timeout model.Duration
	Seat    bool // what is asked is a program of one's own: it is sent which turn is asked for

	// Request returns the address and the body, or why the request cannot be sent.
	Request func(model.Request, JSONMode) (url string, body []byte, err error)
	// Read returns the answer in a body that came with a status 2xx, which alone says nothing.
	Read func(model.Request, *Call) (model.Response, *CallError)
	// Refuse classifies any other response, or returns the answer that it holds.
	Refuse func(*Failure) (model.Response, *CallError)

	refused atomic.Bool // Auto: the service refused a schema
}

// CallError is a classified error with what the fallback of Auto needs to know.
type CallError struct {
	Err           *model.Error
	RefusesSchema bool // the service refused to take a schema, and nothing else
}

// Complete asks once. In Auto mode a service that refuses JSON schemas is asked
// a second time without: the refused request was not answered, so nothing is
// paid twice. Every error is a *model.Error.
func (x *Exchange) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	mode := x.JSON.Of(r, x.refused.Load())
	response, failed := x.askOnce(ctx, r, mode)
	if failed != nil && x.JSON == Auto && mode == Schema && failed.RefusesSchema {
		x.refused.Store(true)
		mode = Plain
		response, failed = x.askOnce(ctx, r, mode)
	}
	if failed != nil {
		return model.Response{}, failed.Err
	}
	response.Mode = string(mode)
	return response, nil
}

// ModeOf returns the mode in which a request is sent now.
func (x *Exchange) ModeOf(r model.Request) string { return string(x.JSON.Of(r, x.refused.Load())) }

// askOnce makes one HTTP request.
func (x *Exchange) askOnce(ctx context.Context, r model.Request, mode JSONMode) (model.Response, *CallError) {
	url, body, err := x.Request(r, mode)
	if err != nil {
		return model.Response{}, &CallError{Err: x.Report.Unasked(err)}
	}
	header := x.Header
	if x.Seat && r.Scene != nil {
		header = turnHeader(header, r.Scene.Turn)
	}
	call, refused, failed := x.Send(ctx, url, body, header, x.JSON.Key(r, mode))
	switch {
	case failed != nil:
		return model.Response{}, &CallError{Err: failed}
	case refused != nil:
		return x.Refuse(refused)
	}
	return x.Read(r, call)
}

// Send posts one body and returns exactly one of three: the answered call, the
// response that is no answer, or what kept any response from arriving.
func (x *Exchange) Send(ctx context.Context, url string, body []byte, header http.Header, idempotencyKey string) (*Call, *Failure, *model.Error) {
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

// Useless returns the error of a 2xx that brought no answer; it may have been
// billed. Often a second try succeeds; callers bound the tries.
func (r Reporter) Useless(code, message string) *model.Error {
	return r.InBody(model.Retry, code, message)
}

// InBody returns an error that came with a status 2xx.
func (r Reporter) InBody(class model.Class, code, message string) *model.Error {
	err := r.Failed(class, code, message)
	err.Status = http.StatusOK
	return err
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
