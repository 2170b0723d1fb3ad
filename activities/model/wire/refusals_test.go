package wire

import (
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// Refusals as public bug reports quote them (shortened to what decides, some with their sister of
// another period), each with the fault and the wait that a person read in it.
func TestRefusals(t *testing.T) {
	data, err := os.ReadFile("testdata/refusals.tsv")
	if err != nil {
		t.Fatal(err)
	}
	report := NewReporter("test")
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 5 {
			t.Fatalf("%q has %d cells; expected status, fault, wait, source and body", line, len(cells))
		}
		status, _ := strconv.Atoi(cells[0])
		got := report.InBody([]byte(cells[4]))
		if status != http.StatusOK {
			f := &Failure{Status: status, Header: http.Header{}, Body: []byte(cells[4])}
			got = report.Refused(f, ReadWords(f.Body, f.Header))
		}
		wait := "0"
		if got.RetryAfter > 0 {
			wait = got.RetryAfter.String()
		}
		if got.Fault != model.Fault(cells[1]) || got.Class == model.Retry && wait != cells[2] {
			t.Errorf("%s (%d): %s after %s, want %s after %s: %s", cells[3], status, got.Fault, wait, cells[1], cells[2], got.Message)
		}
	}
}
