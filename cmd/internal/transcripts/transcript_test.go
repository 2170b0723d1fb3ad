package transcripts

import (
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/catalogue"
)

// A collaboration that never began has no entries, and says so.
func TestNoEntries(t *testing.T) {
	rows := record.Rows{Collaborations: []record.Collaboration{{Status: "stopped"}}}
	_, err := Read(t.Context(), nil, catalogue.Catalogue{}, rows, Parts{Entry: 4})
	if err == nil || !strings.Contains(err.Error(), "no entries: it ended as stopped before it began") {
		t.Errorf("it says %v", err)
	}
}
