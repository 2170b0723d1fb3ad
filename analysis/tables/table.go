// Package tables makes the papers' tables from the rows of a campaign. Every
// number keeps its standard error and the n it rests on; cells that failed,
// were stopped or are still to come are counted apart from those that are averaged;
// and a table that rests on scripted agents says so.
package tables

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Table is a result as it is shown: rows of cells under columns.
type Table struct {
	Name    string   `json:"name"` // as analyze --table takes it
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"-"` // see MarshalJSON
	Notes   []string `json:"notes,omitempty"`

	shading shading
}

// MarshalJSON writes each row as an object by column.
func (t Table) MarshalJSON() ([]byte, error) {
	type plain Table
	rows := make([]map[string]Cell, len(t.Rows))
	for i, cells := range t.Rows {
		rows[i] = make(map[string]Cell, len(cells))
		for j, c := range cells {
			rows[i][t.Columns[j]] = c
		}
	}
	return json.Marshal(struct {
		plain
		Rows []map[string]Cell `json:"rows"`
	}{plain(t), rows})
}

// Cell is a text, a number, a mean, or nothing (the zero value).
type Cell struct {
	Text     string   // of a text cell
	Value    *float64 // of a number or mean
	SE       *float64 // standard error of a mean; none for n = 1
	N        int      // observations behind a mean; 0 for a number
	Decimals int      // shown to people; JSON and CSV have all digits
	Partial  bool     // some observations had no such value, so N is shown
	P        bool     // a p-value: one that is too small for its decimals is shown as "<"
}

// MarshalJSON writes a string, a number, {"value", "se", "n"} or null.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Text != "":
		return json.Marshal(c.Text)
	case c.N > 0:
		return json.Marshal(struct {
			Value *float64 `json:"value"`
			SE    *float64 `json:"se"`
			N     int      `json:"n"`
		}{c.Value, c.SE, c.N})
	}
	return json.Marshal(c.Value)
}

// String is the cell for people: 79.88 (0.80).
func (c Cell) String() string {
	if c.Value == nil {
		return c.Text
	}
	s := fixed(*c.Value, c.Decimals)
	if least := math.Pow10(-c.Decimals); c.P && *c.Value < least/2 {
		return "<" + fixed(least, c.Decimals)
	}
	if c.N == 0 {
		return s
	}
	if c.SE != nil {
		s += " (" + fixed(*c.SE, c.Decimals) + ")"
	}
	if c.Partial {
		s += " n=" + strconv.Itoa(c.N)
	}
	return s
}

// fixed returns a number with a number of decimals, and no minus before zeros.
func fixed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

func word(s string) Cell { return Cell{Text: s} }

func count[N int | int32 | int64](n N) Cell { return number(float64(n), 0) }

func number(v float64, decimals int) Cell { return Cell{Value: &v, Decimals: decimals} }

// pvalue with four decimals, or nothing.
func pvalue(v *float64) Cell {
	if v == nil {
		return Cell{}
	}
	return Cell{Value: v, Decimals: 4, P: true}
}

// sample collects one value an observation; some have none.
type sample struct {
	values []float64
	of     int
}

func (s *sample) add(v float64, ok bool) {
	s.of++
	if ok {
		s.values = append(s.values, v)
	}
}

// deviation is the standard deviation of what was added, with n-1; none for n = 1.
func (s *sample) deviation(decimals int) Cell {
	if len(s.values) < 2 {
		return Cell{}
	}
	return number(stat.StdDev(s.values, nil), decimals)
}

// mean of what was added, with the standard error sd/√n, sd with n-1.
func (s *sample) mean(decimals int) Cell {
	n := len(s.values)
	if n == 0 {
		return Cell{}
	}
	sum := 0.0
	for _, v := range s.values {
		sum += v
	}
	m := sum / float64(n)
	c := Cell{Value: &m, N: n, Decimals: decimals, Partial: n < s.of}
	if n > 1 {
		squares := 0.0
		for _, v := range s.values {
			squares += (v - m) * (v - m)
		}
		se := math.Sqrt(squares / float64(n-1) / float64(n))
		c.SE = &se
	}
	return c
}
