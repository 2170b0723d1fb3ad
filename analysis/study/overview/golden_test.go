package overview

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/worth"
)

var update = flag.Bool("update", false, "write the golden file again")

// TestHeadlinesAreThreeSentences: whatever there is to say, a headline has three sentences at
// most. The golden file is there to be read.
func TestHeadlinesAreThreeSentences(t *testing.T) {
	const golden = "testdata/headlines.md"
	var text strings.Builder
	for _, x := range []struct {
		what string
		c    campaign.Campaign
	}{
		{"A leader, with everything that a group is held against", held(24, 1, 0.9)},
		{"Nothing is told apart", held(24, 1, 0.6)},
		{"Nothing is told apart, without replicates", without(held(24, 1, 0.6), campaign.Same)},
		{"Nothing is told apart, beyond chance on these instances", held(4, 6, 0.85)},
		{"One condition half undecided", changed(held(24, 1, 0.9), halfUndecided)},
		{"Half-finished", unfinished(held(24, 1, 0.9))},
		{"Unusable answers", changed(held(24, 1, 0.9), cutOff)},
		{"One instance", held(1, 24, 0.9)},
		{"One condition", only(held(24, 1, 0.9))},
		{"Simulated", changed(held(24, 1, 0.9), func(r *campaign.Run) { r.Simulated = true })},
		{"Two environments", twoEnvironments()},
		{"All at once", unfinished(changed(held(1, 24, 0.9), func(r *campaign.Run) {
			halfUndecided(r)
			cutOff(r)
			r.Simulated = r.Replicate%3 == 0
		}))},
	} {
		fmt.Fprintf(&text, "## %s\n\n", x.what)
		for _, h := range Headlines(x.c) {
			if n := strings.Count(h.String()+" ", ". "); n > 3 {
				t.Errorf("%s: %d sentences: %s", x.what, n, h)
			}
			fmt.Fprintf(&text, "%s\n\n", h)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("%s differs (go test -update rewrites it):\n%s", golden, &text)
	}
}

// held is a debate that is right in a share of questions, a vote in half of them, one agent in
// a third, and every control of the debate.
func held(instances, replicates int, share float64) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for q := range instances {
		for r := range replicates {
			at := q*replicates + r
			score := func(of float64) float64 { // at 24 places, spread over them
				return map[bool]float64{true: 1}[float64(at*7%24) < 24*of]
			}
			debate, vote := asked("debate", q, r, score(share)), asked("vote", q, r, score(0.5))
			c.Runs = append(c.Runs, lone("single", q, r, 1, score(0.3)), lone("samples", q, r, 4, score(0.45)))
			again := controlled(asked("debate", q, r, score(share-0.05)), campaign.Same)
			alone, strangers := asked("debate", q, r, score(0.4)), asked("debate", q, r, score(0.35))
			c.Runs = append(c.Runs, debate, vote, again, controlled(alone, campaign.Alone), controlled(strangers, campaign.Strangers))
		}
	}
	return c
}

// lone is what one agent answered some times, each for half of what a group takes, or who did.
func lone(rule string, instance, replicate, answers int, score float64) campaign.Run {
	r := asked(rule, instance, replicate, score)
	r.SettingsJSON = fmt.Sprintf(`{"env":{"name":"qa","params":{"agents":%d}},"protocol":{"name":"debate","params":{"rounds":0}},"rule":{"name":"plurality"}}`, answers)
	talk := worth.Talk{Spent: make([]campaign.Asked, answers)}
	replies := make(statistics.Replies, answers)
	for i := range replies {
		replies[i] = statistics.Reply{Key: fmt.Sprint(score), JSON: fmt.Sprint(score), Right: score == 1}
		talk.Spent[i] = campaign.Asked{Calls: 1, Input: 10, Output: 5, USD: 0.375}
	}
	talk.Steps, talk.Rounds = []statistics.Replies{replies}, []int32{1}
	campaign.Keep(&r.Parts, talk)
	return r
}

func changed(c campaign.Campaign, change func(*campaign.Run)) campaign.Campaign {
	for i := range c.Runs {
		change(&c.Runs[i])
	}
	return c
}

func without(c campaign.Campaign, control string) campaign.Campaign {
	var runs []campaign.Run
	for _, r := range c.Runs {
		if !strings.HasSuffix(r.ConditionID, control) {
			runs = append(runs, r)
		}
	}
	c.Runs = runs
	return c
}

func only(c campaign.Campaign) campaign.Campaign {
	var runs []campaign.Run
	for _, r := range c.Runs {
		if r.ConditionID == "debate-1" {
			runs = append(runs, r)
		}
	}
	c.Runs = runs
	return c
}

// halfUndecided takes the decision of every other group that votes.
func halfUndecided(r *campaign.Run) {
	if r.Rule == "vote" && (r.Instance+r.Replicate)%2 == 0 {
		r.DecisionJSON, r.Score = nil, nil
	}
}

func cutOff(r *campaign.Run) {
	if r.Rule == "vote" {
		r.Usable.Answers, r.Usable.Cut = 10, 2
	}
}

func unfinished(c campaign.Campaign) campaign.Campaign {
	seen := map[string]bool{}
	for _, r := range c.Runs {
		if !seen[r.ConditionID] {
			seen[r.ConditionID] = true
			c.Planned = append(c.Planned, campaign.Planned{Condition: r.ConditionID, Cells: 48, Instances: 48, Settings: []byte(r.SettingsJSON)})
		}
	}
	return c
}

func twoEnvironments() campaign.Campaign {
	c := held(24, 1, 0.9)
	for _, r := range held(24, 1, 0.6).Runs {
		r.Environment, r.SettingsJSON = "recall", strings.Replace(r.SettingsJSON, `"qa"`, `"recall"`, 1)
		r.ConditionID += "recall"
		c.Runs = append(c.Runs, r)
	}
	return c
}
