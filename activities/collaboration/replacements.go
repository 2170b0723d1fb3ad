package collaboration

import (
	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
)

// CheckReplacements returns, in words, which texts of a fork's condition cannot stand in the
// place of the messages that they replace, and in which instances: at most a few. Scripted
// agents play the collaboration in memory; messages that do not come up are not checked.
func CheckReplacements(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) ([]string, error) {
	c, err := newRehearsal(p, i, 0, plugins, sources, models)
	if err != nil {
		return nil, err
	}
	stopped := rehearseAll(c, func(protocol.Pending, calls.Question, answers.Turn) {})
	problems, err := c.CheckReplaced(p.Campaign.InstancesOf(i))
	if len(problems) > 0 || err != nil {
		return problems[:min(len(problems), maxProblems)], err
	}
	return nil, stopped
}

// maxProblems are shown of a condition: the same text is often unfit for the same reason.
const maxProblems = 3
