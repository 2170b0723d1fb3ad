package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

// logLine is one line of a JSON log.
type logLine map[string]any

// logged reads a JSON log, each line of which must be a document with time, level and message.
func logged(t *testing.T, text string) (all []logLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var l logLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("no JSON: %s", line)
			continue
		}
		if l["time"] == nil || l["level"] == nil || l["msg"] == nil {
			t.Errorf("without time, level or message: %s", line)
		}
		all = append(all, l)
	}
	return all
}

// find returns the first line with a message; nil if there is none.
func find(all []logLine, msg string) logLine {
	i := slices.IndexFunc(all, func(l logLine) bool { return l["msg"] == msg })
	if i < 0 {
		return nil
	}
	return all[i]
}

// TestLogs: with --log-format json an operator's log says what happens, at any level without
// a prompt, an answer or a key.
func TestLogs(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.set(every(6, says("429", false, 429, openaiError("requests", "rate_limit_exceeded"), "Retry-After-Ms", "10"),
		sells("nonsense", "stop", func(*asked) string { return `PLANTED-ANSWER {"decision": ` })))
	dir := write(t, strings.Replace(scraped, "replicates: 4", "replicates: 2", 1))
	d := ends(t, 0, dir, v.at(), "run", "campaign.yaml", "--log-format", "json", "--log-level", "debug")
	all := logged(t, withoutNotices(d.err))
	for _, msg := range []string{"starting", "connected", "taking work", "call answered", "call failed", "collaboration ended", "stopping: answers under way come in", "stopped"} {
		if find(all, msg) == nil {
			t.Errorf("nothing says %q", msg)
		}
	}
	ended := find(all, "collaboration ended")
	if ended["campaign"] != "scraped" || ended["model"] != "openai/fake" || ended["status"] != "succeeded" || ended["instance"] == nil || !strings.HasPrefix(ended["condition"].(string), "majority-") {
		t.Errorf("%v", ended)
	}
	if failed := find(all, "call failed"); failed["outcome"] != "rate_limited" || failed["status"] != 429. || failed["level"] != "WARN" {
		t.Errorf("%v", failed)
	}
	cleanLog(t, d.err)

	v.after(10, says("401", false, 401, `{"error":{"type":"invalid_request_error","code":"invalid_api_key","message":"no"}}`))
	save(t, dir, "campaign.yaml", strings.Replace(scraped, "replicates: 4", "replicates: 3", 1))
	d = ends(t, cli.ExitIncomplete, dir, v.at(), "run", "campaign.yaml", "--log-format", "json")
	all = logged(t, withoutNotices(d.err))
	paused := find(all, "campaign paused")
	if paused == nil || paused["campaign"] != "scraped" || !strings.Contains(paused["reason"].(string), "invalid_api_key") || find(all, "call answered") != nil {
		t.Errorf("%v\n%s", paused, d.err)
	}
	if refused := find(all, "call failed"); refused == nil || refused["outcome"] != "refused" || refused["code"] != "invalid_api_key" {
		t.Errorf("%v", refused)
	}
	cleanLog(t, d.err)
	if log, err := os.ReadFile(filepath.Join(dir, ".roundtable", "worker.log")); err == nil {
		cleanLog(t, string(log))
	}
}

// withoutNotices leaves out what run says before its engine starts and when it has ended.
func withoutNotices(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			kept.WriteString(line)
		} else if !strings.HasPrefix(line, "New lake ") && !strings.HasPrefix(line, "roundtable: ") && !strings.HasPrefix(line, "extended ") && !strings.Contains(line, "is extended") && strings.TrimSpace(line) != "" {
			kept.WriteString("unexpected: " + line)
		}
	}
	return kept.String()
}

// cleanLog fails if a log holds a key, a prompt or an answer.
func cleanLog(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{"canary-key-5f1d", "PLANTED-ANSWER", "this is the message phase", "Let us settle", "apples", "reason_for_decision"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// TestLogFlags: formats, levels and addresses that are none are refused before anything
// begins, also where nothing is left to do; without a format worker.log has what the level
// says, and with one every line of a finished campaign is one of the log.
func TestLogFlags(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	dir := write(t, strings.Replace(scraped, "replicates: 4", "replicates: 1", 1))
	refuses := func(args ...string) {
		t.Helper()
		refused := map[string][]string{"expected text or json": {"--log-format", "xml"}, "expected debug, info, warn or error": {"--log-level", "loud"}, "expected HOST:PORT or :PORT": {"--metrics", "foo"}, "unknown port": {"--metrics", ":foo"}}
		for _, says := range slices.Sorted(maps.Keys(refused)) {
			all := append(slices.Clone(args), refused[says]...)
			if d := command(t, dir, v.at(), all...); d.code != cli.ExitUsage || !strings.Contains(d.err, says) || strings.Count(d.err, "\n") != 1 {
				t.Errorf("%v: code %d\n%s", all, d.code, d.err)
			}
		}
	}
	refuses("run", "campaign.yaml")
	d := ends(t, 0, dir, v.at(), "run", "campaign.yaml", "--log-level", "info")
	log, err := os.ReadFile(filepath.Join(dir, ".roundtable", "worker.log"))
	if err != nil || !strings.Contains(string(log), "level=INFO") || strings.Contains(d.err, "level=") {
		t.Errorf("%v\n%s\n%s", err, log, d.err)
	}
	refuses("run", "campaign.yaml")
	refuses("resume", "scraped")
	refuses("label", "scraped")
	refuses("worker", "--temporal", "127.0.0.1:9")
	if d = ends(t, 0, dir, v.at(), "run", "campaign.yaml", "--log-format", "json"); len(logged(t, d.err)) == 0 {
		t.Errorf("nothing says that it is done: %s", d.err)
	}
}
