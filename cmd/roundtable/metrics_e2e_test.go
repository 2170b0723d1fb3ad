package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"roundtable/cmd/internal/screentest"
)

// scraped is a campaign of one paid model.
const scraped = `name: scraped
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: openai/fake}
` + vendorPrices + `generate: {max_tokens: 100}
rule: majority
limits: {collaborations: 6, calls: 12, cost_usd: 50, tokens: 50000000, models: {openai/fake: {requests_per_minute: 60000}}}
`

// metrics are families by name, as Prometheus reads them.
type metrics map[string]*dto.MetricFamily

var listens = regexp.MustCompile(`metrics: (http://\S+)/metrics`)

// metricsAt waits until a program says where it serves metrics.
func metricsAt(t *testing.T, b *background) string {
	t.Helper()
	at := ""
	screentest.Until(t, "an address", func() bool {
		if found := listens.FindStringSubmatch(b.said.String()); found != nil {
			at = found[1]
		}
		return at != ""
	})
	return at
}

// fetch returns the status and the body of a page.
func fetch(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	noError(t, err)
	return r.StatusCode, string(body)
}

// scrape reads the metrics.
func scrape(t *testing.T, at string) metrics {
	t.Helper()
	code, body := fetch(t, at+"/metrics")
	if code != http.StatusOK {
		t.Fatalf("%s/metrics: status %d\n%s", at, code, body)
	}
	var parser expfmt.TextParser
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	noError(t, err)
	return families
}

// sum adds up the values of a metric whose labels are as given, as model=x; of histograms the counts.
func (m metrics) sum(name string, labels ...string) float64 {
	total := 0.
	for _, one := range m[name].GetMetric() {
		has := func(want string) bool {
			return slices.ContainsFunc(one.GetLabel(), func(l *dto.LabelPair) bool { return l.GetName()+"="+l.GetValue() == want })
		}
		if !slices.ContainsFunc(labels, func(l string) bool { return !has(l) }) {
			total += one.GetCounter().GetValue() + one.GetGauge().GetValue() + float64(one.GetHistogram().GetSampleCount())
		}
	}
	return total
}

// TestMetrics: what Prometheus reads of a campaign whose service fails now and then is
// what the ledger has and what the vendor has sold.
func TestMetrics(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.latency = 20 * time.Millisecond
	hold := make(chan struct{})
	held := trick{"held", false, func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
		<-hold
		body, b := v.answer(a, reply(a.prompt(), a.again()), "stop")
		v.book(&v.sold, b)
		w.Write(body)
	}}
	usual := every(6,
		says("429", false, 429, openaiError("requests", "rate_limit_exceeded"), "Retry-After-Ms", "20"),
		says("503", false, 503, openaiError("server_error", ""), "Retry-After-Ms", "20"),
		says("409", false, 409, openaiError("conflict", "conflict")), // a 500 to a new schema would be asked at once without
		sells("nonsense", "stop", func(*asked) string { return `I think {"decision": ` }))
	v.set(func(a *asked) *trick {
		if a.n >= 40 {
			return &held
		}
		return usual(a)
	})
	dir := write(t, scraped)
	b := starts(t, dir, v.at(), "run", "campaign.yaml", "--metrics", "127.0.0.1:0")
	at := metricsAt(t, b)
	if code, _ := fetch(t, at+"/healthz"); code != http.StatusOK {
		t.Errorf("/healthz: %d", code)
	}
	screentest.Until(t, "it is ready", func() bool { code, _ := fetch(t, at+"/readyz"); return code == http.StatusOK })
	screentest.Until(t, "40 requests", func() bool { return len(v.arrivals()) > 40 })
	ends(t, 0, dir, nil, "pause", "scraped") // no other call begins
	var now metrics
	screentest.Until(t, "the pause", func() bool {
		before := len(v.arrivals())
		time.Sleep(2 * time.Second) // a collaboration may not have heard of the pause yet, or be about to try again
		if len(v.arrivals()) > before {
			return false
		}
		now = scrape(t, at)
		under := now.sum("roundtable_calls_in_flight")
		return now.sum("roundtable_campaign_paused", "campaign=scraped") == 1 && under > 0 && now.sum("roundtable_turns_waiting") == under && now.sum("roundtable_turns_waiting", "reason=answer") == under
	})
	booksAgree(t, now, v)
	ledgerAgrees(t, now, dir)
	plausible(t, now)
	lints(t, at)
	v.set(usual)
	ends(t, 0, dir, nil, "resume", "scraped")
	close(hold)
	if code := b.code(t); code != 0 {
		t.Errorf("it ends with code %d\n%s", code, &b.said)
	}
	balance(t, dir, "scraped", v)
}

// booksAgree compares metrics with what the vendor sold and refused.
func booksAgree(t *testing.T, now metrics, v *vendor) {
	t.Helper()
	sold, _ := v.books()
	model := "model=openai/fake"
	answered, unusable := now.sum("roundtable_calls_total", model, "outcome=answered"), now.sum("roundtable_calls_total", model, "outcome=unusable")
	if answered+unusable != float64(sold.calls) || unusable < float64(v.played["nonsense"]) {
		t.Errorf("%v answered, %v unusable; sold %d, %d of them nonsense", answered, unusable, sold.calls, v.played["nonsense"])
	}
	for what, pair := range map[string][2]float64{
		"input":      {now.sum("roundtable_tokens_total", model, "direction=input"), float64(sold.input)},
		"output":     {now.sum("roundtable_tokens_total", model, "direction=output"), float64(sold.output)},
		"cost":       {now.sum("roundtable_cost_usd_total", model), float64(sold.nanoUSD) / 1e9},
		"spent":      {now.sum("roundtable_budget_spent_usd", "campaign=scraped"), float64(sold.nanoUSD) / 1e9},
		"cap":        {now.sum("roundtable_budget_cap_usd", "campaign=scraped"), 50},
		"429":        {now.sum("roundtable_calls_total", model, "outcome=rate_limited"), float64(v.played["429"])},
		"503":        {now.sum("roundtable_calls_total", model, "outcome=overloaded"), float64(v.played["503"])},
		"409":        {now.sum("roundtable_calls_total", model, "outcome=failed"), float64(v.played["409"])},
		"all":        {now.sum("roundtable_calls_total") + now.sum("roundtable_calls_in_flight"), float64(len(v.arrivals()))},
		"cells":      {now.sum("roundtable_campaign_cells", "campaign=scraped"), 4},
		"is working": {now.sum("roundtable_ready"), 1},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
	if v.played["429"] == 0 || v.played["nonsense"] == 0 {
		t.Errorf("tricks that were never played: %v", v.played)
	}
}

// ledgerAgrees compares metrics with the lake's ledger, as status reads it.
func ledgerAgrees(t *testing.T, now metrics, dir string) {
	t.Helper()
	type sums struct {
		Calls, In, Out, USD float64
	}
	var all []struct {
		Spent    sums
		UnderWay struct{ Spent sums } `json:"under_way"`
	}
	d := ends(t, 0, dir, nil, "status", "scraped", "--json")
	if err := json.Unmarshal([]byte(d.out), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v\n%s", err, d.out)
	}
	s := all[0]
	for what, pair := range map[string][2]float64{
		"calls":  {now.sum("roundtable_call_duration_seconds") + now.sum("roundtable_calls_in_flight"), s.Spent.Calls + s.UnderWay.Spent.Calls},
		"input":  {now.sum("roundtable_tokens_total", "direction=input"), s.Spent.In + s.UnderWay.Spent.In},
		"output": {now.sum("roundtable_tokens_total", "direction=output"), s.Spent.Out + s.UnderWay.Spent.Out},
		"cost":   {now.sum("roundtable_cost_usd_total"), s.Spent.USD + s.UnderWay.Spent.USD},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 || pair[0] == 0 {
			t.Errorf("%s: metrics say %v, the ledger %v", what, pair[0], pair[1])
		}
	}
}

// plausible checks what has no exact figure.
func plausible(t *testing.T, now metrics) {
	t.Helper()
	for _, want := range [][]string{
		{"roundtable_store_requests_total", "operation=put_if_absent", "outcome=ok"}, {"roundtable_store_request_duration_seconds"},
		{"roundtable_store_bytes_total", "direction=written"}, {"roundtable_gate_limit", "campaign=scraped"},
		{"temporal_activity_execution_latency_seconds", "activity_type=Survey"}, {"temporal_workflow_task_schedule_to_start_latency_seconds"},
		{"temporal_worker_task_slots_available", "worker_type=ActivityWorker"}, {"temporal_request_total", "operation=RespondWorkflowTaskCompleted"}, {"temporal_num_pollers"},
		{"go_goroutines"}, {"process_start_time_seconds"}, {"roundtable_build_info"},
	} {
		if now.sum(want[0], want[1:]...) <= 0 {
			t.Errorf("%v is not there: %v", want, now[want[0]])
		}
	}
	for _, reported := range []string{"roundtable_queue_backlog", "roundtable_turns_waiting", "roundtable_gate_waiting", "roundtable_budget_reserved_usd"} {
		if len(now[reported].GetMetric()) == 0 {
			t.Errorf("%s is not there", reported)
		}
	}
	for name, family := range now {
		if n := len(family.GetMetric()); n > 120 {
			t.Errorf("%s has %d series", name, n)
		}
		for _, one := range family.GetMetric() {
			for _, l := range one.GetLabel() {
				if regexp.MustCompile(`-i\d+-r\d+|canary`).MatchString(l.GetValue()) {
					t.Errorf("%s names a cell or a key: %s", name, l)
				}
			}
		}
	}
}

// lints holds the metrics to the rules of promtool.
func lints(t *testing.T, at string) {
	t.Helper()
	_, body := fetch(t, at+"/metrics")
	problems, err := promlint.New(bytes.NewBufferString(body)).Lint()
	noError(t, err)
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "roundtable_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// TestNoMetrics: without an address nothing listens; one that is taken is refused.
func TestNoMetrics(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	dir := write(t, strings.Replace(scraped, "replicates: 4", "replicates: 1", 1))
	taken := strings.TrimPrefix(v.URL, "http://")
	if d := command(t, dir, v.at(), "run", "campaign.yaml", "--metrics", taken); d.code != 2 || !strings.Contains(d.err, fmt.Sprintf("--metrics %s: ", taken)) {
		t.Errorf("code %d\n%s", d.code, d.err)
	}
	if d := ends(t, 0, dir, v.at(), "run", "campaign.yaml"); listens.MatchString(d.err) {
		t.Error(d.err)
	}
}
