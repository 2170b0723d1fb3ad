package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/labelling"
	"roundtable/cmd/internal/predictions"
	"strings"
	"testing"
)

// labelledBy is the campaign of TestLabelByRules with a labeller in its file.
func labelledBy(t *testing.T, dir, labels string) {
	t.Helper()
	save(t, dir, "talk.yaml", talkCampaign+labels)
}

// TestRunLabels: a campaign whose file names a labeller is labelled when it has
// ended, and the labels change nothing of what it found.
func TestRunLabels(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	plain, dir := talkLake(t), t.TempDir()
	labelledBy(t, dir, "labels: {model: scripted/labeller}\n")
	if out := output(t, dir, "run", "talk.yaml"); !strings.Contains(out, "Labels:  by scripted-labeller-") {
		t.Errorf("run says\n%s", out)
	}
	if a, b := digestBy(t, plain, "talk"), digestBy(t, dir, "talk"); a != b {
		t.Errorf("the digest is %s without labels and %s with them", a, b)
	}
	if found := labelsOf8(t, dir); len(found) != 1 || !strings.HasPrefix(found[0], "scripted-labeller-") {
		t.Errorf("labels are by %v", found)
	}
	if out := output(t, dir, "run", "talk.yaml"); !strings.Contains(out, "done already") {
		t.Errorf("run again says\n%s", out)
	}
	output(t, dir, "features", "talk")
	for table, column := range map[string]string{"labels": "labeller", "features": "embedder"} {
		out := output(t, dir, "export", "talk", "--table", table, "-o", table+".csv")
		data, err := os.ReadFile(filepath.Join(dir, table+".csv"))
		if head, _, _ := strings.Cut(string(data), "\n"); err != nil || !strings.Contains(out, ".csv: 72 rows") || !strings.Contains(head, ","+column+",") {
			t.Errorf("%v: export of %s says\n%s", err, table, out)
		}
	}
	// A file that gets its labeller later is labelled by the same command.
	labelledBy(t, plain, "labels: {model: scripted/labeller, reasks: 0}\n")
	if out := output(t, plain, "run", "talk.yaml"); strings.Contains(out, "done already") || !strings.Contains(out, "Labels:  by scripted-labeller-") {
		t.Errorf("run with a new labeller says\n%s", out)
	}
	// By default, label goes on with the labeller of the file, and tables show it.
	output(t, plain, "label", "talk", "--labeller", "scripted/labeller")
	both := labelsOf8(t, plain)
	out := output(t, plain, "label", "talk", "--json")
	var r labelling.Summary
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(both) != 2 {
		t.Fatalf("%v: labels by %v\n%s", err, both, out)
	}
	for _, args := range [][]string{{"--table", "dialogue-acts"}, {"--table", "regression"}, {"--figure", "exchange-transitions"}} {
		if out := output(t, plain, append([]string{"analyze", "talk"}, args...)...); !strings.Contains(out, "abelled by "+r.Labeller) {
			t.Errorf("%v does not rest on %s:\n%s", args, r.Labeller, out)
		}
	}
	// Out of the file it is out of the campaign: resume would go on to pay for it.
	labelledBy(t, plain, "")
	output(t, plain, "run", "talk.yaml")
	data, err := os.ReadFile(filepath.Join(plain, "lake", "lake", "_campaigns", "talk", "manifest.json"))
	if err != nil || strings.Contains(string(data), "labeller") {
		t.Errorf("%v: the manifest still names a labeller:\n%s", err, data)
	}
	if out := output(t, plain, "run", "talk.yaml"); !strings.Contains(out, "done already") {
		t.Errorf("run without a labeller again says\n%s", out)
	}
	labelledBy(t, dir, "labels:\n  model: scripted/trader\n  reasks: 11\n")
	d := ends(t, 2, dir, nil, "plan", "talk.yaml")
	for _, want := range []string{"line 8: labels.model: scripted/trader cannot label; scripted/labeller can, and so can any language model", "line 9: labels.reasks: is 11"} {
		if !strings.Contains(d.err, want) {
			t.Errorf("plan says\n%s, not %q", d.err, want)
		}
	}
	save(t, dir, "talk.yaml", strings.Replace(talkCampaign, "scripted/trader", "scripted/labeller", 1))
	if d := ends(t, 2, dir, nil, "plan", "talk.yaml"); !strings.Contains(d.err, "scripted/labeller labels messages and plays no agent; name it in labels") {
		t.Errorf("of a labeller that is to be an agent plan says\n%s", d.err)
	}
}

// TestPlanLabels: plan says what labels will take: a call a message, which cost
// what the labeller costs, and nothing by rules.
func TestPlanLabels(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for labels, want := range map[string]struct{ calls, usd float64 }{
		"labels: {model: scripted/labeller}\n":                                            {},
		"labels: {model: openai/fake}\nprices: {openai/fake: {input: 0, output: 1000}}\n": {72, 72 * 1000 * 7.75 / 1e6},
	} {
		labelledBy(t, dir, labels)
		var said struct{ Prediction predictions.Prediction }
		out := ends(t, 0, dir, nil, "plan", "talk.yaml", "--json").out
		if err := json.Unmarshal([]byte(out), &said); err != nil || said.Prediction.Labels == nil {
			t.Fatalf("%v: plan says\n%s", err, out)
		}
		l := said.Prediction.Labels
		if l.Calls.Mean != want.calls || l.CostUSD == nil || math.Abs(l.CostUSD.Mean-want.usd) > 1e-9 || l.InputTokens.High < l.InputTokens.Mean {
			t.Errorf("%s: %+v at %+v, want %+v", labels, *l, l.CostUSD, want)
		}
	}
}

// TestLabellerByRulesHasNoParameters: a slip is told, and a key that does not
// belong there is not recorded.
func TestLabellerByRulesHasNoParameters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	labelledBy(t, dir, "labels: {model: {name: scripted/labeller, api_key: canary}}\n")
	if d := ends(t, cli.ExitUsage, dir, nil, "plan", "talk.yaml"); !strings.Contains(d.err, "labels.model.api_key: unknown key") {
		t.Errorf("plan says\n%s", d.err)
	}
	labelledBy(t, dir, "labels: {model: {name: scripted/labeller}}\n")
	ends(t, 0, dir, nil, "plan", "talk.yaml")
}

// labelsOf8 are those who have labelled all eight collaborations.
func labelsOf8(t *testing.T, dir string) []string {
	t.Helper()
	n := map[string]int{}
	for key := range labelsOf(t, dir, "talk") {
		n[strings.Split(key, "/")[4]]++
	}
	var all []string
	for by, n := range n {
		if n == 8 {
			all = append(all, by)
		}
	}
	return all
}
