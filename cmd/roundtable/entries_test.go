package main

import (
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/transcripts"
)

// A collaboration that never began has no entries, and says so.
func TestNoEntries(t *testing.T) {
	rows := record.Rows{Collaborations: []record.Collaboration{{Status: "stopped"}}}
	err := transcripts.Parts{Entry: 4}.Check(rows)
	if err == nil || !strings.Contains(err.Error(), "no entries: it ended as stopped before it began") {
		t.Errorf("it says %v", err)
	}
	rows.Collaborations[0].Status = record.Unfinished
	if err := (transcripts.Parts{Entry: 4}).Check(rows); err == nil || !strings.Contains(err.Error(), "has not ended, 0 entries have been answered so far") {
		t.Errorf("it says %v", err)
	}
}
