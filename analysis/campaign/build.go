package campaign

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Start returns a new table with this title, whose first columns name the condition.
func (v View) Start(title string) table.Table {
	return table.Table{Title: title, Columns: slices.Clone(v.Names())}
}

// Without returns the view without the labels for which drop returns true: a table takes means over
// them or names them otherwise.
func (v View) Without(drop func(key string) bool) View {
	v.Labels = slices.DeleteFunc(slices.Clone(v.Labels), drop)
	return v
}

// Key returns a string of g's values of the labels, equal for groups that a table does not tell
// apart.
func (v View) Key(g Group) string {
	var values []string
	for _, key := range v.Labels {
		if key == BaselineLabel {
			values = append(values, g.Labels[key])
			continue
		}
		values = append(values, g.Settings[key])
	}
	return strings.Join(values, "\x00")
}

// Label returns the first cells of a group's row, which name it.
func (v View) Label(g Group) []table.Cell {
	var cells []table.Cell
	for _, text := range v.Texts(g) {
		cells = append(cells, table.Word(text))
	}
	return cells
}

// LabelColumns returns the columns that name a condition.
func (v View) LabelColumns() table.Columns[Group] {
	return table.Columns[Group]{Headers: v.Names(), Cells: v.Label}
}

// EndedColumns returns the columns that count a condition's runs: succeeded, of these distinct if
// some repeat, failed and stopped, and notes on them.
func (v View) EndedColumns() table.Columns[Group] {
	count := func(header string, of func(Group) int) table.Columns[Group] {
		return table.Column(header, func(g Group) table.Cell { return table.Count(of(g)) })
	}
	columns := []table.Columns[Group]{count("n", func(g Group) int { return g.Count(record.Succeeded) })}
	if v.hasRepeats() {
		columns = append(columns, count("distinct", func(g Group) int { return g.Distinct }))
	}
	columns = append(columns, count("failed", func(g Group) int { return g.Count("failed") }),
		count("stopped", func(g Group) int { return g.Count("stopped") }))
	if v.hasUnusable() {
		columns = append(columns,
			table.Column("invalid, %", func(g Group) table.Cell { return table.PercentOf(g.Usable.Invalid, g.Usable.Turns) }),
			table.Column("cut off, %", func(g Group) table.Cell { return table.PercentOf(g.Usable.Cut, g.Usable.Answers) }))
	}
	if v.open() > 0 {
		columns = append(columns, count("remaining", Group.Pending))
	}
	if some, _ := v.Simulated(); some > 0 {
		columns = append(columns, count("simulated", Group.countSimulated))
	}
	return table.Join(columns...)
}

// countSimulated returns how many runs had scripted agents.
func (g Group) countSimulated() int {
	n := 0
	for _, r := range g.Runs {
		if r.Simulated {
			n++
		}
	}
	return n
}

func (v View) open() int {
	open := 0
	for _, g := range v.Groups {
		open += g.Pending()
	}
	return open
}

// AddNotes adds to t the notes that every table has: about simulated agents before the table's own
// notes, the rest after.
func (v View) AddNotes(t *table.Table) {
	failed, stopped, early := 0, 0, 0
	for _, g := range v.Groups {
		failed, stopped = failed+g.Count("failed"), stopped+g.Count("stopped")
		for _, r := range g.Succeeded() {
			if r.EndedEarly() {
				early++
			}
		}
	}
	note := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	t.Notes = append(v.unusableWarnings(), t.Notes...)
	if some, all := v.Simulated(); some == all && some > 0 {
		t.Notes = append([]string{table.Simulated + "."}, t.Notes...)
	} else if some > 0 {
		t.Notes = append([]string{fmt.Sprintf("%s, in %d of %s.", table.Simulated, some,
			Collaborations(all))}, t.Notes...)
	}
	t.Notes = append(t.Notes, v.Joined...)
	if v.Looked {
		note("This campaign ends when its question is answered (until), so its n depends on what was found: standard " +
			"errors, intervals and p values here take n as given and find differences too often. The table answer " +
			"has intervals that hold.")
	}
	if sizes := v.Sizes(); sizes != "" {
		note("%s", sizes)
	}
	if v.hasRepeats() {
		note("%s", v.explainRepeats())
	}
	if same := v.Constant(); same != "" {
		note("The same in all rows: %s.", same)
	}
	if slices.Contains(v.Labels, AnsweredBy) {
		note("A service changed the model behind a name while the campaign ran: rows are split by the model that answered.")
	}
	if failed+stopped > 0 {
		note("Counted and not averaged: %d failed, %d stopped.", failed, stopped)
	}
	if early > 0 && !v.Whole {
		note("%s ended before the last planned round; what stood then is carried on to later rounds.",
			Collaborations(early))
	}
	if open := v.open(); open > 0 {
		note("Remaining: %s of the plan.", wording.Count(open, "cell"))
	}
}

// RoundColumns returns one column a round of the view, counted from 1; cell makes its cells.
func RoundColumns[R any](v View, cell func(row R, round int) table.Cell) table.Columns[R] {
	var columns []table.Columns[R]
	for n := 1; n <= v.Rounds(); n++ {
		columns = append(columns, table.Column(fmt.Sprint("@", n), func(row R) table.Cell { return cell(row, n) }))
	}
	return table.Join(columns...)
}

// Rounds returns the greatest number of planned rounds.
func (v View) Rounds() int {
	most := 0
	for _, g := range v.Groups {
		for _, r := range g.Runs {
			most = max(most, int(r.RoundsPlanned))
		}
	}
	return most
}

// Collaborations returns n with its noun: "1 collaboration", "2 collaborations".
func Collaborations(n int) string { return wording.Count(n, "collaboration") }
