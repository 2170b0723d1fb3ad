package discussion

import (
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/language"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Diversities returns Table 1 of paper 2: how similar the agents' last answers and personas are, with the
// accuracy, by the settings other than the rule. Each is compared with the one that names the fewest settings.
func Diversities(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: diversity and accuracy", Columns: []string{"data set"}}
	others := d.Without(isRule)
	t.Columns = append(t.Columns, others.Names()...)
	t.Columns = append(t.Columns, "answer similarity", "persona similarity", "accuracy", "rules", "gain",
		"gain low", "gain high")
	if d.hasSingle() {
		t.Columns = append(t.Columns, "above single", "low", "high")
	}
	by, embed := embedderOf(c)
	var alike, accurate []float64
	for _, task := range d.tasks {
		talking := slices.DeleteFunc(d.onlyDiscussions(), func(x discussed) bool { return x.task != task })
		settings := table.Gather(talking, func(x discussed) string { return others.Key(x.Group) })
		if len(settings) == 0 {
			continue
		}
		base := slices.MinFunc(settings, func(a, b []discussed) int { return d.countNamed(a[0]) - d.countNamed(b[0]) })
		for _, same := range settings {
			row := append([]table.Cell{table.Word(task)}, others.Label(same[0].Group)...)
			answers, personas := similarityCells(same, embed)
			scores := campaign.MeanOf(scoresOf(same)).Mean()
			row = append(row, answers, personas, scores, table.Count(len(same)))
			row = append(row, d.cellsAbove(same, base)...)
			if one, ok := d.referenceOf(same[0]); ok {
				row = append(row, campaign.MeanOf(scoresOf(same)).Minus(one.scoresByQuestion()).Interval(100*same[0].MostDifference())...)
			} else if d.hasSingle() {
				row = append(row, make([]table.Cell, 3)...)
			}
			t.Rows = append(t.Rows, row)
			if answers.Value != nil && scores.Value != nil {
				alike, accurate = append(alike, *answers.Value), append(accurate, *scores.Value)
			}
		}
	}
	t.Notes = []string{
		"Similarity: mean cosine over the pairs of a group, mean over discussions (standard error over questions); " +
			"the lower, the more diverse. By " + by + "; the paper has SBERT. Levels of different embedders cannot " +
			"be compared.",
		"Accuracy is the mean over rules and questions (standard error). Gain: over the row of the data set with the " +
			"fewest settings, over the same rules and paired by question, with its 95 % t interval. " +
			campaign.CutNote,
	}
	if d.hasSingle() {
		t.Notes = append(t.Notes, "Above single: the same mean above one agent alone, paired by question, with its "+
			"95 % t interval.")
	}
	addRelation(&t, alike, accurate)
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}

// countNamed returns how many settings a condition names of those that vary.
func (d discussions) countNamed(x discussed) (n int) {
	for _, key := range d.Labels {
		if !slices.Contains([]string{"", "false", "none"}, x.Settings[key]) {
			n++
		}
	}
	return n
}

// Vectors are embeddings of texts, by text.
type Vectors struct {
	By string // the embedder's name
	Of map[string][]float64
}

// Statements returns the distinct texts (answers and personas) whose similarity Diversities computes.
func Statements(c campaign.Campaign) []string {
	var all []string
	for _, r := range c.Runs {
		if discussionOf(r) != nil {
			all = slices.Concat(all, discussionOf(r).Finals, discussionOf(r).Personas)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool { return text == "" })
}

// embedderOf returns the embedder of Vectors; without them, one by words, which has learnt from all
// answers and personas how rare they are.
func embedderOf(c campaign.Campaign) (name string, embed func(text string) []float64) {
	if v := campaign.Part[*Vectors](c.Parts); v != nil {
		return v.By, func(text string) []float64 {
			for _, from := range c.Sources { // each has those of its own texts
				if vector, ok := campaign.Part[*Vectors](from.Parts).Of[text]; ok {
					return vector
				}
			}
			return v.Of[text]
		}
	}
	h := &language.Vocabulary{}
	for _, r := range c.Runs {
		if discussionOf(r) == nil {
			continue
		}
		for _, text := range slices.Concat(discussionOf(r).Finals, discussionOf(r).Personas) {
			if text != "" {
				h.Add(text)
			}
		}
	}
	return h.Name(), h.Vector
}

// similarityCells of the answers and of the personas of discussions.
func similarityCells(all []discussed, embed func(string) []float64) (answers, personas table.Cell) {
	var runs []campaign.Run
	for _, x := range all {
		runs = append(runs, x.Having(func(r campaign.Run) bool { return discussionOf(r) != nil })...)
	}
	alike := func(texts func(campaign.Run) []string) table.Cell {
		return campaign.MeanCell(runs, 3,
			func(r campaign.Run) (float64, bool) { return language.Similarity(embedTexts(texts(r), embed)) })
	}
	return alike(func(r campaign.Run) []string { return discussionOf(r).Finals }),
		alike(func(r campaign.Run) []string { return discussionOf(r).Personas })
}

// embedTexts returns the vectors of those who said something.
func embedTexts(texts []string, embed func(string) []float64) [][]float64 {
	var vectors [][]float64
	for _, text := range texts {
		if text != "" {
			vectors = append(vectors, embed(text))
		}
	}
	return vectors
}

func scoresOf(all []discussed) []campaign.Units {
	var list []campaign.Units
	for _, x := range all {
		list = append(list, x.scoresByQuestion())
	}
	return list
}

// cellsAbove returns the difference to other conditions; a campaign's grid has every rule
// with every setting, so both have the same rules.
func (d discussions) cellsAbove(all, first []discussed) []table.Cell {
	rules := d.Without(func(key string) bool { return !isRule(key) })
	var mine, theirs []campaign.Units
	for _, x := range all {
		i := slices.IndexFunc(first, func(o discussed) bool { return rules.Key(o.Group) == rules.Key(x.Group) })
		if i >= 0 && first[i].ID != x.ID {
			mine, theirs = append(mine, x.scoresByQuestion()), append(theirs, first[i].scoresByQuestion())
		}
	}
	if len(mine) == 0 {
		return make([]table.Cell, 3)
	}
	return campaign.MeanOf(mine).Minus(campaign.MeanOf(theirs)).Interval(100 * all[0].MostDifference())
}

// addRelation adds whether more diverse answers go along with more accuracy.
func addRelation(t *table.Table, alike, accurate []float64) {
	line, err := statistics.LineOf(alike, accurate)
	if err != nil {
		return
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Over the %d rows, the correlation of answer similarity and accuracy is %s (p %.3f).", line.N, table.FormatNumber(line.R, 2), line.P))
}
