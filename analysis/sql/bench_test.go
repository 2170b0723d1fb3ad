//go:build cgo

package sql_test

import (
	"context"
	databases "database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
)

const (
	benchCells = 500
	benchTurns = 2000 // of a cell: 1,000,000 in all
	grouping   = `SELECT condition_id, phase, status, count(*) AS n, avg(proposal_utility) AS utility, max(asks) AS asks
FROM %s GROUP BY ALL ORDER BY ALL`
)

// BenchmarkGroupBy groups 1,000,000 turns of 6 conditions that are compacted,
// through the view and from one sorted file that DuckDB wrote itself. The aim is
// at most 1.2 times the latter.
func BenchmarkGroupBy(b *testing.B) {
	ctx := context.Background()
	folder := b.TempDir()
	s, err := store.NewLocal(folder)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i := range benchCells {
		if _, err := commits.Commit(ctx, s, talk(i)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := commits.CompactAll(ctx, s, "large", true); err != nil {
		b.Fatal(err)
	}
	db := open(b, sql.Source{Store: s, Location: folder})
	one := filepath.Join(b.TempDir(), "one.parquet")
	f, err := os.Create(one)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	sorted := sql.Statement{Text: "SELECT * FROM turns ORDER BY condition_id, collaboration_id, generation, entry"}
	if n, err := db.Parquet(ctx, sorted, f); err != nil || n != benchCells*benchTurns {
		b.Fatal(n, err)
	}
	plain, err := databases.Open("duckdb", "")
	if err != nil {
		b.Fatal(err)
	}
	defer plain.Close()
	b.Run("group", func(b *testing.B) { // in turns, by processor time: others may use this machine
		var spent [2]time.Duration
		best := [2]time.Duration{time.Hour, time.Hour}
		measure := func(which int, do func()) {
			begun, used := time.Now(), processor()
			do()
			best[which] = min(best[which], time.Since(begun))
			spent[which] += processor() - used
		}
		for b.Loop() {
			measure(0, func() {
				if got := query(b, db, fmt.Sprintf(grouping, "turns")); len(got) < 6 {
					b.Fatal(got)
				}
			})
			measure(1, func() {
				rows, err := plain.QueryContext(ctx, fmt.Sprintf(grouping, "'"+one+"'"))
				if err != nil {
					b.Fatal(err)
				}
				for rows.Next() {
				}
				rows.Close()
			})
		}
		for i, name := range []string{"lake", "file"} {
			b.ReportMetric(float64(best[i].Microseconds())/1000, name+"-best-ms")
			b.ReportMetric(float64(spent[i].Microseconds())/1000/float64(b.N), name+"-cpu-ms")
		}
		b.ReportMetric(float64(spent[0])/float64(spent[1]), "lake/file")
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			db, err := sql.Open(ctx, sql.Source{Store: s, Location: folder})
			if err != nil {
				b.Fatal(err)
			}
			db.Close()
		}
	})
}

// processor is the time that this process has used, in its own code and the system's.
func processor() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// talk is a cell with many turns, each of 100 letters that do not compress to nothing.
func talk(i int) record.Rows {
	x := rand.New(rand.NewPCG(1, uint64(i)))
	condition := fmt.Sprintf("rule-%08x", i%6)
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "large", ConditionID: condition, CollaborationID: fmt.Sprintf("%s-i0-r%d", condition, i/6)}
	rows := record.Rows{Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}}}
	for entry := range benchTurns {
		agent, letters, utility := int32(entry%3), make([]byte, 100), x.Float64()
		for j := range letters {
			letters[j] = 'a' + byte(x.IntN(26))
		}
		text := string(letters)
		rows.Turns = append(rows.Turns, record.Turn{
			Key: key, Entry: int32(entry), Round: int32(1 + entry/9), Phase: []string{"message", "proposal", "vote"}[entry/3%3], Kind: "ask", Agent: &agent,
			Status: []string{"said", "said", "said", "skipped", "invalid"}[x.IntN(5)], Asks: 1 + int32(x.IntN(2)), Text: &text, ProposalUtility: &utility,
			PromptHash: fmt.Sprintf("%032x", x.Uint64()), AnswerHash: fmt.Sprintf("%064x", x.Uint64()), SeesJSON: "[[0,10]]",
		})
	}
	return rows
}
