package telemetry

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"roundtable/activities/calls"
	"roundtable/analysis/lake/record"
)

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
