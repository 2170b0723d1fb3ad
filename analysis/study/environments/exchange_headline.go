package environments

import (
	"cmp"
	"fmt"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Headline returns the headline figures of paper 1: how much lower the worst decision rule scores than the
// best in the first and in the last round, and how much longer messages get from the first to the last.
func Headline(c campaign.Campaign) (table.Table, bool) {
	t := table.Table{Title: "Headline figures: the worst decision rule against the best, and the growth of messages",
		Columns: []string{
			"figure", "env", "setting", "reference", "compared", "reference value", "value", "change, %", "n"}}
	lowerRules(c, &t)
	longerMessages(c, &t)
	t.Notes = []string{
		"Total utility in percent of the greatest possible, as in the table utility-by-rule: the condition with the " +
			"least mean against the one with the greatest (the reference), among conditions that differ in their rule only.",
		"Words per message, as in the table message-length: the change is the mean over conditions of (last round / " +
			"first round - 1), and over environments the mean of theirs; the values are means over conditions. n: " +
			"collaborations.",
	}
	c.View("").AddNotes(&t)
	return t, len(t.Rows) > 0
}

// lowerRules adds a row for the first and for the last round of each set of
// conditions that differ in their rule only.
func lowerRules(c campaign.Campaign, t *table.Table) {
	v := c.View(campaign.Exchange, "rule")
	others := v.Without(func(key string) bool { return key == "rule" })
	var keys []string
	sets := map[string][]campaign.Group{}
	for _, g := range v.Groups {
		key := others.Key(g)
		if sets[key] == nil {
			keys = append(keys, key)
		}
		sets[key] = append(sets[key], g)
	}
	for _, key := range keys {
		set := sets[key]
		for _, at := range []struct {
			name  string
			round int
		}{{"total utility, first round", 1}, {"total utility, last round", v.Rounds()}} {
			utility := func(g campaign.Group) *float64 {
				return campaign.MeanCell(g.Succeeded(), 2, campaign.AtRound(TotalUtility, at.round)).Value
			}
			known := slices.DeleteFunc(slices.Clone(set), func(g campaign.Group) bool { return utility(g) == nil })
			if len(known) < 2 {
				continue
			}
			by := func(a, b campaign.Group) int { return cmp.Compare(*utility(a), *utility(b)) }
			least, best := slices.MinFunc(known, by), slices.MaxFunc(known, by)
			low, high := *utility(least), *utility(best)
			if high == 0 {
				continue
			}
			t.Rows = append(t.Rows, []table.Cell{table.Word(at.name), table.Word(campaign.Exchange),
				table.Word(others.Describe(least)), table.Word(best.Shown("rule")), table.Word(least.Shown("rule")),
				table.Number(high, 2), table.Number(low, 2), table.Number(100*(low/high-1), 1),
				table.Count(len(least.Succeeded()) + len(best.Succeeded()))})
		}
	}
}

// longerMessages adds a row for each environment with messages, and one over all of them.
func longerMessages(c campaign.Campaign, t *table.Table) {
	var overall table.Sample
	total := 0
	for _, environment := range c.View("").Environments() {
		v := c.View(environment)
		var first, last, growth table.Sample
		n := 0
		for _, g := range v.Groups {
			words := func(round int) *float64 {
				return campaign.MeanCell(g.Succeeded(), 1, campaign.AtRound(dialogue.MessageLength, round)).Value
			}
			a, b := words(1), words(v.Rounds())
			if v.Rounds() < 2 || a == nil || b == nil || *a == 0 {
				continue
			}
			first.Add(*a, true)
			last.Add(*b, true)
			growth.Add(100*(*b / *a - 1), true)
			n += len(g.Succeeded())
		}
		if n == 0 {
			continue
		}
		change := growth.Mean(1)
		overall.Add(*change.Value, true)
		total += n
		t.Rows = append(t.Rows, []table.Cell{table.Word("words per message"), table.Word(environment),
			table.Word(wording.Count(len(growth.Values), "condition")), table.Word("first round"),
			table.Word("last round"),
			table.Number(*first.Mean(1).Value, 1), table.Number(*last.Mean(1).Value, 1), table.Number(*change.Value, 1),
			table.Count(n)})
	}
	if len(overall.Values) > 1 {
		t.Rows = append(t.Rows, []table.Cell{table.Word("words per message"), table.Word("all"),
			table.Word(fmt.Sprintf("%d environments", len(overall.Values))), table.Word("first round"),
			table.Word("last round"),
			{}, {}, table.Number(*overall.Mean(1).Value, 1), table.Count(total)})
	}
}
