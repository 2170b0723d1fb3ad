package study

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/table"
)

// calledAs is a campaign under another name.
func calledAs(name string, c campaign.Campaign) campaign.Campaign {
	c.Name, c.Runs = name, slices.Clone(c.Runs)
	for i := range c.Runs {
		c.Runs[i].CampaignID = name
	}
	return c
}

// Every table that a campaign has can be made of it and another one.
func TestEveryTableIsMadeOfSeveralCampaigns(t *testing.T) {
	plan := analysistest.Script{Runs: 10, Rounds: 4, Agents: 3, Seed: 1, Peak: 2, Own: 0.1, Noise: 0.02}
	planted := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": plan.Make(), "rated": plan.Make()})
	trajectories := campaign.TrajectoriesOf(planted)
	trajectories.Labels.By = "openai/labeller"
	campaign.Keep(&planted.Parts, trajectories)
	made := map[string]bool{}
	for _, c := range []campaign.Campaign{analysistest.ByHand(Readers()...), analysistest.Ratings(), planted} {
		joined, err := campaign.Join(calledAs("first", c), calledAs("second", c))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range entry.Of(Tables()) {
			alone, err := Make(c, name)
			if err != nil {
				continue
			}
			made[name] = true
			both, err := Make(joined, name)
			if err != nil || len(both.Rows) < len(alone.Rows) {
				t.Errorf("table %s of two campaigns: %v, %d rows; of one %d", name, err, len(both.Rows), len(alone.Rows))
			}
		}
	}
	for _, name := range []string{"early-stopping", "stopping-times", "folds", "nested", "regression", "stopping-signals"} {
		if !made[name] {
			t.Errorf("table %s is not tried", name)
		}
	}
}

// Two campaigns, each of one environment, have the tables of one campaign with both: paper 1's
// Tables 10 and 11 are of an economy with one instance and of a hundred ratings.
func TestEarlyStoppingOfTwoCampaigns(t *testing.T) {
	plan := analysistest.Script{Runs: 10, Rounds: 4, Agents: 3, Seed: 1, Peak: 2, Own: 0.1, Noise: 0.02}
	late := plan
	late.Peak, late.Seed = 3, 2
	economy := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": plan.Make(), "rated": plan.Make()})
	ratings := analysistest.OfTrajectories("recsys", map[string][]acts.Trajectory{"ranked": late.Make()})
	one := economy
	one.Runs = slices.Concat(economy.Runs, ratings.Runs)
	courses := campaign.TrajectoriesOf(economy)
	courses.Runs = slices.Concat(courses.Runs, campaign.TrajectoriesOf(ratings).Runs)
	campaign.Keep(&one.Parts, courses)
	joined, err := campaign.Join(calledAs("economy", economy), calledAs("ratings", ratings))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"early-stopping", "stopping-times"} {
		want, err := Make(one, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Make(joined, name)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := numbers(want), numbers(got); !slices.Equal(a, b) {
			t.Errorf("%s: as one campaign\n%s\nas two\n%s", name, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	}
}

// numbers are the rows of a table without their words.
func numbers(t table.Table) []string {
	var all []string
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			if c.Value != nil {
				cells = append(cells, c.String())
			}
		}
		all = append(all, strings.Join(cells, " "))
	}
	slices.Sort(all)
	return all
}

// Labels of one labeller are not compared with those of another.
func TestLabelsOfOtherLabellersAreNotJoined(t *testing.T) {
	labelled := func(name, by string) campaign.Campaign {
		c := calledAs(name, analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{"majority": analysistest.Script{Runs: 6, Rounds: 4, Agents: 3}.Make()}))
		trajectories := campaign.TrajectoriesOf(c)
		trajectories.Labels.By = by
		campaign.Keep(&c.Parts, trajectories)
		return c
	}
	if _, err := campaign.Join(labelled("first", "a"), labelled("second", "b")); err == nil || !strings.Contains(err.Error(), "--labeller") {
		t.Errorf("they are joined: %v", err)
	}
	joined, err := campaign.Join(labelled("first", "a"), labelled("second", ""))
	if l := campaign.TrajectoriesOf(joined).Labels; err != nil || l.By != "a" || l.Missing != 6 {
		t.Errorf("%v, labels by %q, %d missing", err, l.By, l.Missing)
	}
}
