package replicate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// Found is the table of a campaign that a block is compared with.
type Found struct {
	Table      table.Table
	Missing    string // why there is no such table; "" if there is
	Replicates int    // that a standard deviation is over
	Beside     string // the paper's model whose printed numbers are compared with the only model's
	Embedder   string // of the table; "" for the built-in TF-IDF
}

// Tables returns the table as a list; empty if it is missing.
func (f Found) Tables() []table.Table {
	if f.Missing != "" {
		return nil
	}
	return []table.Table{f.Table}
}

// Comparison compares our numbers with printed ones.
type Comparison struct {
	rows               []compared
	reasons            []string // why numbers are not compared
	counts             []int    // how many, for each reason
	unprinted, without int      // numbers printed without an error; pairs without an interval
	total              int
	isSimulated, isCut bool // scripted agents answered; some interval ends at -100 or 100 percent
}

type compared struct {
	what, column string
	ours         table.Cell
	printed      table.Cell
	difference   float64
	interval     *statistics.Interval
}

// Add compares the numbers of block b with those found in f.
func (c *Comparison) Add(b Block, f Found) error {
	numbers, err := b.ReadNumbers()
	if err != nil {
		return err
	}
	c.isSimulated = c.isSimulated || slices.ContainsFunc(f.Table.Notes,
		func(note string) bool { return strings.HasPrefix(note, table.Simulated) })
	model := slices.Index(b.Keys, modelKey)
	oneModel := model >= 0 && !slices.Contains(f.Table.Columns, modelKey)
	for _, n := range numbers {
		if oneModel && n.Keys[model] != f.Beside {
			continue
		}
		c.total++
		if b.Embedder != "" && f.Embedder == "" {
			c.skip(fmt.Sprintf("they rest on embeddings by %s, and this on hashed TF-IDF; name a sentence "+
				"transformer: --embedder FOLDER", b.Embedder))
			continue
		}
		cell, reason := b.find(f, n)
		if reason != "" {
			c.skip(reason)
			continue
		}
		c.rows = append(c.rows, c.compare(b, n, cell))
	}
	return nil
}

func (c *Comparison) skip(reason string) {
	i := slices.Index(c.reasons, reason)
	if i < 0 {
		i = len(c.reasons)
		c.reasons, c.counts = append(c.reasons, reason), append(c.counts, 0)
	}
	c.counts[i]++
}

// find returns the cell that has a printed number's counterpart, with its standard error; or
// why there is none.
func (b Block) find(f Found, n Number) (cell table.Cell, reason string) {
	t := f.Table
	if f.Missing != "" {
		return cell, f.Missing
	}
	column := slices.Index(t.Columns, n.Column)
	if column < 0 {
		return cell, fmt.Sprintf("the table %s has no column %q", t.Name, n.Column)
	}
	var rows [][]table.Cell
	for _, row := range t.Rows {
		has := func(key, want string) bool {
			i := slices.Index(t.Columns, key)
			if i < 0 { // the same in all rows, which is not shown
				return true
			}
			return row[i].String() == want
		}
		fits := !slices.ContainsFunc(b.Keys,
			func(key string) bool { return !has(key, n.Keys[slices.Index(b.Keys, key)]) })
		for key, want := range b.Where {
			fits = fits && has(key, want)
		}
		if fits {
			rows = append(rows, row)
		}
	}
	switch {
	case len(rows) == 0:
		return cell, fmt.Sprintf("the table %s has no such row", t.Name)
	case len(rows) > 1:
		return cell, fmt.Sprintf("the table %s has several such rows", t.Name)
	case rows[0][column].Value == nil:
		return cell, fmt.Sprintf("the table %s has nothing there", t.Name)
	}
	cell = rows[0][column]
	if i := slices.Index(t.Columns, b.Deviation); i >= 0 && cell.SE == nil && rows[0][i].Value != nil &&
		*rows[0][i].Value > 0 && f.Replicates > 1 {
		cell.SE, cell.N = new(*rows[0][i].Value/math.Sqrt(float64(f.Replicates))), f.Replicates
	}
	return cell, ""
}

// compare returns the difference with its 95 % interval: by Welch where the paper's error is
// known, else by ours alone. Without spread there is none.
func (c *Comparison) compare(b Block, n Number, ours table.Cell) compared {
	var what []string
	if b.Campaign != "" {
		what = []string{b.Campaign}
	}
	for _, key := range slices.Sorted(maps.Keys(b.Where)) {
		what = append(what, b.Where[key])
	}
	r := compared{what: strings.Join(append(what, n.Keys...), ", "), column: n.Column, ours: ours,
		difference: *ours.Value - n.Value}
	r.printed = table.Number(n.Value, n.digits)
	se, printedOf, known := b.standardError(n)
	if known {
		r.printed.SE, r.printed.N = &se, printedOf
	} else {
		c.unprinted++
	}
	switch {
	case ours.SE == nil || ours.N < 2:
	case known:
		if t, err := statistics.Welch(statistics.Sample{Mean: *ours.Value, SE: *ours.SE, N: ours.N},
			statistics.Sample{Mean: n.Value, SE: se, N: printedOf}); err == nil {
			r.interval = &t.CI
		}
	default:
		half := statistics.QuantileT(0.975, float64(ours.N-1)) * *ours.SE
		r.interval = &statistics.Interval{Low: r.difference - half, High: r.difference + half, Level: 0.95}
	}
	if r.interval == nil {
		c.without++
	} else if i := *r.interval; b.Questions > 0 && (i.Low < -100 || i.High > 100) { // of shares in percent
		r.interval.Low, r.interval.High = max(i.Low, -100), min(i.High, 100)
		c.isCut = true
	}
	return r
}

// isDifferent reports whether the interval of the difference leaves 0 out.
func (r compared) isDifferent() bool {
	return r.interval != nil && (r.interval.Low > 0 || r.interval.High < 0)
}

// Table returns the comparison as a table with notes that explain its numbers. name and title are the entry's,
// notDerived what is not reproduced.
func (c *Comparison) Table(name, title string, notDerived []string) table.Table {
	t := table.Table{Name: name, Title: fmt.Sprintf("%s: %s, beside the paper's numbers", name, title)}
	bound := func(of func(*statistics.Interval) float64) func(compared) table.Cell {
		return func(r compared) table.Cell {
			if r.interval == nil {
				return table.Cell{}
			}
			return table.Number(of(r.interval), decimalsOf(r))
		}
	}
	t.Notes = append(c.listNotes(), notDerived...)
	if len(c.rows) == 0 {
		why := "none: the paper prints no numbers here"
		if c.total > 0 {
			why = fmt.Sprintf("none of the paper's %s, see the notes", wording.Count(c.total, "number"))
		}
		table.Fill(&t, []string{why}, table.Column("compared", table.Word))
		return t
	}
	table.Fill(&t, c.rows,
		table.Column("row", func(r compared) table.Cell { return table.Word(r.what) }),
		table.Column("column", func(r compared) table.Cell { return table.Word(r.column) }),
		table.Column("here", func(r compared) table.Cell { return r.ours }),
		table.Column("paper", func(r compared) table.Cell { return r.printed }),
		table.Column("difference", func(r compared) table.Cell { return table.Number(r.difference, decimalsOf(r)) }),
		table.Column("low", bound(func(i *statistics.Interval) float64 { return i.Low })),
		table.Column("high", bound(func(i *statistics.Interval) float64 { return i.High })),
		table.Column("differs", func(r compared) table.Cell {
			switch {
			case r.interval == nil:
				return table.Cell{}
			case r.isDifferent():
				return table.Word("yes")
			}
			return table.Word("no")
		}),
	)
	return t
}

func decimalsOf(r compared) int { return cmp.Or(max(r.ours.Decimals, r.printed.Decimals), 2) }

func (c *Comparison) listNotes() []string {
	var notes []string
	if c.isSimulated {
		notes = append(notes, table.Simulated)
	}
	if len(c.rows) > 0 {
		notes = append(notes, "Row and column: of the table. Here and paper: means, with standard errors in "+
			"brackets. Difference: here minus paper, with its 95 % interval from low to high; it differs if the "+
			"interval leaves 0 out.")
	}
	if with := len(c.rows) - c.without; with > 0 {
		differ := 0
		for _, r := range c.rows {
			if r.isDifferent() {
				differ++
			}
		}
		notes = append(notes, fmt.Sprintf("Of %s of the paper, %d can be compared with an interval; %d of these "+
			"differ. Each interval is a 95 %% one by itself: if nothing differed, about %.0f would say so.",
			wording.Count(c.total, "number"), with, differ, math.Ceil(0.05*float64(with))))
	}
	if c.without > 0 {
		notes = append(notes, fmt.Sprintf("No interval for %d: what was found has no spread, or rests on one value.", c.without))
	}
	if c.isCut {
		notes = append(notes, "Intervals of differences of percentages are cut at -100 and 100.")
	}
	if c.unprinted > 0 {
		notes = append(notes, fmt.Sprintf("The paper gives no error for %d: their intervals take its numbers as "+
			"exact, and are too narrow.", c.unprinted))
	}
	for i, reason := range c.reasons {
		notes = append(notes, fmt.Sprintf("Not compared: %d, since %s.", c.counts[i], reason))
	}
	return notes
}
