package main

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/screentest"
)

// A lake on a real S3 server: killed and run again, the campaign leaves the
// same rows as on a local disk, and what reads a lake reads that one.
func TestLakeOnS3(t *testing.T) {
	lake := storetest.At(storetest.S3Server(t), "experiments/one")
	service := newVendor(t)
	quiet, dir := t.TempDir(), t.TempDir()
	campaignFile(t, quiet, service.URL, 4)
	output(t, quiet, "run", "campaign.yaml")

	campaignFile(t, dir, service.URL, 4)
	from := len(service.arrivals())
	b := starts(t, dir, nil, "run", "campaign.yaml", "--lake", lake)
	screentest.Until(t, "forty calls", func() bool { return len(service.arrivals()[from:]) >= 40 })
	if !b.cut(t) {
		t.Error("it ended before it could be killed")
	}
	output(t, dir, "run", "campaign.yaml", "--lake", lake)

	if here, there := digestBy(t, quiet, "killed"), digestBy(t, dir, "killed", "--lake", lake); here != there {
		t.Errorf("digest on the disk %s, on S3 %s", here, there)
	}
	if a, b := output(t, quiet, "analyze", "killed", "--table", "utility-by-rule", "--format", "csv"),
		output(t, dir, "analyze", "killed", "--table", "utility-by-rule", "--format", "csv", "--lake", lake); a != b {
		t.Errorf("Table 1 on the disk\n%s\non S3\n%s", a, b)
	}
}

// Of two programs at one bucket, one works: the second is refused while the first lives, takes over
// once that stands still for 30 s, and the first ends when it goes on. The rows are those of one
// program, although the store lists the other's answers late; what was under way is bought twice at most.
func TestTwoRunnersOnS3(t *testing.T) {
	endpoint := storetest.S3Server(t)
	server := newLateLists(t, endpoint)
	service := newVendor(t)
	quiet, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{quiet, here, there} {
		campaignFile(t, dir, service.URL, 12)
	}
	output(t, quiet, "run", "campaign.yaml")
	service.latency = 100 * time.Millisecond
	from := len(service.arrivals()) // as many as one program makes

	first := starts(t, here, nil, "run", "campaign.yaml", "--lake", server.at(t))
	screentest.Until(t, "forty calls", func() bool { return len(service.arrivals()[from:]) >= 40 })
	if d := ends(t, 2, there, nil, "run", "campaign.yaml", "--lake", server.at(t)); !strings.Contains(d.err, "in use by") {
		t.Errorf("the second is refused so:\n%s", d.err)
	}
	noError(t, first.Process.Signal(syscall.SIGSTOP))
	stopped, began := len(service.arrivals()), time.Now()
	second := starts(t, there, nil, "run", "campaign.yaml", "--lake", server.at(t))
	screentest.Until(t, "calls of the second", func() bool { return len(service.arrivals()) >= stopped+40 })
	if waited := time.Since(began); waited < 30*time.Second {
		t.Errorf("it has taken over after %s", waited)
	}
	noError(t, first.Process.Signal(syscall.SIGCONT))
	if code := first.code(t); code != 3 || !strings.Contains(first.said.String(), "another process has taken this work over") {
		t.Errorf("the first ends with code %d\n%s", code, &first.said)
	}
	if code := second.code(t); code != 0 {
		t.Fatalf("the second ends with code %d\n%s", code, &second.said)
	}
	if a, b := digestBy(t, quiet, "killed"), digestBy(t, there, "killed", "--lake", storetest.At(endpoint, "late")); a != b {
		t.Errorf("digest of one program %s, of two %s", a, b)
	}
	if hidden := server.hidden(); hidden == 0 {
		t.Error("no answer was listed late")
	}
	if twice := len(service.arrivals()) - 2*from; twice > 48 { // limits.calls, of each
		t.Errorf("%d calls were made twice", twice)
	}
}

// lateLists is a store before which each program has a front of its own: for some seconds no list
// there has the answers that came by another front.
type lateLists struct {
	server http.Handler

	mu   sync.Mutex
	puts map[string]put
	hid  int
}

// put is where and when an answer came.
type put struct {
	front *front
	at    time.Time
}

type front struct{ *lateLists }

func newLateLists(t *testing.T, endpoint string) *lateLists {
	t.Helper()
	target, err := url.Parse(endpoint)
	noError(t, err)
	return &lateLists{puts: map[string]put{}, server: &httputil.ReverseProxy{
		ErrorLog:  silent,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host }, // which is signed
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	}}
}

// at returns the lake's place for one more program.
func (l *lateLists) at(t *testing.T) string {
	s := httptest.NewServer(&front{l})
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return storetest.At(s.URL, "late")
}

func (l *lateLists) hidden() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hid
}

var (
	answerPut = regexp.MustCompile(`/bucket/(.*/\d{6}\.(?:\d+|turn)\.json)$`)
	contents  = regexp.MustCompile(`(?s)<Contents>.*?<Key>(.*?)</Key>.*?</Contents>`)
)

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		if key := answerPut.FindStringSubmatch(r.URL.Path); key != nil {
			f.mu.Lock()
			f.puts[key[1]] = put{f, time.Now()}
			f.mu.Unlock()
		}
	}
	if !r.URL.Query().Has("list-type") {
		f.server.ServeHTTP(w, r)
		return
	}
	response := httptest.NewRecorder()
	f.server.ServeHTTP(response, r)
	body := contents.ReplaceAllFunc(response.Body.Bytes(), func(one []byte) []byte {
		f.mu.Lock()
		defer f.mu.Unlock()
		by, ok := f.puts[string(contents.FindSubmatch(one)[1])]
		if !ok || by.front == f || time.Since(by.at) > time.Minute {
			return one
		}
		f.hid++
		return nil
	})
	maps.Copy(w.Header(), response.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(response.Code)
	_, _ = w.Write(body)
}
