package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/labelling"
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
	return copyOf(t, "talk", func(t *testing.T, dir string) {
		save(t, dir, "talk.yaml", talkCampaign)
		output(t, dir, "run", "talk.yaml")
	})
}

// TestLabelByRules goes from a campaign to Table 9.
func TestLabelByRules(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := talkLake(t)
	if out := output(t, dir, "label", "talk"); !strings.Contains(out, "SIMULATED") || !strings.Contains(out, "72 messages of 8 collaborations") {
		t.Errorf("label says\n%s", out)
	}
	first := labelsOf(t, dir, "talk")
	var again labelling.Summary
	out, err := program(t, dir, "label", "talk", "--json").Output()
	if err != nil || json.Unmarshal(out, &again) != nil || again.Messages != 72 || again.Left != 0 || !again.Simulated {
		t.Errorf("label again says %s, error %v", out, err)
	}
	if second := labelsOf(t, dir, "talk"); fmt.Sprint(first) != fmt.Sprint(second) || len(first) != 8 {
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
		"--labeller nobody/x":        "unknown provider",
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
func labelsOf(t *testing.T, dir, campaign string) map[string]string {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	found := map[string]string{}
	labellers, err := lake.Labellers(context.Background(), s, campaign)
	for _, by := range labellers {
		var markers []lake.Marker
		markers, err = lake.LabelMarkers(context.Background(), s, campaign, by)
		for _, m := range markers {
			found[m.Key()] = m.Digest
		}
	}
	noError(t, err)
	return found
}

func TestLabellersOfFlags(t *testing.T) {
	for reasks := -1; reasks < 12; reasks++ {
		how, err := labelling.Options{Labeller: "openai/a", Params: "{}", Generate: "{}", Reasks: reasks}.LabellingOfFlags()
		if (err == nil) != (reasks >= 0 && reasks <= 10) || how.Reasks != reasks || how.Labeller.Name != "openai/a" {
			t.Errorf("%d re-asks: %+v, %v", reasks, how, err)
		}
	}
	for says, o := range map[string]labelling.Options{"--generate:": {Params: "{}", Generate: "{x: 1}"}, "--params:": {Params: "[]", Generate: "{}"}} {
		if _, err := o.LabellingOfFlags(); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s %v", says, err)
		}
	}
}
