package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// Of two programs that would run a campaign of one bucket with servers of their own, the
// second one is refused, and the first one's work ends if another has taken it over.
func TestLockCampaignInABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, s := &Options{Lake: "s3://bucket/lake"}, storetest.NewMemory(map[string]string{})
		held, lock, err := o.LockCampaign(t.Context(), s, "c", "here")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := o.LockCampaign(t.Context(), s, "c", "there"); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "in use by process") {
			t.Errorf("the second one is not refused: %v", err)
		}
		_, other, err := o.LockCampaign(t.Context(), s, "another", "there")
		if err != nil {
			t.Error(err)
		}
		if err := s.Delete(t.Context(), "lake/_campaigns/c/lock"); err != nil {
			t.Fatal(err)
		}
		<-held.Done()
		if err := Interrupted(held, "run"); ExitCode(err) != ExitIncomplete || !errors.Is(context.Cause(held), store.ErrLeaseLost) {
			t.Errorf("it ends with %v", err)
		}
		if err := errors.Join(lock.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	})
}
