package commits_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
)

const by = "scripted-labeller-00000000"

func labelled(entries ...int32) (commits.Marker, []record.Label) {
	m := commits.Marker{Campaign: "c", Condition: "k", Collaboration: "a", Generation: 1, By: by, Table: record.Labels, Status: "succeeded"}
	var rows []record.Label
	for _, e := range entries {
		l := record.Label{
			Key:      record.Key{SchemaVersion: 1, CampaignID: "c", ConditionID: "k", CollaborationID: "a", Generation: 1},
			Labeller: by, Entry: e, Round: 1, Status: record.Labelled, Asks: 1, CostUSD: ptr(.25),
		}
		l.Show("Inform", record.Acts[e%11])
		rows = append(rows, l)
	}
	return m, rows
}

// TestCommitAnnotations: committing again changes nothing, other labels are
// refused, a torn file is repaired, and readers get what was written.
func TestCommitAnnotations(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	m, rows := labelled(7, 2, 5)
	s.Objects[m.FileKey(record.Labels)] = "PAR1 torn"
	first, err := commits.CommitAnnotations(t.Context(), s, m, rows)
	if err != nil {
		t.Fatal(err)
	}
	objects := maps.Clone(s.Objects)
	rows[0].CostUSD = nil // operational
	if again, err := commits.CommitAnnotations(t.Context(), s, m, rows); err != nil || again.Digest != first.Digest || !maps.Equal(s.Objects, objects) {
		t.Errorf("committed again: %v", err)
	}
	rows[0].Show("Decline")
	if _, err := commits.CommitAnnotations(t.Context(), s, m, rows); !errors.Is(err, commits.ErrConflict) {
		t.Errorf("other labels are committed: %v", err)
	}
	markers, err := lake.LabelMarkers(t.Context(), s, "c", by)
	if err != nil || len(markers) != 1 {
		t.Fatalf("%d markers: %v", len(markers), err)
	}
	got, err := lake.ReadRows[record.Label](t.Context(), s, markers[0])
	if err != nil || len(got) != 3 || got[0].Entry != 2 || !slices.Equal(got[1].Shown(), []string{"Inform", "Propose"}) {
		t.Errorf("read: %+v, error %v", got, err)
	}
	if names, err := lake.Labellers(t.Context(), s, "c"); err != nil || !slices.Equal(names, []string{by}) {
		t.Errorf("labellers: %v, error %v", names, err)
	}
	if runs, err := lake.LabelledRuns(t.Context(), s, "c", by); err != nil || !runs[lake.Run{Collaboration: "a", Generation: 1}] {
		t.Errorf("labelled: %v, error %v", runs, err)
	}
	if all, err := lake.Commits(t.Context(), s, "c"); err != nil || len(all) != 0 {
		t.Errorf("labels are taken for %d collaborations: %v", len(all), err)
	}
}

func TestCommitNoLabels(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	m, _ := labelled()
	if got, err := commits.CommitAnnotations[record.Label](t.Context(), s, m, nil); err != nil || len(got.Files) != 0 {
		t.Errorf("%+v, error %v", got, err)
	}
	for _, wrong := range []string{"", "a/b"} {
		m.By = wrong
		if _, err := commits.CommitAnnotations[record.Label](t.Context(), s, m, nil); err == nil {
			t.Errorf("labels by %q are committed", wrong)
		}
	}
}

// TestVerifyLabels: every damage is found, and a file without a marker is noted.
func TestVerifyLabels(t *testing.T) {
	m, rows := labelled(1, 2)
	good := storetest.NewMemory(map[string]string{})
	if _, err := commits.CommitAnnotations(t.Context(), good, m, rows); err != nil {
		t.Fatal(err)
	}
	if r, err := lake.Verify(t.Context(), good, "c"); err != nil || !r.OK() || r.Labels != 2 || len(r.Uncommitted) > 0 {
		t.Errorf("%+v, error %v", r, err)
	}
	for key, data := range good.Objects {
		damaged := storetest.NewMemory(maps.Clone(good.Objects))
		damaged.Objects[key] = strings.Replace(data, data[len(data)/2:len(data)/2+1], "\x7f", 1)
		if r, err := lake.Verify(t.Context(), damaged, "c"); err != nil || r.OK() || r.Labels != 0 {
			t.Errorf("%s damaged: %+v, error %v", key, r, err)
		}
	}
	delete(good.Objects, m.Key())
	if r, err := lake.Verify(t.Context(), good, "c"); err != nil || !r.OK() || len(r.Uncommitted) != 1 {
		t.Errorf("without its marker: %+v, error %v", r, err)
	}
}

// TestAdded: readers see what was added to the latest generations, by everybody;
// a marker cannot be of a table that nobody adds.
func TestAdded(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	for generation := range 2 {
		key := record.Key{SchemaVersion: 1, CampaignID: "c", ConditionID: "k", CollaborationID: "a", Generation: int32(generation)}
		if _, err := commits.Commit(t.Context(), s, commits.Rows{Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}}}); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{"one", "two"} {
			m := commits.Marker{Campaign: "c", Condition: "k", Collaboration: "a", Generation: generation, By: by}
			if _, err := commits.CommitAnnotations(t.Context(), s, m, []record.Feature{{Key: key, Embedder: by, Distance: ptr(.5)}}); err != nil {
				t.Fatal(err)
			}
			again := []record.Feature{{Key: key, Embedder: by, Distance: ptr(.25)}} // an endpoint may answer otherwise: the first stays
			if _, err := commits.CommitAnnotations(t.Context(), s, m, again); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, labels := labelled(3)
	if _, err := commits.CommitAnnotations(t.Context(), s, m, labels); err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(t.Context(), s, "c")
	if err != nil {
		t.Fatal(err)
	}
	added, err := d.Added(t.Context(), s)
	if err != nil || len(added[record.Features]) != 2 || len(added[record.Labels]) != 1 || !strings.HasSuffix(added[record.Features][0].Key, "/a.1.one.parquet") {
		t.Errorf("added: %v, error %v", added, err)
	}
	if r, err := lake.Verify(t.Context(), s, "c"); err != nil || !r.OK() || r.Features != 4 || r.Labels != 1 || len(r.Uncommitted) != 0 {
		t.Errorf("%+v, error %v", r, err)
	}
	file := lake.Marker{Campaign: "c", Condition: "k", Collaboration: "a", By: "one", Table: record.Features}.FileKey(record.Features)
	s.Objects[file] = s.Objects[file][:20]
	if r, err := lake.Verify(t.Context(), s, "c"); err != nil || r.OK() || r.Findings[0].Object != file {
		t.Errorf("a torn file: %+v, error %v", r, err)
	}
	for _, wrong := range []string{"turns", "gossip"} {
		m := lake.Marker{Campaign: "c", Condition: "k", Collaboration: "a", By: "one", Table: wrong}
		if err := m.Check(); err == nil {
			t.Errorf("a marker of table %s is taken", wrong)
		}
	}
}
