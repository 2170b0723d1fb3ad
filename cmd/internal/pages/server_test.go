package pages

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
)

// pipes is a listener in memory, whose connections keep a test's own time.
type pipes struct {
	opened chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.opened:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Who opens a connection and asks nothing, half of something or nothing more cannot keep it.
func TestIdleConnectionsEnd(t *testing.T) {
	for name, asked := range map[string]string{
		"nothing": "", "half a request": "GET / HTTP/1.1\r\nHost: a", "nothing more": "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				l, ended := pipes{make(chan net.Conn), make(chan struct{})}, make(chan error)
				go func() { ended <- NewServer(&cli.Options{}, nil, analyze.Messages{}).Serve(ctx, l) }()
				own, other := net.Pipe()
				l.opened <- other
				began := time.Now()
				go func() { _, _ = io.WriteString(own, asked) }()
				_, _ = io.Copy(io.Discard, own) // until it is closed
				if took := time.Since(began); took > 2*time.Minute+time.Second {
					t.Errorf("it is kept for %v", took)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
