package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/cmd/internal/replicate"
)

// Data that cannot be shipped are named with the lines that read them, also of a file that another extends.
func TestCheckDataNamesLines(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"paper1/table-7":  "\n    read by examples/papers/1-table-7.yaml, line 8\n",
		"paper4/table-1":  "\n    read by examples/papers/4-table-1.yaml, lines 24, 25 and 26\n",
		"paper4/figure-7": "\n    read by examples/papers/4-figure-3.yaml, lines 17 and 18\n",
	} {
		if err := p.CheckData(p.Entries[name], ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range p.Names() { // whatever reads data has lines that do
		for _, c := range p.Entries[name].All() {
			if p.Campaigns[c].Data != "" && !strings.Contains(replicate.LinesThatRead(c), ", line") {
				t.Errorf("%s: %s", c, replicate.LinesThatRead(c))
			}
		}
	}
}

// No figure that replicate names would overwrite another one.
func TestFiguresHaveFilesOfTheirOwn(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	several := 0
	for _, name := range p.Names() {
		e, files := p.Entries[name], map[string]bool{}
		for _, figure := range e.Figures {
			for _, campaign := range e.Campaigns {
				file := e.FigureFile(name, figure, campaign)
				if files[file] {
					t.Errorf("%s names %s twice", name, file)
				}
				files[file] = true
			}
		}
		if len(files) > 1 {
			several++
		}
	}
	if several == 0 {
		t.Error("no entry has several figures")
	}
	if file := p.Entries["paper5/figure-4"].FigureFile("paper5/figure-4", "bias", "5-figure-4"); file != "paper5-figure-4-bias.svg" {
		t.Error(file)
	}
}

// An entry takes what its campaigns take; with one model in place of several, each takes its share.
func TestTakes(t *testing.T) {
	p, err := replicate.Load()
	if err != nil {
		t.Fatal(err)
	}
	some := 0
	for _, name := range p.Names() {
		e := p.Entries[name]
		for _, oneModel := range []bool{false, true} {
			var want [3]float64
			known := true
			for _, c := range e.All() {
				of := 1.
				if n := replicate.Models(c); oneModel && n > 1 {
					of = float64(n)
				}
				if f := p.Campaigns[c].Takes; f == nil {
					known = false
				} else {
					want[0], want[1], want[2] = want[0]+f.Calls/of, want[1]+f.Input/of, want[2]+f.Output/of
				}
			}
			got := p.Takes(name, oneModel)
			if (got != nil) != known || got != nil && (math.Abs(got.Calls-want[0]) > 1e-6*want[0] || math.Abs(got.Input-want[1]) > 1e-6*want[1] || math.Abs(got.Output-want[2]) > 1e-6*want[2]) {
				t.Errorf("%s (one model: %t) takes %+v, want %v", name, oneModel, got, want)
			}
			if got != nil && len(e.All()) > 1 {
				some++
			}
		}
		hasData := slices.ContainsFunc(e.All(), func(c string) bool { return p.Campaigns[c].Data != "" })
		for flag, needed := range map[string]bool{"--data": hasData, "--labeller": e.Labels, "--embedder": e.Embeds} {
			if strings.Contains(p.Needs(name), flag) != needed {
				t.Errorf("%s needs %q; %s: %t", name, p.Needs(name), flag, needed)
			}
		}
	}
	if some == 0 {
		t.Error("no entry has several campaigns of which it is known what they take")
	}
}
