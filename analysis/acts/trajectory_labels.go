package acts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Labels says whose labels trajectories have, and how many lack them.
type Labels struct {
	By        string   // the labeller's id; "" if there are no labels
	Others    []string // other labellers
	Simulated bool     // the labeller follows rules
	Invalid   int      // messages without a label
	Missing   int      // collaborations that are not labelled
	Gold      *gold.Sample
}

// AddLabels sets the acts that a labeller saw; collaborations that it has not
// labelled stay without. An empty labeller stands for the only one that there
// is; if there are several, the error names them. Without labels nothing changes.
func AddLabels(ctx context.Context, store store.Store, campaign, labeller string, runs []Trajectory) (Labels, error) {
	var l Labels
	known, err := lake.Labellers(ctx, store, campaign)
	switch {
	case err != nil:
		return l, err
	case labeller == "" && len(known) == 0:
		return l, nil
	case labeller == "" && len(known) == 1:
		labeller = known[0]
	case labeller == "":
		return l, fmt.Errorf("campaign %s has labels of %s; say whose to use", campaign, strings.Join(known, ", "))
	case !slices.Contains(known, labeller):
		return l, fmt.Errorf("campaign %s has no labels of %s; it has those of %s", campaign, labeller,
			strings.Join(known, ", "))
	}
	l.By, l.Others = labeller, slices.DeleteFunc(known, func(other string) bool { return other == labeller })
	markers, err := lake.LabelMarkers(ctx, store, campaign, labeller)
	if err != nil {
		return l, err
	}
	if l.Gold, err = gold.Load(ctx, store, campaign, gold.Acts); err != nil {
		return l, err
	}
	byRun := make(map[lake.Run]lake.Marker, len(markers))
	for _, m := range markers {
		byRun[m.Run()] = m
	}
	for i := range runs {
		m, ok := byRun[lake.Run{Collaboration: runs[i].ID, Generation: runs[i].Generation}]
		if !ok {
			l.Missing++
			continue
		}
		labels, err := lake.ReadRows[record.Label](ctx, store, m)
		if err != nil {
			return l, err
		}
		for _, row := range labels {
			l.Simulated = l.Simulated || row.Simulated
			if row.Status != record.Labelled {
				l.Invalid++
			}
		}
		if err := runs[i].label(labels); err != nil {
			return l, err
		}
	}
	return l, nil
}

// label sets acts; a message whose label could not be read shows none.
func (t *Trajectory) label(labels []record.Label) error {
	messages := make([]Message, len(labels))
	for i, l := range labels {
		shown, _ := Of(l.Shown()...)
		messages[i] = Message{int(l.Round), int(l.Agent), shown}
	}
	return t.Label(messages)
}
