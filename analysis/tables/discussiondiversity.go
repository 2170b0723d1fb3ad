package tables

import (
	"fmt"
	"slices"

	"roundtable/analysis/embedding"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Diversities are Table 1 of paper 2: how much alike the agents' last answers
// and personas are, with the accuracy, by what conditions share apart from their
// rule. Others are compared to the one in which the fewest settings are named.
func (c Campaign) Diversities() (table.Table, bool) {
	d := c.discussions()
	t := table.Table{Name: "2.1", Title: "Discussion: diversity and accuracy (paper 2, Table 1)", Columns: []string{"data set"}}
	others := d.without(isRule)
	t.Columns = append(t.Columns, others.labels...)
	t.Columns = append(t.Columns, "answer similarity", "persona similarity", "accuracy", "rules", "gain", "gain low", "gain high")
	by, embed := c.embedder()
	var alike, accurate []float64
	for _, task := range d.tasks {
		talking := slices.DeleteFunc(d.talking(), func(x discussed) bool { return x.task != task })
		settings := rowsBy(talking, func(x discussed) string { return others.key(x.group) })
		if len(settings) == 0 {
			continue
		}
		base := slices.MinFunc(settings, func(a, b []discussed) int { return a[0].named() - b[0].named() })
		for _, same := range settings {
			row := append([]table.Cell{table.Word(task)}, others.label(same[0].group)...)
			answers, personas := similarities(same, embed)
			scores := meanOf(scoresOf(same)).mean()
			row = append(row, answers, personas, scores, table.Count(len(same)))
			t.Rows = append(t.Rows, append(row, d.above(same, base)...))
			if answers.Value != nil && scores.Value != nil {
				alike, accurate = append(alike, *answers.Value), append(accurate, *scores.Value)
			}
		}
	}
	t.Notes = []string{
		"Similarity: mean cosine over the pairs of a group, mean over discussions (standard error over questions); the lower, the more diverse. By " + by + "; the paper has SBERT. Levels of different embedders cannot be compared.",
		"Accuracy is the mean over rules and questions (standard error). Gain: over the row of the data set with the fewest settings, over the same rules and paired by question, with its 95 % t interval. " + cutNote,
	}
	related(&t, alike, accurate)
	d.notes(&t)
	return t, len(t.Rows) > 0
}

// named is how many settings a condition names of those that vary.
func (x discussed) named() (n int) {
	for _, v := range x.values {
		if !slices.Contains([]string{"", "false", "none"}, v) {
			n++
		}
	}
	return n
}

// Vectors are texts embedded by somebody else, such as a sentence transformer.
type Vectors struct {
	By string // the embedder's name
	Of map[string][]float64
}

// Statements are the texts that Diversities compares, each once: answers and personas.
func (c Campaign) Statements() []string {
	var all []string
	for _, r := range c.Runs {
		if discussionOf(r) != nil {
			all = slices.Concat(all, discussionOf(r).Finals, discussionOf(r).Personas)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool { return text == "" })
}

// embedder is that of Vectors; without, one by words, which has learnt from all
// answers and personas how rare they are.
func (c Campaign) embedder() (name string, embed func(text string) []float64) {
	if v := Part[*Vectors](c.Parts); v != nil {
		return v.By, func(text string) []float64 { return v.Of[text] }
	}
	h := &embedding.Vocabulary{}
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

// similarities of the answers and of the personas of discussions.
func similarities(all []discussed, embed func(string) []float64) (answers, personas table.Cell) {
	var runs []Run
	for _, x := range all {
		runs = append(runs, slices.DeleteFunc(x.done(), func(r Run) bool { return discussionOf(r) == nil })...)
	}
	alike := func(texts func(Run) []string) table.Cell {
		return meanCell(runs, 3, func(r Run) (float64, bool) { return embedding.Similarity(embedded(texts(r), embed)) })
	}
	return alike(func(r Run) []string { return discussionOf(r).Finals }), alike(func(r Run) []string { return discussionOf(r).Personas })
}

// embedded are the vectors of those who said something.
func embedded(texts []string, embed func(string) []float64) [][]float64 {
	var vectors [][]float64
	for _, text := range texts {
		if text != "" {
			vectors = append(vectors, embed(text))
		}
	}
	return vectors
}

func scoresOf(all []discussed) []units {
	var list []units
	for _, x := range all {
		list = append(list, x.scores())
	}
	return list
}

// above is the difference to other conditions; a campaign's grid has every rule
// with every setting, so both have the same rules.
func (d discussions) above(all, first []discussed) []table.Cell {
	rules := d.without(func(key string) bool { return !isRule(key) })
	var mine, theirs []units
	for _, x := range all {
		i := slices.IndexFunc(first, func(o discussed) bool { return rules.key(o.group) == rules.key(x.group) })
		if i >= 0 && first[i].condition != x.condition {
			mine, theirs = append(mine, x.scores()), append(theirs, first[i].scores())
		}
	}
	if len(mine) == 0 {
		return make([]table.Cell, 3)
	}
	return meanOf(mine).differences(meanOf(theirs)).interval(100 * all[0].most())
}

// related adds whether more diverse answers go along with more accuracy.
func related(t *table.Table, alike, accurate []float64) {
	line, err := statistics.LineOf(alike, accurate)
	if err != nil {
		return
	}
	t.Notes = append(t.Notes, fmt.Sprintf("Over the %d rows, the correlation of answer similarity and accuracy is %s (p %.3f).", line.N, table.Fixed(line.R, 2), line.P))
}
