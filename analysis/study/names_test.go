package study

import (
	"slices"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
)

func TestNames(t *testing.T) {
	analysistest.CheckNames(t, "table", Tables())
}

// A table that is made has the name by which it is listed.
func TestTablesAreMadeUnderTheirNames(t *testing.T) {
	made := 0
	for _, c := range []campaign.Campaign{analysistest.ByHand(Readers()...), analysistest.Ratings()} {
		for _, name := range entry.Of(Tables()) {
			if table, err := Make(c, name); err == nil {
				made++
				if table.Name != name {
					t.Errorf("table %s is made as %q", name, table.Name)
				}
			}
		}
		for _, table := range All(c) {
			if !slices.Contains(entry.Of(Tables()), table.Name) {
				t.Errorf("table %q is not listed", table.Name)
			}
		}
	}
	if made < 20 {
		t.Errorf("%d tables were made", made)
	}
}

// What is not there is said as it is: nothing has ended yet, or what has ended gives no row.
func TestWhyThereIsNoTable(t *testing.T) {
	for _, x := range []struct {
		c    campaign.Campaign
		name string
		want string
	}{
		{campaign.Campaign{Name: "begun"}, "outcomes", "table outcomes needs collaborations that have ended; no collaboration of campaign begun has ended yet"},
		{analysistest.Ratings(), "utility-by-rule", "table utility-by-rule needs the environment exchange; what has ended of campaign made-up (4 collaborations) gives it no row"},
	} {
		if _, err := Make(x.c, x.name); err == nil || err.Error() != x.want {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
}
