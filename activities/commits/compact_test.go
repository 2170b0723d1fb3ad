package commits_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// few commits collaborations of two conditions: one without turns, one of which
// the second generation counts, the others of some turns.
func few(t testing.TB, s store.Store) {
	t.Helper()
	for i, name := range []string{"b", "a", "c", "e", "d"} {
		_, err := commits.Commit(ctx, s, sample("c", "k"+fmt.Sprint(i%2), name, 0, 3*(i+1)))
		must(t, err)
	}
	_, err := commits.Commit(ctx, s, sample("c", "k0", "f", 0, 0))
	must(t, err)
	_, err = commits.Commit(ctx, s, sample("c", "k1", "a", 1, 2))
	must(t, err)
}

func collect[T any](t testing.TB, rows iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for r, err := range rows {
		must(t, err)
		all = append(all, r)
	}
	return all
}

func dataset(t testing.TB, s store.Store) lake.Dataset {
	t.Helper()
	d, err := lake.ReadDataset(ctx, s, "c")
	must(t, err)
	return d
}

// seen is everything that readers see.
func seen(t testing.TB, s store.Store) []record.Rows {
	t.Helper()
	all, err := look(s)
	must(t, err)
	return all
}

func look(s store.Store) (all []record.Rows, err error) {
	d, err := lake.ReadDataset(ctx, s, "c")
	if err != nil {
		return nil, err
	}
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			return nil, err
		}
		all = append(all, rows)
	}
	return all, nil
}

// compact compacts all there is and says how many batches that made.
func compact(t testing.TB, s store.Store) int {
	t.Helper()
	n, err := commits.CompactAll(ctx, s, "c", true)
	must(t, err)
	return n
}

func TestCompactionChangesNothingThatReadersSee(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	before, digest := seen(t, s), dataset(t, s).Digest()
	checkSame(t, compact(t, s), 1)
	checkSame(t, compact(t, s), 0)
	d := dataset(t, s)
	checkSame(t, seen(t, s), before)
	checkSame(t, d.Digest(), digest)
	if r := verified(t, s, "c"); r.Digest != digest || r.Batches != 1 || r.Parts != 10 || r.Commits != 7 || len(r.Uncommitted) > 0 {
		t.Fatalf("%+v", r)
	}
	checkSame(t, []int{d.Batches, len(d.Members), len(d.Uncompacted()), len(d.Superseded), len(d.Files[record.Turns])}, []int{1, 6, 0, 1, 2})
	checkSame(t, d.Files[record.Turns][1].Key, "lake/turns/campaign=c/condition=k1/part-000001.parquet")

	// A cell that is run again leaves its old rows in the part.
	_, err := commits.Commit(ctx, s, sample("c", "k0", "c", 1, 7))
	must(t, err)
	_, err = commits.Commit(ctx, s, sample("c", "k0", "g", 0, 1))
	must(t, err)
	d, before = dataset(t, s), seen(t, s)
	checkSame(t, d.Superseded, []lake.Run{{Collaboration: "c"}, {Collaboration: "a"}})
	checkSame(t, []int{len(before), len(before[1].Turns), len(d.Uncompacted())}, []int{7, 7, 2})
	checkSame(t, d.Earlier, map[string]int{"k0": 1, "k1": 1})
	checkSame(t, compact(t, s), 1)
	checkSame(t, seen(t, s), before)
	d = dataset(t, s)
	checkSame(t, d.Superseded, []lake.Run{{Collaboration: "c"}, {Collaboration: "a"}})
	checkSame(t, []int{d.Batches, len(d.Uncompacted())}, []int{2, 0})
	verified(t, s, "c")
	exactlyOnce(t, s)
}

// Once all is compacted the raw files may be deleted: every row, also of
// generations that were run again, is in the parts.
func TestRawFilesExpire(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	generations := func() (rows []record.Rows) {
		d, err := dataset(t, s).Generations(ctx, s)
		must(t, err)
		for r, err := range lake.Collaborations(ctx, s, d) {
			must(t, err)
			rows = append(rows, r)
		}
		return rows
	}
	before, all, digest := seen(t, s), generations(), dataset(t, s).Digest()
	checkSame(t, len(all), 7)
	raw, err := s.List(ctx, "raw/turns/")
	must(t, err)
	must(t, s.Delete(ctx, raw[0].Key))
	r, err := lake.Verify(ctx, s, "c")
	must(t, err)
	if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Problem, "no batch holds its rows") {
		t.Fatalf("a raw file that was deleted too early: %+v", r.Findings)
	}

	s = storetest.NewMemory(map[string]string{})
	few(t, s)
	checkSame(t, compact(t, s), 1)
	for _, table := range record.Tables {
		raw, err := s.List(ctx, "raw/"+table+"/")
		must(t, err)
		for _, o := range raw {
			must(t, s.Delete(ctx, o.Key))
		}
	}
	checkSame(t, seen(t, s), before)
	checkSame(t, generations(), all)
	if r := verified(t, s, "c"); r.Digest != digest || r.Commits != 7 || r.Expired != 7 {
		t.Fatalf("%+v", r)
	}
}

// exactlyOnce reads the files of a dataset as another program does: with what
// is superseded left out, each row is there once and none is missing.
func exactlyOnce(t testing.TB, s store.Store) {
	t.Helper()
	d := dataset(t, s)
	onceIn[record.Collaboration](t, s, d)
	onceIn[record.Round](t, s, d)
	onceIn[record.Turn](t, s, d)
	onceIn[record.Ballot](t, s, d)
	onceIn[record.Call](t, s, d)
}

func onceIn[T record.Row](t testing.TB, s store.Store, d lake.Dataset) {
	t.Helper()
	var zero T
	var got []T
	for _, f := range d.Files[zero.Table()] {
		data, err := s.Get(ctx, f.Key)
		must(t, err)
		rows, err := lake.Decode[T](data)
		must(t, err)
		if !slices.IsSortedFunc(rows, record.Compare[T]) {
			t.Errorf("%s is not sorted", f.Key)
		}
		got = append(got, rows...)
	}
	got = slices.DeleteFunc(got, func(r T) bool {
		k := r.Identity()
		return slices.Contains(d.Superseded, lake.Run{Collaboration: k.CollaborationID, Generation: int(k.Generation)})
	})
	slices.SortFunc(got, record.Compare[T])
	if want := collect(t, lake.Scan[T](ctx, s, d)); !reflect.DeepEqual(got, want) {
		t.Errorf("table %s: the files have %d rows, readers see %d", zero.Table(), len(got), len(want))
	}
}

func TestChosenTables(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	compact(t, s)
	for rows, err := range lake.Collaborations(ctx, s, dataset(t, s), record.Collaborations, record.Calls) {
		must(t, err)
		if len(rows.Collaborations) != 1 || len(rows.Turns)+len(rows.Rounds)+len(rows.Ballots) > 0 {
			t.Fatalf("%+v", rows)
		}
		break // and the files are closed
	}
}

// The same commits make the same bytes, in whatever order they came.
func TestCompactionIsDeterministic(t *testing.T) {
	a, b := storetest.NewMemory(map[string]string{}), storetest.NewMemory(map[string]string{})
	few(t, a)
	for _, name := range []string{"d", "e", "c", "a", "b"} {
		i := slices.Index([]string{"b", "a", "c", "e", "d"}, name)
		_, err := commits.Commit(ctx, b, shuffled(sample("c", "k"+fmt.Sprint(i%2), name, 0, 3*(i+1))))
		must(t, err)
	}
	_, err := commits.Commit(ctx, b, sample("c", "k1", "a", 1, 2))
	must(t, err)
	_, err = commits.Commit(ctx, b, sample("c", "k0", "f", 0, 0))
	must(t, err)
	compact(t, a)
	compact(t, b)
	checkSame(t, contents(t, a, "lake/"), contents(t, b, "lake/"))
}

func contents(t testing.TB, s store.Store, prefix string) map[string]string {
	t.Helper()
	objects, err := s.List(ctx, prefix)
	must(t, err)
	all := map[string]string{}
	for _, o := range objects {
		data, err := s.Get(ctx, o.Key)
		must(t, err)
		all[o.Key] = string(data)
	}
	return all
}

// A campaign that runs is compacted when there is enough, oldest names first.
func TestNextBatch(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	if b, err := commits.NextBatch(ctx, s, "c", true); b != nil || err != nil {
		t.Fatal("a batch of nothing:", b, err)
	}
	few(t, s)
	if b, err := commits.NextBatch(ctx, s, "c", false); b != nil || err != nil {
		t.Fatal("a batch before there is enough:", b, err)
	}
	b, err := commits.NextBatch(ctx, s, "c", true)
	must(t, err)
	var names []string
	for _, m := range b.Members {
		names = append(names, m.String())
	}
	checkSame(t, names, []string{"b.0", "c.0", "d.0", "f.0", "a.0", "a.1", "e.0"})
	// Once it is written down it is not chosen again, whatever came meanwhile.
	_, err = commits.Commit(ctx, s, sample("c", "k0", "z", 0, 1))
	must(t, err)
	again, err := commits.NextBatch(ctx, s, "c", false)
	must(t, err)
	checkSame(t, again, b)
	_, err = commits.Compact(ctx, s, *b)
	must(t, err)
	if more, err := commits.NextBatch(ctx, s, "c", false); more != nil || err != nil {
		t.Fatal(more, err)
	}
	last, err := commits.NextBatch(ctx, s, "c", true)
	must(t, err)
	checkSame(t, []any{last.Number, len(last.Members), last.Members[0].String()}, []any{2, 1, "z.0"})
}

func TestCompactRefusesOtherRows(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	b, err := commits.NextBatch(ctx, s, "c", true)
	must(t, err)
	other := *b
	other.Members = other.Members[:3]
	m, err := commits.Compact(ctx, s, *b)
	must(t, err)
	if _, err := commits.Compact(ctx, s, other); !errors.Is(err, commits.ErrConflict) {
		t.Error("another batch of the same number:", err)
	}
	must(t, s.Delete(ctx, m.Key()))
	if _, err := commits.Compact(ctx, s, other); !errors.Is(err, commits.ErrConflict) || !strings.Contains(err.Error(), "lake/") {
		t.Error("a part of other rows:", err)
	}
	other.Members = slices.Clone(b.Members)
	other.Members[0].Digest = strings.Repeat("0", 64)
	if _, err := commits.Compact(ctx, s, other); !errors.Is(err, commits.ErrConflict) {
		t.Error("a commit of another digest:", err)
	}
	if _, err := commits.Compact(ctx, s, commits.Batch{Campaign: "c"}); err == nil {
		t.Error("a batch of nothing")
	}
	again, err := commits.Compact(ctx, s, *b)
	must(t, err)
	checkSame(t, again, m)
	verified(t, s, "c")
}

// A part that another version of the library encoded differently stays.
func TestCompactKeepsEqualRows(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	b, err := commits.NextBatch(ctx, s, "c", true)
	must(t, err)
	m, err := commits.Compact(ctx, s, *b)
	must(t, err)
	f := m.Files[record.Rounds][0].File
	data, err := s.Get(ctx, f.Key)
	must(t, err)
	foreign := reencoded[record.Round](t, data)
	if bytes.Equal(foreign, data) {
		t.Fatal("the encoding is the same")
	}
	must(t, s.Replace(ctx, f.Key, foreign, ""))
	must(t, s.Delete(ctx, m.Key()))
	again, err := commits.Compact(ctx, s, *b)
	must(t, err)
	checkSame(t, again.Files[record.Rounds][0].File, lake.FileOf(f.Key, f.Rows, foreign))
	verified(t, s, "c")
}

// Two batches that name the same collaboration, which this program never makes:
// readers see each row once, and verify says what is wrong.
func TestOverlappingBatches(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	before := seen(t, s)
	b, err := commits.NextBatch(ctx, s, "c", true)
	must(t, err)
	for number, members := range map[int][]lake.Member{1: b.Members[:3], 2: b.Members[2:], 3: b.Members[:2]} {
		_, err := commits.Compact(ctx, s, commits.Batch{Campaign: "c", Number: number, Members: members})
		must(t, err)
	}
	checkSame(t, seen(t, s), before)
	d := dataset(t, s)
	checkSame(t, d.Batches, 2) // the third holds nothing of its own
	r, err := lake.Verify(ctx, s, "c")
	must(t, err)
	var objects []string
	for _, f := range r.Findings {
		objects = append(objects, f.Object[len(f.Object)-len("000001.json"):])
	}
	checkSame(t, objects, []string{"000001.json", "000002.json", "000003.json"}) // not as written down, and twice
}

// reencoded is a file with other settings.
func reencoded[T record.Row](t testing.TB, data []byte) []byte {
	t.Helper()
	rows, err := lake.Decode[T](data)
	must(t, err)
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.Compression(&parquet.Uncompressed))
	_, err = w.Write(rows)
	must(t, errors.Join(err, w.Close()))
	return b.Bytes()
}
