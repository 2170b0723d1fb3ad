package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// start begins a table over a view: the columns that name a condition come first.
func (v view) start(name, title string) table.Table {
	return table.Table{Name: name, Title: title, Columns: append([]string{}, v.labels...)}
}

// without is the view without some labels, over which a table takes means or
// which it names otherwise.
func (v view) without(drop func(key string) bool) view {
	v.labels = slices.DeleteFunc(slices.Clone(v.labels), drop)
	return v
}

// key is what a condition has in the labels.
func (v view) key(g group) string {
	var values []string
	for _, key := range v.labels {
		values = append(values, cmp.Or(g.labels[key], g.settings[key]))
	}
	return strings.Join(values, "\x00")
}

// label is the first cells of a condition's row.
func (v view) label(g group) []table.Cell {
	var cells []table.Cell
	for _, key := range v.labels {
		cells = append(cells, table.Word(g.shown(key)))
	}
	return cells
}

// ended are the columns that count how the cells of a condition ended.
func (v view) ended() []string {
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
	if some, _ := v.simulated(); some > 0 {
		columns = append(columns, "simulated")
	}
	return columns
}

func (v view) endedCells(g group) []table.Cell {
	cells := []table.Cell{table.Count(g.count(succeeded))}
	if v.repeats() {
		cells = append(cells, table.Count(g.distinct))
	}
	cells = append(cells, table.Count(g.count("failed")), table.Count(g.count("stopped")))
	if v.doubtful() {
		cells = append(cells, table.PercentOf(g.usable.Invalid, g.usable.Turns), table.PercentOf(g.usable.Cut, g.usable.Answers))
	}
	if v.open() > 0 {
		cells = append(cells, table.Count(g.pending()))
	}
	if some, _ := v.simulated(); some > 0 {
		simulated := 0
		for _, r := range g.runs {
			if r.Simulated {
				simulated++
			}
		}
		cells = append(cells, table.Count(simulated))
	}
	return cells
}

func (v view) open() int {
	open := 0
	for _, g := range v.groups {
		open += g.pending()
	}
	return open
}

// notes that every table has: what is simulated before its own, the rest after.
func (v view) notes(t *table.Table) {
	failed, stopped, early := 0, 0, 0
	for _, g := range v.groups {
		failed, stopped = failed+g.count("failed"), stopped+g.count("stopped")
		for _, r := range g.done() {
			if r.early() {
				early++
			}
		}
	}
	note := func(format string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(format, args...)) }
	t.Notes = append(v.warnings(), t.Notes...)
	if some, all := v.simulated(); some == all && some > 0 {
		t.Notes = append([]string{table.Simulated + "."}, t.Notes...)
	} else if some > 0 {
		t.Notes = append([]string{fmt.Sprintf("%s, in %d of %s.", table.Simulated, some, collaborations(all))}, t.Notes...)
	}
	if sizes := v.sizes(); sizes != "" {
		note("%s", sizes)
	}
	if v.repeats() {
		note("%s", v.repeated())
	}
	if same := v.constant(); same != "" {
		note("The same in all rows: %s.", same)
	}
	if slices.Contains(v.labels, answeredBy) {
		note("A service changed the model behind a name while the campaign ran: rows are split by the model that answered.")
	}
	if failed+stopped > 0 {
		note("Counted and not averaged: %d failed, %d stopped.", failed, stopped)
	}
	if early > 0 && !v.whole {
		note("%s ended before the last planned round; what stood then is carried on to later rounds.", collaborations(early))
	}
	if open := v.open(); open > 0 {
		note("Still to come: %s of the plan.", wording.Count(open, "cell"))
	}
}

// atRounds are the columns with one value a round.
func (v view) atRounds() []string {
	var columns []string
	for n := 1; n <= v.rounds(); n++ {
		columns = append(columns, fmt.Sprint("@", n))
	}
	return columns
}

// rounds is the most rounds that are planned.
func (v view) rounds() int {
	most := 0
	for _, g := range v.groups {
		for _, r := range g.runs {
			most = max(most, int(r.RoundsPlanned))
		}
	}
	return most
}

func collaborations(n int) string { return wording.Count(n, "collaboration") }
