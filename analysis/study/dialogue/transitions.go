package dialogue

import (
	"context"
	"fmt"
	"strings"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

// Of returns the acts of those runs that are labelled, and the number of the others.
func (l Labels) Of(runs []campaign.Run) (talks []acts.ActsByRound, unlabelled int) {
	for _, r := range runs {
		if talk, ok := l.Talks[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}]; ok {
			talks = append(talks, talk)
		} else {
			unlabelled++
		}
	}
	return talks, unlabelled
}

// Transitions returns how often acts follow each other from round to round, in both readings of the paper's
// Equation 1: the data of Figures 22 to 24.
func Transitions(c campaign.Campaign, l Labels) (table.Table, error) {
	if l.Talks == nil {
		return table.Table{}, errNoLabels
	}
	v := c.View("")
	t := v.Start("How dialogue acts follow on each other (paper 1, Figures 22 to 24)")
	t.Columns = append(t.Columns, "reading", "from", "shown")
	t.Columns = append(t.Columns, acts.Transitions(nil, acts.Anyone).To...)
	missing, outside, empty := 0, 0, Emptied{}
	for _, g := range v.Groups {
		talks, unlabelled := l.Of(g.Succeeded())
		missing += unlabelled
		f := l.framedOf(g.Succeeded())
		outside += f.outside
		for _, reading := range acts.Readings() {
			graph := acts.Transitions(talks, reading)
			for i, from := range graph.From {
				row := append(v.Label(g), table.Word(string(reading)), table.Word(from), table.Count(graph.Of[i]))
				for j, p := range graph.Probability[i] {
					row = append(row, table.Cell{Value: p, SE: graph.SE[i][j], N: graph.Talks[i], Decimals: 2,
						Partial: graph.Talks[i] < len(talks)})
				}
				t.Rows = append(t.Rows, row)
			}
			if f.passages != nil {
				t.Rows = append(t.Rows, correctedRows(v, g, f.passages, reading, graph.From, empty)...)
			}
		}
	}
	t.Notes = append(l.Remarks(missing),
		"Of the agents that show an act in a round: the share whom any other agent answers with another act in the "+
			"next (anyone); or the share of pairs of agents (each). Rows do not add up to 1. In brackets the "+
			"standard error over collaborations; n= where not all of them show the act.")
	t.Notes = append(t.Notes, l.goldNotes(outside, empty)...)
	v.AddNotes(&t)
	return t, nil
}

// Agreement returns how well all labellers of a campaign agree, over the messages
// that at least two of them have labelled.
func Agreement(ctx context.Context, store store.Store, c campaign.Campaign) (table.Table, error) {
	labellers, err := lake.Labellers(ctx, store, c.Name)
	if err != nil {
		return table.Table{}, err
	}
	if len(labellers) < 2 {
		return table.Table{}, fmt.Errorf("agreement is between labellers; campaign %s has %d of the two it takes "+
			"(another one: roundtable label %s --labeller provider/model)", c.Name, len(labellers), c.Name)
	}
	messages, simulated, err := labelledMessages(ctx, store, c.Name, labellers)
	if err != nil {
		return table.Table{}, err
	}
	t := table.Table{Title: "Agreement of labellers", Columns: []string{"act", "kappa", "alpha", "same", "n"}}
	for _, a := range acts.Agree(messages) {
		name := a.Act
		if name == "" {
			name = "all acts"
		}
		t.Rows = append(t.Rows, []table.Cell{table.Word(name), {Value: a.Kappa, Decimals: 3},
			{Value: a.Alpha, Decimals: 3}, {Value: a.Same, Decimals: 3}, table.Count(a.Units)})
	}
	t.Notes = []string{
		"Labellers: " + strings.Join(labellers, ", ") + ".",
		"kappa: Cohen's, of two labellers; alpha: Krippendorff's, nominal, with the distance MASI for all acts " +
			"together; same: share of messages that all label alike; n: messages. Empty where it is not defined, as " +
			"when all name the act of every message, or nobody of any.",
	}
	if simulated {
		t.Notes = append([]string{"SIMULATED LABELS: at least one labeller uses rules on words."}, t.Notes...)
	}
	return t, nil
}

// labelledMessages returns the messages with one set of acts a labeller, in their order.
func labelledMessages(ctx context.Context, store store.Store, campaign string, labellers []string) (units [][]acts.Set,
	simulated bool, err error) {
	type message struct {
		run   lake.Run
		entry int32
	}
	at := map[message]int{}
	for i, by := range labellers {
		markers, err := lake.LabelMarkers(ctx, store, campaign, by)
		if err != nil {
			return nil, false, err
		}
		for row, err := range lake.ReadTable[record.Label](ctx, store, markers) {
			if err != nil {
				return nil, false, err
			}
			m := message{lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}, row.Entry}
			n, ok := at[m]
			if !ok {
				n = len(units)
				at[m] = n
				units = append(units, make([]acts.Set, len(labellers)))
			}
			units[n][i], _ = acts.Of(row.Shown()...)
			simulated = simulated || row.Simulated
		}
	}
	return units, simulated, nil
}
