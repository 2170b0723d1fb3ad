package modeltest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/model/wire"
)

// connections breaks what lies between a provider and its service in every way we know.
func (s suite) connections(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"broken":         s.broken,
		"kept":           s.kept,
		"nothing sent":   s.nothingSent,
		"timeout":        s.timeout,
		"cancel":         s.cancel,
		"redirects":      s.redirects,
		"huge answer":    s.hugeAnswer,
		"long answer":    s.longAnswer,
		"unfit errors":   s.unfitErrors,
		"many at a time": s.manyAtATime,
	} {
		t.Run(name, test)
	}
}

func (s suite) ask(ctx context.Context, t *testing.T, url string) (model.Response, error) {
	return s.build(t, url, Case{Name: t.Name()}).Complete(ctx, Question)
}

// raw serves connections by hand; h is called for each one that is accepted.
func raw(t *testing.T, h func(net.Conn, *bufio.Reader)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); h(c, bufio.NewReader(c)) }()
		}
	}()
	return "http://" + l.Addr().String()
}

func readRequest(r *bufio.Reader) bool {
	q, err := http.ReadRequest(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, q.Body)
	return err == nil
}

func (s suite) broken(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, serve := range map[string]func(net.Conn){
		"closed without an answer": func(net.Conn) {},
		"reset":                    func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
		"cut body":                 func(c net.Conn) { fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(s.answer), s.before) },
		"whole but for its end":    func(c net.Conn) { fmt.Fprintf(c, "%sContent-Length: %d\r\n\r\n%s", head, len(s.answer)+1, s.answer) },
		"cut chunked body":         func(c net.Conn) { fmt.Fprintf(c, "%sTransfer-Encoding: chunked\r\n\r\n20\r\n{", head) },
		"chunks without their end": func(c net.Conn) {
			fmt.Fprintf(c, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", head, len(s.answer), s.answer)
		},
		"no HTTP":        func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-OpenSSH\r\n") },
		"endless header": func(c net.Conn) { fmt.Fprintf(c, "%sX: %s\r\n\r\n", head, strings.Repeat("x", 1<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			url := raw(t, func(c net.Conn, r *bufio.Reader) {
				if readRequest(r) {
					requests.Add(1)
					serve(c)
				}
			})
			_, err := s.ask(t.Context(), t, url)
			e := Failure(t, err)
			if e.Class != model.Retry || e.Code != "connection_error" || e.Status != 0 || e.Unbilled {
				t.Errorf("got %+v", *e)
			}
			if n := requests.Load(); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

// net/http sends some requests again by itself when a kept connection breaks
// after the request was written. That answer may have been paid.
func (s suite) kept(t *testing.T) {
	var requests atomic.Int32
	url := raw(t, func(c net.Conn, r *bufio.Reader) {
		for readRequest(r) {
			if requests.Add(1) == 2 {
				return
			}
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				len(s.answer), s.answer)
		}
	})
	m := s.build(t, url, Case{Name: t.Name()})
	if got, err := m.Complete(t.Context(), Question); err != nil || string(got.Text) != Text {
		t.Fatalf("got %q, %v", got.Text, err)
	}
	_, err := m.Complete(t.Context(), Question)
	if e := Failure(t, err); e.Class != model.Retry || e.Unbilled {
		t.Errorf("got %+v", *e)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("%d requests were sent for 2 calls", n)
	}
}

func (s suite) nothingSent(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, c := range map[string]struct {
		url   string
		class model.Class
		code  string
	}{
		"refused":         {"http://127.0.0.1:1", model.Retry, "connection_error"}, // nobody listens there; a closed port may be taken
		"no such name":    {"https://no-such-host.invalid", model.Retry, "connection_error"},
		"bad certificate": {secure.URL, model.Pause, "bad_certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(wire.TrustEnv, c.url)
			_, err := s.ask(t.Context(), t, c.url)
			if e := Failure(t, err); e.Class != c.class || e.Code != c.code || !e.Unbilled || e.Status != 0 {
				t.Errorf("got %+v", *e)
			}
		})
	}
}

// hang takes requests and does not answer them.
func hang(t *testing.T) (url string, asked <-chan struct{}) {
	asks, over := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asks <- struct{}{}
		<-over
	}))
	t.Cleanup(func() { close(over); server.Close() })
	return server.URL, asks
}

func (s suite) timeout(t *testing.T) {
	url, _ := hang(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.ask(ctx, t, url)
	if e := Failure(t, err); e.Class != model.Retry || e.Code != "timeout" {
		t.Errorf("got %+v", *e)
	}
}

func (s suite) cancel(t *testing.T) {
	url, asked := hang(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := s.ask(ctx, t, url)
	if e := Failure(t, err); e.Class != model.Retry || e.Code != "canceled" || e.Unbilled {
		t.Errorf("canceled while it was answered: %+v", *e)
	}
	_, err = s.ask(ctx, t, url)
	if e := Failure(t, err); e.Class != model.Retry || e.Code != "canceled" || !e.Unbilled {
		t.Errorf("canceled before it was asked: %+v", *e)
	}
}
