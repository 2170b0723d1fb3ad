package report

import (
	"errors"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/table"
)

// Results are what a campaign found, the most important first.
type Results struct {
	Headlines []string // one for each environment
	Figures   []Figure
	Tables    []Result
}

// CanBeDrawn reports whether there is a picture, also as a file.
func (f Figure) CanBeDrawn() bool { return f.SVG != "" }

// Figure is a picture for the page.
type Figure struct {
	Name, Title string
	Notes       []string
	SVG         string // "" if it cannot be drawn
	Missing     string // and why
	Tall        bool   // it needs a page of paper
	Downloads   []Download
}

// Result is a table for the page.
type Result struct {
	table.Table
	Downloads []Download
}

// Download is another form of a figure or table.
type Download struct{ As, To string }

// resultsOf makes the tables and figures that a campaign has something for.
func resultsOf(c campaign.Campaign, labels *dialogue.Labels, agreement *table.Table) Results {
	r := Results{Headlines: overview.Headlines(c)}
	for _, f := range figures.All(c) {
		r.Figures = append(r.Figures, picture(f.Name, f.Title, f.Notes, f.Inline))
	}
	for _, t := range study.All(c) {
		r.Tables = append(r.Tables, Result{Table: t})
	}
	if labels != nil {
		r.addLabels(c, *labels)
	}
	if agreement != nil {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("agreement", *agreement)})
	}
	return r
}

// addLabels adds what labels say.
func (r *Results) addLabels(c campaign.Campaign, labels dialogue.Labels) {
	for _, f := range figures.AllGraphs(c, labels) {
		shown := picture(f.Name, f.Title, f.Notes, f.Inline)
		shown.Tall = true
		r.Figures = append(r.Figures, shown)
	}
	if t, err := dialogue.Acts(c, labels); err == nil {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("dialogue-acts", t)})
	}
	if t, ok := stopping.RegressionTop(c); ok {
		r.Tables = append(r.Tables, Result{Table: study.OfLabels("regression", t)})
	}
}

func picture(name, title string, notes []string, draw func() (string, error)) Figure {
	f := Figure{Name: name, Title: title, Notes: notes}
	var err error
	if f.SVG, err = draw(); err != nil {
		f.Missing = err.Error()
		if large, is := errors.AsType[figures.TooLarge](err); is {
			f.Missing = large.ForReaders()
		}
	}
	return f
}
