package bucket_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// fault is one way in which a request goes wrong between client and server.
type fault struct {
	name  string
	every int // of the requests that it can happen to
	hits  func(*http.Request) bool
	do    func(p *faultyProxy, w http.ResponseWriter, r *http.Request)
}

// faultyProxy passes requests on to a server and lets some of them fail.
type faultyProxy struct {
	url    string
	server http.Handler
	ends   chan struct{} // closed at the end of the test

	mu     sync.Mutex
	faults []fault
	met    map[string]int // requests a fault could have happened to
	done   map[string]int // faults that happened
	seen   map[string]int // requests by method
}

// startProxy is a proxy before a server.
func startProxy(t testing.TB, endpoint string, faults ...fault) *faultyProxy {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &faultyProxy{
		faults: faults, met: map[string]int{}, done: map[string]int{}, seen: map[string]int{}, ends: make(chan struct{}),
		server: &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				r.Out.Host = r.In.Host // it is signed
			},
			Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
		},
	}
	front := httptest.NewServer(p)
	t.Cleanup(func() {
		close(p.ends)
		front.CloseClientConnections()
		front.Close()
	})
	p.url = front.URL
	return p
}

func (p *faultyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f, ok := p.next(r); ok {
		f.do(p, w, r)
		return
	}
	p.server.ServeHTTP(w, r)
}

func (p *faultyProxy) next(r *http.Request) (fault, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[r.Method]++
	for _, f := range p.faults {
		if !f.hits(r) {
			continue
		}
		p.met[f.name]++
		if p.met[f.name]%f.every == 0 {
			p.done[f.name]++
			return f, true
		}
	}
	return fault{}, false
}

// requests is how many came by with a method.
func (p *faultyProxy) requests(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[method]
}

// allHappened fails the test if a fault did not come to pass.
func (p *faultyProxy) allHappened(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		if p.done[f.name] == 0 {
			t.Errorf("%s did not happen once among %d requests", f.name, p.met[f.name])
		}
	}
	t.Logf("requests %v, faults %v", p.seen, p.done)
}

// carriedOut lets the server do its work and keeps the response.
func (p *faultyProxy) carriedOut(r *http.Request) *httptest.ResponseRecorder {
	response := httptest.NewRecorder()
	p.server.ServeHTTP(response, r)
	return response
}

func anyRequest(*http.Request) bool { return true }
func isHead(r *http.Request) bool   { return r.Method == http.MethodHead }
func isWrite(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodPost || r.Method == http.MethodDelete
}
func isConditional(r *http.Request) bool {
	return isWrite(r) && r.Header.Get("If-None-Match")+r.Header.Get("If-Match") != ""
}
func isList(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Query().Has("list-type")
}
func isGet(r *http.Request) bool { return r.Method == http.MethodGet && !isList(r) }
func isJoin(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
}

// first hits a request once.
func first(hits func(*http.Request) bool) func(*http.Request) bool {
	var done bool // requests are chosen one at a time
	return func(r *http.Request) bool {
		if done || !hits(r) {
			return false
		}
		done = true
		return true
	}
}

// lost: the server does what was asked, nobody hears of it.
func lost(p *faultyProxy, _ http.ResponseWriter, r *http.Request) {
	p.carriedOut(r)
	panic(http.ErrAbortHandler)
}

// silent: the server does what was asked, and the connection stays open.
func silent(p *faultyProxy, _ http.ResponseWriter, r *http.Request) {
	p.carriedOut(r)
	p.wait(r)
}

// wait until the client has gone. A client that has all it asked for sends its
// next request instead, and the server does not hear of its going then.
func (p *faultyProxy) wait(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-p.ends:
	}
}

// refusal is an answer of S3 without a deed.
func refusal(status int, code string) func(*faultyProxy, http.ResponseWriter, *http.Request) {
	return func(_ *faultyProxy, w http.ResponseWriter, r *http.Request) { refuse(w, r, status, code) }
}

func refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>injected</Message></Error>"))
	}
}

// half sends the first half of a body and does something else then.
func half(then func(p *faultyProxy, r *http.Request)) func(*faultyProxy, http.ResponseWriter, *http.Request) {
	return func(p *faultyProxy, w http.ResponseWriter, r *http.Request) {
		response := p.carriedOut(r)
		maps.Copy(w.Header(), response.Header())
		w.WriteHeader(response.Code)
		_, _ = w.Write(response.Body.Bytes()[:response.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		then(p, r)
	}
}

func cut(*faultyProxy, *http.Request)       { panic(http.ErrAbortHandler) }
func stall(p *faultyProxy, r *http.Request) { p.wait(r); panic(http.ErrAbortHandler) }

// damaged changes one byte of a body.
func damaged(p *faultyProxy, w http.ResponseWriter, r *http.Request) {
	response := p.carriedOut(r)
	maps.Copy(w.Header(), response.Header())
	w.WriteHeader(response.Code)
	body := response.Body.Bytes()
	if len(body) > 0 && response.Code == http.StatusOK {
		body[len(body)/2] ^= 1
	}
	_, _ = w.Write(body)
}

// everyFault is all that can happen to requests of the suite. The counts are
// primes, so that repeated requests do not meet the same fault for ever.
func everyFault() []fault {
	return []fault{
		{"lost response of a write", 31, isWrite, lost},
		{"lost response of a conditional write", 17, isConditional, lost},
		{"lost response", 61, anyRequest, lost},
		{"503 SlowDown", 43, anyRequest, refusal(http.StatusServiceUnavailable, "SlowDown")},
		{"500 InternalError", 53, anyRequest, refusal(http.StatusInternalServerError, "InternalError")},
		{"409 ConditionalRequestConflict", 19, isConditional, refusal(http.StatusConflict, "ConditionalRequestConflict")},
		{"500 on HEAD", 13, isHead, refusal(http.StatusInternalServerError, "")},
		{"cut body", 7, isGet, half(cut)},
		{"cut list", 5, isList, half(cut)},
		{"stalled body", 29, isGet, half(stall)},
		{"stalled write", 307, isWrite, silent},
		{"damaged body", 11, isGet, damaged},
	}
}
