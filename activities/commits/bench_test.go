package commits_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/transcript"
)

// BenchmarkCommit is a collaboration of 90 turns, 10 rounds, 270 ballots and 90 calls.
func BenchmarkCommit(b *testing.B) {
	_, s, _ := open(b)
	rows := cell()
	b.ReportAllocs()
	for i := range b.N {
		rows = renamed(rows, fmt.Sprint("x", i))
		if _, err := commits.Commit(ctx, s, rows); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	rows, err := cell().Sorted()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := record.Digest(rows); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLiveTurn is what a paid call with one ask writes: an intent and an answer of 2 KB.
func BenchmarkLiveTurn(b *testing.B) {
	a, _, _ := open(b)
	t := turn(0, strings.Repeat("word ", 400), strings.Repeat("word ", 100))
	t.Act = transcript.Act{Status: transcript.Said}
	b.SetParallelism(50)
	var mu sync.Mutex
	n := 0
	b.RunParallel(func(pb *testing.PB) {
		mu.Lock()
		n++
		p := answers.RunKey{Campaign: "c", Collaboration: fmt.Sprint("x", n)}
		mu.Unlock()
		for entry := 0; pb.Next(); entry++ {
			turn := t
			turn.Entry = entry
			if _, err := a.Turn(ctx, p, entry); err != nil {
				b.Error(err)
			}
			if _, err := a.Intend(ctx, p, answers.Intent{Entry: entry}); err != nil {
				b.Error(err)
			}
			if _, err := a.Put(ctx, p, turn); err != nil {
				b.Error(err)
			}
		}
	})
}
