package pages

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/study"
	"roundtable/cmd/internal/analyze"
)

// What is kept of sealed parts is what they hold, for all that any study keeps: rows are read
// once, and again where a file of the cache is gone or changed. A part that is gone is missed.
func TestRunsAreKept(t *testing.T) {
	t.Parallel()
	const traders = "replicates: 2\nenv: exchange\nmodel: scripted/trader\ngrid: {rule: [plurality, ranked]}\nprotocol: "
	for name, file := range map[string]string{
		"traded":      traders + "{name: roundtable, rounds: 3}",
		"discussed":   traders + "{name: discussion, rounds: 3, vote_from: 2, personas: none}",
		"deliberated": "replicates: 1\nenv: allocation\ninstances: 8\nrule: majority\nmodel: scripted/sharer\nprotocol: {name: deliberation, rounds: 2, authority: vote}",
		"gathered":    "replicates: 2\nenv: {name: consensus, agents: 4}\nmodel: scripted/average\nprotocol: {name: consensus, rounds: 4}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			local, err := store.NewLocal(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { local.Close() })
			if err := laketest.Play(t.Context(), local, "name: "+name+"\n"+file+"\n", 0); err != nil {
				t.Fatal(err)
			}
			d, err := lake.ReadDataset(t.Context(), local, name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := commits.Compact(t.Context(), local, d.Next(d.Uncompacted())); err != nil {
				t.Fatal(err)
			}
			s := &counting{Store: local}
			cache := t.TempDir()
			var how analyze.Messages
			how.Flags(&cobra.Command{})
			trajectories, err := how.Trajectories(t.Context(), s, name)
			if err != nil {
				t.Fatal(err)
			}
			readers := append(append(study.Readers(), trajectories.Readers...), report.ReadWrong())
			load := func(k campaign.Kept) (campaign.Campaign, int) {
				s.parts = 0
				c, err := k.Load(t.Context(), s, name, readers...)
				if err != nil {
					t.Fatal(err)
				}
				return c, s.parts
			}
			kept := campaign.Kept{Cache: store.Cache{Folder: cache}, Least: 1}
			want, all := load(campaign.Kept{})
			if first, n := load(kept); n != all || !reflect.DeepEqual(first.Runs, want.Runs) {
				t.Errorf("read %d parts of %d, or something else", n, all)
			}
			added, err := trajectories.Add(t.Context(), s, campaign.Campaign{Name: name, Runs: slices.Clone(want.Runs)})
			if err != nil {
				t.Fatal(err)
			}
			of := campaign.TrajectoriesOf(added)
			if n := len(of.Runs) + len(of.Excluded); n != len(want.Runs) || slices.ContainsFunc(added.Runs,
				func(r campaign.Run) bool { return campaign.Part[acts.Gathered](r.Parts) != acts.Gathered{} }) {
				t.Errorf("%d trajectories of %d runs, or runs still have theirs", n, len(want.Runs))
			}
			bare, err := campaign.Load(t.Context(), s, name) // of few columns
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range want.Runs {
				if r.Parts = (campaign.Parts{}); !reflect.DeepEqual(bare.Runs[i], r) {
					t.Errorf("without readers a run is %+v, want %+v", bare.Runs[i], r)
				}
			}
			files, err := filepath.Glob(filepath.Join(cache, "*", "*.json"))
			if err != nil || len(files) == 0 {
				t.Fatal("nothing is kept", err)
			}
			for what, change := range map[string]func() error{
				"as it is": func() error { return nil },
				"cut":      func() error { return os.Truncate(files[0], 66) },
				"changed": func() error {
					data, err := os.ReadFile(files[0])
					if err != nil {
						t.Fatal(err)
					}
					data[len(data)-1]++
					return os.WriteFile(files[0], data, 0o600)
				},
				"gone": func() error { return os.Remove(files[0]) },
			} {
				if err := change(); err != nil {
					t.Fatal(err)
				}
				got, n := load(kept)
				if read := n > 0; !reflect.DeepEqual(got.Runs, want.Runs) || read != (what != "as it is") {
					t.Errorf("%s: read %d parts, or something else", what, n)
				}
			}
			ahead, done := campaign.Kept{Cache: store.Cache{Folder: t.TempDir()}, Least: 1}, map[string]bool{}
			for _, reads := range []bool{true, false} {
				s.parts = 0
				if err := ahead.Keep(t.Context(), s, name, done, readers...); err != nil || (s.parts > 0) != reads {
					t.Errorf("while it runs, %d parts are read: %v", s.parts, err)
				}
			}
			if got, n := load(ahead); n != 0 || !reflect.DeepEqual(got.Runs, want.Runs) {
				t.Errorf("after that %d parts are read, or it is something else", n)
			}
			parts, err := filepath.Glob(filepath.Join(dir, "lake", record.Turns, "*", "*", "*.parquet"))
			if err != nil || len(parts) == 0 {
				t.Fatal("no parts", err)
			}
			if err := os.Remove(parts[0]); err != nil {
				t.Fatal(err)
			}
			if _, err := kept.Load(t.Context(), s, name, readers...); err == nil {
				t.Error("a part that is gone is not missed")
			}
		})
	}
}

// counting counts the parts that are read.
type counting struct {
	store.Store
	mu    sync.Mutex
	parts int
}

func (c *counting) Get(ctx context.Context, key string) ([]byte, error) {
	if strings.HasSuffix(key, ".parquet") {
		c.mu.Lock()
		c.parts++
		c.mu.Unlock()
	}
	return c.Store.Get(ctx, key)
}
