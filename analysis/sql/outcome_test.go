//go:build cgo

package sql_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
)

// TestOutcomesOfEarlyFiles: rows that were written without measure and outcome
// have them in SQL as record.Collaboration.Worth says, and so have their rounds.
func TestOutcomesOfEarlyFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lake")
	s, err := store.NewLocal(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var want []string
	for i, c := range []struct {
		environment, status string
		score               *float64
	}{
		{"qa", "succeeded", new(1.)}, {"qa", "succeeded", nil}, {"qa", "failed", new(1.)},
		{"recsys", "succeeded", new(-2.)}, {"recsys", "succeeded", nil}, {"exchange", "stopped", nil},
	} {
		key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "early", ConditionID: "c", CollaborationID: fmt.Sprint("c-i", i, "-r0")}
		row := record.Collaboration{Key: key, Status: c.status, Environment: c.environment, Score: c.score}
		rows := record.Rows{Collaborations: []record.Collaboration{row}, Rounds: []record.Round{{Key: key, Round: 1, Score: c.score}}}
		if _, err := commits.Commit(context.Background(), s, rows); err != nil {
			t.Fatal(err)
		}
		outcome := "null"
		if v := row.Worth(c.score); v != nil {
			outcome = fmt.Sprint(*v)
		}
		want = append(want, fmt.Sprintf(`{"measure":%q,"outcome":%s}`, row.MeasureOf(), outcome))
	}
	db := open(t, sql.Source{Store: s, Location: folder})
	if got := query(t, db, "SELECT measure, outcome FROM collaborations ORDER BY collaboration_id"); !slices.Equal(got, want) {
		t.Errorf("collaborations: %v, want %v", got, want)
	}
	if got := query(t, db, "SELECT c.measure, r.outcome FROM rounds r JOIN collaborations c USING (collaboration_id) ORDER BY collaboration_id"); !slices.Equal(got, want) {
		t.Errorf("rounds: %v, want %v", got, want)
	}
	if got := query(t, db, "SELECT avg(outcome) AS outcome, avg(score) AS score FROM collaborations WHERE environment = 'qa' AND status = 'succeeded'"); got[0] != `{"outcome":0.5,"score":1}` {
		t.Errorf("the mean over a right and an undecided group is %v", got)
	}
}
