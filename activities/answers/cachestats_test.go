package answers_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Calls of the made-up ledgers: a day apart.
func asked(day int) time.Time { return time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC) }

func cachedAnswer(model string, day int) answers.Answer {
	a := answer(0, fmt.Sprint(model, day))
	a.ModelAsked, a.RequestID, a.StartedAt = model, fmt.Sprint("r", day), asked(day).UnixMicro()
	return a
}

func cacheKey(t *testing.T, n int) string {
	t.Helper()
	key, err := answers.CacheKey(answers.Question{Model: "p", Instance: n})
	must(t, err)
	return key
}

// ledger commits a collaboration with these calls.
func ledger(t *testing.T, s store.Store, campaign string, generation int32, calls ...record.Call) {
	t.Helper()
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: campaign, ConditionID: "k", CollaborationID: "k-i0-r0", Generation: generation}
	for i := range calls {
		calls[i].Key, calls[i].Entry, calls[i].Status = key, int32(i), "answered"
	}
	_, err := commits.Commit(ctx, s, record.Rows{Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}}, Calls: calls})
	must(t, err)
}

func paid(model string, day int) record.Call {
	return record.Call{ModelAsked: model, RequestID: fmt.Sprint("r", day), StartedAt: asked(day).UnixMicro()}
}

func served(model string) record.Call {
	return record.Call{ModelAsked: model, RequestID: "r1", StartedAt: asked(20).UnixMicro(), Cached: true}
}

// madeUpCache has four entries of three campaigns, one of them not committed,
// and files that are nobody's.
func madeUpCache(t *testing.T) (*answers.Answers, *store.Local, string) {
	a, s, dir := open(t)
	for i, x := range []answers.Answer{cachedAnswer("m/1", 1), cachedAnswer("m/1", 2), cachedAnswer("m/2", 3), cachedAnswer("m/2", 4)} {
		must(t, a.PutCached(ctx, cacheKey(t, i), x))
	}
	ledger(t, s, "one", 0, paid("m/1", 1))
	ledger(t, s, "one", 1, paid("m/1", 2), served("m/1"))
	ledger(t, s, "two", 0, paid("m/2", 3), served("m/1"), served("m/1"))
	return a, s, dir
}

func TestCacheUses(t *testing.T) {
	_, s, _ := madeUpCache(t)
	c, err := answers.ReadCache(ctx, s)
	must(t, err)
	sizes := map[string]int64{}
	for _, e := range c.Entries {
		sizes[e.Model+e.Campaign] += e.Size
		o, err := s.Head(ctx, e.Key)
		if err != nil || o.Size != e.Size || e.Size == 0 {
			t.Errorf("%s has %d bytes: %+v, %v", e.Key, e.Size, o, err)
		}
	}
	same(t, c.Uses(), []answers.CacheUse{
		{Model: "m/1", Campaign: "one", Entries: 2, Bytes: sizes["m/1one"], Served: 1},
		{Model: "m/1", Campaign: "two", Served: 2},
		{Model: "m/2", Entries: 1, Bytes: sizes["m/2"]},
		{Model: "m/2", Campaign: "two", Entries: 1, Bytes: sizes["m/2two"]},
	})
	if c.Foreign != nil || c.Damaged != nil {
		t.Errorf("foreign %q, damaged %q", c.Foreign, c.Damaged)
	}
}

func TestEmptyCache(t *testing.T) {
	_, s, _ := open(t)
	c, err := answers.ReadCache(ctx, s)
	must(t, err)
	if len(c.Uses()) != 0 || len(c.Prunable(time.Now(), "")) != 0 {
		t.Errorf("%+v", c)
	}
}

func TestPrunable(t *testing.T) {
	_, s, _ := madeUpCache(t)
	c, err := answers.ReadCache(ctx, s)
	must(t, err)
	for _, x := range []struct {
		before   time.Time
		campaign string
		want     int
	}{
		{asked(1), "", 0}, {asked(3), "", 2}, {asked(9), "", 4},
		{asked(9), "one", 2}, {asked(2), "one", 1}, {asked(9), "two", 1}, {asked(9), "three", 0},
	} {
		got := c.Prunable(x.before, x.campaign)
		if len(got) != x.want {
			t.Errorf("before %s of %q: %d entries, want %d", x.before, x.campaign, len(got), x.want)
		}
	}
}

func TestPruningDeletesNothingElse(t *testing.T) {
	a, s, dir := madeUpCache(t)
	_, err := a.Put(ctx, place, done(turn(7, "x"), "said"))
	must(t, err)
	good := cacheKey(t, 0)
	entry, err := os.ReadFile(filepath.Join(dir, "cache", good[:2], good+".json"))
	must(t, err)
	other := cacheKey(t, 99) // a copy under another question's name
	foreign := map[string]string{
		"cache/README": "mine", "cache/zz/" + good + ".json": string(entry),
		"cache/" + good[:2] + "/notes.json": "{}", "cache/" + good[:2] + "/" + strings.ToUpper(good) + ".json": string(entry),
	}
	damaged := map[string]string{
		"cache/" + other[:2] + "/" + other + ".json":      string(entry),
		"cache/00/00" + strings.Repeat("0", 62) + ".json": "torn",
		"cache/11/11" + strings.Repeat("1", 62) + ".json": strings.Replace(string(entry), "m/1", "m/3", 1),
	}
	for _, files := range []map[string]string{foreign, damaged} {
		for key, text := range files {
			must(t, s.PutIfAbsent(ctx, key, []byte(text)))
		}
	}
	before, err := s.List(ctx, "")
	must(t, err)
	c, err := answers.ReadCache(ctx, s)
	must(t, err)
	if len(c.Foreign) != len(foreign) || len(c.Damaged) != len(damaged) || len(c.Entries) != 4 {
		t.Errorf("%d entries, foreign %q, damaged %q", len(c.Entries), c.Foreign, c.Damaged)
	}
	n, err := answers.PruneCache(ctx, s, c.Prunable(time.Now(), ""))
	if n != 4 || err != nil {
		t.Errorf("%d pruned, %v", n, err)
	}
	for _, o := range before {
		_, err := s.Head(ctx, o.Key)
		pruned := false
		for _, e := range c.Entries {
			pruned = pruned || e.Key == o.Key
		}
		if pruned != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: to be pruned %t, but %v", o.Key, pruned, err)
		}
	}
	if _, ok, err := a.Cached(ctx, good); ok || err != nil {
		t.Errorf("a pruned answer is found: %v", err)
	}
}
