package commits_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

func TestCommittedRowsComeBack(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 40)
	m, err := commits.Commit(ctx, s, shuffled(rows))
	must(t, err)
	markers, err := lake.Committed(ctx, s, "c")
	must(t, err)
	checkSame(t, markers, []lake.Marker{m})
	want, err := rows.Sorted()
	must(t, err)
	got := readBack(t, s, markers)
	for i := range got.Collaborations { // a list that is empty comes back empty, not nil
		checkSame(t, got.Collaborations[i], want.Collaborations[i])
	}
	checkSame(t, got, want)
	r := verified(t, s, "c")
	if r.Commits != 1 || r.Files != 5 || r.Rows != 1+40+40+120+40 || r.Digest != lake.Digest(markers) || len(r.Uncommitted) > 0 {
		t.Fatalf("%+v", r)
	}
	objects, err := s.List(ctx, "raw/turns/")
	must(t, err)
	if len(objects) != 1 || objects[0].Key != "raw/turns/campaign=c/condition=k/x.0.parquet" {
		t.Fatal(objects)
	}
}

func TestCommitWithoutTurns(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 0)
	rows.Collaborations[0].Status, rows.Collaborations[0].Failure = "failed", ptr("the model was not found")
	m, err := commits.Commit(ctx, s, rows)
	must(t, err)
	if len(m.Files) != 1 || m.Status != "failed" || m.Rows(record.Turns) != 0 {
		t.Fatalf("%+v", m)
	}
	verified(t, s, "c")
	if got := readBack(t, s, []lake.Marker{m}); len(got.Turns) != 0 || *got.Collaborations[0].Failure != "the model was not found" {
		t.Fatalf("%+v", got)
	}
}

func TestLatestGeneration(t *testing.T) {
	_, s, _ := open(t)
	for _, g := range []int{0, 2, 1} {
		_, err := commits.Commit(ctx, s, sample("c", "k", "x", g, 1))
		must(t, err)
	}
	_, err := commits.Commit(ctx, s, sample("c", "j", "y", 0, 1))
	must(t, err)
	_, err = commits.Commit(ctx, s, sample("other", "j", "y", 0, 1))
	must(t, err)
	latest, err := lake.Committed(ctx, s, "c")
	must(t, err)
	all, err := lake.Commits(ctx, s, "c")
	must(t, err)
	if len(all) != 4 || len(latest) != 2 || latest[0].Collaboration != "y" || latest[1].Generation != 2 {
		t.Fatalf("%+v of %+v", latest, all)
	}
	_, err = answers.NewAnswers(s).Put(ctx, answers.RunKey{Campaign: "young", Collaboration: "x"}, turn(0, "x", "x"))
	must(t, err)
	names, err := lake.Campaigns(ctx, s)
	must(t, err)
	checkSame(t, names, []string{"c", "other", "young"})
	names, err = lake.Campaigns(ctx, struct{ store.Store }{s}) // a store that cannot list folders
	must(t, err)
	checkSame(t, names, []string{"c", "other", "young"})
}

func TestCommitAgain(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 3)
	first, err := commits.Commit(ctx, s, rows)
	must(t, err)
	later := sample("c", "k", "x", 0, 3)
	later.Collaborations[0].EndedAt++ // operational
	later.Calls = later.Calls[:1]
	again, err := commits.Commit(ctx, s, later)
	must(t, err)
	checkSame(t, again, first)
	other := sample("c", "k", "x", 0, 3)
	other.Turns[1].Text = ptr("something else")
	stored, err := commits.Commit(ctx, s, other)
	if !errors.Is(err, commits.ErrConflict) {
		t.Fatal(err)
	}
	checkSame(t, stored, first)
}

// Files of an earlier, unfinished commit: the same rows stay, a torn file is
// repaired, other rows are a conflict.
func TestCommitOverFilesWithoutMarker(t *testing.T) {
	_, s, dir := open(t)
	rows := sample("c", "k", "x", 0, 3)
	first, err := commits.Commit(ctx, s, rows)
	must(t, err)
	unmark := func() { must(t, s.Delete(ctx, first.Key())) }

	unmark()
	later := sample("c", "k", "x", 0, 3)
	later.Collaborations[0].EndedAt++
	later.Calls = later.Calls[:1]
	again, err := commits.Commit(ctx, s, later)
	must(t, err)
	checkSame(t, again, first)
	verified(t, s, "c")

	for _, f := range first.Files {
		for _, keep := range []int64{0, f.Size / 2, f.Size - 1} {
			unmark()
			must(t, os.Truncate(filepath.Join(dir, f.Key), keep))
			again, err = commits.Commit(ctx, s, rows)
			must(t, err)
			checkSame(t, again, first)
			verified(t, s, "c")
		}
	}

	unmark()
	other := sample("c", "k", "x", 0, 3)
	other.Ballots[0].Value = ptr(0.25)
	if _, err := commits.Commit(ctx, s, other); !errors.Is(err, commits.ErrConflict) || !strings.Contains(err.Error(), "raw/ballots/") {
		t.Fatal(err)
	}
	if r, err := lake.Verify(ctx, s, "c"); err != nil || len(r.Uncommitted) != 5 || r.Commits != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	// One that fails may have more turns than when its commit was cut short.
	other.Collaborations[0].Status = "failed"
	failed, err := commits.Commit(ctx, s, other)
	must(t, err)
	if key := failed.Files[record.Ballots].Key; !strings.Contains(key, ".rows-"+failed.Digest[:8]) {
		t.Errorf("its ballots are in %s", key)
	}
	again, err = commits.Commit(ctx, s, other)
	must(t, err)
	checkSame(t, again, failed)
	if r, err := lake.Verify(ctx, s, "c"); err != nil || !r.OK() || r.Commits != 1 {
		t.Fatalf("%+v %v", r, err)
	}
}

func TestCommitRefuses(t *testing.T) {
	for want, change := range map[string]func(*commits.Rows){
		"expected 1 row": func(r *commits.Rows) { r.Collaborations = nil },
		"two rows":       func(r *commits.Rows) { r.Turns[1] = r.Turns[0] },
		"among those of": func(r *commits.Rows) { r.Calls[1].Generation = 1 },
		"schema version": func(r *commits.Rows) { r.Collaborations[0].SchemaVersion = 9 },
		"not UTF-8":      func(r *commits.Rows) { r.Turns[1].Text = ptr("\xff") },
		"column reason":  func(r *commits.Rows) { r.Turns[1].Reason = ptr("\xff") },
		"not a number":   func(r *commits.Rows) { r.Collaborations[0].Score = ptr(math.NaN()) },
		"cost_usd":       func(r *commits.Rows) { r.Calls[1].CostUSD = ptr(math.Inf(1)) },
		"no name": func(r *commits.Rows) {
			*r = sample("..", "k", "x", 0, 0)
			r.Collaborations[0].CollaborationID = ".."
		},
	} {
		_, s, _ := open(t)
		rows := sample("c", "k", "x", 0, 2)
		change(&rows)
		if _, err := commits.Commit(ctx, s, rows); err == nil || want != "no name" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v", want, err)
		}
		if objects, _ := s.List(ctx, "raw/_commits/"); len(objects) > 0 {
			t.Errorf("%s: left %v", want, objects)
		}
	}
}

func TestManyCommittersAtOnce(t *testing.T) {
	_, a, dir := open(t)
	b, err := store.NewLocal(dir)
	must(t, err)
	defer b.Close()
	var mu sync.Mutex
	var markers []commits.Marker
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			rows := sample("c", "k", "x", 0, 5)
			rows.Collaborations[0].StartedAt += int64(i)
			m, err := commits.Commit(ctx, []store.Store{a, b}[i%2], rows)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			markers = append(markers, m)
		})
	}
	wg.Wait()
	for _, m := range markers[1:] {
		checkSame(t, m, markers[0])
	}
	verified(t, a, "c")
}

// faulty fails at one operation, before or after it has taken effect.
type faulty struct {
	store.Store
	left  int
	after bool
}

var errFault = errors.New("injected")

func (f *faulty) fault(do func() error) error {
	if f.left--; f.left != 0 {
		return do()
	}
	if f.after {
		_ = do()
	}
	return errFault
}

func (f *faulty) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return f.fault(func() error { return f.Store.PutIfAbsent(ctx, key, data) })
}

func (f *faulty) Get(ctx context.Context, key string) (data []byte, err error) {
	err = f.fault(func() error { data, err = f.Store.Get(ctx, key); return err })
	return data, err
}

// A commit that is cut off anywhere is finished by the next one, with the same marker.
func TestCommitCutOffAnywhere(t *testing.T) {
	rows := sample("c", "k", "x", 0, 2)
	_, quiet, _ := open(t)
	want, err := commits.Commit(ctx, quiet, rows)
	must(t, err)
	for _, after := range []bool{false, true} {
		cuts := 0
		for {
			_, s, _ := open(t)
			if _, err := commits.Commit(ctx, &faulty{s, cuts + 1, after}, rows); err == nil {
				break
			} else if !errors.Is(err, errFault) {
				t.Fatal(err)
			}
			cuts++
			got, err := commits.Commit(ctx, s, rows)
			must(t, err)
			checkSame(t, got, want)
			verified(t, s, "c")
		}
		if cuts != 7 { // marker looked up, five files, marker
			t.Errorf("%d places to cut", cuts)
		}
	}
}
