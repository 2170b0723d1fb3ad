package campaign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/record"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Start begins a table over a view: the columns that name a condition come first.
func (v View) Start(title string) table.Table {
	return table.Table{Title: title, Columns: append([]string{}, v.Labels...)}
}

// Without returns the view without some labels, over which a table takes means or
// which it names otherwise.
func (v View) Without(drop func(key string) bool) View {
	v.Labels = slices.DeleteFunc(slices.Clone(v.Labels), drop)
	return v
}

// Key returns what a condition has in the labels.
func (v View) Key(g Group) string {
	var values []string
	for _, key := range v.Labels {
		values = append(values, cmp.Or(g.Labels[key], g.Settings[key]))
	}
	return strings.Join(values, "\x00")
}

// Label returns the first cells of a condition's row.
func (v View) Label(g Group) []table.Cell {
	var cells []table.Cell
	for _, key := range v.Labels {
		cells = append(cells, table.Word(g.Shown(key)))
	}
	return cells
}

// EndedColumns returns the columns that count how the cells of a condition ended.
func (v View) EndedColumns() []string {
	columns := []string{"n", "failed", "stopped"}
	if v.repeats() {
		columns = []string{"n", "distinct", "failed", "stopped"}
	}
	if v.doubtful() {
		columns = append(columns, "invalid, %", "cut off, %")
	}
	if v.open() > 0 {
		columns = append(columns, "to come")
	}
	if some, _ := v.Simulated(); some > 0 {
		columns = append(columns, "simulated")
	}
	return columns
}

// EndedCells returns how many runs of a group succeeded, of these how many differ if they repeat, how
// many failed and were stopped.
func (v View) EndedCells(g Group) []table.Cell {
	cells := []table.Cell{table.Count(g.Count(record.Succeeded))}
	if v.repeats() {
		cells = append(cells, table.Count(g.Distinct))
	}
	cells = append(cells, table.Count(g.Count("failed")), table.Count(g.Count("stopped")))
	if v.doubtful() {
		cells = append(cells, table.PercentOf(g.Usable.Invalid, g.Usable.Turns), table.PercentOf(g.Usable.Cut, g.Usable.Answers))
	}
	if v.open() > 0 {
		cells = append(cells, table.Count(g.Pending()))
	}
	if some, _ := v.Simulated(); some > 0 {
		simulated := 0
		for _, r := range g.Runs {
			if r.Simulated {
				simulated++
			}
		}
		cells = append(cells, table.Count(simulated))
	}
	return cells
}

func (v View) open() int {
	open := 0
	for _, g := range v.Groups {
		open += g.Pending()
	}
	return open
}

// AddNotes that every table has: what is simulated before its own, the rest after.
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
	t.Notes = append(v.warnings(), t.Notes...)
	if some, all := v.Simulated(); some == all && some > 0 {
		t.Notes = append([]string{table.Simulated + "."}, t.Notes...)
	} else if some > 0 {
		t.Notes = append([]string{fmt.Sprintf("%s, in %d of %s.", table.Simulated, some, Collaborations(all))}, t.Notes...)
	}
	if sizes := v.Sizes(); sizes != "" {
		note("%s", sizes)
	}
	if v.repeats() {
		note("%s", v.repeated())
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
		note("%s ended before the last planned round; what stood then is carried on to later rounds.", Collaborations(early))
	}
	if open := v.open(); open > 0 {
		note("Still to come: %s of the plan.", wording.Count(open, "cell"))
	}
}

// RoundColumns returns the columns with one value a round.
func (v View) RoundColumns() []string {
	var columns []string
	for n := 1; n <= v.Rounds(); n++ {
		columns = append(columns, fmt.Sprint("@", n))
	}
	return columns
}

// Rounds returns the most rounds that are planned.
func (v View) Rounds() int {
	most := 0
	for _, g := range v.Groups {
		for _, r := range g.Runs {
			most = max(most, int(r.RoundsPlanned))
		}
	}
	return most
}

// Collaborations returns "1 collaboration", "2 collaborations".
func Collaborations(n int) string { return wording.Count(n, "collaboration") }
