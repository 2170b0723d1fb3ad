package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
)

// shared puts answers of some ages into the lake's cache; the first was bought by
// campaign "reading", which was served two others.
func shared(t *testing.T, s store.Store, p campaign.Plan, ages ...time.Duration) {
	t.Helper()
	ledger, began := answers.NewAnswers(s), time.Now()
	for i, age := range ages {
		key, err := answers.CacheKey(answers.Question{Instance: i})
		if err == nil {
			err = ledger.PutCached(context.Background(), key, answers.Answer{Raw: []byte("said"), ModelAsked: "openai/m", StartedAt: began.Add(-age).UnixMicro()})
		}
		noError(t, err)
	}
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "reading", ConditionID: p.Campaign.Conditions[0].ID(), CollaborationID: p.Campaign.CollaborationID(p.Campaign.Cell(0))}
	call := func(entry int32, cached bool, age time.Duration) record.Call {
		return record.Call{Key: key, Entry: entry, ModelAsked: "openai/m", Status: "answered", Cached: cached, StartedAt: began.Add(-age).UnixMicro()}
	}
	_, err := commits.Commit(context.Background(), s, record.Rows{
		Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}},
		Calls:          []record.Call{call(0, false, ages[0]), call(1, true, 0), call(2, true, 0)},
	})
	noError(t, err)
}

func entries(t *testing.T, dir string) float64 {
	t.Helper()
	out, err := runCommand(t, "cache", "stats", "--lake", dir, "--json")
	noError(t, err)
	return document(t, out)["entries"].(float64)
}

func TestCacheStats(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	shared(t, s, p, time.Hour, 800*time.Hour, 2*time.Hour)
	noError(t, s.PutIfAbsent(context.Background(), "cache/notes.txt", []byte("mine")))
	out, err := runCommand(t, "cache", "stats", "--lake", o.Lake)
	noError(t, err)
	contains(t, out, "openai/m", "reading", "cache/notes.txt is not an entry")
	out, err = runCommand(t, "cache", "stats", "--lake", o.Lake, "--json")
	noError(t, err)
	d := document(t, out)
	unknown, known := d["uses"].([]any)[0].(map[string]any), d["uses"].([]any)[1].(map[string]any)
	if d["entries"] != 3. || d["served"] != 2. || unknown["entries"] != 2. || known["campaign"] != "reading" || known["entries"] != 1. || known["served"] != 2. {
		t.Errorf("%v", d)
	}
	if out, err = runCommand(t, "analyze", "reading", "--lake", o.Lake, "--table", "summary", "--json"); err != nil {
		t.Fatal(err)
	}
	rows := document(t, out)["tables"].([]any)[0].(map[string]any)["rows"].([]any)
	if all := rows[len(rows)-1].(map[string]any); all["cached"] != 2. {
		t.Errorf("the summary does not count the answers from the cache: %v", all)
	}
}

func TestCachePrune(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	shared(t, s, p, 900*time.Hour, 800*time.Hour, 2*time.Hour)
	for _, x := range []struct {
		args []string
		says string
		left float64
	}{
		{nil, "2 of 3 entries of the cache would be deleted", 3},
		{[]string{"--older-than", "850h"}, "1 of 3", 3},
		{[]string{"--campaign", "reading", "--yes"}, "1 of 3 entries of the cache deleted", 2},
		{[]string{"--yes"}, "1 of 2", 1},
		{[]string{"--yes"}, "0 of 1", 1},
		{[]string{"--older-than", "0", "-y"}, "1 of 1", 0},
	} {
		out, err := runCommand(t, append([]string{"cache", "prune", "--lake", o.Lake}, x.args...)...)
		noError(t, err)
		contains(t, out, x.says)
		if left := entries(t, o.Lake); left != x.left {
			t.Errorf("after %q the cache has %v entries, want %v", x.args, left, x.left)
		}
	}
	out, err := runCommand(t, "cache", "prune", "--lake", o.Lake, "--json")
	noError(t, err)
	if d := document(t, out); d["deleted"] != 0. || d["dry_run"] != true {
		t.Errorf("%v", d)
	}
}

func TestCacheRefuses(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	shared(t, s, p, time.Hour)
	for _, x := range []struct{ args, says []string }{
		{nil, []string{"stats or prune"}},
		{[]string{"empty"}, []string{"stats or prune", "empty"}},
		{[]string{"stats", "all"}, []string{"all"}},
		{[]string{"prune", "--older-than", "-1h"}, []string{"-1h"}},
		{[]string{"prune", "--older-than", "a month"}, []string{"a month"}},
		{[]string{"prune", "--campaign", "none"}, []string{`"none"`}},
		{[]string{"stats", "--lake", filepath.Join(o.Lake, "none")}, []string{"no lake"}},
	} {
		_, err := runCommand(t, append([]string{"cache", "--lake", o.Lake}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says...)
	}
}

// TestVerifyLooksAtTheCache: damaged entries are counted, and are not the fault of a campaign.
func TestVerifyLooksAtTheCache(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	shared(t, s, p, time.Hour, 2*time.Hour, 3*time.Hour)
	ctx := context.Background()
	before := findings(t, o.Lake)
	objects, err := s.List(ctx, "cache/")
	if err != nil || len(objects) != 3 {
		t.Fatal(objects, err)
	}
	if err := s.Replace(ctx, objects[1].Key, []byte(`{"torn`), ""); err != nil {
		t.Fatal(err)
	}
	out, _ := runCommand(t, "verify", "reading", "--lake", o.Lake)
	contains(t, out, "Cache of the lake: damaged are 1 of 3 entries; each costs one call when it is needed")
	if after := findings(t, o.Lake); len(after) != len(before) {
		t.Errorf("%v is wrong, before the damage %v", after, before)
	}
}

func findings(t *testing.T, lake string) []lake.Finding {
	t.Helper()
	out, _ := runCommand(t, "verify", "reading", "--lake", lake, "--json")
	var v integrity.Verification
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return v.Findings
}
