package table

import (
	"fmt"
	"strings"
	"testing"
)

// Columns are selected by name, in the order asked for; numbers get the decimals asked for,
// and counts and texts stay. The table itself stays as it was.
func TestSelectAndDecimals(t *testing.T) {
	value, se := 1.23456, 0.04567
	made := Table{Name: "made", Columns: []string{"rule", "n", "mean", "p"}, Rows: [][]Cell{
		{Word("plurality"), Count(12), {Value: &value, SE: &se, N: 12, Decimals: 4}, {Value: &se, Decimals: 4, P: true}},
	}}
	selected, err := made.Select("mean", "rule")
	if err != nil || len(selected.Columns) != 2 {
		t.Fatalf("%v: %v", selected.Columns, err)
	}
	if got := selected.Rows[0][0].String() + " " + selected.Rows[0][1].String(); got != "1.2346 (0.0457) plurality" {
		t.Error(got)
	}
	rounded := made.WithDecimals(1)
	if got := rounded.Rows[0]; got[0].String() != "plurality" || got[1].String() != "12" || got[2].String() != "1.2 (0.0)" || got[3].String() != "<0.1" {
		t.Errorf("%v", got)
	}
	made.Columns[3] = "right, all, %"
	for list, want := range map[string]string{"rule,n": "rule|n", "n, right, all, %": "n|right, all, %",
		"right, all, %,rule,right, all, %": "right, all, %|rule|right, all, %"} {
		if selected, err := made.Select(list); err != nil || strings.Join(selected.Columns, "|") != want {
			t.Errorf("%s: %q: %v", list, selected.Columns, err)
		}
	}
	for list, unknown := range map[string]string{"right, all": "right", "n,,rule": "", "n,": "", "": ""} {
		if _, err := made.Select(list); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("no column %q;", unknown)) {
			t.Errorf("%q: %v", list, err)
		}
	}
	made.Columns[3] = "p"
	if made.Rows[0][2].Decimals != 4 {
		t.Error("the table itself was changed")
	}
	if _, err := made.Select("Mean"); err == nil || !strings.Contains(err.Error(), `no column "Mean"; its columns are ["rule" "n" "mean" "p"]`) {
		t.Errorf("%v", err)
	}
}

// At a glance no number has more than four digits, and money that is small keeps three.
func TestRounded(t *testing.T) {
	number := func(v float64, decimals int) Cell { return Number(v, decimals) }
	made := Table{Columns: []string{"score", "usd", "free", "tokens", "large", "p"}, Rows: [][]Cell{
		{number(0.83333, 4), number(0.000093456, 6), number(0, 6), Count(4542), number(1234.5678, 4), PValue(new(0.00004))},
		{number(-0.5, 4), number(0.00002, 6), number(0, 6), Count(7), number(2.5, 4), PValue(new(1.0))},
	}}
	got := fmt.Sprint(made.Rounded().Rows)
	if want := "[[0.833 0.000093 0 4542 1235 <0.0001] [-0.500 0.000020 0 7 2 1.0000]]"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	means := Table{Columns: []string{"none", "large", "p"}, Rows: [][]Cell{
		{{Value: new(0.), SE: new(0.12), N: 9, Decimals: 4}, {Value: new(1234.4), SE: new(0.3), N: 9, Decimals: 4}, PValue(new(0.00001))},
	}}
	if got := fmt.Sprint(means.Rounded().Rows); got != "[[0.00 (0.12) 1234.40 (0.30) <0.0001]]" {
		t.Error(got)
	}
}
