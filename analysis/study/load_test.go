package study

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Whatever is in the columns that Load does not read: studies keep the same.
func TestNoStudyNeedsWhatIsNotRead(t *testing.T) {
	t.Parallel()
	const traders = "env: exchange\nmodel: scripted/trader\nrule: plurality\nprotocol: "
	for name, file := range map[string]string{
		"traded":      traders + "{name: roundtable, rounds: 2}",
		"discussed":   traders + "{name: discussion, rounds: 3, vote_from: 2, personas: none}",
		"deliberated": "env: allocation\ninstances: 5\nrule: majority\nmodel: scripted/sharer\nprotocol: {name: deliberation, rounds: 2, authority: vote}",
	} {
		s, err := store.NewLocal(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := laketest.Play(t.Context(), s, "name: "+name+"\n"+file+"\n", 0); err != nil {
			t.Fatal(err)
		}
		d, err := lake.ReadDataset(t.Context(), s, name)
		if err != nil {
			t.Fatal(err)
		}
		for rows, err := range lake.Collaborations(t.Context(), s, d) {
			if err != nil {
				t.Fatal(err)
			}
			want, err := campaign.NewRun(rows, Readers()...)
			if err != nil {
				t.Fatal(err)
			}
			changed := rows
			changed.Turns, changed.Calls = slices.Clone(rows.Turns), slices.Clone(rows.Calls)
			for i := range changed.Turns {
				emptyUnread(t, &changed.Turns[i], campaign.Unread()[record.Turns])
			}
			for i := range changed.Calls {
				emptyUnread(t, &changed.Calls[i], campaign.Unread()[record.Calls])
			}
			if got, err := campaign.NewRun(changed, Readers()...); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: a study keeps something else: %v", name, err)
			}
		}
	}
}

// What studies keep of a collaboration is small beside its texts, and does not hold them or its rows.
func TestStudiesHoldNoTexts(t *testing.T) { // not parallel: it measures the heap
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := laketest.Play(t.Context(), s, "name: held\nreplicates: 15\nenv: exchange\nmodel: scripted/trader\n"+
		"rule: plurality\nprotocol: {name: roundtable, rounds: 10}\n", 0); err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(t.Context(), s, "held")
	if err != nil {
		t.Fatal(err)
	}
	var runs []campaign.Run
	before := heap()
	for rows, err := range lake.Collaborations(t.Context(), s, d) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows.Turns {
			rows.Turns[i].Text = new(strings.Repeat("words ", 2000))
		}
		run, err := campaign.NewRun(rows, Readers()...)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	if held := (heap() - before) / len(runs); held > mostHeld {
		t.Errorf("%d bytes are held of a collaboration, at most %d are expected", held, mostHeld)
	}
	runtime.KeepAlive(runs)
}

// mostHeld are the bytes that studies may keep of a collaboration of 10 rounds and 90 turns: about twice what
// they do.
const mostHeld = 16 << 10

// heap returns how many bytes are in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held is gone after two
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// emptyUnread empties columns of a row, which there must be.
func emptyUnread(t *testing.T, row any, columns []string) {
	t.Helper()
	v := reflect.ValueOf(row).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		if i := slices.Index(columns, name); i >= 0 {
			v.FieldByIndex(f.Index).SetZero()
			columns = slices.Delete(slices.Clone(columns), i, i+1)
		}
	}
	if len(columns) > 0 {
		t.Errorf("%T has no columns %v", row, columns)
	}
}

// A settled call counts in its collaboration's cost, and no longer in the worst case.
func TestSettledCallsCountInCollaborations(t *testing.T) {
	t.Parallel()
	cost, worst, call := 1., 0.5, 0.25
	c := record.Collaboration{Key: record.Key{CollaborationID: "c", Generation: 1}, CostUSD: &cost, WorstUSD: &worst}
	key := lake.CallKey{Run: lake.Run{Collaboration: "c", Generation: 1}}
	campaign.Correct(&c, lake.Settled{key: {CallKey: key, USD: 0.125, WorstUSD: &call}})
	if *c.CostUSD != 1.125 || *c.WorstUSD != 0.25 {
		t.Errorf("$%v, at most $%v more", *c.CostUSD, *c.WorstUSD)
	}
	if cost != 1 || worst != 0.5 {
		t.Error("the row that was read has changed")
	}
	unknown := record.Collaboration{Key: c.Key}
	if campaign.Correct(&unknown, lake.Settled{key: {}}); unknown.CostUSD != nil {
		t.Error("a cost that is not known is known after a settlement")
	}
}

// A reader that panics says in which collaboration, and ends nothing else.
func TestReaderPanics(t *testing.T) {
	t.Parallel()
	broken := campaign.Keeping[int]("broken", func(_ *campaign.Run, rows record.Rows) error {
		_ = rows.Turns[3]
		return nil
	})
	var c record.Collaboration
	c.CollaborationID = "c1"
	_, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}}, broken)
	if err == nil || !strings.Contains(err.Error(), "collaboration c1 cannot be read for int broken: runtime error: index out of range [3]") {
		t.Errorf("%v", err)
	}
}
