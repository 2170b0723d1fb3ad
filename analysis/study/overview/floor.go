package overview

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// noiseFloor is what a condition differs by from itself, if the same instances are run again
// in as many replicates: models and seeds differ, nothing else does.
type noiseFloor struct {
	variance float64 // of the mean outcome, by chance alone: of one of the two runs
	dof      float64 // replicates beyond the first, over all instances
	mean     *float64
	runs     int
}

// floorOf returns the noise floor of a condition; false where no instance has two replicates.
func floorOf(g campaign.Group) (noiseFloor, bool) {
	by := map[int32][]float64{}
	f, sum := noiseFloor{}, 0.0
	for _, r := range g.Succeeded() {
		if v, ok := r.Outcome(); ok {
			by[r.Instance] = append(by[r.Instance], v)
			sum, f.runs = sum+v, f.runs+1
		}
	}
	squares := 0.0
	for _, values := range by {
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		f.dof += float64(len(values) - 1)
	}
	if f.dof == 0 {
		return f, false
	}
	// Each run of an instance has the same chance, so it counts the same in the mean.
	f.mean = new(sum / float64(f.runs))
	f.variance = squares / f.dof / float64(f.runs)
	return f, true
}

// between returns the greatest difference of two conditions' means that chance alone makes in
// 95 of 100 cases, on the same instances (Welch's degrees of freedom).
func (f noiseFloor) between(other noiseFloor) float64 {
	variance := f.variance + other.variance
	if variance == 0 {
		return 0
	}
	dof := variance * variance / (f.variance*f.variance/f.dof + other.variance*other.variance/other.dof)
	return statistics.QuantileT(0.975, dof) * math.Sqrt(variance)
}

// ownInterval returns the 95 % interval of the floor of a condition against itself, by the
// χ² distribution of its variance.
func (f noiseFloor) ownInterval() *statistics.Interval {
	if f.variance == 0 {
		return nil
	}
	chi := distuv.ChiSquared{K: f.dof}
	own := f.between(f)
	return &statistics.Interval{Low: own * math.Sqrt(f.dof/chi.Quantile(0.975)), High: own * math.Sqrt(f.dof/chi.Quantile(0.025))}
}

// Floor returns by how much each condition would differ from itself.
func Floor(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Noise floor: the difference of each condition to itself, run twice"}
	type row struct {
		campaign.Group
		noiseFloor
	}
	var rows []row
	for _, g := range v.Groups {
		if f, ok := floorOf(g); ok {
			rows = append(rows, row{g, f})
		}
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(r row) campaign.Group { return r.Group }),
		table.Column("outcome", func(r row) table.Cell { return table.Known(r.mean, 4) }),
		table.Column("sd of replicates", func(r row) table.Cell { return table.Number(math.Sqrt(r.variance*float64(r.runs)), 4) }),
		table.Column("floor", func(r row) table.Cell {
			if r.variance == 0 {
				return table.Cell{} // replicates that repeat each other say nothing
			}
			return table.Number(r.between(r.noiseFloor), 4)
		}),
		table.Columns[row]{Headers: []string{"low", "high"}, Cells: func(r row) []table.Cell {
			return campaign.IntervalCells(r.ownInterval(), 4, math.Inf(1))
		}},
		table.Column("n", func(r row) table.Cell { return table.Count(r.runs) }))
	t.Notes = []string{
		v.GoodnessNote() + " Floor: two runs of the same condition on the same instances, in as many replicates, differ by more in 5 of 100 cases, by chance alone; a difference of two conditions below it says nothing. From the spread of replicates within their instance (sd), with the 95 % interval by χ². It knows nothing of other instances: the table comparisons does.",
	}
	if left := len(v.Groups) - len(rows); left > 0 {
		t.Notes = append(t.Notes, "Left out: conditions with one replicate of each instance, which say nothing of chance (replicates: 2 or more).")
	}
	v.AddNotes(&t)
	return t, len(rows) > 0
}
