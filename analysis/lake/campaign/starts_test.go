package campaign_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
)

// Runs of one lake follow each other; what two copies of it have added, or two lakes with the
// same campaign, is told apart from that once it lies together.
func TestStarts(t *testing.T) {
	now := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	start := func(s *storetest.Memory, revision string) {
		t.Helper()
		now = now.Add(time.Minute)
		if err := campaign.CheckStarts(t.Context(), s, "c"); err != nil {
			t.Fatal(err)
		}
		if err := campaign.NoteStart(t.Context(), s, "c", campaign.Start{At: now, Revision: revision}); err != nil {
			t.Fatal(err)
		}
	}
	copyOf := func(s *storetest.Memory) *storetest.Memory { return storetest.NewMemory(maps.Clone(s.Objects)) }
	merge := func(a, b *storetest.Memory) error { // as cp -n does
		both := maps.Clone(b.Objects)
		maps.Copy(both, a.Objects)
		return campaign.CheckStarts(t.Context(), storetest.NewMemory(both), "c")
	}
	a, other := storetest.NewMemory(map[string]string{}), storetest.NewMemory(map[string]string{})
	start(a, "one")
	backup := copyOf(a)
	start(a, "two")
	if err := merge(a, backup); err != nil {
		t.Errorf("a backup laid over the lake: %v", err)
	}
	start(other, "apart")
	start(backup, "three")
	for want, b := range map[string]*storetest.Memory{
		"one started on 2026-11-28 10:01:00 UTC (plan one), one on 2026-11-28 10:03:00 UTC (plan apart)": other,
		"one started on 2026-11-28 10:02:00 UTC (plan two), one on 2026-11-28 10:04:00 UTC (plan three)": backup,
	} {
		for _, err := range []error{merge(a, b), merge(b, a)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	torn := copyOf(a)
	for key := range torn.Objects {
		if strings.HasSuffix(key, "/0.json") {
			torn.Objects[key] = ""
		}
	}
	start(torn, "goes on")
	start(torn, "and on")
	if err := merge(torn, a); err != nil {
		t.Errorf("a torn start breaks the chain: %v", err)
	}
}
