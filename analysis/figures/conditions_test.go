package figures

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

// ended gives the made-up runs the score of their last round.
func ended(c campaign.Campaign) campaign.Campaign {
	for i := range c.Runs {
		scores := c.Runs[i].Carried()
		c.Runs[i].Score = scores[len(scores)-1]
	}
	return c
}

// Majority of the first model ends at 0.8 and 0.6, which is 0.7 ± 12.7 times 0.1: its
// interval is cut. The other one has 0.1 and no decision, 0 of a share; rated has one run.
func TestConditionsByHand(t *testing.T) {
	f := made(t, ended(economy()), "conditions")
	if len(f.Panels) != 1 || f.Panels[0].Title != "exchange" || f.Panels[0].Y != "share of the greatest total utility, 0 to 1" {
		t.Fatalf("%+v", f.Panels)
	}
	rows := map[string]Point{}
	for _, p := range f.Panels[0].Lines[0].Points {
		rows[p.Group] = p
	}
	first, other, one := rows["openai/a, majority"], rows["scripted/b, majority"], rows["openai/a, rated"]
	near(t, "mean", *first.Value, .7)
	near(t, "low", *first.Low, 0)
	near(t, "high", *first.High, 1)
	near(t, "mean with a group that did not decide", *other.Value, .05)
	if near(t, "mean of one", *one.Value, .9); one.N != 1 || one.Low != nil || first.N != 2 || len(rows) != 3 {
		t.Errorf("%+v", rows)
	}
	if p := f.Panels[0]; !p.isHighest(one) || p.isHighest(first) || p.isHighest(other) {
		t.Error("the highest is not the one with 0.9")
	}
	if f.simulated == "" || !strings.Contains(f.reading, "n = 1 to 2 ") {
		t.Errorf("it is said %q and %q", f.simulated, f.reading)
	}
}

// Guessing is a line where it scores the same in all conditions of an environment. A phone has the values, not their
// intervals.
func TestGuessingIsALine(t *testing.T) {
	c := ended(economy())
	for i := range c.Runs {
		c.Runs[i].BaselinesJSON = new(`{"chance":0.25}`)
	}
	f := made(t, c, "conditions")
	if levels := f.Panels[0].Levels; len(levels) != 1 || levels[0] != (Level{"guessing", 0.25}) {
		t.Errorf("the lines are %v", levels)
	}
	wide, err := f.Inline()
	narrow, other := f.Fit(78 * vg.Millimeter).Inline()
	if err != nil || other != nil || !strings.Contains(wide, "guessing 0.250") || !strings.Contains(narrow, "guessing 0.250") ||
		!strings.Contains(wide, ">0.700 (0.000 to 1.000)<") || !strings.Contains(narrow, ">0.700<") || strings.Contains(narrow, " to 1.000)") {
		t.Errorf("%v, %v: %s\n%s", err, other, wide, narrow)
	}
	c.Runs[0].BaselinesJSON = new(`{"chance":0.5}`)
	if levels := made(t, c, "conditions").Panels[0].Levels; levels != nil {
		t.Errorf("of different numbers of options the lines are %v", levels)
	}
}

// Numbers of an axis do not touch where it is narrow.
func TestNarrowAxis(t *testing.T) {
	for _, width := range []vg.Length{60, 120, 400} {
		ticks := narrowSpan{span{0, 0.000025, false}, width}.Ticks(0, 0.000025)
		if numbersWidth(ticks) > width || len(ticks) < 1 {
			t.Errorf("%v: %v", width, ticks)
		}
	}
	if many := (narrowSpan{span{0, 25, false}, 400}).Ticks(0, 25); len(many) != 6 {
		t.Errorf("with room: %v", many)
	}
}

// The figure and the table outcomes have the same numbers, by environment; those of the figure from the highest down.
func TestConditionsAreTheTableOutcomes(t *testing.T) {
	both := economy()
	both.Runs = append(both.Runs, ratings().Runs...)
	for _, c := range []campaign.Campaign{ended(both), ended(debates()), ended(pooled())} {
		outcomes, ok := overview.Outcomes(c)
		if !ok {
			t.Fatal("no outcomes")
		}
		drawn, listed := map[string][]string{}, map[string][]string{}
		for _, p := range made(t, c, "conditions").Panels {
			points := p.Lines[0].Points
			if !slices.IsSortedFunc(points, compareHighest) {
				t.Errorf("%s is not in the order of its outcomes", p.Title)
			}
			for _, row := range points {
				drawn[p.Title] = append(drawn[p.Title], written(row.Value)+written(row.Low)+written(row.High))
			}
		}
		for _, row := range outcomes.Rows {
			cells := map[string]table.Cell{}
			for i, name := range outcomes.Columns {
				cells[name] = row[i]
			}
			environment := cells["env"].Text
			listed[environment] = append(listed[environment], written(cells["outcome"].Value)+written(cells["low"].Value)+written(cells["high"].Value))
		}
		for environment := range drawn {
			slices.Sort(drawn[environment])
			slices.Sort(listed[environment])
		}
		if fmt.Sprint(drawn) != fmt.Sprint(listed) {
			t.Errorf("drawn is\n%v, the table has\n%v", drawn, listed)
		}
	}
}

func written(v *float64) string {
	if v == nil {
		return " –"
	}
	return fmt.Sprintf(" %.12g", *v)
}

// forty are forty conditions with long names.
func forty() campaign.Campaign {
	c := campaign.Campaign{Name: "made-up"}
	for i := range 40 {
		for replicate := range 3 {
			c.Runs = append(c.Runs, run(campaign.Exchange, fmt.Sprint("rule", i%4), fmt.Sprintf("openai/some-model-of-a-long-name-%d", i/4), replicate, float64((i+replicate)%10)/10))
		}
	}
	return ended(c)
}

// Forty rows can be read, on a screen and in a column: none meets the next, and their
// numbers stay where there is room for them.
func TestFortyConditions(t *testing.T) {
	for _, width := range []vg.Length{0, 85 * vg.Millimeter, 180 * vg.Millimeter} {
		f := made(t, forty(), "conditions").Fit(width)
		s, err := f.newSheet()
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Width * vg.Length(s.Zoom); width > 0 && math.Abs(float64(got-width)) > 1e-6 {
			t.Errorf("it is %v wide, want %v", got, width)
		}
		if s.Height < 40*(rowLine+rowRoom) {
			t.Errorf("40 rows share %v", s.Height)
		}
		var svg bytes.Buffer
		if err := f.Write(&svg, "svg"); err != nil {
			t.Fatal(err)
		}
		texts := svgTexts(t, svg.String())
		if strings.Count(texts, "name-9") != 4 {
			t.Errorf("at %v, the conditions of the last model are missing in %q", width, texts)
		}
		if has, room := strings.Contains(texts, " to "), width != 85*vg.Millimeter; has != room {
			t.Errorf("at %v, numbers are written: %v", width, has)
		}
	}
	many := forty()
	for i := range mostRows {
		many.Runs = append(many.Runs, run(campaign.Exchange, fmt.Sprint("more", i), "m", 0, .5))
	}
	if _, err := made(t, many, "conditions").Inline(); err == nil || !strings.Contains(err.Error(), "--json") {
		t.Errorf("%d rows: %v", 40+mostRows, err)
	}
}

// One condition is compared with nothing: a report does not show it.
func TestOneConditionIsNoComparison(t *testing.T) {
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(campaign.Exchange, "majority", "m", 0, .5)}}
	if f := made(t, c, "conditions"); len(f.Panels[0].Lines[0].Points) != 1 {
		t.Errorf("%+v", f.Panels)
	}
	for _, f := range All(c) {
		if f.Name == "conditions" {
			t.Error("it is in a report")
		}
	}
	if all := All(economy()); all[0].Name != "conditions" {
		t.Errorf("first is %s", all[0].Name)
	}
	if _, err := Make(campaign.Campaign{Name: "empty"}, "conditions"); err == nil {
		t.Error("there are conditions of nothing")
	}
}
