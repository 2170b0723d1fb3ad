package overview

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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
	step     float64 // between neighbouring values of the mean of outcomes that are 0 or 1; else 0
	mean     *float64
	runs     int
}

// floorOf returns the noise floor of a condition, of which same is the control, if it has
// one: its replicates are further ones of the same instances. It is false where no instance
// has two.
func floorOf(g, same campaign.Group) (noiseFloor, bool) {
	by := map[int32][]float64{}
	f, sum, isBinary := noiseFloor{}, 0.0, true
	for i, runs := range [][]campaign.Run{g.Succeeded(), same.Succeeded()} {
		for _, r := range runs {
			v, ok := r.Outcome()
			if !ok {
				continue
			}
			isBinary = isBinary && (v == 0 || v == 1)
			if by[r.Instance] = append(by[r.Instance], v); i == 0 {
				sum, f.runs = sum+v, f.runs+1
			}
		}
	}
	if f.runs == 0 {
		return f, false
	}
	squares := 0.0
	for _, instance := range slices.Sorted(maps.Keys(by)) { // a sum of floats depends on its order
		values, mean := by[instance], 0.0
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
	if isBinary {
		f.step = 1 / float64(f.runs)
	}
	return f, true
}

// differenceBetween returns the greatest difference of two conditions' means that chance alone makes in
// 95 of 100 cases, on the same instances (Welch's degrees of freedom). Where means go in steps,
// half a step is added: without this correction for continuity more than 5 of 100 are beyond it.
func (f noiseFloor) differenceBetween(other noiseFloor) float64 {
	variance := f.variance + other.variance
	if variance == 0 {
		return 0
	}
	dof := variance * variance / (f.variance*f.variance/f.dof + other.variance*other.variance/other.dof)
	return statistics.QuantileT(0.975, dof)*math.Sqrt(variance) + min(f.step, other.step)/2
}

// differenceFromItself returns the greatest difference of two runs of the condition that chance alone makes in 95 of
// 100 cases. Their variance is one estimate, with its own degrees of freedom.
func (f noiseFloor) differenceFromItself() float64 {
	if f.variance == 0 {
		return 0
	}
	return statistics.QuantileT(0.975, f.dof)*math.Sqrt(2*f.variance) + f.step/2
}

// ownInterval returns the 95 % interval of the floor of a condition against itself, by the
// χ² distribution of its variance.
func (f noiseFloor) ownInterval() *statistics.Interval {
	if f.variance == 0 {
		return nil
	}
	chi := distuv.ChiSquared{K: f.dof}
	half := f.step / 2
	own := f.differenceFromItself() - half
	return &statistics.Interval{Low: own*math.Sqrt(f.dof/chi.Quantile(0.975)) + half,
		High: own*math.Sqrt(f.dof/chi.Quantile(0.025)) + half}
}

// itself is a condition with its noise floor and, if the campaign has it, the control that
// is the same condition again.
type itself struct {
	campaign.Group
	noiseFloor
	same    campaign.Group
	differs []float64 // from it, by unit
	name    string
}

// floorRows returns the conditions of an environment ("" for all) that have a floor, without
// controls that are others again.
func floorRows(v campaign.View, environment string) (rows []itself) {
	for _, g := range v.WithoutSame() {
		if environment != "" && g.Settings["env"] != environment {
			continue
		}
		same := v.ControlsOf(g)[campaign.Same]
		if f, ok := floorOf(g, same); ok {
			differs := campaign.PairedBy(g.Succeeded(), same.Succeeded(), campaign.Run.Outcome).Values()
			rows = append(rows, itself{g, f, same, differs, v.Title(g)})
		}
	}
	return rows
}

// Floor returns the noise floor: how much each condition differs from itself when it is run twice.
func Floor(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Noise floor: the difference of each condition to itself, run twice"}
	rows := floorRows(v, "")
	differed := table.Columns[itself]{Headers: []string{"differed", "differed low", "differed high"},
		Cells: func(r itself) []table.Cell {
			if len(r.differs) == 0 {
				return make([]table.Cell, 3)
			}
			return campaign.MeanInterval(r.differs, 4, r.MostDifference())
		}}
	again := slices.ContainsFunc(rows, func(r itself) bool { return len(r.differs) > 0 })
	if !again {
		differed = table.Columns[itself]{Cells: func(itself) []table.Cell { return nil }}
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(r itself) campaign.Group { return r.Group }),
		table.Column("outcome", func(r itself) table.Cell { return table.NumberOrEmpty(r.mean, 4) }),
		table.Column("sd of replicates", func(r itself) table.Cell { return table.Number(math.Sqrt(r.variance*float64(r.runs)), 4) }),
		table.Column("floor", func(r itself) table.Cell {
			if r.variance == 0 {
				return table.Cell{} // replicates that repeat each other say nothing
			}
			return table.Number(r.differenceFromItself(), 4)
		}),
		table.Columns[itself]{Headers: []string{"low", "high"}, Cells: func(r itself) []table.Cell {
			return campaign.IntervalCells(r.ownInterval(), 4, math.Inf(1))
		}},
		differed,
		table.Column("beyond it", func(r itself) table.Cell { return beyondIt(r, rows) }),
		table.Column("n", func(r itself) table.Cell { return table.Count(r.runs) }))
	t.Notes = []string{
		v.ScoreNote() + " Floor: two runs of the same condition on the same instances, in as many replicates, differ " +
			"by more in 5 of 100 cases, by chance alone; a difference of two conditions below it says nothing. From " +
			"the spread of replicates within their instance (sd), with the 95 % interval by χ²; of outcomes 0 or 1 " +
			"with half a step of the mean. It knows nothing of other instances: the table comparisons does. Beyond " +
			"it: of how many other conditions of the environment the outcome differs by more than the floor of the two.",
	}
	if again {
		t.Notes = append(t.Notes, "Differed: the condition minus its control same, the same again with its own "+
			"answers, in pairs, with its 95 % t interval. Its replicates count among those of the condition.")
	}
	if left := len(v.WithoutSame()) - len(rows); left > 0 {
		t.Notes = append(t.Notes, "Left out: conditions with one replicate of each instance, which say nothing of "+
			"chance (replicates: 2 or more, or controls: [same]).")
	}
	v.AddNotes(&t)
	return t, len(rows) > 0
}

// beyondIt counts the other conditions of a row's environment that differ from it by more
// than the floor of the two.
func beyondIt(r itself, all []itself) table.Cell {
	beyond, of := 0, 0
	for _, other := range all {
		if other.ID == r.ID || other.Settings["env"] != r.Settings["env"] || r.variance+other.variance == 0 {
			continue
		}
		if of++; math.Abs(*r.mean-*other.mean) > r.differenceBetween(other.noiseFloor) {
			beyond++
		}
	}
	if of == 0 {
		return table.Cell{}
	}
	return table.Word(fmt.Sprintf("%d of %d", beyond, of))
}

// floorText says whether two conditions differ by more than a condition does from itself, as
// a part of a sentence; empty if replicates repeat each other. It reports whether they do.
func floorText(a, b itself) (text string, isBeyond bool) {
	floor, where := a.differenceBetween(b.noiseFloor), "within"
	if floor == 0 {
		return "", false
	}
	if isBeyond = math.Abs(*a.mean-*b.mean) > floor; isBeyond {
		where = "larger than"
	}
	return fmt.Sprintf("%s what chance alone makes between two runs of one condition (up to %s in 95 of 100 cases%s)",
		where, shortNumber(floor), apartFromItself([]itself{a, b})), isBeyond
}

// apartFromItself says by how much conditions differed from themselves, after a semicolon; empty
// if they were not run again.
func apartFromItself(all []itself) string {
	var parts []string
	for _, x := range all {
		if m, _ := statistics.MeanInterval(x.differs); len(x.differs) > 0 {
			parts = append(parts, fmt.Sprintf("%s differed by %s", x.name, shortNumber(math.Abs(m))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "; run again, " + strings.Join(parts, ", ")
}
