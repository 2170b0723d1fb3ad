package report

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// Columns that name a condition are one on a page, with the title that figures have; rows of several conditions have
// what they share, and columns that are the same in all rows stay to be folded.
func TestConditionsAreOneColumn(t *testing.T) {
	var c campaign.Campaign
	for i, x := range []struct{ protocol, rule, more string }{
		{"debate", "majority", ""}, {"debate", "rated", ""}, {"vote", "majority", ""}, {"debate", "majority", `,"control":"same"`},
	} {
		rows := collaboration(x.rule, i, 1, "a").Collaborations[0]
		rows.ConditionID = fmt.Sprint("c", i)
		rows.SettingsJSON = fmt.Sprintf(`{"env":{"name":"exchange"},"protocol":{"name":%q},"rule":{"name":%q}%s}`, x.protocol, x.rule, x.more)
		c.Runs = append(c.Runs, newRun(rows, []record.Round{{Round: 1}}, nil))
	}
	names := newConditionNames(c)
	row := func(texts ...string) (cells []table.Cell) {
		for _, text := range texts {
			cells = append(cells, table.Word(text))
		}
		return append(cells, table.Number(1, 0))
	}
	for _, x := range []struct {
		what, want string
		table      table.Table
	}{
		{"all columns", "condition env rule n | debate, majority | vote, majority | debate, majority, same",
			table.Table{Columns: []string{"env", "protocol", "rule", "control", "n"}, Rows: [][]table.Cell{
				row("exchange", "debate", "majority", ""), row("exchange", "vote", "majority", ""), row("exchange", "debate", "majority", "same")}}},
		{"some columns", "condition n | debate, rated | debate, majority | all",
			table.Table{Columns: []string{"protocol", "rule", "n"}, Rows: [][]table.Cell{row("debate", "rated"), row("debate", "majority"), row("all", "")}}},
		{"one column without a text", "condition protocol n | debate | debate, majority, same",
			table.Table{Columns: []string{"protocol", "control", "n"}, Rows: [][]table.Cell{row("debate", ""), row("debate", "same")}}},
		{"one column", "rule n | majority | rated", table.Table{Columns: []string{"rule", "n"}, Rows: [][]table.Cell{row("majority"), row("rated")}}},
		{"one row", "protocol rule n | debate", table.Table{Columns: []string{"protocol", "rule", "n"}, Rows: [][]table.Cell{row("debate", "rated")}}},
		{"no condition", "A B n | x | y", table.Table{Columns: []string{"A", "B", "n"}, Rows: [][]table.Cell{row("x", "z"), row("y", "z")}}},
	} {
		merged := names.merge(x.table)
		got := strings.Join(merged.Columns, " ")
		for _, cells := range merged.Rows {
			got += " | " + cells[0].String()
		}
		if got != x.want {
			t.Errorf("%s: %s, want %s", x.what, got, x.want)
		}
	}
}

// Numbers of pages have a minus sign, and a comma between thousands.
func TestCellsAreTypeset(t *testing.T) {
	for want, c := range map[string]table.Cell{
		"−11.1": table.Number(-11.1, 1), "0.00001": {Value: p(.00001), SE: p(.0000001), N: 3, Decimals: 5}, "1,126 (25)": {Value: p(1126.), SE: p(25.), N: 3}, "−12,345,678.50": table.Number(-12345678.5, 2),
		"0.1234": table.Number(.1234, 4), "0.123456": table.Number(.123456, 6), "2024-11-29 a-1": table.Word("2024-11-29 a-1"), "": {}, "<0.0001": {Value: p(0.), Decimals: 4, P: true},
	} {
		if got := cellText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := typeset("a difference of -0.1 (95 % CI -0.2 to 0.1) for gpt-4 in 3-4"); got != "a difference of −0.1 (95 % CI −0.2 to 0.1) for gpt-4 in 3-4" {
		t.Error(got)
	}
}

// Each class of a position has a colour.
func TestPositionsHaveColours(t *testing.T) {
	for n := range hues {
		if style := Asset("style.css"); !strings.Contains(style, fmt.Sprintf(".hue%d {", n)) || strings.Count(style, fmt.Sprintf("--hue%d: ", n)) != 2 {
			t.Errorf("hue%d has no colour in both schemes", n)
		}
	}
}
