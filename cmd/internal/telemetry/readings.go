package telemetry

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"roundtable/activities/calls"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/workflows"
)

// Sources are the functions that a scrape calls.
type Sources struct {
	Meter     func() calls.Reading
	Waits     func() calls.Waits // turns of this process, by what they wait for
	Gates     func() []throttle.State
	Standings func() map[string]money.Standing
	// Campaigns returns how far campaigns are, by name; Backlog the tasks that wait for a
	// worker, by queue. Both ask the Temporal server.
	Campaigns func(context.Context) map[string]workflows.Status
	Backlog   func(context.Context) []Backlog
	Version   string
}

// Backlog is the number of tasks that wait in a task queue, as the Temporal server counts them.
type Backlog struct {
	Queue string
	Kind  string // workflow or activity
	Tasks int64
}

// askTime bounds what a scrape waits for the Temporal server.
const askTime = 2 * time.Second

// readings are made at each scrape (prometheus.Collector).
type readings struct {
	Sources
	all []*prometheus.Desc

	build, cached, inFlight             *prometheus.Desc
	gateWaiting, gateInFlight, gateMost *prometheus.Desc
	turns, backlog                      *prometheus.Desc
	usd, tokens                         map[string]*prometheus.Desc // by spent, reserved, cap
	cells, paused                       *prometheus.Desc
}

func newReadings(s Sources) *readings {
	r := &readings{Sources: s, usd: map[string]*prometheus.Desc{}, tokens: map[string]*prometheus.Desc{}}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		d := prometheus.NewDesc(name, help, labels, nil)
		r.all = append(r.all, d)
		return d
	}
	r.build = desc("roundtable_build_info", "1, with the version of the program.", "version")
	r.cached = desc("roundtable_cached_answers_total", "Answers taken from the cache instead of a call.")
	r.inFlight = desc("roundtable_calls_in_flight", "Calls that wait for their answer.")
	r.gateWaiting = desc("roundtable_gate_waiting",
		"Calls that wait at the gate of an account or a campaign, by what for.", "account", "campaign", "reason")
	r.gateInFlight = desc("roundtable_gate_in_flight", "Calls that the gate of an account or a campaign has let in.",
		"account", "campaign")
	r.gateMost = desc("roundtable_gate_limit", "Calls at once that the gate of an account or a campaign lets in now.",
		"account", "campaign")
	r.turns = desc("roundtable_turns_waiting",
		"Turns under way in this process, by what they wait for; answer is a call that was made.", "reason")
	r.backlog = desc("roundtable_queue_backlog",
		"Tasks that wait for a worker in a task queue, as the Temporal server counts them.", "task_queue", "kind")
	for _, part := range []struct{ name, help string }{
		{"spent", "charged, at the worst case where it is not known"},
		{"reserved", "reserved for calls under way, and granted to other processes where there is a cap"},
		{"cap", "the campaign's cap; absent without one"},
	} {
		r.usd[part.name] = desc("roundtable_budget_"+part.name+"_usd", "Budget of a campaign in US dollars: "+part.help+
			".", "campaign")
		r.tokens[part.name] = desc("roundtable_budget_"+part.name+"_tokens",
			"Budget of a campaign in tokens: "+part.help+".", "campaign")
	}
	r.cells = desc("roundtable_campaign_cells",
		"Collaborations of a campaign by state: succeeded, failed, stopped, running or waiting.", "campaign", "state")
	r.paused = desc("roundtable_campaign_paused", "1 while a campaign is paused.", "campaign")
	return r
}

// Describe sends what there is.
func (r *readings) Describe(to chan<- *prometheus.Desc) {
	for _, d := range r.all {
		to <- d
	}
}

// Collect reads.
func (r *readings) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(r.build, 1, r.Version)
	now := r.Meter()
	to <- prometheus.MustNewConstMetric(r.cached, prometheus.CounterValue, float64(now.Cached))
	gauge(r.inFlight, float64(now.UnderWay))
	for reason, n := range byReason(r.Waits()) {
		gauge(r.turns, float64(n), reason)
	}
	for _, g := range r.Gates() {
		if g.Account == "" && g.Campaign == "" {
			g.Account = "scripted" // they have no account
		}
		gauge(r.gateInFlight, float64(g.InFlight), g.Account, g.Campaign)
		gauge(r.gateMost, float64(g.Limit), g.Account, g.Campaign)
		for _, reason := range []throttle.Reason{throttle.Requests, throttle.Tokens, throttle.Concurrency,
			throttle.Provider} {
			gauge(r.gateWaiting, float64(g.Waiting[reason]), g.Account, g.Campaign, string(reason))
		}
	}
	r.collectBudgets(gauge)
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	r.collectServer(ctx, gauge)
}

type gaugeFunc func(d *prometheus.Desc, v float64, labels ...string)

func (r *readings) collectBudgets(gauge gaugeFunc) {
	for campaign, s := range r.Standings() {
		gauge(r.usd["spent"], s.Spent.USD(), campaign)
		gauge(r.usd["reserved"], s.Held.USD(), campaign)
		gauge(r.tokens["spent"], float64(s.Spent.Tokens), campaign)
		gauge(r.tokens["reserved"], float64(s.Held.Tokens), campaign)
		if most := s.Caps.NanoUSD; most != nil {
			gauge(r.usd["cap"], money.Amount{NanoUSD: *most}.USD(), campaign)
		}
		if most := s.Caps.Tokens; most != nil {
			gauge(r.tokens["cap"], float64(*most), campaign)
		}
	}
}

// collectServer reads what the Temporal server says; what it does not say in time is left out.
func (r *readings) collectServer(ctx context.Context, gauge gaugeFunc) {
	for _, b := range r.Backlog(ctx) {
		gauge(r.backlog, float64(b.Tasks), b.Queue, b.Kind)
	}
	for campaign, s := range r.Campaigns(ctx) {
		for state, n := range map[string]int{
			"succeeded": s.Succeeded, "failed": s.Failed, "stopped": s.Stopped, "running": s.Running,
			"waiting": max(0, s.Cells-s.Done()-s.Running),
		} {
			gauge(r.cells, float64(n), campaign, state)
		}
		paused := 0.
		if s.Paused {
			paused = 1
		}
		gauge(r.paused, paused, campaign)
	}
}

// reasons are what turns wait for, as labels.
var reasons = []string{calls.WaitsAnswer, calls.WaitsPerson, calls.WaitsBudget, string(throttle.Requests),
	string(throttle.Tokens), string(throttle.Concurrency), string(throttle.Provider), waitsRetry, "other"}

// waitsRetry is what turns wait for whose last call failed.
const waitsRetry = "retry"

// byReason returns the counts with bounded reasons: limits and error texts are left out.
func byReason(waits calls.Waits) map[string]int {
	counts := map[string]int{}
	for _, reason := range reasons {
		counts[reason] = 0
	}
	for _, w := range waits {
		reason, _, _ := strings.Cut(w.For, " (")
		if strings.HasPrefix(w.For, calls.TriesAgain) {
			reason = waitsRetry
		}
		if !slices.Contains(reasons, reason) {
			reason = "other"
		}
		counts[reason] += w.Turns
	}
	return counts
}
