// Package wire is what all providers that speak HTTP have in common: one
// exchange for one call, watched from below the provider.
//
// It promises: nothing is sent twice, no redirect is followed, no body grows
// without bound, no forbidden address is dialled; an answer's bytes are those
// of the server, whole or not at all; error texts are short, valid UTF-8 and
// without secrets.
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"roundtable/activities/model"
)

// Call watches one exchange. A provider or its SDK gets the answer's bytes from the Call's
// transport, so it can neither change them nor send another request unnoticed.
type Call struct {
	Header http.Header // of the response, if there was one
	Body   []byte      // of a response 2xx, whole, without what servers put around JSON (unwrapJSON)

	key       string
	file      bool // the body is that of a batch, which may be long
	sent      atomic.Bool
	connected atomic.Bool
}

type callKey struct{}

// Watch returns a context for one request through a client of NewClient, and the Call that watches
// it. The idempotency key is sent along if it is not empty. A second request in the same context is
// refused.
func Watch(ctx context.Context, idempotencyKey string) (context.Context, *Call) {
	c := &Call{key: idempotencyKey}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.connected.Store(true) },
	})
	return context.WithValue(ctx, callKey{}, c), c
}

// Post sends body as JSON with these headers, such as the one with the key. The answer goes to the
// Call that watches ctx.
func Post(ctx context.Context, client *http.Client, url string, body []byte, header http.Header) error {
	return send(ctx, client, http.MethodPost, url, body, header)
}

func send(ctx context.Context, client *http.Client, method, url string, body []byte, header http.Header) error {
	q, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	q.Header.Set("Accept-Encoding", "identity")
	q.Header.Set("User-Agent", "roundtable")
	maps.Copy(q.Header, header)
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Failure is a response that holds no answer, such as one with an error status.
type Failure struct {
	Status int
	Header http.Header
	Body   []byte // its beginning
	At     time.Time
}

func (f *Failure) Error() string { return http.StatusText(f.Status) }

// maxErrorBody is how much of an error's body is read.
const maxErrorBody = 64 << 10

func readFailure(r *http.Response) *Failure {
	defer r.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody)) // a cut error body still has its status
	if plain, err := decompressBody(body, r.Header); err == nil {
		body = plain[:min(len(plain), maxErrorBody)]
	}
	body = unwrapJSON(body)
	return &Failure{Status: r.StatusCode, Header: r.Header, Body: body, At: time.Now()}
}

// watched passes on answers (2xx) whole and turns everything else into a
// Failure before an SDK sees it: SDKs take redirects for success, read error
// bodies whole, and ask again after a cut one.
type watched struct{ next http.RoundTripper }

func (w watched) RoundTrip(q *http.Request) (*http.Response, error) {
	c, ok := q.Context().Value(callKey{}).(*Call)
	if !ok {
		return nil, errUnwatched
	}
	if c.sent.Swap(true) {
		return nil, errTwice
	}
	if c.key != "" {
		q = q.Clone(q.Context())
		// In lower case on purpose: net/http sends a request again by itself when
		// it finds the canonical name, and that would buy the answer twice.
		q.Header["idempotency-key"] = []string{c.key}
	}
	r, err := w.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	c.Header = r.Header
	if r.StatusCode/100 != 2 {
		return nil, readFailure(r)
	}
	defer r.Body.Close()
	if c.Body, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	if c.Body, err = decompressBody(c.Body, r.Header); err != nil {
		return nil, err
	}
	if !c.file {
		c.Body = unwrapJSON(c.Body)
	}
	r.Body = io.NopCloser(bytes.NewReader(c.Body))
	return r, nil
}

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

// Complete sends r once, and again in another form if the service refuses the first (Forms). Every
// error is a *model.Error.
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

// Send posts body and returns exactly one of three: the Call of an answer, a Failure for any other
// response, or the error that kept a response from arriving.
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

// List returns the names of the models that a service lists at url, in the form of OpenAI,
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

// CheckSettings returns the errors in the settings that all providers share: mode must be one of
// accepted, timeout not negative.
func CheckSettings(mode JSONMode, timeout model.Duration, accepted ...JSONMode) (found []error) {
	if err := mode.Check(accepted...); err != nil {
		found = append(found, err)
	}
	if timeout < 0 {
		found = append(found, fmt.Errorf("timeout is %v; it must be positive", time.Duration(timeout)))
	}
	return found
}

// turnHeader returns the headers with those that say which turn is asked for. Texts
// are percent-encoded as in a path, so that every name fits into a header.
func turnHeader(header http.Header, t model.Turn) http.Header {
	all := header.Clone()
	if all == nil {
		all = http.Header{}
	}
	for _, x := range [][2]string{
		{"Campaign", t.Campaign}, {"Condition", t.Condition}, {"Collaboration", t.Collaboration},
		{"Agent", t.Agent}, {"Role", t.Role}, {"Phase", t.Phase},
		{"Instance", strconv.Itoa(t.Instance)}, {"Replicate", strconv.Itoa(t.Replicate)},
		{"Round", strconv.Itoa(t.Round)}, {"Entry", strconv.Itoa(t.Entry)}, {"Ask", strconv.Itoa(t.Ask)},
	} {
		if x[1] != "" {
			all.Set("Roundtable-"+x[0], url.PathEscape(x[1]))
		}
	}
	return all
}
