package main

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/forks"
	"roundtable/workflows/plan"
)

// A vote, debates, the single agent and the debate's control, as in the first file of the README: the
// only group with a second round is what is forked there; where that is not one, all are listed.
func TestWhichConditionsAreForked(t *testing.T) {
	var p campaign.Plan
	m := campaign.Manifest{AxisLabels: map[string]map[string]string{}}
	ids := map[string]string{}
	for _, c := range []struct {
		label, axis string
		control     plan.Control
		rounds      int
	}{{"vote", "protocol", "", 1}, {"debate", "protocol", "", 2}, {"long", "protocol", "", 4}, {"single", "baseline", "", 1}, {"again", "protocol", plan.Same, 4}, {"vote, then talk", "protocol", "", 2}} {
		condition := plan.Condition{Protocol: plan.Choice{Name: c.label}, Rule: plan.Choice{Name: "plurality"}, Control: c.control}
		p.Campaign.Conditions, p.Rounds = append(p.Campaign.Conditions, condition), append(p.Rounds, c.rounds)
		ids[c.label] = condition.ID()
		m.AxisLabels[condition.ID()] = map[string]string{c.axis: c.label}
	}
	for _, x := range []struct {
		at    string
		named []string
		want  []string // labels
		says  string
	}{
		{at: "round=1"}, // all
		{at: "entry=2"},
		{at: "round=3", want: []string{"long"}},
		{at: "round=3", named: []string{"again"}, want: []string{"again"}},
		{at: "round=2", named: []string{"long", ids["debate"]}, want: []string{"long", "debate"}},
		{at: "round=2", named: []string{ids["debate"] + ",long", "vote, then talk"}, want: []string{"debate", "long", "vote, then talk"}},
		{at: "round=2", says: "not every condition has a round 2: name those to fork with --condition:\n  " + ids["vote"] + " (vote, 1 round)\n"},
		{at: "round=9", says: "no condition has a round 9; the longest has 4 rounds"},
		{at: "round=1", named: []string{"debat"}, says: "--condition debat: expected the id of one condition"},
	} {
		f, err := forks.Request{Campaign: "mine", At: x.at, Control: true, Conditions: x.named}.NewFile(p, m)
		if x.says != "" || err != nil {
			if err == nil || x.says == "" || !strings.Contains(err.Error(), x.says) {
				t.Errorf("%s %v: %v", x.at, x.named, err)
			}
			continue
		}
		var want []string
		for _, label := range x.want {
			want = append(want, ids[label])
		}
		if !slices.Equal(f.Fork.Conditions, want) {
			t.Errorf("%s %v: %v, want %v", x.at, x.named, f.Fork.Conditions, want)
		}
	}
}
