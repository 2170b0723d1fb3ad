package collaboration

import (
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
)

// SamePrompts reports whether the prompts of a condition are the same in every
// replicate as long as the answers are: nothing in them is drawn by replicate.
// Two rehearsals with the same answers show it.
func SamePrompts(p campaign.Plan, i int, plugins catalogue.Catalogue, sources setup.Sources,
	models setup.Models) (bool, error) {
	var asked [2][]string
	for replicate := range asked {
		c, err := newRehearsal(p, i, replicate, plugins, sources, models)
		if err != nil {
			return false, err
		}
		c.Ref.Cell.Replicate = 0 // the protocol has drawn for the replicate, its agents draw alike
		err = rehearseAll(c, func(_ protocol.Pending, q calls.Question, _ answers.Turn) {
			asked[replicate] = append(asked[replicate], q.Hash)
		})
		if err != nil {
			return false, err
		}
	}
	return slices.Equal(asked[0], asked[1]), nil
}
