package telemetry

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"roundtable/analysis/lake/store"
)

// Operations of a store, as labels.
const (
	opPut     = "put_if_absent"
	opReplace = "replace"
	opGet     = "get"
	opHead    = "head"
	opList    = "list"
	opDelete  = "delete"
	opLink    = "link"
)

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

// count counts a request that began at a time and ended with an error or none.
func (m *storeMetrics) count(operation string, began time.Time, err error) {
	m.seconds.WithLabelValues(operation).Observe(time.Since(began).Seconds())
	m.requests.WithLabelValues(operation, outcomeOf(err)).Inc()
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
	began := time.Now()
	err := s.Store.PutIfAbsent(ctx, key, data)
	s.metrics.count(opPut, began, err)
	s.countWritten(data, err)
	return err
}

func (s countedStore) Replace(ctx context.Context, key string, data []byte, etag string) error {
	began := time.Now()
	err := s.Store.Replace(ctx, key, data, etag)
	s.metrics.count(opReplace, began, err)
	s.countWritten(data, err)
	return err
}

func (s countedStore) countWritten(data []byte, err error) {
	if err == nil {
		s.written.Add(float64(len(data)))
	}
}

func (s countedStore) Get(ctx context.Context, key string) ([]byte, error) {
	began := time.Now()
	data, err := s.Store.Get(ctx, key)
	s.metrics.count(opGet, began, err)
	s.read.Add(float64(len(data)))
	return data, err
}

func (s countedStore) Head(ctx context.Context, key string) (store.Object, error) {
	began := time.Now()
	o, err := s.Store.Head(ctx, key)
	s.metrics.count(opHead, began, err)
	return o, err
}

func (s countedStore) List(ctx context.Context, prefix string) ([]store.Object, error) {
	began := time.Now()
	all, err := s.Store.List(ctx, prefix)
	s.metrics.count(opList, began, err)
	return all, err
}

func (s countedStore) Delete(ctx context.Context, key string) error {
	began := time.Now()
	err := s.Store.Delete(ctx, key)
	s.metrics.count(opDelete, began, err)
	return err
}

// linkingStore is a counted store that can link.
type linkingStore struct {
	countedStore
	linker store.Linker
}

func (s linkingStore) Link(ctx context.Context, key, another string) error {
	began := time.Now()
	err := s.linker.Link(ctx, key, another)
	s.metrics.count(opLink, began, err)
	return err
}
