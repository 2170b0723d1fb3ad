// Package dialogue shows messages (paper 1): how often labellers find each dialogue act, how acts follow each
// other, and how well labellers agree; the length and reading grade of messages by round, and how far they
// move from the round before.
//
// Of scores by a judge model it shows how well they agree with scores that people gave to the same answers.
package dialogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

// Labels are one labeller's labels of a campaign's messages.
type Labels struct {
	Labeller  string                        // whose labels tables show
	Others    []string                      // who has labelled too
	Simulated bool                          // the labeller is rules on words, not a language model
	Invalid   int                           // messages without a label
	Talks     map[lake.Run]acts.ActsByRound // acts by collaboration; unlabelled ones are missing
	Gold      *gold.Sample                  // what people coded by hand
	judged    []judged                      // gold and the labeller, passage by passage
}

// LoadLabels reads the labels of one labeller; "" stands for the only one, and is an error if there are
// several.
func LoadLabels(ctx context.Context, store store.Store, c campaign.Campaign, labeller string) (Labels, error) {
	l := Labels{Labeller: labeller, Talks: map[lake.Run]acts.ActsByRound{}}
	all, err := lake.Labellers(ctx, store, c.Name)
	if err != nil {
		return l, err
	}
	switch {
	case len(all) == 0:
		return l, fmt.Errorf("no message of campaign %s is labelled; roundtable label %s labels them", c.Name, c.Name)
	case labeller == "" && len(all) > 1:
		return l, fmt.Errorf("campaign %s is labelled by several; choose one with --labeller: %s", c.Name,
			strings.Join(all, ", "))
	case labeller == "":
		l.Labeller = all[0]
	}
	for _, other := range all {
		if other != l.Labeller {
			l.Others = append(l.Others, other)
		}
	}
	if len(l.Others) == len(all) {
		return l, fmt.Errorf("campaign %s has no labels by %q; there are labels by %s", c.Name, labeller,
			strings.Join(all, ", "))
	}
	if l.Gold, err = gold.Load(ctx, store, c.Name, gold.Acts); err != nil {
		return l, err
	}
	sets := map[lake.Run]map[int]acts.Set{} // of single messages, for what is coded by hand
	runs := map[lake.Run]campaign.Run{}
	for _, r := range c.Runs {
		runs[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}] = r
	}
	markers, err := lake.LabelMarkers(ctx, store, c.Name, l.Labeller)
	if err != nil {
		return l, err
	}
	for _, m := range markers {
		run := m.Run()
		r, ok := runs[run]
		if !ok { // an earlier generation
			continue
		}
		rows, err := lake.ReadRows[record.Label](ctx, store, m)
		if err != nil {
			return l, err
		}
		l.Talks[run] = l.talk(r, rows)
		if !l.Gold.IsEmpty() {
			sets[run] = setsOf(rows)
		}
	}
	if !l.Gold.IsEmpty() {
		l.judged = l.judge(c.Runs, sets)
	}
	return l, nil
}

// setsOf returns the acts of each message that has a label.
func setsOf(rows []record.Label) map[int]acts.Set {
	sets := make(map[int]acts.Set, len(rows))
	for _, row := range rows {
		if row.Status == record.Labelled {
			sets[int(row.Entry)], _ = acts.Of(row.Shown()...)
		}
	}
	return sets
}

// talk lays the labels out by round and agent. An agent that speaks twice in a
// round shows the acts of both messages.
func (l *Labels) talk(r campaign.Run, rows []record.Label) acts.ActsByRound {
	talk := make(acts.ActsByRound, r.RoundsRun)
	for i := range talk {
		talk[i] = make([]acts.Set, r.Agents)
	}
	for _, row := range rows {
		l.Simulated = l.Simulated || row.Simulated
		if row.Status != record.Labelled {
			l.Invalid++
			continue
		}
		if n, a := int(row.Round)-1, int(row.Agent); n >= 0 && n < len(talk) && a >= 0 && a < int(r.Agents) {
			set, _ := acts.Of(row.Shown()...)
			talk[n][a] |= set
		}
	}
	return talk
}

// errNoLabels is a table about labels that nobody has read.
var errNoLabels = errors.New("the labels are not read")

// Acts returns how often each act occurs in each round, by condition: as a share of messages, and as a share
// of groups in which at least one agent shows it, which is the reading that fits the paper's figures.
func Acts(c campaign.Campaign, l Labels) (table.Table, error) {
	v := c.View("")
	if l.Talks == nil {
		return table.Table{}, errNoLabels
	}
	t := table.Table{Title: "Dialogue acts by round: share of messages, and of groups, that show them",
		Shading: table.Heat}
	var rows []actRow
	missing, outside, empty := 0, 0, Emptied{}
	for _, g := range v.Groups {
		talks, unlabelled := l.Of(g.Succeeded())
		missing += unlabelled
		rows = append(rows, actRows(g, ofMessages, acts.PerMessage(talks), len(talks))...)
		rows = append(rows, actRows(g, ofGroups, acts.PerGroup(talks), len(talks))...)
		if !l.Gold.IsEmpty() {
			f := l.framedOf(g.Succeeded())
			outside += f.outside
			correct(rows[len(rows)-2*acts.N:], f, empty)
		}
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(r actRow) campaign.Group { return r.Group }),
		table.Column("share of", func(r actRow) table.Cell { return table.Word(r.of) }),
		table.Column("act", func(r actRow) table.Cell { return table.Word(record.Acts[r.act]) }),
		campaign.RoundColumns(v, actRow.cellAt),
		table.Column("n", func(r actRow) table.Cell { return table.Count(r.n) }), l.fixedColumns())
	t.Notes = append(l.Remarks(missing), "Share (standard error over collaborations) of labelled messages, or of "+
		"groups with at least one of them; n: collaborations.")
	if !l.Gold.IsEmpty() {
		t.Notes = append(t.Notes, "Columns by round are as labelled. all rounds: as labelled too; corrected: with "+
			"gold (n: drawn passages).")
	}
	t.Notes = append(t.Notes, l.goldNotes(outside, empty)...)
	v.AddNotes(&t)
	return t, nil
}

// What a row's shares are of.
const (
	ofMessages = "messages"
	ofGroups   = "groups"
)

// actRow is one act of one condition, as a share of messages or of groups.
type actRow struct {
	campaign.Group
	of     string
	act    int
	ratios [][acts.N]*acts.Ratio // by round
	n      int                   // collaborations
	fixed  fixed                 // over all rounds, with gold
}

func actRows(g campaign.Group, of string, ratios [][acts.N]*acts.Ratio, n int) []actRow {
	rows := make([]actRow, len(record.Acts))
	for act := range rows {
		rows[act] = actRow{Group: g, of: of, act: act, ratios: ratios, n: n}
	}
	return rows
}

func (r actRow) cellAt(round int) table.Cell {
	if round > len(r.ratios) || r.ratios[round-1][r.act] == nil {
		return table.Cell{}
	}
	ratio := r.ratios[round-1][r.act]
	return table.Cell{Value: &ratio.Share, SE: ratio.SE, N: ratio.Of, Decimals: 2, Partial: ratio.Of < r.n}
}

// AddLabellerNote adds to t notes on the labels that the regression and the stopping rule Dialogue Act use,
// and on why corrected figures are empty.
func AddLabellerNote(c campaign.Campaign, t *table.Table, empty Emptied) {
	l := campaign.TrajectoriesOf(c).Labels
	if l.By == "" {
		return
	}
	labels := Labels{Labeller: l.By, Others: l.Others, Simulated: l.Simulated, Invalid: l.Invalid, Gold: l.Gold}
	remarks := labels.Remarks(l.Missing)
	if l.Simulated { // first, as of everything simulated
		t.Notes = slices.Insert(t.Notes, 0, remarks[0])
		remarks = remarks[1:]
	}
	t.Notes = append(append(t.Notes, remarks...), labels.goldNotes(0, empty)...)
}

// Remarks returns the notes for everything that is based on labels: who labelled, and what is not labelled.
func (l Labels) Remarks(unlabelled int) []string {
	notes := []string{"Labelled by " + l.Labeller + "."}
	if l.Simulated {
		notes = append([]string{"SIMULATED LABELS: by rules on words, not by a language model."}, notes...)
	}
	if l.Invalid > 0 {
		notes = append(notes, fmt.Sprintf("Messages without a label, left out: %d.", l.Invalid))
	}
	if unlabelled > 0 {
		notes = append(notes, fmt.Sprintf("%s not labelled yet.", campaign.Collaborations(unlabelled)))
	}
	if len(l.Others) > 0 {
		notes = append(notes, "Labelled too by "+strings.Join(l.Others, ", ")+".")
	}
	return notes
}
