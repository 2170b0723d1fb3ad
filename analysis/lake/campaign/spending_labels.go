package campaign

import (
	"context"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// addLabels adds a group for each labeller, from its markers: labels are made
// after collaborations have ended, count against the same budget, and are no
// part of what a condition costs.
func (r *Spending) addLabels(ctx context.Context, store store.Store) error {
	labellers, err := lake.AllLabellers(ctx, store, r.Campaign)
	if err != nil {
		return err
	}
	for _, by := range labellers {
		markers, err := lake.LabelMarkers(ctx, store, r.Campaign, by)
		if err != nil {
			return err
		}
		g := &SpendingGroup{Name: "labels by " + by, Summed: true, Collaborations: len(markers)}
		for _, m := range markers {
			g.addMarker(m)
			r.Total.addMarker(m)
		}
		for _, m := range markers {
			g.settleMarker(m, r.settled)
			r.Total.settleMarker(m, r.settled)
		}
		r.byName[[2]string{g.Name}] = g
	}
	return nil
}

// settleMarker corrects the sums of a marker by what is settled of its calls.
func (g *SpendingGroup) settleMarker(m lake.Marker, settled lake.Settled) {
	run := lake.Run{Collaboration: "labels-" + m.By + "-" + m.Collaboration, Generation: m.Generation}
	for key, c := range settled {
		if key.Run != run {
			continue
		}
		g.Settled, g.Unknown, g.USD, g.SettledUSD = g.Settled+1, g.Unknown-1, g.USD+c.USD, g.SettledUSD+c.USD
		if c.WorstUSD != nil && m.WorstUSD != nil {
			g.WorstUSD -= *c.WorstUSD
		}
	}
}

// addMarker adds a marker, which has sums and no single calls.
func (g *SpendingGroup) addMarker(m lake.Marker) {
	billed := m.Calls - m.Unknown
	g.Billed, g.Unknown = g.Billed+int(billed), g.Unknown+int(m.Unknown)
	g.Input, g.Output = g.Input+m.InputTokens, g.Output+m.OutputTokens
	if m.CostUSD == nil {
		g.Unpriced += int(billed)
	} else {
		g.USD += *m.CostUSD
	}
	if m.WorstUSD == nil {
		g.Unbounded += int(m.Unknown)
	} else {
		g.WorstUSD += *m.WorstUSD
	}
}
