package commits_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/task"
)

// The progress of a campaign is the same before and after its markers are summed up,
// with reruns, with objects that are damaged, and without markers that are gone.
func TestProgress(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	last := 2*lake.OutcomesEach + 5
	putMarkers(t, s, 0, last-10, 0)
	first := progress(t, s)
	must(t, commits.SumUp(ctx, s, "c"))
	if n := len(list(t, s, "lake/_outcomes/campaign=c/")); n != 1 {
		t.Fatalf("%d outcomes", n)
	}
	checkSame(t, progress(t, s), first)

	putMarkers(t, s, last-10, last, 0)
	putMarkers(t, s, 7, 9, 1) // run again
	want := progress(t, s)
	if len(want) != last+2 || lake.LatestOutcomes(want)[0].CostUSD == nil || len(lake.LatestOutcomes(want)) != last {
		t.Fatalf("%d outcomes, the first one %+v", len(want), want[0])
	}
	must(t, commits.SumUp(ctx, s, "c"))
	objects := list(t, s, "lake/_outcomes/campaign=c/")
	if len(objects) != 2 {
		t.Fatalf("%d outcomes", len(objects))
	}
	checkSame(t, progress(t, s), want)
	report, err := lake.Verify(ctx, s, "c")
	must(t, err)
	if about := findings(report, "lake/_outcomes"); about != 0 {
		t.Fatalf("%d findings: %+v", about, report.Findings[0])
	}

	must(t, s.Replace(ctx, objects[0].Key, []byte("torn"), ""))
	checkSame(t, progress(t, s), want)
	report, err = lake.Verify(ctx, s, "c")
	must(t, err)
	if findings(report, objects[0].Key) != 1 {
		t.Error("the torn object is not found")
	}
	must(t, s.Delete(ctx, want[0].MarkerKey("c")))
	checkSame(t, progress(t, s), want[1:])
}

// Whatever is changed in outcomes is found, although their checksum fits.
func TestForgedOutcomes(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	putMarkers(t, s, 0, lake.OutcomesEach, 0)
	must(t, commits.SumUp(ctx, s, "c"))
	key := list(t, s, "lake/_outcomes/campaign=c/")[0].Key
	o, err := lake.ReadOutcomes(ctx, s, key)
	must(t, err)
	for what, change := range map[string]func(o *lake.Outcome){
		"calls": func(o *lake.Outcome) { o.Calls++ },
		"run":   func(o *lake.Outcome) { o.Collaboration += "x" },
	} {
		forged := o
		forged.Runs = slices.Clone(o.Runs)
		change(&forged.Runs[5])
		data, err := forged.Seal()
		must(t, err)
		must(t, s.Replace(ctx, key, data, ""))
		report, err := lake.Verify(ctx, s, "c")
		must(t, err)
		if findings(report, key) != 1 {
			t.Errorf("another %s is not found", what)
		}
	}
}

// What was sealed is read back, and lists of different lengths are damage.
func TestOutcomesForms(t *testing.T) {
	cost := 0.25
	want := lake.Outcomes{Campaign: "c", Number: 3, Runs: []lake.Outcome{
		{Run: lake.Run{Collaboration: "k-i0-r1", Generation: 2}, Status: record.Succeeded, Calls: 7, CostUSD: &cost, Charged: lake.Charge{NanoUSD: 5, Tokens: 6}},
		{Run: lake.Run{Collaboration: "k-i0-r2"}, Status: task.Stopped, Reason: record.Answered},
	}}
	lists, err := want.Seal()
	must(t, err)
	s := storetest.NewMemory(map[string]string{want.Key(): string(lists)})
	if got, err := lake.ReadOutcomes(ctx, s, want.Key()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis read as %+v, %v", lists, got, err)
	}
	torn, err := lake.Seal(want.Key(), map[string]any{"campaign": "c", "number": 3, "collaborations": []string{"k-i0-r1"}, "generations": []int{0, 1}})
	must(t, err)
	s = storetest.NewMemory(map[string]string{want.Key(): string(torn)})
	if got, err := lake.ReadOutcomes(ctx, s, want.Key()); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("lists of different lengths are read as %+v, %v", got, err)
	}
}

// BenchmarkProgress reads how 100,000 runs have ended, from a folder.
func BenchmarkProgress(b *testing.B) {
	const runs = 100_000
	dir := b.TempDir()
	s, err := store.NewLocal(dir)
	must(b, err)
	folder := filepath.Join(dir, "raw/_commits/campaign=c")
	must(b, os.MkdirAll(folder, 0o755))
	for n := range runs / lake.OutcomesEach {
		o := lake.Outcomes{Campaign: "c", Number: n + 1}
		for i := range lake.OutcomesEach {
			run := lake.Run{Collaboration: fmt.Sprintf("0123456789ab-i%d-r%d", i%10, n*lake.OutcomesEach+i)}
			cost, worst := float64(i)/1000, 0.
			o.Runs = append(o.Runs, lake.Outcome{Run: run, Status: record.Succeeded, Calls: int64(i), InputTokens: 10, OutputTokens: 3, CostUSD: &cost, WorstUSD: &worst, Charged: lake.Charge{NanoUSD: int64(i), Tokens: 13}})
			must(b, os.WriteFile(filepath.Join(dir, run.MarkerKey("c")), nil, 0o600)) // only its name is read
		}
		data, err := o.Seal()
		must(b, err)
		must(b, s.PutIfAbsent(ctx, o.Key(), data))
	}
	for b.Loop() {
		if all, err := lake.Progress(ctx, s, "c"); err != nil || len(lake.LatestOutcomes(all)) != runs {
			b.Fatalf("%d outcomes, %v", len(all), err)
		}
	}
}

func putMarkers(t *testing.T, s store.Store, from, to, generation int) {
	t.Helper()
	for i := from; i < to; i++ {
		cost := float64(i) / 1000
		m := lake.Marker{
			Campaign: "c", Condition: "k", Collaboration: fmt.Sprintf("k-i0-r%d", i), Generation: generation, Status: record.Succeeded, Calls: int64(i),
			Cached: int64(i % 3), InputTokens: 10, OutputTokens: 3, CostUSD: &cost, Charged: lake.Charge{NanoUSD: int64(i), Tokens: 13}, Digest: "0123456789abcdef",
		}
		m.Files = map[string]lake.File{record.Collaborations: {Key: m.FileKey(record.Collaborations), Rows: 1}}
		data, err := lake.Seal(m.Key(), m)
		must(t, err)
		must(t, s.PutIfAbsent(ctx, m.Key(), data))
	}
}

// progress returns what Progress says, after a comparison with the markers.
func progress(t *testing.T, s store.Store) []lake.Outcome {
	t.Helper()
	all, err := lake.Progress(ctx, s, "c")
	must(t, err)
	markers, err := lake.Commits(ctx, s, "c")
	must(t, err)
	want := lake.OutcomesOf(markers)
	slices.SortFunc(want, func(a, b lake.Outcome) int {
		return cmp.Or(cmp.Compare(a.Collaboration, b.Collaboration), a.Generation-b.Generation)
	})
	if !reflect.DeepEqual(all, want) {
		t.Fatal("the progress is not what the markers say")
	}
	return all
}

func list(t *testing.T, s store.Store, prefix string) []store.Object {
	t.Helper()
	objects, err := s.List(ctx, prefix)
	must(t, err)
	return objects
}

func findings(r lake.Report, prefix string) (n int) {
	for _, f := range r.Findings {
		if len(f.Object) >= len(prefix) && f.Object[:len(prefix)] == prefix {
			n++
		}
	}
	return n
}
