package overview

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// resamples of the bootstrap.
const resamples = 9999

// Comparisons returns the differences of the final score between all pairs of conditions of an environment
// that have units in common, over these units. The pairs of one environment are one family of tests.
func Comparisons(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := table.Table{Title: "Pairwise comparisons"}
	var rows []compared
	var left []string
	for _, environment := range v.Environments() {
		list, apart, err := compareConditions(v, environment, resamples)
		if apart > 0 {
			t.Notes = append(t.Notes, apartNote(environment, "left out", apart))
		}
		if err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("No comparison in %s: %v.", environment, err))
			continue
		}
		most := mostDifference(v, environment)
		t.Notes = append(t.Notes, floorNotes(v, environment, list)...)
		for _, r := range list {
			rows = append(rows, compared{r, environment, most})
			if r.Unpaired > 0 {
				left = append(left, fmt.Sprintf("%s against %s %d", r.A, r.B, r.Unpaired))
			}
			if len(r.Notes) > 0 {
				t.Notes = append(t.Notes, fmt.Sprintf("%s against %s: %s.", r.A, r.B, strings.Join(r.Notes, "; ")))
			}
		}
	}
	table.Fill(&t, rows, comparedColumns()...)
	if len(left) > 0 {
		t.Notes = append(t.Notes, "Left out, as the same replicate of the same instance has no value under the other "+
			"condition (collaborations): "+strings.Join(left, "; ")+".")
	}
	t.Notes = append([]string{
		v.ScoreNote() + " A - B: mean difference of the score at the end with its standard error, over n pairs. " +
			"Collaborations are paired by instance and replicate, and what only one condition has is left out; a " +
			"pair is an instance with the mean of the differences of its replicates, or, where there is only one " +
			"instance, a replicate. " +
			"95 %: Student's t over the pairs, of shares cut at -1 and 1. BCa: bootstrap over the pairs, 9,999 " +
			"resamples; it covers less than it says where pairs are few or differences have heavy tails (0.85 " +
			"instead of 0.95 at 15 pairs, where Student's t has 0.96 or more), so go by the former. p: sign-flip " +
			"permutation test (exact up to 20 pairs, else 9,999 draws), Holm's correction over all rows of the " +
			"environment; Wilcoxon's signed ranks, uncorrected.",
		"Detectable: the smallest difference (of a share, above 1 means none: too few pairs) that Student's paired " +
			"test finds in these n with power 0.8, at 0.05 over the number of rows of the environment (Bonferroni). " +
			"n needed: pairs that would find the observed difference so; for planning, not as evidence.",
	}, t.Notes...)
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}

// floorNotes say of a few comparisons with conditions that were run again (the control same)
// whether the difference is beyond what a condition differs by from itself, and where to
// look for the others.
func floorNotes(v campaign.View, environment string, list []statistics.Comparison) (notes []string) {
	all := floorRows(v, environment)
	for _, c := range list {
		two := slices.DeleteFunc(slices.Clone(all), func(x itself) bool { return x.name != c.A && x.name != c.B })
		if len(two) < 2 || len(two[0].differs)+len(two[1].differs) == 0 {
			continue
		}
		if len(notes) == mostNamed {
			return append(notes, fmt.Sprintf("%s: the table floor says which other differences are beyond the noise floor.", environment))
		}
		if text, _ := floorText(two[0], two[1]); text != "" {
			notes = append(notes, fmt.Sprintf("%s against %s: the difference is %s.", c.A, c.B, text))
		}
	}
	return notes
}

// compareConditions compares each two conditions of an environment that can be paired; of
// the others, how many are apart. Without resamples there is no interval of a bootstrap.
func compareConditions(v campaign.View, environment string, resamples int) (list []statistics.Comparison,
	apart int, err error) {
	family := statistics.Family{Resamples: resamples, Flips: campaign.Flips, Seed: campaign.CompareSeed}
	series := seriesOf(v, environment, campaign.Run.Outcome)
	family.Contrasts, apart = statistics.Pairs(series)
	list, err = statistics.Compare(series, family)
	return list, apart, err
}

// apartNote says what becomes of pairs of conditions that cannot be compared.
func apartNote(environment, becomes string, apart int) string {
	return fmt.Sprintf("%s: %s, because they have no replicate of an instance in common: %s of conditions.",
		environment, becomes, wording.Count(apart, "pair"))
}

// compared is two conditions of an environment, in which scores differ by most at the most.
type compared struct {
	statistics.Comparison
	environment string
	most        float64
}

// comparedColumns: the interval of Student ends at the greatest difference of two
// scores, as the others do by themselves.
func comparedColumns() []table.Columns[compared] {
	column := table.Column[compared]
	interval := func(from, to string, of func(compared) *statistics.Interval) table.Columns[compared] {
		return table.Columns[compared]{Headers: []string{from, to}, Cells: func(c compared) []table.Cell {
			return campaign.IntervalCells(of(c), 4, c.most)
		}}
	}
	return []table.Columns[compared]{
		column("env", func(c compared) table.Cell { return table.Word(c.environment) }),
		column("A", func(c compared) table.Cell { return table.Word(c.A) }),
		column("B", func(c compared) table.Cell { return table.Word(c.B) }),
		column("n", func(c compared) table.Cell { return table.Count(c.N) }),
		column("A - B", func(c compared) table.Cell {
			if c.Difference == nil {
				return table.Cell{}
			}
			return table.Cell{Value: c.Difference, SE: c.SE, N: c.N, Decimals: 4}
		}),
		interval("95 % from", "to", func(c compared) *statistics.Interval { return c.Student }),
		interval("BCa from", "BCa to", func(c compared) *statistics.Interval { return c.BCa }),
		column("p sign flip", func(c compared) table.Cell { return table.PValue(c.SignFlip) }),
		column("p Holm", func(c compared) table.Cell { return table.PValue(c.Holm) }),
		column("p Wilcoxon", func(c compared) table.Cell { return table.PValue(c.Wilcoxon) }),
		column("detectable", func(c compared) table.Cell { return table.NumberOrEmpty(c.Detectable, 4) }),
		column("n needed", func(c compared) table.Cell { return table.NumberOrEmpty(c.Needed, 0) }),
	}
}

// mostDifference returns the greatest difference of two scores in an environment.
func mostDifference(v campaign.View, environment string) float64 {
	for _, g := range v.Groups {
		if g.Settings["env"] == environment {
			return g.MostDifference()
		}
	}
	return math.Inf(1)
}

// seriesOf returns a value of the conditions of an environment, named by what tells them
// apart; those that are others again are not compared.
func seriesOf(v campaign.View, environment string, valueOf func(campaign.Run) (float64, bool)) []statistics.Series {
	var list []statistics.Series
	for _, g := range v.WithoutSame() {
		if g.Settings["env"] != environment {
			continue
		}
		s := statistics.Series{Name: v.Title(g), Values: map[string]float64{}, Units: map[string]string{}}
		for _, r := range g.Succeeded() {
			if value, ok := valueOf(r); ok {
				pair := fmt.Sprint(campaign.PairOf(r.Collaboration))
				s.Values[pair], s.Units[pair] = value, r.UnitName()
			}
		}
		list = append(list, s)
	}
	return list
}

// DescribeRepeats says which conditions of c are not compared with others because they repeat one of them; "" if none
// do.
func DescribeRepeats(c campaign.Campaign) string {
	v := c.View("")
	var repeats []string
	for _, g := range v.Groups {
		if g.Settings[campaign.Control] == campaign.Same {
			repeats = append(repeats, v.FullTitle(g))
		}
	}
	if repeats == nil {
		return ""
	}
	if len(repeats) == 1 {
		return fmt.Sprintf("Left out: %s. It repeats its condition with new answers; the table floor shows how "+
			"much the two differ by chance.", repeats[0])
	}
	return fmt.Sprintf("Left out: %s. They repeat their conditions with new answers; the table floor shows how much "+
		"two of these differ by chance.", strings.Join(repeats, "; "))
}
