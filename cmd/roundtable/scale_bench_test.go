package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

var grown = flag.Int("grown", 5000, "collaborations of 90 turns in BenchmarkReaders")

// batchOf is how many collaborations a batch has: their turns are about 32 MiB.
const batchOf = 1200

// BenchmarkReaders: what readers take of a compacted campaign of -grown collaborations of
// 90 turns with texts of 540 bytes. 200 are run, and the others are these again under
// their own names with other texts; raw files are deleted, as a bucket's rule may do.
func BenchmarkReaders(b *testing.B) {
	for range b.N {
		dir := benchFile(b, "scripted/trader", 200, 100, 400)
		g := grow(b, dir, *grown)
		_, size := sizeOf(b, filepath.Join(dir, "lake", "lake"))
		b.ReportMetric(size, "parts-MB")
		b.ReportMetric(float64(g.rows)/g.took.Seconds(), "written-rows/s")
		for what, args := range map[string][]string{
			"status":    {"status", "bench"},
			"list":      {"list", "campaigns"},
			"group":     {"query", "select phase, status, count(*), avg(proposal_utility) from turns group by all order by all"},
			"texts":     {"query", "select count(*) from turns where text like '%apple%pear%'"},
			"one":       {"query", "select count(*) from turns where collaboration_id = '" + g.one + "'"},
			"outcomes":  {"query", "select rule, count(*), avg(outcome) from collaborations group by all"},
			"summary":   {"analyze", "bench", "--table", "summary", "--cache", "summary"},
			"headline":  {"analyze", "bench", "--table", "headline", "--cache", "headline"},
			"all":       {"analyze", "bench", "--table", "all", "--cache", "all"},
			"run-again": {"run", "campaign.yaml"},
		} {
			report := func(what string) {
				took := timed(b, dir, args...)
				b.ReportMetric(took.wall.Seconds(), what+"-s")
				b.ReportMetric(took.cpu.Seconds(), what+"-cpu-s")
				b.ReportMetric(took.peakMB, what+"-MB")
			}
			if report(what); slices.Contains(args, "--cache") {
				report(what + "-again")
			}
		}
	}
}

// timed returns what a command takes. Its peak memory is at least that of this process,
// which it is forked from.
func timed(b *testing.B, dir string, args ...string) measured {
	b.Helper()
	cmd := program(b, dir, args...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %v\n%s", args, err, out)
	}
	state := cmd.ProcessState
	return measured{time.Since(began), state.UserTime() + state.SystemTime(), float64(state.SysUsage().(*syscall.Rusage).Maxrss) / 1024}
}

// grower adds batches to a campaign that has ended.
type grower struct {
	b     *testing.B
	ctx   context.Context
	store store.Store
	plan  campaign.Plan
	ran   []record.Rows // in the order of replicates
	words []string
	rows  int
	took  time.Duration
	one   string // some collaboration
}

// grow runs the campaign of a folder, and adds collaborations to it.
func grow(b *testing.B, dir string, collaborations int) *grower {
	b.Helper()
	measure(b, dir)
	store, err := store.NewLocal(filepath.Join(dir, "lake"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	g := &grower{b: b, ctx: b.Context(), store: store}
	g.ran = ranRows(b, store)
	file := filepath.Join(dir, "campaign.yaml")
	text, err := os.ReadFile(file)
	g.must(err)
	g.must(os.WriteFile(file, bytes.Replace(text, []byte("replicates: 200"), fmt.Appendf(nil, "replicates: %d", collaborations), 1), 0o600))
	var m campaign.Manifest
	if g.plan, m, _, err = (planning.Flags{}).Read(g.ctx, catalogue.Builtin(), file, store, false); err != nil {
		b.Fatal(err)
	}
	g.must(planning.RecordPlan(g.ctx, store, g.plan, m))
	x := rand.New(rand.NewPCG(1, 2))
	g.words = []string{"apple", "pear"}
	for range 3000 {
		word := make([]byte, 2+x.IntN(9))
		for i := range word {
			word[i] = 'a' + byte(x.IntN(26))
		}
		g.words = append(g.words, string(word))
	}
	began := time.Now()
	d, err := lake.ReadDataset(g.ctx, store, "bench")
	g.must(err)
	last := d.Batches
	for from := len(g.ran); from < collaborations; from += batchOf {
		last++
		g.addBatch(last, from, min(from+batchOf, collaborations), x)
	}
	g.took = time.Since(began)
	g.must(commits.SumUp(g.ctx, store, "bench"))
	g.must(commits.WriteCard(g.ctx, store, "bench"))
	markers, err := lake.Committed(g.ctx, store, "bench")
	g.must(err)
	success := lake.Success{Revision: g.plan.Campaign.Revision(), Digest: lake.Digest(markers)}
	g.must(store.Replace(g.ctx, lake.SuccessKey("bench"), success.Bytes(), ""))
	return g
}

func (g *grower) must(err error) {
	g.b.Helper()
	if err != nil {
		g.b.Fatal(err)
	}
}

// ranRows returns the rows of each collaboration of a campaign.
func ranRows(b *testing.B, store store.Store) []record.Rows {
	b.Helper()
	d, err := lake.ReadDataset(b.Context(), store, "bench")
	if err != nil {
		b.Fatal(err)
	}
	all := make([]record.Rows, len(d.Members))
	at := map[string]int{}
	for i, m := range d.Members {
		at[m.Collaboration] = i
	}
	collect(b, store, d, func(r record.Collaboration) {
		all[at[r.CollaborationID]].Collaborations = append(all[at[r.CollaborationID]].Collaborations, r)
	})
	collect(b, store, d, func(r record.Round) { all[at[r.CollaborationID]].Rounds = append(all[at[r.CollaborationID]].Rounds, r) })
	collect(b, store, d, func(r record.Turn) { all[at[r.CollaborationID]].Turns = append(all[at[r.CollaborationID]].Turns, r) })
	collect(b, store, d, func(r record.Ballot) {
		all[at[r.CollaborationID]].Ballots = append(all[at[r.CollaborationID]].Ballots, r)
	})
	collect(b, store, d, func(r record.Call) { all[at[r.CollaborationID]].Calls = append(all[at[r.CollaborationID]].Calls, r) })
	return all
}

func collect[T record.Row](b *testing.B, store store.Store, d lake.Dataset, keep func(T)) {
	b.Helper()
	for r, err := range lake.Scan[T](b.Context(), store, d) {
		if err != nil {
			b.Fatal(err)
		}
		keep(r)
	}
}

// text returns about 540 bytes of words.
func (g *grower) text(x *rand.Rand) *string {
	var t strings.Builder
	for t.Len() < 540 {
		t.WriteString(g.words[x.IntN(len(g.words))])
		t.WriteByte(' ')
	}
	text := t.String()
	return &text
}

// addBatch adds the replicates from … until-1 as compaction leaves them.
func (g *grower) addBatch(number, from, until int, x *rand.Rand) {
	type member struct {
		lake.Marker
		rows record.Rows
	}
	members := make([]member, 0, until-from)
	for replicate := from; replicate < until; replicate++ {
		rows := g.ran[replicate%len(g.ran)]
		cell := g.plan.Campaign.Cell(replicate)
		c := rows.Collaborations[0]
		m := lake.Marker{
			Campaign: "bench", Condition: c.ConditionID, Collaboration: g.plan.Campaign.CollaborationID(cell), SchemaVersion: record.SchemaVersion, Status: c.Status,
			Calls: int64(c.Calls), InputTokens: c.InputTokens, OutputTokens: c.OutputTokens, CostUSD: c.CostUSD, WorstUSD: c.WorstUSD,
			Charged: lake.ChargeOf(rows.Calls), Digest: fmt.Sprintf("%064x", replicate), Files: map[string]lake.File{},
		}
		for table, n := range map[string]int{record.Collaborations: 1, record.Rounds: len(rows.Rounds), record.Turns: len(rows.Turns), record.Ballots: len(rows.Ballots), record.Calls: len(rows.Calls)} {
			if n > 0 {
				m.Files[table] = lake.File{Key: m.FileKey(table), Rows: n, Size: 1, SHA256: strings.Repeat("0", 64)}
				g.rows += n
			}
		}
		members = append(members, member{m, rows})
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.Collaboration, b.Collaboration) })
	batch := lake.Batch{Campaign: "bench", Number: number}
	for _, m := range members {
		batch.Members = append(batch.Members, lake.MemberOf(m.Marker))
		g.one = m.Collaboration
	}
	g.seal(batch.IntentKey(), batch)
	made := lake.Manifest{Batch: batch, SchemaVersion: record.SchemaVersion, Files: map[string][]lake.Part{}}
	// A table's rows, renamed, into one part.
	addPart(g, &made, len(members), func(i int) []record.Collaboration {
		one := members[i].rows.Collaborations[0]
		one.CollaborationID, one.Replicate = members[i].Collaboration, int32(from+i)
		return []record.Collaboration{one}
	})
	addPart(g, &made, len(members), func(i int) []record.Round {
		return renameRows(members[i].rows.Rounds, func(r *record.Round) { r.CollaborationID = members[i].Collaboration })
	})
	addPart(g, &made, len(members), func(i int) []record.Turn {
		return renameRows(members[i].rows.Turns, func(r *record.Turn) { r.CollaborationID, r.Text = members[i].Collaboration, g.text(x) })
	})
	addPart(g, &made, len(members), func(i int) []record.Ballot {
		return renameRows(members[i].rows.Ballots, func(r *record.Ballot) { r.CollaborationID = members[i].Collaboration })
	})
	addPart(g, &made, len(members), func(i int) []record.Call {
		return renameRows(members[i].rows.Calls, func(r *record.Call) { r.CollaborationID = members[i].Collaboration })
	})
	g.must(lake.Each(g.ctx, len(members), func(ctx context.Context, i int) error {
		data, err := lake.Seal(members[i].Key(), members[i].Marker)
		if err != nil {
			return err
		}
		return g.store.PutIfAbsent(ctx, members[i].Key(), data)
	}))
	g.must(made.Check())
	g.seal(batch.Key(), made)
}

func (g *grower) seal(key string, body any) {
	data, err := lake.Seal(key, body)
	g.must(err)
	g.must(g.store.PutIfAbsent(g.ctx, key, data))
}

func renameRows[T any](rows []T, rename func(*T)) []T {
	renamed := slices.Clone(rows)
	for i := range renamed {
		rename(&renamed[i])
	}
	return renamed
}

// addPart writes the part of a table.
func addPart[T record.Row](g *grower, m *lake.Manifest, members int, rows func(i int) []T) {
	var zero T
	var data bytes.Buffer
	w, n := lake.NewWriter[T](&data), 0
	for i := range members {
		all := rows(i)
		_, err := w.Write(all)
		g.must(err)
		n += len(all)
	}
	g.must(w.Close())
	condition := m.Members[0].Condition
	key := m.PartKey(zero.Table(), condition)
	g.must(g.store.PutIfAbsent(g.ctx, key, data.Bytes()))
	m.Files[zero.Table()] = append(m.Files[zero.Table()], lake.Part{Condition: condition, File: lake.FileOf(key, n, data.Bytes())})
}
