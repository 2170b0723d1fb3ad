// Package telemetry shows what a process does to the tools of those who run it:
// Prometheus reads its metrics over HTTP, and orchestrators its health. It promises that
// nothing waits for it, that labels take few values (no cell, no instance, no text), and
// that without an address nothing listens and nothing is counted.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.temporal.io/sdk/client"

	"roundtable/activities/calls"
	"roundtable/activities/model/wire"
	"roundtable/analysis/lake/store"
)

// Metrics are those of one process, at an address. A nil Metrics counts nothing.
type Metrics struct {
	registry *prometheus.Registry
	calls    *callMetrics
	store    *storeMetrics
	temporal *temporalMetrics
	server   *http.Server
	working  atomic.Bool
}

// Listen serves metrics and health at HOST:PORT, and says so on notices; an empty HOST is
// every interface of the machine, port 0 a free one. An empty address is a nil Metrics.
func Listen(address string, notices io.Writer) (*Metrics, error) {
	if address == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w; expected HOST:PORT or :PORT", address, err)
	}
	m := New()
	handler := m.Handler()
	if a, ok := listener.Addr().(*net.TCPAddr); ok && a.IP.IsLoopback() {
		handler = refuseForeignHosts(handler)
	}
	m.server = &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	go func() {
		if err := m.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintln(notices, "roundtable: metrics are not served any more:", err)
		}
	}()
	fmt.Fprintf(notices, "metrics: http://%s/metrics%s\n", listener.Addr(), warnReachable(listener.Addr()))
	return m, nil
}

// refuseForeignHosts answers only who names this machine: a page in a browser here may have a name of
// its own lead to it.
func refuseForeignHosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if !wire.IsLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "these are the metrics of another host", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// warnReachable returns a warning where other machines can read the metrics.
func warnReachable(at net.Addr) string {
	if a, ok := at.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return " (on every interface of this machine, without a password)"
	}
	return ""
}

// New returns metrics that are not served yet.
func New() *Metrics {
	r := prometheus.NewRegistry()
	m := &Metrics{registry: r, calls: newCallMetrics(r), store: newStoreMetrics(r), temporal: newTemporalMetrics(r)}
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "roundtable_ready", Help: "1 while the process takes work, 0 before and while it ends.",
	}, func() float64 {
		if m.working.Load() {
			return 1
		}
		return 0
	}))
	return m
}

// Handler serves /metrics, /healthz (200: the process lives) and /readyz (200 while it
// takes work, else 503).
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry,
		promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 30 * time.Second}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !m.working.Load() {
			http.Error(w, "not taking work", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// SetWorking says whether the process takes work.
func (m *Metrics) SetWorking(now bool) {
	if m != nil {
		m.working.Store(now)
	}
}

// Store returns a store whose requests are counted.
func (m *Metrics) Store(s store.Store) store.Store {
	if m == nil {
		return s
	}
	return m.store.wrap(s)
}

// Listener returns what counts the events of activities; nil if nothing does.
func (m *Metrics) Listener() calls.Listener {
	if m == nil {
		return nil
	}
	return m.calls
}

// Temporal returns what counts for Temporal's SDK; nil if nothing does.
func (m *Metrics) Temporal() client.MetricsHandler {
	if m == nil {
		return nil
	}
	return m.temporal.newHandler()
}

// Read adds what is read at each scrape.
func (m *Metrics) Read(s Sources) {
	if m != nil {
		m.registry.MustRegister(newReadings(s))
	}
}

// Close ends the server; a scrape under way has a second.
func (m *Metrics) Close() {
	if m == nil || m.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if m.server.Shutdown(ctx) != nil {
		m.server.Close()
	}
}
