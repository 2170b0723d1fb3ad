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
	"io/fs"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.temporal.io/sdk/client"

	"roundtable/activities/calls"
	"roundtable/activities/model/wire"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Metrics are the metrics of one process. A nil Metrics counts nothing.
type Metrics struct {
	registry *prometheus.Registry
	calls    *callMetrics
	store    *storeMetrics
	temporal *temporalMetrics
	server   *http.Server
	working  atomic.Bool
}

// Listen serves metrics and health at address, HOST:PORT, and writes the URL to notices. An empty
// HOST means every interface of the machine, port 0 a free port. For an empty address it returns
// nil.
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
	m := &Metrics{registry: r, calls: newCallMetrics(r), store: newStoreMetrics(r), temporal: &temporalMetrics{
		registry: r, counters: map[string]*prometheus.CounterVec{}, gauges: map[string]*prometheus.GaugeVec{},
		timers: map[string]*prometheus.HistogramVec{},
	}}
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

// SetWorking sets whether the process takes work, which /readyz reports.
func (m *Metrics) SetWorking(now bool) {
	if m != nil {
		m.working.Store(now)
	}
}

// Store returns s with its requests counted.
func (m *Metrics) Store(s store.Store) store.Store {
	if m == nil {
		return s
	}
	return m.store.wrap(s)
}

// Listener returns a listener that counts the events of activities; nil if m is nil.
func (m *Metrics) Listener() calls.Listener {
	if m == nil {
		return nil
	}
	return m.calls
}

// Temporal returns the handler that counts the metrics of Temporal's SDK; nil if m is nil.
func (m *Metrics) Temporal() client.MetricsHandler {
	if m == nil {
		return nil
	}
	return temporalHandler{metrics: m.temporal}
}

// Read registers s, whose functions are called at each scrape. Call it once.
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

// callMetrics counts calls and collaborations (calls.Listener).
type callMetrics struct {
	calls          *prometheus.CounterVec
	seconds        *prometheus.HistogramVec
	tokens         *prometheus.CounterVec
	cost           *prometheus.CounterVec
	unpriced       *prometheus.CounterVec
	collaborations *prometheus.CounterVec
	compactions    prometheus.Counter

	mu    sync.Mutex
	known map[string]*modelCounters // by model: labels are looked up once
}

// modelCounters are the counters of one model's calls.
type modelCounters struct {
	outcomes                    map[string]prometheus.Counter
	seconds                     prometheus.Observer
	input, output, usd, unknown prometheus.Counter
}

// answerSeconds are the bounds of the time that an answer takes, in seconds.
var answerSeconds = []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600}

func newCallMetrics(r *prometheus.Registry) *callMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	m := &callMetrics{
		calls: counter("roundtable_calls_total",
			"Calls of models and embedders that have ended, by outcome; answers from the cache are not calls.",
			"model", "outcome"),
		tokens: counter("roundtable_tokens_total",
			"Tokens of answered calls as the service counts them; direction is input or output.", "model", "direction"),
		cost: counter("roundtable_cost_usd_total",
			"Cost of answered calls in US dollars, by the campaign's prices.", "model"),
		unpriced: counter("roundtable_unpriced_calls_total",
			"Answered calls whose cost is not known: no price, or no usable count of tokens.", "model"),
		collaborations: counter("roundtable_collaborations_total",
			"Collaborations that this process has ended: succeeded, failed or stopped.", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "roundtable_call_duration_seconds", Help: "Time from sending a call to its whole answer.",
			Buckets: answerSeconds,
		}, []string{"model"}),
		compactions: prometheus.NewCounter(prometheus.CounterOpts{Name: "roundtable_compactions_total",
			Help: "Batches of rows that this process has merged."}),
		known: map[string]*modelCounters{},
	}
	r.MustRegister(m.seconds, m.compactions)
	// so that a rate is known from the first one on
	for _, status := range []string{record.Succeeded, "failed", "stopped"} {
		m.collaborations.WithLabelValues(status)
	}
	return m
}

func (m *callMetrics) countersOf(model string) *modelCounters {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.known[model]
	if c == nil {
		c = &modelCounters{
			outcomes: map[string]prometheus.Counter{},
			seconds:  m.seconds.WithLabelValues(model),
			input:    m.tokens.WithLabelValues(model, "input"), output: m.tokens.WithLabelValues(model, "output"),
			usd: m.cost.WithLabelValues(model), unknown: m.unpriced.WithLabelValues(model),
		}
		for _, outcome := range calls.CallOutcomes() { // so that a rate is known from the first one on
			c.outcomes[outcome] = m.calls.WithLabelValues(model, outcome)
		}
		m.known[model] = c
	}
	return c
}

// Called counts a call.
func (m *callMetrics) Called(c calls.CallEvent) {
	by := m.countersOf(c.Model)
	by.outcomes[c.Outcome()].Inc()
	if c.Err != nil {
		return
	}
	by.seconds.Observe((time.Duration(c.Answer.LatencyMS) * time.Millisecond).Seconds())
	by.input.Add(float64(max(0, c.Answer.Usage.Input)))
	by.output.Add(float64(max(0, c.Answer.Usage.Output)))
	if c.Answer.CostUSD == nil {
		by.unknown.Inc()
	} else {
		by.usd.Add(max(0, *c.Answer.CostUSD))
	}
}

// Ended counts a collaboration.
func (m *callMetrics) Ended(c calls.CollaborationEvent) {
	m.collaborations.WithLabelValues(c.Status).Inc()
}

// Compacted counts batches.
func (m *callMetrics) Compacted(_ string, batches int, _ time.Duration) {
	m.compactions.Add(float64(batches))
}

// storeMetrics counts the requests of a store.
type storeMetrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
}

func newStoreMetrics(r *prometheus.Registry) *storeMetrics {
	m := &storeMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roundtable_store_requests_total",
			Help: "Requests to the lake. missing, exists and changed are usual answers of a store, error is none.",
		}, []string{"operation", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roundtable_store_request_duration_seconds",
			Help:    "Time that a request to the lake takes, retries included.",
			Buckets: []float64{.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roundtable_store_bytes_total", Help: "Bytes of objects written to the lake or read from it.",
		}, []string{"direction"}),
	}
	r.MustRegister(m.requests, m.seconds, m.bytes)
	return m
}

// wrap returns a store whose requests are counted. It can link if s can.
func (m *storeMetrics) wrap(s store.Store) store.Store {
	counted := countedStore{Store: s, metrics: m, written: m.bytes.WithLabelValues("written"),
		read: m.bytes.WithLabelValues("read")}
	if linker, ok := store.As[store.Linker](s); ok {
		return linkingStore{counted, linker}
	}
	return counted
}

// observe times a request, and counts it by how it ended.
func (m *storeMetrics) observe(operation string, request func() error) error {
	began := time.Now()
	err := request()
	m.seconds.WithLabelValues(operation).Observe(time.Since(began).Seconds())
	m.requests.WithLabelValues(operation, outcomeOf(err)).Inc()
	return err
}

func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case errors.Is(err, store.ErrExists):
		return "exists"
	case errors.Is(err, store.ErrChanged):
		return "changed"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, store.ErrCorrupt):
		return "corrupt"
	}
	return "error"
}

// countedStore counts the requests of a store. What the store can do besides goes past it
// uncounted (store.As), but for links.
type countedStore struct {
	store.Store
	metrics       *storeMetrics
	written, read prometheus.Counter
}

// Unwrap returns the store (store.Wrapper).
func (s countedStore) Unwrap() store.Store { return s.Store }

func (s countedStore) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return s.observeWrite("put_if_absent", data, func() error { return s.Store.PutIfAbsent(ctx, key, data) })
}

func (s countedStore) Replace(ctx context.Context, key string, data []byte, etag string) error {
	return s.observeWrite("replace", data, func() error { return s.Store.Replace(ctx, key, data, etag) })
}

func (s countedStore) observeWrite(operation string, data []byte, write func() error) error {
	err := s.metrics.observe(operation, write)
	if err == nil {
		s.written.Add(float64(len(data)))
	}
	return err
}

func (s countedStore) Get(ctx context.Context, key string) (data []byte, err error) {
	err = s.metrics.observe("get", func() error { data, err = s.Store.Get(ctx, key); return err })
	s.read.Add(float64(len(data)))
	return data, err
}

func (s countedStore) Head(ctx context.Context, key string) (o store.Object, err error) {
	err = s.metrics.observe("head", func() error { o, err = s.Store.Head(ctx, key); return err })
	return o, err
}

func (s countedStore) List(ctx context.Context, prefix string) (all []store.Object, err error) {
	err = s.metrics.observe("list", func() error { all, err = s.Store.List(ctx, prefix); return err })
	return all, err
}

func (s countedStore) Delete(ctx context.Context, key string) error {
	return s.metrics.observe("delete", func() error { return s.Store.Delete(ctx, key) })
}

// linkingStore is a counted store that can link.
type linkingStore struct {
	countedStore
	linker store.Linker
}

func (s linkingStore) Link(ctx context.Context, key, another string) error {
	return s.metrics.observe("link", func() error { return s.linker.Link(ctx, key, another) })
}
