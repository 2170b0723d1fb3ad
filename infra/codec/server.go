package codec

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/encoding/protojson"
)

// mostBytes bounds a request: a page of a history, whose payloads have at most 2 MB each.
const mostBytes = 64 << 20

// shortestToken is the least length of a token, so that none can be guessed.
const shortestToken = 16

// mostAtOnce bounds the requests that are in memory at the same time.
const mostAtOnce = 4

// Server is a codec server: what it decrypts, and for whom.
type Server struct {
	Keys      Keys
	Tokens    []string     // a request must have one as its bearer token; none: only this machine may ask
	Origins   []string     // of pages that may ask from a browser, as https://ui.example
	Namespace string       // the only one that is served; "" serves all
	Encode    bool         // also serve POST /encode, for what a tool sends to a campaign
	Log       *slog.Logger // gets a line for each request, without payloads
}

// Check returns what is wrong with o's origins and tokens, as a sentence for the operator.
func (o Server) Check() error {
	for _, origin := range o.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return fmt.Errorf("the origin %q is not of the form https://ui.example or http://127.0.0.1:8080, "+
				"without a path", origin)
		}
	}
	for n, token := range o.Tokens {
		if len(token) < shortestToken {
			return fmt.Errorf("token %d has %d characters, fewer than %d; for example `openssl rand -hex 16` makes one",
				n+1, len(token), shortestToken)
		}
	}
	return nil
}

// refusal is an answer other than 200, with its reason.
type refusal struct {
	code int
	says string
}

func (r refusal) Error() string { return r.says }

// Handler serves POST /decode, POST /encode and browsers' CORS preflight requests.
func (o Server) Handler() http.Handler {
	mux := http.NewServeMux()
	codecs := converter.NewPayloadCodecHTTPHandler(o.Keys.codecs()...)
	atOnce := make(chan struct{}, mostAtOnce)
	serve := func(w http.ResponseWriter, r *http.Request) {
		select {
		case atOnce <- struct{}{}:
			defer func() { <-atOnce }()
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		body, n, err := o.admit(w, r)
		if err != nil {
			o.refuse(w, r, err)
			return
		}
		r.Body = body
		answer := &watched{ResponseWriter: w, code: http.StatusOK}
		codecs.ServeHTTP(answer, r)
		o.note(r, answer.code, n)
	}
	for _, path := range []string{"/decode", "/encode"} {
		mux.HandleFunc("POST "+path, serve)
		mux.HandleFunc("OPTIONS "+path, o.answerPreflight)
	}
	return mux
}

// watched keeps the status of an answer.
type watched struct {
	http.ResponseWriter
	code int
}

func (w *watched) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// admit returns the body of a request that may be served, and how many payloads it has.
func (o Server) admit(w http.ResponseWriter, r *http.Request) (body io.ReadCloser, payloads int, err error) {
	if err := o.allowOrigin(w, r); err != nil {
		return nil, 0, err
	}
	if err := o.checkCaller(r); err != nil {
		return nil, 0, err
	}
	namespace := r.Header.Get("X-Namespace")
	switch {
	case r.URL.Path == "/encode" && !o.Encode:
		return nil, 0, refusal{http.StatusForbidden,
			"this server only decodes; start it with --encode for what a tool is to send"}
	case o.Namespace != "" && namespace != o.Namespace:
		return nil, 0, refusal{http.StatusForbidden,
			fmt.Sprintf("this server is for the namespace %q, the request's header X-Namespace says %q",
				o.Namespace, namespace)}
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBytes))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, 0, refusal{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the request has more than %d MiB", mostBytes>>20)}
	}
	var all commonpb.Payloads
	if err == nil {
		err = protojson.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, 0, refusal{http.StatusBadRequest,
			"the request is not JSON of the form {\"payloads\": [{\"metadata\": …, \"data\": …}]}"}
	}
	return io.NopCloser(bytes.NewReader(text)), len(all.Payloads), nil
}

// checkCaller compares the token. Without tokens the listener is on the loopback; a page
// whose name was made to mean this machine is turned away by the name that it asks for.
func (o Server) checkCaller(r *http.Request) error {
	if len(o.Tokens) == 0 {
		if !IsLoopback(r.Host) {
			return refusal{http.StatusForbidden,
				fmt.Sprintf("without a token this server answers only to 127.0.0.1 and localhost, not as %q", r.Host)}
		}
		return nil
	}
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(given))
	known := 0
	for _, token := range o.Tokens {
		want := sha256.Sum256([]byte(token))
		known |= subtle.ConstantTimeCompare(sum[:], want[:])
	}
	switch {
	case !bearer:
		return refusal{http.StatusUnauthorized, "a token is needed, in the header Authorization: Bearer TOKEN"}
	case known == 0:
		return refusal{http.StatusUnauthorized, "the token is not known to this server"}
	}
	return nil
}

// IsLoopback reports whether HOST:PORT can be reached from this machine only.
func IsLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")).IsLoopback()
}

// allowOrigin lets pages of the origins read the answer, and refuses those of others.
func (o Server) allowOrigin(w http.ResponseWriter, r *http.Request) error {
	w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" { // no page of a browser
		return nil
	}
	if !slices.Contains(o.Origins, origin) {
		return refusal{http.StatusForbidden,
			fmt.Sprintf("the origin %q is not allowed; start the server with --allow-origin %s", origin, origin)}
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Allow-Credentials", "true")
	return nil
}

// answerPreflight answers what a browser asks before a page's request: it sends no token yet.
func (o Server) answerPreflight(w http.ResponseWriter, r *http.Request) {
	if err := o.allowOrigin(w, r); err != nil {
		o.refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, X-Namespace, Authorization")
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" { // from the network to this machine
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
}

func (o Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	code := http.StatusBadRequest
	if r, ok := errors.AsType[refusal](err); ok {
		code = r.code
	}
	if code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="roundtable codec-server"`)
	}
	http.Error(w, err.Error(), code)
	o.note(r, code, 0)
}

func (o Server) note(r *http.Request, code, payloads int) {
	if o.Log != nil {
		o.Log.Info("request", "path", r.URL.Path, "namespace", r.Header.Get("X-Namespace"), "from", r.RemoteAddr,
			"payloads", payloads, "status", code)
	}
}
