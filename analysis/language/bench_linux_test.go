package language_test

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
)

var messages = flag.Int("messages", 4500, "messages of BenchmarkTalks's lake, in collaborations of 90; docs/guides/features.md quotes 1,000,000")

// BenchmarkTalks measures a lake of raw commits, from files to rows of the table
// features. Memory is the greatest resident set of the process from the first
// message on, which holds the lake's writers too.
func BenchmarkTalks(b *testing.B) {
	s, err := store.NewLocal(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for rows := range collaborations(*messages / 90) {
		if _, err := commits.Commit(b.Context(), s, rows); err != nil {
			b.Fatal(err)
		}
	}
	d, err := lake.ReadDataset(b.Context(), s, "large")
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	before, worked := resident(b, "VmRSS:"), processor(b)
	n := 0
	for b.Loop() {
		for talk, err := range language.DefaultMethod().Talks(b.Context(), s, d) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(talk.Messages)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(n)/(processor(b)-worked), "messages/cpu-s")
	b.ReportMetric(before, "MB-before")
	b.ReportMetric(resident(b, "VmHWM:"), "MB-peak")
}

// collaborations of three agents and thirty rounds, whose messages are all different.
func collaborations(n int) iter.Seq[record.Rows] {
	return func(yield func(record.Rows) bool) {
		for c := range n {
			key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "large", ConditionID: "k", CollaborationID: fmt.Sprintf("k-i0-r%06d", c)}
			rows := record.Rows{Collaborations: []record.Collaboration{{Key: key, Status: "succeeded", Environment: "exchange", Measure: record.Share, Agents: 3, RoundsPlanned: 30, RoundsRun: 30, SettingsJSON: "{}"}}}
			for i := range 90 {
				turn := said(int32(i), int32(i/3+1), int32(i%3), fmt.Sprintf("In round %d I propose to give %d units of apples to agent %d, because bread is worth more to me than %s is. What do the others think?", i/3+1, (i*37+c)%100, (i+c)%3, strings.Repeat("fruit ", 1+(i+c)%4)))
				turn.Key = key
				rows.Turns = append(rows.Turns, turn)
			}
			if !yield(rows) {
				return
			}
		}
	}
}

// processor is the time that this process has computed, in seconds: what a busy
// machine does not change.
func processor(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// resident is a size of this process in MB, as Linux says it; 0 elsewhere.
func resident(b *testing.B, name string) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name {
			kb, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	return 0
}
