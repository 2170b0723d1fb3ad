package figures

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/study/dialogue"
)

// labelled lets every run of a campaign talk: Inform is answered with Request in
// exchange and with Accept elsewhere, by one of two others.
func labelled(c campaign.Campaign) dialogue.Labels {
	l := dialogue.Labels{Labeller: "rules-1", Simulated: true, Talks: map[lake.Run]acts.ActsByRound{}}
	inform, _ := acts.Of("Inform")
	for _, r := range c.Runs {
		answer, _ := acts.Of("Accept")
		if r.Environment == campaign.Exchange {
			answer, _ = acts.Of("Request")
		}
		l.Talks[lake.Run{Collaboration: r.CollaborationID}] = acts.ActsByRound{{inform, inform, inform}, {answer, 0, 0}}
	}
	return l
}

// same edge; all talks are alike, so that its standard error is 0 if there is one.
func same(a, b acts.Edge) bool {
	alike := a.SE == nil || *a.SE == 0
	a.SE = nil
	return alike && a == b
}

func TestGraphsByHand(t *testing.T) {
	c := economy()
	c.Runs = append(c.Runs, ratings().Runs...)
	l := labelled(c)
	for _, x := range []struct {
		name    string
		reading acts.Reading
		graphs  []string
		inform  acts.Edge // of the first graph
	}{
		{"transitions", acts.Anyone, []string{"exchange", "recsys"}, acts.Edge{From: "Inform", To: "Request", Probability: 2. / 3}},
		{"exchange-transitions", acts.Each, []string{"model openai/a, rule majority", "model scripted/b, rule majority", "model openai/a, rule rated"}, acts.Edge{From: "Inform", To: "Request", Probability: 1. / 3}},
		{"recsys-transitions", acts.Anyone, []string{"rule majority", "rule ranked"}, acts.Edge{From: "Inform", To: "Accept", Probability: 2. / 3}},
	} {
		f, err := MakeGraphs(c, l, x.name, x.reading)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, g := range f.Graphs {
			titles = append(titles, g.Title)
		}
		if strings.Join(titles, "|") != strings.Join(x.graphs, "|") || f.Reading != x.reading {
			t.Errorf("figure %s has %q in the reading %s", x.name, titles, f.Reading)
		}
		if g := f.Graphs[0]; !same(g.Drawn[1], x.inform) || !same(g.Drawn[0], acts.Edge{From: "Start", To: "Inform", Probability: 1}) {
			t.Errorf("figure %s draws %+v of %s", x.name, g.Drawn, g.Title)
		}
		if f.simulated == "" || !strings.Contains(strings.Join(f.Notes, " "), "Labelled by rules-1") {
			t.Errorf("figure %s has the notes %q", x.name, f.Notes)
		}
	}
	if all := AllGraphs(c, l); len(all) != 3 {
		t.Errorf("%d figures of acts", len(all))
	}
}

// Drawings do not change, are safe, and are where they belong.
func TestGraphPictures(t *testing.T) {
	c := economy()
	f, err := MakeGraphs(c, labelled(c), "exchange-transitions", acts.Anyone)
	if err != nil {
		t.Fatal(err)
	}
	f.Graphs[0].Title = `"</svg><script>`
	for _, format := range Formats("exchange-transitions") {
		var one, two bytes.Buffer
		if err := f.Write(&one, format); err != nil {
			t.Fatal(err)
		}
		if err := f.Write(&two, format); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("as %s it differs from itself: %v", format, err)
		}
		switch text := one.String(); {
		case format == "png" && !strings.HasPrefix(text, "\x89PNG"):
			t.Error("that is not a PNG")
		case format == "svg" && (strings.Contains(text, "NaN") || strings.Contains(text, "<script") || strings.Count(text, "Inform") != 3):
			t.Errorf("the drawing is %.2000s", text)
		case format == "dot" && strings.Count(text, "digraph") != 3:
			t.Errorf("for Graphviz it is %s", text)
		}
	}
	if err := f.Write(new(bytes.Buffer), "gif"); err == nil || !strings.Contains(err.Error(), "svg, png") {
		t.Errorf("as gif: %v", err)
	}
	if svg, err := f.Inline(); err != nil || !strings.HasPrefix(svg, "<svg") {
		t.Errorf("%v: %.40s", err, svg)
	}
}

// Numbers of edges that run close to each other are written apart, and on no act.
func TestNumbersStandApart(t *testing.T) {
	at := map[string]vg.Point{"a": {X: 100, Y: 200}, "b": {X: 140, Y: 100}, "c": {X: 240, Y: 100}, "d": {X: 120, Y: 20}}
	var edges []acts.Edge
	for _, e := range []string{"ab", "ba", "bc", "cb", "bd", "db", "ad"} {
		edges = append(edges, acts.Edge{From: e[:1], To: e[1:], Probability: .62, SE: p(.02)})
	}
	numbers := placeNumbers(edges, at)
	for i, a := range numbers {
		for j, b := range numbers[:i] {
			if haveCommonPoint(a, b) {
				t.Errorf("the numbers of %v and %v meet: %v and %v", edges[i], edges[j], a, b)
			}
		}
		for name, point := range at {
			if point.X > a.Min.X-boxWidth/2 && point.X < a.Max.X+boxWidth/2 && point.Y > a.Min.Y-boxHeight/2 && point.Y < a.Max.Y+boxHeight/2 {
				t.Errorf("the number of %v is on %s", edges[i], name)
			}
		}
	}
}

func TestNoGraphs(t *testing.T) {
	c := economy()
	for says, make := range map[string]func() (Graphs, error){
		"labelled messages of recsys": func() (Graphs, error) { return MakeGraphs(c, labelled(c), "recsys-transitions", acts.Anyone) },
		"has none by rules-1": func() (Graphs, error) {
			return MakeGraphs(c, dialogue.Labels{Labeller: "rules-1"}, "transitions", acts.Anyone)
		},
		`"utility-by-rule" of transitions`: func() (Graphs, error) { return MakeGraphs(c, labelled(c), "utility-by-rule", acts.Anyone) },
		`reading "nobody"`:                 func() (Graphs, error) { return MakeGraphs(c, labelled(c), "transitions", "nobody") },
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// A graph is called by the labels of the campaign's grid.
func TestGraphsShowLabels(t *testing.T) {
	c := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(campaign.Exchange, "majority", "openai/a", 0, .5)}}
	r := c.Runs[0]
	c.Planned = []campaign.Planned{{Condition: r.ConditionID, Cells: 1, Settings: []byte(r.SettingsJSON), Labels: map[string]string{"env": "barter", "rule": "most votes"}}}
	for name, want := range map[string]string{"transitions": "barter", "exchange-transitions": "rule most votes"} {
		f, err := MakeGraphs(c, labelled(c), name, acts.Anyone)
		if err != nil || len(f.Graphs) != 1 || f.Graphs[0].Title != want {
			t.Errorf("figure %s has %+v, want %q: %v", name, f.Graphs, want, err)
		}
	}
}
