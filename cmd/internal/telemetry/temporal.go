package telemetry

import (
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"
)

// temporalLabels are the tags of Temporal's SDK. Each metric has them all, those that it
// has no use for empty: Prometheus takes that for not there. Others are left out.
var temporalLabels = [...]string{
	"namespace", "client_name", "worker_type", "task_queue", "workflow_type", "activity_type", "poller_type",
	"operation", "status_code", "failure_reason", "cause",
}

type temporalTags [len(temporalLabels)]string

// temporalMetrics keep the SDK's metrics under the names that Temporal's documentation and
// dashboards have for Prometheus: _total after counters, _seconds after times. The SDK has
// adapters for tally and OpenTelemetry; either would be one more model of metrics between
// it and the registry, for these 100 lines.
type temporalMetrics struct {
	registry *prometheus.Registry

	mu       sync.Mutex
	counters map[string]*prometheus.CounterVec
	gauges   map[string]*prometheus.GaugeVec
	timers   map[string]*prometheus.HistogramVec
}

// temporalHandler counts with tags (client.MetricsHandler).
type temporalHandler struct {
	metrics *temporalMetrics
	tags    temporalTags
}

// WithTags returns a handler with more tags.
func (h temporalHandler) WithTags(tags map[string]string) client.MetricsHandler {
	for i, name := range temporalLabels {
		if value, ok := tags[name]; ok {
			h.tags[i] = value
		}
	}
	return h
}

// Counter returns a counter.
func (h temporalHandler) Counter(name string) client.MetricsCounter {
	if !strings.HasSuffix(name, "_total") {
		name += "_total"
	}
	vec := metricNamed(h.metrics, h.metrics.counters, name, func() *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: temporalHelp}, temporalLabels[:])
	})
	return temporalCounter{vec.WithLabelValues(h.tags[:]...)}
}

// Gauge returns a gauge.
func (h temporalHandler) Gauge(name string) client.MetricsGauge {
	vec := metricNamed(h.metrics, h.metrics.gauges, name, func() *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: temporalHelp}, temporalLabels[:])
	})
	return temporalGauge{vec.WithLabelValues(h.tags[:]...)}
}

// Timer returns a timer.
func (h temporalHandler) Timer(name string) client.MetricsTimer {
	if !strings.HasSuffix(name, "_seconds") {
		name += "_seconds"
	}
	vec := metricNamed(h.metrics, h.metrics.timers, name, func() *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name, Help: temporalHelp, Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 10, 60, 600},
		}, temporalLabels[:])
	})
	return temporalTimer{vec.WithLabelValues(h.tags[:]...)}
}

const temporalHelp = "Of Temporal's SDK: docs.temporal.io/references/sdk-metrics."

// metricNamed returns the metric of a name, which is made when it is first asked for.
func metricNamed[V prometheus.Collector](m *temporalMetrics, known map[string]V, name string, make func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	vec, ok := known[name]
	if !ok {
		vec = make()
		known[name] = vec
		// one name for two kinds of metric would be a defect of the SDK; the first is shown
		_ = m.registry.Register(vec)
	}
	return vec
}

type temporalCounter struct{ prometheus.Counter }

func (c temporalCounter) Inc(n int64) { c.Add(float64(n)) }

type temporalGauge struct{ prometheus.Gauge }

func (g temporalGauge) Update(v float64) { g.Set(v) }

type temporalTimer struct{ prometheus.Observer }

func (t temporalTimer) Record(d time.Duration) { t.Observe(d.Seconds()) }
