package cluster

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy passes connections on, until it is cut: then it is silent, as a network is that
// loses every packet. Nothing is refused and nothing is closed.
type proxy struct {
	net.Listener
	to string

	mu   sync.Mutex
	open chan struct{} // closed while packets pass
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to, open: make(chan struct{})}
	close(p.open)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

func (p *proxy) address() string { return p.Addr().String() }

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = make(chan struct{})
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.open)
}

// await returns when packets pass.
func (p *proxy) await() {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	<-open
}

func (p *proxy) pass(from net.Conn) {
	defer from.Close()
	p.await()
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			defer func() { done <- struct{}{} }()
			packet := make([]byte, 32<<10)
			for {
				n, err := way[0].Read(packet)
				p.await()
				if n > 0 {
					if _, err := way[1].Write(packet[:n]); err != nil {
						return
					}
				}
				if err != nil {
					if err == io.EOF {
						_ = way[1].(*net.TCPConn).CloseWrite()
					}
					return
				}
			}
		}()
	}
	<-done
	<-done
}
