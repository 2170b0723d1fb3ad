package activities

import (
	"roundtable/activities/money"
	"roundtable/activities/throttle"
)

// Standings returns the state of each budget that this process spends from, by campaign.
func (a *Activities) Standings() map[string]money.Standing { return a.caller.Standings() }

// Gates returns the state of every throttle of this process: one for each account and each
// campaign.
func (a *Activities) Gates() []throttle.State { return a.caller.Gates() }

// Campaigns returns the names of the campaigns that this process has worked for.
func (a *Activities) Campaigns() []string {
	var names []string
	for _, m := range a.caller.Manifests.All() {
		names = append(names, m.Campaign)
	}
	return names
}
