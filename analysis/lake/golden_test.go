package lake_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

var ctx = context.Background()

var update = flag.Bool("update", false, "make the golden lake of the present schema version again")

// golden is what a lake that an earlier version wrote holds. It must never
// change: the schema only grows.
type golden struct {
	Digest string         `json:"digest"`
	Rows   map[string]int `json:"rows"` // by table, as readers see them
	Runs   []string       `json:"runs"`
	First  string         `json:"first_decision"` // a value from a part
	Last   string         `json:"last_decision"`  // and one from a raw file
}

const goldenCampaign = `
name: golden
seed: 7
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid:
  rule: [plurality, ranked]
`

// TestGoldenLakes reads a lake of each schema version: a compacted batch of
// four collaborations and later generations of two of them.
func TestGoldenLakes(t *testing.T) {
	if *update {
		makeGolden(t, filepath.Join("testdata", "schema-1"))
	}
	dirs, err := filepath.Glob(filepath.Join("testdata", "schema-*.json"))
	if err != nil || len(dirs) != record.SchemaVersion {
		t.Fatalf("%d golden lakes for %d schema versions: %v", len(dirs), record.SchemaVersion, err)
	}
	for _, file := range dirs {
		data, err := os.ReadFile(file)
		var want golden
		if err == nil {
			err = json.Unmarshal(data, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.NewLocal(strings.TrimSuffix(file, ".json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := readGolden(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it reads as %+v, was written as %+v", file, got, want)
		}
		r, err := lake.Verify(ctx, s, "golden")
		if err != nil || !r.OK() || r.Commits != 6 || r.Batches != 1 || len(r.Uncommitted) > 0 {
			t.Errorf("%s: %+v, error %v", file, r, err)
		}
	}
}

func readGolden(t *testing.T, s store.Store) golden {
	d, err := lake.ReadDataset(ctx, s, "golden")
	if err != nil {
		t.Fatal(err)
	}
	g := golden{Digest: d.Digest(), Rows: map[string]int{}}
	var decisions []string
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		g.Runs = append(g.Runs, lake.Run{
			Collaboration: rows.Collaborations[0].CollaborationID, Generation: int(rows.Collaborations[0].Generation)}.String())
		g.Rows[record.Rounds] += len(rows.Rounds)
		g.Rows[record.Turns] += len(rows.Turns)
		g.Rows[record.Ballots] += len(rows.Ballots)
		g.Rows[record.Calls] += len(rows.Calls)
		decisions = append(decisions, *rows.Collaborations[0].DecisionJSON)
		if digest, err := record.Digest(rows); err != nil || digest != d.Members[len(g.Runs)-1].Digest {
			t.Errorf("%s: its rows have digest %s, error %v", g.Runs[len(g.Runs)-1], digest, err)
		}
	}
	g.First, g.Last = decisions[1], decisions[0]
	return g
}

// makeGolden writes the lake of the present version, without its answers.
func makeGolden(t *testing.T, dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	full, err := store.NewLocal(t.TempDir())
	must(err)
	must(laketest.Play(ctx, full, goldenCampaign+"replicates: 2\n", 0))
	_, err = commits.CompactAll(ctx, full, "golden", true)
	must(err)
	must(laketest.Play(ctx, full, goldenCampaign+"replicates: 1\n", 1))
	must(os.RemoveAll(dir))
	s, err := store.NewLocal(dir)
	must(err)
	for _, folder := range []string{"raw/", "lake/"} {
		objects, err := full.List(ctx, folder)
		must(err)
		for _, o := range objects {
			if strings.HasPrefix(o.Key, "lake/_campaigns/") {
				continue
			}
			data, err := full.Get(ctx, o.Key)
			must(err)
			must(s.PutIfAbsent(ctx, o.Key, data))
		}
	}
	data, err := json.MarshalIndent(readGolden(t, s), "", "  ")
	must(err)
	must(os.WriteFile(dir+".json", append(data, '\n'), 0o600))
}
