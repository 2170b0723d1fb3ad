package calls

import (
	"testing"
	"time"

	"roundtable/activities/batch"
)

// What calls in a batch wait for is said in words that people can follow.
func TestBatchWait(t *testing.T) {
	since := time.Date(2026, 11, 27, 14, 2, 0, 0, time.UTC)
	for want, w := range map[string]batch.Wait{
		"other calls of its batch; it is sent after 30s without another one":                     {Quiet: 30 * time.Second},
		"batch roundtable-1, since 14:02:00 UTC; 120 of 340 done":                                {Name: "roundtable-1", Since: since, Done: 120, Total: 340},
		"batch roundtable-1, since 14:02:00 UTC; it is not known yet whether the service has it": {Name: "roundtable-1", Since: since, Looking: true},
		"batch roundtable-1, since 14:02:00 UTC; it is being cancelled":                          {Name: "roundtable-1", Since: since, Total: 5, Cancelled: true},
	} {
		if got := batchWait(w).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
