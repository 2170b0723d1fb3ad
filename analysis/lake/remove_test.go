package lake_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

const removed = `
name: %s
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 1}
model: scripted/trader
replicates: 2
grid:
  rule: [plurality, ranked]
`

// hides is a store that does not list an object yet.
type hides struct {
	store.Store
	key string
}

func (h hides) List(ctx context.Context, prefix string) ([]store.Object, error) {
	all, err := h.Store.List(ctx, prefix)
	return slices.DeleteFunc(all, func(o store.Object) bool { return o.Key == h.key }), err
}

// What tidy deletes changes no result; what delete leaves is nothing of the campaign, and
// all of the others.
func TestRemove(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	must(t, err)
	defer s.Close()
	for _, name := range []string{"gone", "stays"} {
		must(t, laketest.Play(ctx, s, fmt.Sprintf(removed, name), 0))
	}
	superfluous := func() (compacted, interrupted int) {
		t.Helper()
		a, b, err := lake.Superfluous(ctx, s, "gone")
		must(t, err)
		return len(a), len(b)
	}
	if a, b := superfluous(); a+b > 0 {
		t.Errorf("before compaction %d and %d files are superfluous", a, b)
	}
	_, err = commits.CompactAll(ctx, s, "gone", true)
	must(t, err)
	const torn = "raw/turns/campaign=gone/condition=x/x-i0-r9.0.parquet"
	must(t, s.PutIfAbsent(ctx, torn, []byte("torn")))
	before := verified(t, s, "gone")
	if before.Expired > 0 || before.Rows == 0 {
		t.Fatalf("%+v", before)
	}
	compacted, interrupted, err := lake.Superfluous(ctx, s, "gone")
	must(t, err)
	if len(compacted) != before.Files || len(interrupted) != 1 || interrupted[0].Key != torn {
		t.Errorf("%d of %d files are in parts, and left are %v", len(compacted), before.Files, interrupted)
	}
	run, _ := lake.ParseRun("x-i0-r9.0")
	late := hides{s, run.MarkerKey("gone")}
	must(t, s.PutIfAbsent(ctx, late.key, []byte("{}")))
	if _, b, err := lake.Superfluous(ctx, late, "gone"); err != nil || len(b) > 0 {
		t.Errorf("what a marker names that is not listed yet is superfluous: %v, %v", b, err)
	}
	must(t, s.Delete(ctx, late.key))
	must(t, lake.DeleteAll(ctx, s, append(compacted, interrupted...)))
	after := verified(t, s, "gone")
	if after.Digest != before.Digest || after.Expired != before.Commits || len(after.Uncommitted) > 0 {
		t.Errorf("afterwards: %+v", after)
	}
	if a, b := superfluous(); a+b > 0 {
		t.Errorf("again %d and %d files", a, b)
	}
	must(t, laketest.Play(ctx, s, strings.Replace(fmt.Sprintf(removed, "gone"), "replicates: 2", "replicates: 3", 1), 0))
	if grown := verified(t, s, "gone"); grown.Commits != before.Commits+2 {
		t.Errorf("extended: %+v", grown)
	}

	other := verified(t, s, "stays")
	must(t, s.PutIfAbsent(ctx, "raw/turns/campaign=gone/Thumbs.db", nil))
	must(t, lake.Remove(ctx, s, "gone"))
	must(t, lake.Remove(ctx, s, "gone"))
	all, err := s.List(ctx, "")
	must(t, err)
	for _, o := range all {
		if strings.Contains(o.Key, "gone") {
			t.Errorf("%s is left", o.Key)
		}
	}
	names, err := lake.Campaigns(ctx, s)
	must(t, err)
	if fmt.Sprint(names) != "[stays]" {
		t.Errorf("campaigns are %v", names)
	}
	if still := verified(t, s, "stays"); still.Digest != other.Digest || still.Files != other.Files {
		t.Errorf("the other was %+v and is %+v", other, still)
	}
}

// Nothing of a damaged campaign is tidied: the raw files may be all that is whole.
func TestSuperfluousOfDamage(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	must(t, err)
	defer s.Close()
	must(t, laketest.Play(ctx, s, fmt.Sprintf(removed, "hurt"), 0))
	_, err = commits.CompactAll(ctx, s, "hurt", true)
	must(t, err)
	parts, err := lake.List(ctx, s, "lake/turns/campaign=hurt/")
	must(t, err)
	must(t, s.Replace(ctx, parts[0].Key, []byte("x"), ""))
	if _, _, err := lake.Superfluous(ctx, s, "hurt"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("damaged parts: %v", err)
	}
}

func verified(t *testing.T, s store.Store, campaign string) lake.Report {
	t.Helper()
	r, err := lake.Verify(ctx, s, campaign)
	must(t, err)
	if !r.OK() {
		t.Errorf("%s: %v", campaign, r.Findings)
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
