package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/labelling"
	"roundtable/cmd/internal/screentest"
)

const talkCampaign = `name: talk
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 3}
model: scripted/trader
grid: {rule: [majority, ranked]}
`

func talkLake(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	save(t, dir, "talk.yaml", talkCampaign)
	output(t, dir, "run", "talk.yaml")
	return dir
}

// TestLabelByRules goes from a campaign to Table 9.
func TestLabelByRules(t *testing.T) {
	t.Parallel()
	dir := talkLake(t)
	if out := output(t, dir, "label", "talk"); !strings.Contains(out, "SIMULATED") || !strings.Contains(out, "72 messages of 8 collaborations") {
		t.Errorf("label says\n%s", out)
	}
	first := labelsOf(t, dir)
	var again labelling.Summary
	out, err := program(t, dir, "label", "talk", "--json").Output()
	if err != nil || json.Unmarshal(out, &again) != nil || again.Messages != 72 || again.Left != 0 || !again.Simulated {
		t.Errorf("label again says %s, error %v", out, err)
	}
	if second := labelsOf(t, dir); fmt.Sprint(first) != fmt.Sprint(second) || len(first) != 8 {
		t.Errorf("labels were %v and are %v", first, second)
	}
	if out := output(t, dir, "analyze", "talk", "--table", "dialogue-acts"); !strings.Contains(out, "Inform") || !strings.Contains(out, "scripted-labeller-") {
		t.Errorf("Table 9 is\n%s", out)
	}
	for _, args := range [][]string{{"--figure", "transitions", "--reading", "each"}, {"--figure", "exchange-transitions", "-o", "f.svg"}, {"--figure", "exchange-transitions", "-o", "f.dot"}, {"--figure", "exchange-transitions", "-o", "f.png"}} {
		output(t, dir, append([]string{"analyze", "talk"}, args...)...)
	}
	output(t, dir, "report", "talk", "-o", "r.html")
	if page, err := os.ReadFile(filepath.Join(dir, "r.html")); err != nil || !strings.Contains(string(page), "(paper 1, Table 9)") || !strings.Contains(string(page), "(Figure 23)") || !strings.Contains(string(page), "labels by scripted-labeller-") {
		t.Errorf("%v: labels are not in the report", err)
	}
	if dot, err := os.ReadFile(filepath.Join(dir, "f.dot")); err != nil || strings.Count(string(dot), "digraph") != 2 || !strings.Contains(string(dot), "Start -> ") {
		t.Errorf("%v: Figure 23 for Graphviz is\n%s", err, dot)
	}
	for args, want := range map[string]string{
		"--labeller nobody/x":        "there is no provider",
		"--labeller scripted/trader": "cannot label",
		"--labeller openai/unheard-of --params {\"base_url\":\"http://localhost:1/v1\"}": "cannot be reached",
		"--reasks 11":                   "0 to 10",
		"--generate {\"temprature\":0}": "temprature",
		"--price {\"input\":-1}":        "input",
	} {
		out, err := program(t, dir, append([]string{"label", "talk"}, strings.Fields(args)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("label %s: %v\n%s", args, err, out)
		}
	}
}

// labelsOf are the digests of labels, by marker.
func labelsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := store.Open(filepath.Join(dir, "lake"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	labellers, err := lake.Labellers(context.Background(), s, "talk")
	for _, by := range labellers {
		var markers []lake.Marker
		markers, err = lake.LabelMarkers(context.Background(), s, "talk", by)
		for _, m := range markers {
			found[m.Key()] = m.Digest
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// labelService labels by the length of the message, some answers at first
// unreadable. It notes its requests.
func labelService(t *testing.T, asked *requests) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		asked.note(r)
		time.Sleep(60 * time.Millisecond)
		text := `{"acts": ["Inform", "Request"]}`
		if n := len(q.Messages[1].Content); n%5 == 0 && len(q.Messages) == 2 {
			text = `{"acts": ["Mumble"]}`
		} else if n%2 == 0 {
			text = `{"acts": ["Evaluate"]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"id": "r", "object": "chat.completion", "model": "fake-2026",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
			"usage":   map[string]any{"prompt_tokens": 500, "completion_tokens": 10, "total_tokens": 510},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// TestLabelKills kills labelling with -9 and goes on: no stored label is asked
// for again, the labels are those of a quiet run, and money is accounted for.
func TestLabelKills(t *testing.T) {
	t.Parallel()
	quiet, dir := talkLake(t), talkLake(t)
	asked := &requests{}
	url := labelService(t, asked)
	args := []string{
		"label", "talk", "--no-cache", "--labeller", "openai/fake", "--price", `{"input": 1, "output": 10}`,
		"--params", fmt.Sprintf(`{"base_url": %q, "api_key_env": "OPENAI_API_KEY"}`, url),
	}
	output(t, quiet, args...)
	calm := len(asked.arrivals(0))

	kills := 0
	for range 2 {
		stored, from := storedKeys(t, dir), len(asked.arrivals(0))
		b := starts(t, dir, nil, args...)
		screentest.Until(t, "some labels or the end", func() bool { return b.over() || len(asked.arrivals(from)) >= 8 })
		if b.cut(t) {
			kills++
		}
		notAgain(t, asked.arrivals(from), stored)
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	stored, from := storedKeys(t, dir), len(asked.arrivals(0))
	var report labelling.Summary
	out, err := program(t, dir, append(args, "--json")...).Output()
	if err != nil || json.Unmarshal(out, &report) != nil {
		t.Fatalf("after the kills: %v\n%s", err, out)
	}
	notAgain(t, asked.arrivals(from), stored)
	if a, b := labelsOf(t, quiet), labelsOf(t, dir); fmt.Sprint(a) != fmt.Sprint(b) || len(a) != 8 {
		t.Errorf("labels of the quiet run %v, of the killed one %v", a, b)
	}
	// A call may have been announced and not have left before a kill.
	if report.Messages != 72 || report.Invalid != 0 || report.InputTokens != int64(500*calm) || report.CostUSD == nil || report.Calls < int64(len(asked.arrivals(0))-calm) ||
		(report.WorstUSD > 0) != (report.Calls > int64(calm)) {
		t.Errorf("%+v; %d requests, of the quiet run %d", report, len(asked.arrivals(0))-calm, calm)
	}
	output(t, dir, "verify", "talk")
	leaks(t, dir, "canary-key-5f1d")
}
