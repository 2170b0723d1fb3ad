package figures

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study"
	"roundtable/analysis/study/numeric"
)

// gathered is a campaign of scripted agents that the engine has run.
func gathered(t *testing.T, id string) campaign.Campaign {
	t.Helper()
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := laketest.Play(context.Background(), store, id, 0); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(id, "name: "), "\n")
	c, err := campaign.Load(context.Background(), store, name, study.Readers()...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// drawn says what a figure's picture says, and that it is one.
func drawn(t *testing.T, f Figure) string {
	t.Helper()
	inline, err := f.Inline()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(svgTexts(t, inline)), " ") // captions are broken into lines
}

// TestFigure4OfPaper5: agents that follow a leader end at its start, so the bias of each
// run is the leader's start minus the mean of the starts; averagers have none.
func TestFigure4OfPaper5(t *testing.T) {
	c := gathered(t, "name: leaders\ninstances: 12\nenv: consensus\nprotocol: {name: consensus, rounds: 20}\nmodel: scripted/average\ngrid:\n  env.agents: [2, 4]\n  protocol.network: [full, leader]\n")
	f := made(t, c, "bias")
	if len(f.Panels) != 1 || len(f.Panels[0].Lines) != 2 || f.Panels[0].Lines[1].Name != "protocol.network leader" {
		t.Fatalf("%+v", f.Panels)
	}
	for i, line := range f.Panels[0].Lines {
		if len(line.Points) != 2 || line.Points[0].Agents != 2 || line.Points[1].Agents != 4 || len(line.Dots) != 24 {
			t.Fatalf("%d points, %d dots", len(line.Points), len(line.Dots))
		}
		sum := 0.0
		for _, dot := range line.Dots[:12] {
			sum += dot.Y
			if math.Abs(dot.X-2-line.beside) > 0.5 || (math.Abs(dot.Y) > 1e-6) == (i == 0) {
				t.Errorf("%s has the dot %v", line.Name, dot)
			}
		}
		p := line.Points[0]
		if math.Abs(sum/12-*p.Value) > 1e-9 || p.N != 12 || math.Abs(*p.High+*p.Low-2**p.Value) > 1e-9 {
			t.Errorf("%s: the mean of its dots is %v, its mark %v", line.Name, sum/12, *p.Value)
		}
	}
	if texts := drawn(t, f); !strings.Contains(texts, "SIMULATED") || !strings.Contains(texts, "± standard deviation") {
		t.Errorf("written is %q", texts)
	}

	f = made(t, c, "variance")
	fit, _ := numeric.Variances(c)
	for i, line := range f.Panels[0].Lines {
		first, last := line.Track[0], line.Track[len(line.Track)-1]
		slope := math.Log(last.Y/first.Y) / math.Log(last.X/first.X)
		if j := slices.Index(fit.Columns, "exponent"); first.X != 2 || last.X != 4 || math.Abs(slope-*fit.Rows[i][j].Value) > 1e-9 {
			t.Errorf("%s: from %v to %v, slope %v", line.Name, first, last, slope)
		}
		for _, p := range line.Points {
			if !(*p.Low < *p.Value && *p.Value < *p.High) {
				t.Errorf("%s: %v is not within %v to %v", line.Name, *p.Value, *p.Low, *p.High)
			}
		}
	}
	drawn(t, f)
}

// TestTrajectories: the first run that reached a consensus and the first that
// did not, by hand: three averagers from 10, 40 and 100 are at 50 at once;
// stubborn ones stay; two that swap for ever are drawn crossing.
func TestTrajectories(t *testing.T) {
	const start = "env: {name: consensus, agents: 3, starts: [[10], [40], [100]]}\nprotocol: {name: consensus, rounds: 2}\n"
	f := made(t, gathered(t, "name: both\n"+start+"grid:\n  model: [scripted/average, scripted/stubborn]\n"), "trajectories")
	slices.SortFunc(f.Panels, func(a, b Panel) int { return strings.Compare(a.Title, b.Title) })
	if len(f.Panels) != 2 || f.Panels[0].Title != "model scripted/average, instance 0" || f.Panels[1].Title != "model scripted/stubborn, instance 0, no consensus" {
		t.Fatalf("%+v", f.Panels)
	}
	for i, want := range [][]Spot{{{0, 10}, {1, 50}, {2, 50}}, {{0, 10}, {1, 10}, {2, 10}}} {
		if got := f.Panels[i].Lines[0]; !slices.Equal(got.Track, want) || len(got.Dots) != 0 || got.Name != "agent 1" {
			t.Errorf("%+v, want %v", got, want)
		}
		if mean := f.Panels[i].Levels[0]; mean.Value != 50 {
			t.Errorf("the mean of the starts is %v", mean)
		}
	}
	if texts := drawn(t, f); !strings.Contains(texts, "no consensus") {
		t.Errorf("written is %q", texts)
	}
	if _, err := Make(gathered(t, "name: line\n"+start+"model: scripted/average\n"), "paths"); err == nil {
		t.Error("there are paths in a plane of agents on a line")
	}
	many := made(t, gathered(t, "name: many\nenv: {name: consensus, agents: 40}\nprotocol: {name: consensus, rounds: 2}\nmodel: scripted/average\n"), "trajectories")
	drawn(t, many)
}

// TestPaths: three robots for two rounds: 20 steps of 0.1 s each, plans that
// hold for two seconds, and a plane whose axes have one unit.
func TestPaths(t *testing.T) {
	c := gathered(t, "name: robots\nenv: robots\nprotocol: {name: consensus, rounds: 2, memory: current}\nmodel: scripted/average_without_self\n")
	f := made(t, c, "paths")
	if len(f.Panels) != 3 || !f.Panels[0].Plane || f.Panels[1].X != "seconds" {
		t.Fatalf("%+v", f.Panels)
	}
	s := numeric.StatesOf(c.Runs[0])
	for a, line := range f.Panels[0].Lines {
		over := f.Panels[2].Lines[a]
		end := s.Last()[a]
		if len(line.Track) != 41 || line.Track[40] != (Spot{end[0], end[1]}) || len(line.Dots) != 2 {
			t.Errorf("agent %d goes %v", a, line.Track)
		}
		if last := over.Track[40]; math.Abs(last.X-4) > 1e-9 || last.Y != end[1] {
			t.Errorf("agent %d is at %v after 4 seconds", a, last)
		}
		plan := s.Moves[3+a].To[1]
		if want := []Spot{{2, plan}, {4, plan}}; !slices.Equal(over.Dashes[2:], want) {
			t.Errorf("agent %d plans %v, want %v", a, over.Dashes[2:], want)
		}
	}
	drawn(t, f)
	x := f.Panels[0].horizontalAxis(f.scale())
	for _, line := range f.Panels[0].Lines {
		for _, spot := range line.allSpots() {
			if spot.X < x.low || spot.X > x.high {
				t.Errorf("%v is outside of %v", spot, x)
			}
		}
	}
}
