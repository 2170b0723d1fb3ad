package discussion

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/envs/wording"
)

// CheckBaselines returns an error if a baseline of c cannot be compared with its discussions: it has no single
// agents, or they answered other questions.
func CheckBaselines(c campaign.Campaign) error {
	for _, beside := range c.Baselines {
		if err := checkBeside(c, beside); err != nil {
			return err
		}
	}
	return nil
}

func checkBeside(c campaign.Campaign, beside campaign.Campaign) error {
	d := discussionsOf(c)
	if len(d.Groups) == 0 {
		return fmt.Errorf("campaign %s has no discussions that a baseline could be compared with", c.Name)
	}
	single := slices.DeleteFunc(slices.Clone(d.all), func(x discussed) bool {
		return !x.alone || len(x.Runs) == 0 || x.Runs[0].CampaignID != beside.Name
	})
	if len(single) == 0 {
		return fmt.Errorf("campaign %s has no single agents (protocol debate with agents: 1 and rounds: 0), so it is "+
			"not a baseline", beside.Name)
	}
	for _, x := range d.onlyDiscussions() {
		for _, o := range single {
			if o.task == x.task && haveSameQuestions(o, x) {
				return nil
			}
		}
	}
	return fmt.Errorf("campaign %s is not a baseline for %s: its single agents were asked other questions (%s; the "+
		"discussions: %s). The same env, data, seed and instances give the same",
		beside.Name, c.Name, wording.Or(tasksOf(single)), wording.Or(tasksOf(d.onlyDiscussions())))
}

// tasksOf names the data sets, each once.
func tasksOf(all []discussed) []string {
	var tasks []string
	for _, x := range all {
		if !slices.Contains(tasks, x.task) {
			tasks = append(tasks, x.task)
		}
	}
	return tasks
}
