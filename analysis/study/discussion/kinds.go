package discussion

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Kinds returns the main claim of paper 2 (§4.1): voting against consensus, the mean over the rules of each
// kind with everything else equal, paired by question.
func Kinds(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: voting against consensus, accuracy in % (paper 2, §4.1)",
		Columns: []string{"data set"}}
	same := d.Without(isRule)
	var sets []compared
	left := false
	t.Columns = append(append(t.Columns, same.Names()...), "voting", "rules", "consensus", "rules of it",
		"voting - consensus", "low", "high", "questions")
	if d.hasSingle() {
		t.Columns = append(t.Columns, singleColumns...)
	}
	for _, row := range table.Gather(d.onlyDiscussions(),
		func(x discussed) string { return x.task + "\x00" + same.Key(x.Group) }) {
		left = left || slices.ContainsFunc(row, isApproval)
		row = slices.DeleteFunc(slices.Clone(row), isApproval)
		voting, consensus := ofKind(row, kindVoting), ofKind(row, kindConsensus)
		if len(voting) == 0 || len(consensus) == 0 {
			continue
		}
		cells := append([]table.Cell{table.Word(row[0].task)}, same.Label(row[0].Group)...)
		v, k := campaign.MeanOf(voting), campaign.MeanOf(consensus)
		between := v.Minus(k)
		cells = append(cells, v.Mean(), table.Count(len(voting)), k.Mean(), table.Count(len(consensus)))
		cells = append(append(cells, between.Interval(100*row[0].MostDifference())...), table.Count(len(between)))
		var single campaign.Units
		if one, ok := d.referenceOf(row[0]); ok {
			single = one.scoresByQuestion()
			cells = append(append(cells, v.Minus(single).Interval(100*row[0].MostDifference())...),
				k.Minus(single).Interval(100*row[0].MostDifference())...)
		}
		t.Rows = append(t.Rows, cells)
		if len(between) > 0 {
			sets = append(sets, compared{row[0], v, k, single, [2]int{len(voting), len(consensus)}})
		}
	}
	t.Rows = append(t.Rows, taskRows(same, sets)...)
	for i, row := range t.Rows { // whose questions no single agent was asked
		t.Rows[i] = append(row, make([]table.Cell, len(t.Columns)-len(row))...)
	}
	t.Notes = []string{
		"Mean over rules and questions (standard error over questions); the difference with its 95 % t interval, " +
			"paired by question. " + campaign.CutNote,
		"Knowledge tasks are MMLU, MMLU-Pro and GPQA, reasoning tasks StrategyQA, MuSR and SQuAD 2.0: the mean over " +
			"the data sets there are, each counted the same, as the paper's 2.8 % and 13.2 % are. Its interval is of " +
			"these data sets' questions and says nothing of others.",
	}
	if d.hasSingle() {
		t.Notes = append(t.Notes, "Voting - single, consensus - single: what the mean over the rules is above one "+
			"agent alone, paired by question, with its 95 % t interval, not corrected for the number of comparisons; "+
			"of several data sets where all have it.")
	}
	if left {
		t.Notes = append(t.Notes, "Left out, as in the paper (footnotes 3 and 6): approval voting, which seldom "+
			"comes to a decision. The table discussion-accuracy has it.")
	}
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}

// compared is what voting and consensus come to on a data set.
type compared struct {
	x                 discussed // one of its conditions
	voting, consensus campaign.Units
	single            campaign.Units // one agent alone; nil if there is none
	rules             [2]int
}

// singleColumns are those of what each kind is above the single agent.
var singleColumns = []string{"voting - single", "low", "high", "consensus - single", "low", "high"}

// meansOfKinds returns, for each data set and setting, all discussions under the rules of a kind
// as one, where there are several rules. Without approval if it is left out.
func (d discussions) meansOfKinds(all []discussed, leavesApprovalOut bool) (means []discussed) {
	same := d.Without(isRule)
	for _, row := range table.Gather(all, func(x discussed) string { return x.task + "\x00" + same.Key(x.Group) }) {
		for _, kind := range []string{kindVoting, kindConsensus} {
			of := slices.DeleteFunc(slices.Clone(row), func(x discussed) bool {
				return x.alone || x.kind != kind || leavesApprovalOut && isApproval(x)
			})
			if len(of) < 2 {
				continue
			}
			mean := of[0]
			mean.texts, mean.Runs = slices.Clone(mean.texts), nil
			for i, name := range d.Names() {
				if isRule(name) {
					mean.texts[i] = ""
				}
			}
			mean.texts[max(0, slices.Index(d.Names(), "rule"))] = kind
			for _, x := range of {
				mean.Runs = append(mean.Runs, x.Runs...)
			}
			means = append(means, mean)
		}
	}
	return means
}

// addKindsNote explains the rows of meansOfKinds, if there are any.
func addKindsNote(t *table.Table, means []discussed, which string) {
	if len(means) > 0 {
		t.Notes = append(t.Notes, "Rows "+kindVoting+" and "+kindConsensus+
			": all discussions under rules of the kind, "+which)
	}
}

func isApproval(x discussed) bool { return x.Settings["rule"] == "approval" }

// taskSorts of tasks as paper 2 groups its data sets (appendix B), by format.
func taskSorts() []struct {
	name    string
	formats []string
} {
	return []struct {
		name    string
		formats []string
	}{
		{"knowledge tasks", []string{"mmlu", "mmlu_pro", "gpqa"}},
		{"reasoning tasks", []string{"strategyqa", "musr", "squad2"}},
	}
}

// taskRows returns the means over the data sets of each sort, where there are
// several under the same settings.
func taskRows(v campaign.View, sets []compared) [][]table.Cell {
	var rows [][]table.Cell
	var settings []string
	for _, s := range sets {
		if key := v.Key(s.x.Group); !slices.Contains(settings, key) {
			settings = append(settings, key)
		}
	}
	for _, key := range settings {
		for _, sort := range taskSorts() {
			some := slices.DeleteFunc(slices.Clone(sets), func(s compared) bool {
				return v.Key(s.x.Group) != key || !slices.Contains(sort.formats, s.x.Settings["env.format"])
			})
			if len(some) > 1 {
				rows = append(rows, append(append([]table.Cell{table.Word(sort.name)}, v.Label(some[0].x.Group)...),
					overSets(some)...))
			}
		}
	}
	return rows
}

// overSets returns the means over data sets of what a row of the table has.
func overSets(sets []compared) []table.Cell {
	var voting, consensus, between, votingGain, consensusGain means
	rules, asked := [2]int{}, 0
	for _, s := range sets {
		d := s.voting.Minus(s.consensus)
		voting, consensus, between = append(voting, s.voting.Values()), append(consensus, s.consensus.Values()),
			append(between, d.Values())
		rules[0], rules[1], asked = max(rules[0], s.rules[0]), max(rules[1], s.rules[1]), asked+len(d)
	}
	for _, s := range sets {
		if s.single != nil {
			votingGain, consensusGain = append(votingGain, s.voting.Minus(s.single).Values()),
				append(consensusGain, s.consensus.Minus(s.single).Values())
		}
	}
	cells := []table.Cell{voting.meanCell(), table.Count(rules[0]), consensus.meanCell(), table.Count(rules[1])}
	most := 100 * sets[0].x.MostDifference()
	cells = append(append(cells, between.intervalCells(most)...), table.Count(asked))
	if len(votingGain) == len(sets) {
		cells = append(append(cells, votingGain.intervalCells(most)...), consensusGain.intervalCells(most)...)
	}
	return cells
}

// means are values by data set; their mean counts each data set the same.
type means [][]float64

// meanOfMeans returns the mean of the data sets' means, its standard error, and the
// degrees of freedom of that (Welch and Satterthwaite); a data set of one
// question has no error, so neither has the mean.
func (m means) meanOfMeans() (mean, se, dof float64) {
	k, sum, below := float64(len(m)), 0.0, 0.0
	for _, values := range m {
		of, sd := stat.MeanStdDev(values, nil)
		n := float64(len(values))
		variance := sd * sd / n
		mean, sum, below = mean+of/k, sum+variance, below+variance*variance/(n-1)
	}
	return mean, math.Sqrt(sum) / k, sum * sum / below
}

func (m means) meanCell() table.Cell {
	mean, se, _ := m.meanOfMeans()
	c := table.Number(mean, 1)
	if !math.IsNaN(se) {
		c.SE = &se
	}
	return c
}

func (m means) intervalCells(most float64) []table.Cell {
	mean, se, dof := m.meanOfMeans()
	if se == 0 || math.IsNaN(se) || math.IsNaN(dof) {
		return []table.Cell{table.Number(mean, 1), {}, {}}
	}
	half := statistics.QuantileT(0.975, dof) * se
	return append([]table.Cell{table.Number(mean, 1)},
		campaign.IntervalCells(&statistics.Interval{Low: mean - half, High: mean + half}, 1, most)...)
}

func ofKind(all []discussed, kind string) []campaign.Units {
	var list []campaign.Units
	for _, x := range all {
		if x.kind == kind {
			list = append(list, x.scoresByQuestion())
		}
	}
	return list
}

// isRule reports whether a label is the rule or one of its parameters.
func isRule(key string) bool { return key == "rule" || strings.HasPrefix(key, "rule.") }
