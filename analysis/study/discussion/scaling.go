package discussion

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// axis is a size that discussions are scaled by.
type axis struct {
	name string
	keys []string // settings that say it: the first is its value, the others may follow it
}

// Scalings returns Figures 4 and 5 of paper 2: accuracy by the rounds before the
// vote and by the number of agents, with the regression line.
func Scalings(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: accuracy in % by rounds before the vote and by agents"}
	all := d.listSeries()
	varies := func(key string) bool {
		return slices.ContainsFunc(all, func(s series) bool { return slices.Contains(s.by.keys, key) })
	}
	same, sizes := d.Without(varies), d.Without(func(key string) bool { return !varies(key) })
	t.Columns = slices.Concat([]string{"by", "data set"}, same.Names(), sizes.Labels)
	var at []int
	for _, s := range all {
		at = append(at, s.at...)
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, n := range at {
		t.Columns = append(t.Columns, strconv.Itoa(n), strconv.Itoa(n)+" ± sd")
	}
	t.Columns = append(t.Columns, "slope", "low", "high", "p", "slope by question", "its low", "its high")
	for _, s := range all {
		row := append([]table.Cell{table.Word(s.by.name), table.Word(s.all[0].task)}, same.Label(s.all[0].Group)...)
		for _, key := range sizes.Labels {
			if slices.Contains(s.by.keys, key) {
				row = append(row, table.Word("varies"))
			} else {
				row = append(row, table.Word(s.all[0].Settings[key]))
			}
		}
		for _, n := range at {
			i := slices.Index(s.at, n)
			if i < 0 {
				row = append(row, table.Cell{}, table.Cell{})
				continue
			}
			row = append(row, overReplicates(s.all[i].Succeeded(), campaign.Run.ScoreOrZero)...)
		}
		t.Rows = append(t.Rows, slices.Concat(row, s.fitCells(), s.byQuestion()))
	}
	t.Notes = []string{
		"Mean and sample standard deviation over the replicates. Slope: percentage points for one round or agent " +
			"more, by least squares over the replicates' accuracies, as the paper draws it, with its 95 % t interval.",
		"Slope by question: the mean of the lines of the single questions, with its 95 % t interval; that questions " +
			"differ in difficulty does not widen it.",
	}
	d.addNotes(&t)
	return t, len(all) > 0
}

// series is conditions that differ in their size only.
type series struct {
	by  axis
	all []discussed // by size
	at  []int       // their sizes
}

func (d discussions) listSeries() []series {
	var list []series
	for _, by := range scalingAxes() {
		same := d.Without(func(key string) bool { return slices.Contains(by.keys, key) })
		for _, row := range table.Gather(d.onlyDiscussions(),
			func(x discussed) string { return x.task + "\x00" + same.Key(x.Group) }) {
			s := series{by: by}
			slices.SortStableFunc(row, func(a, b discussed) int { return by.valueOf(a) - by.valueOf(b) })
			for _, x := range row {
				if n := by.valueOf(x); !slices.Contains(s.at, n) {
					s.all, s.at = append(s.all, x), append(s.at, n)
				}
			}
			if len(s.at) > 2 {
				list = append(list, s)
			}
		}
	}
	return list
}

func (a axis) valueOf(x discussed) int { return campaign.WholeNumber(x.Settings[a.keys[0]]) }

// fit returns the line over the accuracies of the replicates at each size.
func (s series) fit() (statistics.Line, error) {
	var x, y []float64
	for i, n := range s.at {
		for _, accuracy := range campaign.PerReplicate(s.all[i].Succeeded(), campaign.Run.ScoreOrZero) {
			x, y = append(x, float64(n)), append(y, accuracy)
		}
	}
	return statistics.LineOf(x, y)
}

// fitCells returns the fit's slope, interval and p.
func (s series) fitCells() []table.Cell {
	line, err := s.fit()
	if err != nil {
		return make([]table.Cell, 4)
	}
	within := line.Interval()
	return []table.Cell{table.Number(line.Slope, 2), table.Number(within.Low, 2), table.Number(within.High, 2),
		table.Number(line.P, 4)}
}

// byQuestion returns the mean slope over the questions that all sizes have.
func (s series) byQuestion() []table.Cell {
	scores := scoresOf(s.all)
	var slopes []float64
	for _, i := range campaign.MeanOf(scores).Ascending() {
		var x, y []float64
		for k, n := range s.at {
			x, y = append(x, float64(n)), append(y, scores[k][i])
		}
		_, slope := stat.LinearRegression(x, y, nil, false)
		slopes = append(slopes, slope)
	}
	return campaign.MeanInterval(slopes, 2, math.Inf(1))
}
