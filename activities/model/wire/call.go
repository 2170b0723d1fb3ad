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
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Call watches one exchange. A provider or its SDK gets the answer's bytes from
// the Call's transport, and can neither change them nor ask again unnoticed.
type Call struct {
	Header http.Header // of the response, if there was one
	Body   []byte      // of a response 2xx, whole, without what servers put around JSON (unwrap)

	key       string
	file      bool // the body is that of a batch, which may be long
	sent      atomic.Bool
	connected atomic.Bool
}

type callKey struct{}

// Watch returns a context for one request through a Client. The idempotency key is
// sent along if it is not empty. A second request in the same context is refused.
func Watch(ctx context.Context, idempotencyKey string) (context.Context, *Call) {
	c := &Call{key: idempotencyKey}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.connected.Store(true) },
	})
	return context.WithValue(ctx, callKey{}, c), c
}

// Post sends JSON with these headers, such as the one that carries the key. It
// leaves the answer to the Call that watches the context.
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

// Failure is a response that is no answer.
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
