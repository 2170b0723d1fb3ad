package ledger

import (
	"context"

	"roundtable/activities/answers"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/task"
)

// ShareDone returns turns divided by most, at most 1: how much of a collaboration is done. It is 0
// if most is 0.
func ShareDone(turns, most int) float64 {
	if most == 0 {
		return 0
	}
	return min(float64(turns)/float64(most), 1)
}

// Unended sums up the collaborations of a campaign that have begun and not ended.
type Unended struct {
	Collaborations int         `json:"collaborations"`
	Turns          int         `json:"turns"`      // that were asked
	Most           int         `json:"turns_most"` // that they can have, if no rule stops them early
	Spent          task.Result `json:"spent"`
	Share          float64     `json:"-"` // how much of them is done, in collaborations
}

// Unended returns what the collaborations of plan p that have begun and not ended have taken so
// far.
func (b *Books) Unended(ctx context.Context, plugins catalogue.Catalogue, p campaign.Plan) (u Unended, err error) {
	others, err := b.readUnended(ctx)
	if len(others) == 0 || err != nil {
		return u, err
	}
	settled, err := b.settled()
	if err != nil {
		return u, err
	}
	conditions := map[string]int{} // by id
	for i, c := range p.Campaign.Conditions {
		conditions[c.ID()] = i
	}
	most := map[int]int{}
	for _, g := range others {
		if !isCollaboration(g.Collaboration) {
			continue
		}
		spent := resultOf(answers.Sum(g.stored.Calls(record.Key{})))
		run := lake.Run{Collaboration: g.Collaboration, Generation: g.Generation}
		spent.CostUSD, spent.WorstUSD = settled.Correct(run, spent.CostUSD, spent.WorstUSD)
		u.Spent.Add(spent)
		i, planned := conditions[record.ConditionOf(g.Collaboration)]
		if !planned {
			continue
		}
		if _, known := most[i]; !known {
			if most[i], err = p.Campaign.Conditions[i].MostCalls(plugins, p.Agents[i]); err != nil {
				return u, err
			}
		}
		turns := 0
		for _, t := range g.stored.Turns {
			if t.Done {
				turns++
			}
		}
		u.Collaborations, u.Turns, u.Most = u.Collaborations+1, u.Turns+turns, u.Most+most[i]
		u.Share += ShareDone(turns, most[i])
	}
	return u, nil
}

// UnfinishedCalls returns the calls of the collaborations that have begun and not ended.
func (b *Books) UnfinishedCalls(ctx context.Context) (calls []record.Call, err error) {
	others, err := b.readUnended(ctx)
	for _, u := range others {
		if isCollaboration(u.Collaboration) {
			calls = append(calls, u.stored.Calls(record.Key{
				CampaignID: b.campaign, ConditionID: record.ConditionOf(u.Collaboration),
				CollaborationID: u.Collaboration, Generation: int32(u.Generation),
			})...)
		}
	}
	return calls, err
}
