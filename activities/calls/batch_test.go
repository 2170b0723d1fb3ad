package calls

import (
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/batch"
	"roundtable/analysis/lake/store/storetest"
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

// Calls of one round that were in a batch of another process, and that may have been billed, stay in the
// ledger once they are taken out of the batch.
func TestTakeOutOfBatch(t *testing.T) {
	disk, run := storetest.NewMemory(map[string]string{}), answers.RunKey{Campaign: "c", Collaboration: "majority-00000000-i0-r0"}
	theirs, ours := answers.NewAnswers(disk), answers.NewAnswers(disk)
	for _, a := range []*answers.Answers{theirs, ours} {
		a.Begin(run, answers.Stored{})
	}
	sent := []answers.Intent{{Entry: 0, StartedAt: 7, Batch: "roundtable-1"}, {Entry: 1, StartedAt: 7, Batch: "roundtable-1"}}
	together := make(chan error)
	for _, i := range sent {
		go func() {
			_, err := theirs.Intend(answers.WithExpectedIntents(t.Context(), len(sent)), run, i)
			together <- err
		}()
	}
	for range sent {
		if err := <-together; err != nil {
			t.Fatal(err)
		}
	}
	c := &Caller{answers: ours}
	for _, i := range sent {
		if err := c.takeOutOfBatch(t.Context(), Order{Run: run}, i); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ours.Load(t.Context(), run)
	if err != nil || len(s.Unknown) != 2 || len(s.Released) != 2 || s.Unknown[0].Batch+s.Unknown[1].Batch != "" {
		t.Errorf("%+v (%v)", s, err)
	}
}
