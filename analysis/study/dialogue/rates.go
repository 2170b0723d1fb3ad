package dialogue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// booked is what one labeller says by a code book of a campaign's messages or collaborations.
type booked struct {
	by      string
	book    string // its id
	names   []string
	whole   bool
	invalid int
	byRun   map[lake.Run][]gold.Coded
	gold    *gold.Sample
}

// LabelRates returns how often the labels of code books other than that of the acts occur: one row per
// labeller, condition and label, corrected where there are gold labels. labeller selects one if it is of such
// a code book.
func LabelRates(ctx context.Context, store store.Store, c campaign.Campaign, labeller string) (table.Table, error) {
	all, err := lake.AllLabellers(ctx, store, c.Name)
	if err != nil {
		return table.Table{}, err
	}
	chosen := strings.Contains(labeller, lake.BookEnd) // else it is the one whose acts tables show
	all = slices.DeleteFunc(all, func(id string) bool { return !strings.Contains(id, lake.BookEnd) || chosen && id != labeller })
	if len(all) == 0 {
		return table.Table{}, fmt.Errorf("nothing of campaign %s is labelled by another code book than that of the "+
			"dialogue acts; roundtable label %s --code-book mast --labeller provider/model labels", c.Name, c.Name)
	}
	v := c.View("")
	t := v.Start("Labels of other code books: shares of messages, or of collaborations")
	t.Columns = append(t.Columns, "labeller", "label", "as labelled", "corrected", "95 % from", "to", "gold alone", "n")
	var l Labels
	for _, by := range all {
		b, err := loadBooked(ctx, store, c, by)
		if err != nil {
			return table.Table{}, err
		}
		outside, empty := 0, Emptied{}
		for _, g := range v.Groups {
			outside += b.countOutside(g.Succeeded())
			t.Rows = append(t.Rows, b.labelRows(v, g, empty)...)
		}
		unit := "messages"
		if b.whole {
			unit = "collaborations"
		}
		note := fmt.Sprintf("%s labels %s by the code book %s.", b.by, unit, b.book)
		if b.invalid > 0 {
			note += fmt.Sprintf(" Without a label, left out: %d.", b.invalid)
		}
		t.Notes = append(t.Notes, note)
		l.Gold = b.gold
		t.Notes = append(t.Notes, l.goldNotes(outside, empty)...)
	}
	t.Notes = append(t.Notes, "Shares over all rounds (standard error over collaborations); n: collaborations. A "+
		"unit can have several labels.")
	v.AddNotes(&t)
	return t, nil
}

func loadBooked(ctx context.Context, store store.Store, c campaign.Campaign, by string) (booked, error) {
	b := booked{by: by, byRun: map[lake.Run][]gold.Coded{}}
	markers, err := lake.LabelMarkers(ctx, store, c.Name, by)
	if err != nil {
		return b, err
	}
	for row, err := range lake.ReadTable[record.Label](ctx, store, markers) {
		if err != nil {
			return b, err
		}
		if row.CodeBook != nil {
			b.book = *row.CodeBook
		}
		b.whole = b.whole || row.Entry < 0
		if row.Status != record.Labelled || row.LabelsJSON == nil {
			b.invalid++
			continue
		}
		coded := gold.Coded{Entry: int(row.Entry), Round: int(row.Round), Agent: int(row.Agent)}
		if err := json.Unmarshal([]byte(*row.LabelsJSON), &coded.Labels); err != nil {
			return b, fmt.Errorf("label of entry %d of %s: %w", row.Entry, row.CollaborationID, err)
		}
		run := lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}
		b.byRun[run] = append(b.byRun[run], coded)
	}
	if b.names, err = labelsOfBook(ctx, store, c.Name, b.book); err != nil {
		return b, err
	}
	b.gold, err = gold.Load(ctx, store, c.Name, b.book)
	return b, err
}

// labelsOfBook returns the names of a recorded code book's labels.
func labelsOfBook(ctx context.Context, store store.Store, campaign, book string) ([]string, error) {
	key := lake.AboutKey(campaign, "codebooks/"+book+".json")
	data, err := store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	var recorded struct {
		Labels []struct {
			Name string `json:"name"`
		} `json:"labels"`
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	var names []string
	for _, l := range recorded.Labels {
		names = append(names, l.Name)
	}
	return names, nil
}

// labelRows returns a row for each label of a condition.
func (b booked) labelRows(v campaign.View, g campaign.Group, empty Emptied) [][]table.Cell {
	var rows [][]table.Cell
	for _, name := range b.names {
		units, late, n := b.unitsOf(g.Succeeded(), name)
		f := fixShare(units, late)
		if !b.gold.IsEmpty() {
			empty.Add(f.err)
		}
		cells := f.fixedCells()
		cells[0] = naiveCell(slices.Concat(units, late))
		row := append(v.Label(g), table.Word(b.by), table.Word(name))
		rows = append(rows, append(append(row, cells...), table.Count(n)))
	}
	return rows
}

// naiveCell is the share as labelled, with its standard error over collaborations.
func naiveCell(units []gold.ShareUnit) table.Cell {
	var clusters [][2]float64
	last := -1
	for _, u := range units {
		if u.Cluster != last {
			clusters, last = append(clusters, [2]float64{}), u.Cluster
		}
		sum := &clusters[len(clusters)-1]
		sum[0], sum[1] = sum[0]+u.Machine[0], sum[1]+u.Machine[1]
	}
	clusters = slices.DeleteFunc(clusters, func(c [2]float64) bool { return c[1] == 0 })
	r := statistics.RatioOf(clusters)
	if r == nil {
		return table.Cell{}
	}
	return table.Cell{Value: &r.Value, SE: r.SE, N: r.N, Decimals: 2}
}

// countOutside returns how many collaborations came after the last draw that is coded.
func (b booked) countOutside(runs []campaign.Run) int {
	n := 0
	for _, r := range runs {
		run := lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}
		if _, framed := b.gold.Stratum(run); !framed && !b.gold.IsEmpty() {
			n++
		}
	}
	return n
}

// unitsOf returns the passages of collaborations that could be drawn, and of those that came later,
// with a share of one label; labelled is how many collaborations have labels.
func (b booked) unitsOf(runs []campaign.Run, label string) (units, late []gold.ShareUnit, labelled int) {
	for i, r := range runs {
		run := lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}
		stratum, framed := b.gold.Stratum(run)
		if _, ok := b.byRun[run]; ok {
			labelled++
		}
		to := &units
		if !framed && !b.gold.IsEmpty() {
			to = &late
		}
		passages := gold.Of(run, int(r.RoundsRun))
		if b.whole {
			passages = []gold.Passage{{Run: run}}
		}
		for _, p := range passages {
			u := gold.ShareUnit{Cluster: i, Stratum: stratum,
				Machine: shareOfLabel(b.byRun[run], p, int(r.RoundsRun), label)}
			coders := b.gold.Of(p)
			if coders != nil {
				u.Gold = new([2]float64)
			}
			for _, coded := range coders {
				of := shareOfLabel(coded, p, int(r.RoundsRun), label)
				u.Gold[0] += of[0] / float64(len(coders))
				u.Gold[1] += of[1] / float64(len(coders))
			}
			*to = append(*to, u)
		}
	}
	return units, late, labelled
}

// shareOfLabel counts what of a passage has a label, and all of it.
func shareOfLabel(coded []gold.Coded, p gold.Passage, rounds int, label string) (m [2]float64) {
	first, last := p.Rounds()
	for _, c := range coded {
		share := 1.0
		if p.Round > 0 {
			if c.Round < first || c.Round > last {
				continue
			}
			share = gold.Share(c.Round, rounds)
		}
		m[1] += share
		if slices.Contains(c.Labels, label) {
			m[0] += share
		}
	}
	return m
}
