package commits_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// BenchmarkCompact compacts 2,000 collaborations of 90 turns, 10 rounds, 270
// ballots and 90 calls each, and then reads them: rows a second, and the most
// memory that was in use beyond what was before.
func BenchmarkCompact(b *testing.B) {
	const collaborations = 2000
	_, s, _ := open(b)
	rows, x := cell(), rand.New(rand.NewPCG(1, 2))
	for i := range collaborations {
		for j := range rows.Turns { // 300 letters that do not compress to nothing
			text := make([]byte, 300)
			for k := range text {
				text[k] = 'a' + byte(x.IntN(26))
			}
			rows.Turns[j].Text = ptr(string(text))
		}
		if _, err := commits.Commit(ctx, s, renamed(rows, fmt.Sprintf("x%04d", i))); err != nil {
			b.Fatal(err)
		}
	}
	all := float64(collaborations * (1 + 10 + 90 + 270 + 90))
	reading := func(name string) {
		b.Run(name, func(b *testing.B) {
			peak := peakOf(func() {
				for range b.N {
					d := dataset(b, s)
					for _, err := range lake.Scan[record.Turn](ctx, s, d) {
						must(b, err)
					}
				}
			})
			b.ReportMetric(float64(b.N)*collaborations*90/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(peak, "peak-MB")
		})
	}
	reading("scan turns before")
	b.Run("compact", func(b *testing.B) {
		if b.N > 1 {
			b.Skip("it is done once")
		}
		var batch *commits.Batch
		var m commits.Manifest
		var err error
		peak := peakOf(func() {
			batch, err = commits.NextBatch(ctx, s, "c", true)
			must(b, err)
			m, err = commits.Compact(ctx, s, *batch)
			must(b, err)
		})
		size := int64(0)
		for _, parts := range m.Files {
			for _, p := range parts {
				size += p.Size
			}
		}
		b.ReportMetric(all/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(peak, "peak-MB")
		b.ReportMetric(float64(size)/1e6, "part-MB")
		b.ReportMetric(float64(len(batch.Members)), "members")
	})
	reading("scan turns after")
}

// peakOf is the most memory in use while something is done, in MB.
func peakOf(do func()) float64 {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&now)
			peak.Store(max(peak.Load(), now.HeapAlloc))
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	do()
	close(done)
	<-stopped
	return float64(peak.Load()-before.HeapAlloc) / 1e6
}
