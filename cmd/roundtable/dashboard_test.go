package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// expressions returns those of the dashboard and of the alert rules, by title.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	var config struct {
		RuleFiles []string `yaml:"rule_files"`
		Scrape    []struct {
			Job string `yaml:"job_name"`
		} `yaml:"scrape_configs"`
	}
	read := func(name string, parse func([]byte, any) error, into any) {
		data, err := os.ReadFile("../../infra/deploy/" + name)
		if err == nil {
			err = parse(data, into)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	read("dashboard.json", json.Unmarshal, &board)
	read("alerts.yml", yaml.Unmarshal, &rules)
	read("prometheus.yml", yaml.Unmarshal, &config)
	if !slices.Equal(config.RuleFiles, []string{"alerts.yml"}) || len(config.Scrape) != 1 {
		t.Errorf("prometheus.yml: %+v", config)
	}
	all := map[string]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID] = target.Expr
		}
	}
	for _, v := range board.Templating.List {
		if v.Definition != "" { // label_values(metric, label)
			metric, label, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(v.Definition, "label_values("), ")"), ", ")
			all["variable "+v.Name] = "sum by (" + label + ") (" + metric + ")"
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			all["alert "+r.Alert] = r.Expr
			if !strings.Contains(r.Expr, "roundtable") || r.Alert == "" {
				t.Errorf("alert %q: %s", r.Alert, r.Expr)
			}
		}
	}
	return all
}

var (
	promText     = regexp.MustCompile(`"[^"]*"`)
	promRange    = regexp.MustCompile(`\[[0-9a-z]+\]|\boffset\s+[0-9a-z]+`)
	promGroups   = regexp.MustCompile(`\b(?:by|on|without|ignoring)\s*\(([^)]*)\)`)
	promSelector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{([^}]*)\}`)
	promWord     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*(\s*\()?`)
	labelOf      = regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_]*`)
)

// ofPrometheus are labels that Prometheus adds, and le, which histograms have.
var ofPrometheus = []string{"job", "instance", "le"}

// readBy returns the metrics that a PromQL expression reads, with the labels that it selects by,
// and the labels that it groups by.
func readBy(expr string) (metrics map[string][]string, groups []string) {
	metrics = map[string][]string{}
	expr = promRange.ReplaceAllString(promText.ReplaceAllString(expr, ""), "")
	for _, g := range promGroups.FindAllStringSubmatch(expr, -1) {
		groups = append(groups, labelOf.FindAllString(g[1], -1)...)
	}
	expr = promGroups.ReplaceAllString(expr, " ")
	expr = promSelector.ReplaceAllStringFunc(expr, func(s string) string {
		m := promSelector.FindStringSubmatch(s)
		metrics[m[1]] = append(metrics[m[1]], labelOf.FindAllString(m[2], -1)...)
		return " "
	})
	for _, w := range promWord.FindAllString(expr, -1) {
		if !strings.HasSuffix(w, "(") && !slices.Contains([]string{"unless", "and", "or", "sum", "max", "min", "avg", "count"}, w) {
			metrics[w] = append(metrics[w], []string{}...)
		}
	}
	return metrics, groups
}

// drawsWhatIsThere holds the dashboard and the alert rules to the metrics of a program that works.
func drawsWhatIsThere(t *testing.T, now metrics) {
	t.Helper()
	labels := func(metric string) (found []string, ok bool) {
		family := now[metric]
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if base, is := strings.CutSuffix(metric, part); family == nil && is {
				family = now[base]
			}
		}
		for _, one := range family.GetMetric() {
			for _, l := range one.GetLabel() {
				found = append(found, l.GetName())
			}
		}
		return append(found, ofPrometheus...), family != nil
	}
	all := expressions(t)
	for title, expr := range all {
		read, groups := readBy(expr)
		if len(read) == 0 {
			t.Errorf("%s reads nothing: %s", title, expr)
		}
		known := slices.Clone(ofPrometheus)
		for metric, selected := range read {
			there, ok := labels(metric)
			if !ok && metric != "up" { // Prometheus' own
				t.Errorf("%s: there is no metric %s", title, metric)
			}
			for _, l := range selected {
				if !slices.Contains(there, l) {
					t.Errorf("%s: %s has no label %s", title, metric, l)
				}
			}
			known = append(known, there...)
		}
		for _, l := range groups {
			if !slices.Contains(known, l) {
				t.Errorf("%s: no metric in it has the label %s", title, l)
			}
		}
	}
	if len(all) < 30 {
		t.Errorf("%d expressions", len(all))
	}
}

// TestReadBy: the check of the dashboard sees names that are wrong.
func TestReadBy(t *testing.T) {
	read, groups := readBy(`max by (job, campaign) (a_total{job=~"$job",x="by (y) z"}) > 0 unless on (job) sum by (le) (rate(b_bucket[5m])) / c offset 10m`)
	if len(read) != 3 || !slices.Equal(read["a_total"], []string{"job", "x"}) || read["b_bucket"] != nil || !slices.Equal(groups, []string{"job", "campaign", "job", "le"}) {
		t.Errorf("%v by %v", read, groups)
	}
	if _, ok := read["c"]; !ok {
		t.Errorf("%v", read)
	}
}
