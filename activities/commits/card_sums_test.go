package commits_test

import (
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/store/storetest"
)

// The sums of a card hold the recorded plans too. One that was changed or is missing is found, and is
// not taken for what a killed process has left: the card stays as it is.
func TestCardSumsPlans(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	few(t, s)
	key := cardFolder + "plans/0123456789ab.json"
	plan := `{"campaign":{},"folder":"there"}`
	must(t, s.PutIfAbsent(ctx, key, []byte(plan)))
	must(t, commits.WriteCard(ctx, s, "c"))
	must(t, s.PutIfAbsent(ctx, cardFolder+"plans/later.json", []byte("{}"))) // of an extension that has not ended
	sums := s.Objects[cardFolder+"SHA256SUMS"]
	for _, tampered := range []string{"", strings.Replace(plan, "there", "here", 1)} {
		if delete(s.Objects, key); tampered != "" {
			s.Objects[key] = tampered
		}
		changed, err := commits.CheckCard(ctx, s, "c")
		must(t, err)
		if !slices.Equal(changed, []string{key}) {
			t.Errorf("the plan is %q: found %v", tampered, changed)
		}
		if repaired, err := commits.RepairCard(ctx, s, "c"); err != nil || repaired || s.Objects[cardFolder+"SHA256SUMS"] != sums {
			t.Errorf("the plan is %q, and the card is written again (%v)", tampered, err)
		}
	}
	// A table is added afterwards: the card is brought up to date, and the damage stays told.
	for _, tampered := range []string{"", strings.Replace(plan, "there", "here", 1)} {
		if delete(s.Objects, key); tampered != "" {
			s.Objects[key] = tampered
		}
		if err := commits.RefreshCard(ctx, s, "c"); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("the plan is %q, and the command that adds a table says %v", tampered, err)
		}
		must(t, commits.WriteCard(ctx, s, "c")) // by an extension that ends
		if changed, err := commits.CheckCard(ctx, s, "c"); err != nil || !slices.Equal(changed, []string{key}) {
			t.Errorf("the plan is %q, and with a new card found is %v, %v", tampered, changed, err)
		}
	}
	s.Objects[key] = plan
	if changed, err := commits.CheckCard(ctx, s, "c"); err != nil || len(changed) > 0 {
		t.Errorf("as it was: %v, %v", changed, err)
	}
}
