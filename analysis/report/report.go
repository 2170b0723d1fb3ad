// Package report makes a campaign's report: one HTML page that needs nothing
// else. It says what ran and what failed, shows the tables and figures, and has
// every transcript; past a size these are their own files next to the page,
// so that it stays fast. The page loads nothing, runs nothing but its own
// filter, and nothing that a model wrote can act in it. The same rows give the
// same page.
package report

import (
	"fmt"
	"io"
	"iter"

	"roundtable/analysis/campaign"
	"roundtable/analysis/cost"
	"roundtable/analysis/figures"
	"roundtable/analysis/record"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/stopping"
	"roundtable/analysis/table"
	"roundtable/analysis/telling"
)

// Source is what a report is made from.
type Source struct {
	Campaign       campaign.Campaign
	Cost           cost.Report      // by model
	Labels         *dialogue.Labels // nil if no labeller's are shown
	Agreement      *table.Table     // of labellers; nil unless there are several
	Collaborations iter.Seq2[record.Rows, error]
	Earlier        iter.Seq2[record.Rows, error] // generations that were run again; nil if there are none
	Digest         string                        // of the rows, see lake.Digest
	// Unusable are the raw answers of some entries that could not be used; nil
	// if they are not at hand. What it could read counts beside an error.
	Unusable func(of record.Key, entries []int) (map[int][]Unusable, error)
	// Facts say what a collaboration was about; nil if that is not at hand.
	Facts func(of record.Key) ([]telling.Fact, error)
}

// Files are next to the page.
type Files struct {
	Page   string                               // the page's own name, for links back to it
	Folder string                               // where transcripts go, relative to the page
	Put    func(name string, data []byte) error // writes a file of the folder
}

// Written is what was written.
type Written struct {
	Collaborations int `json:"collaborations"`
	Transcripts    int `json:"transcripts"` // in files of their own; 0 if they are all in the page
}

// inPage is how many bytes of transcripts are still in the page.
const inPage = 4 << 20

// Write writes the page to w, and what it links to before that.
func Write(w io.Writer, s Source, files Files) (Written, error) {
	t := newTally(s.Campaign)
	transcripts := transcripts{Files: files, most: inPage}
	tell := func(all iter.Seq2[record.Rows, error], add func(record.Rows) string) error {
		for rows, err := range all {
			if err != nil {
				return err
			}
			if len(rows.Collaborations) != 1 {
				return fmt.Errorf("a collaboration has %d rows of its own; there is one", len(rows.Collaborations))
			}
			if err := transcripts.addStory(s.storyOf(add(rows), rows)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := tell(s.Collaborations, t.addRows); err != nil {
		return Written{}, err
	}
	written := Written{Collaborations: len(t.list)}
	if s.Earlier != nil {
		if err := tell(s.Earlier, t.addEarlier); err != nil {
			return Written{}, err
		}
	}
	if transcripts.split {
		written.Transcripts = len(t.list)
	}
	return written, render(w, "page.tmpl", newPage(s, t, transcripts))
}

// page is what the template of the page is given.
type page struct {
	head
	Status      string // how many cells have finished
	Simulated   string // what rests on scripted agents; "" if nothing does
	Facts       []fact
	Conditions  []condition
	Models      []cost.Snapshot
	Warnings    []string
	Failures    []failure
	Tables      []table.Table
	Figures     []figure
	Labels      []string // settings that tell conditions apart
	List        []listed
	Transcripts transcripts
}

// figure is a picture for the page.
type figure struct {
	Title   string
	Notes   []string
	SVG     string // "" if it cannot be drawn
	Missing string // and why
	Tall    bool   // it needs a page of paper
}

func picture(title string, notes []string, draw func() (string, error)) figure {
	f := figure{Title: title, Notes: notes}
	var err error
	if f.SVG, err = draw(); err != nil {
		f.Missing = err.Error()
	}
	return f
}

func newPage(s Source, t *tally, transcripts transcripts) page {
	p := page{
		head: headOf(s.Campaign.Name), Status: t.statusText(s.Campaign), Simulated: t.simulatedText(), Facts: t.countedFacts(s), Conditions: t.sortedConditions(),
		Models: s.Cost.Snapshots, Warnings: s.Cost.Changed(), Failures: t.sortedFailures(), Tables: study.All(s.Campaign),
		Labels: t.labels, List: t.list, Transcripts: transcripts,
	}
	for _, f := range figures.All(s.Campaign) {
		p.Figures = append(p.Figures, picture(f.Title, f.Notes, f.Inline))
	}
	p.addLabels(s)
	p.Tables = append(p.Tables, s.Cost.Table())
	return p
}

// addLabels adds what labels say.
func (p *page) addLabels(s Source) {
	if s.Labels != nil {
		for _, f := range figures.AllGraphs(s.Campaign, *s.Labels) {
			shown := picture(f.Title, f.Notes, f.Inline)
			shown.Tall = true
			p.Figures = append(p.Figures, shown)
		}
		if t, err := dialogue.Acts(s.Campaign, *s.Labels); err == nil {
			p.Tables = append(p.Tables, study.OfLabels("dialogue-acts", t))
		}
		if t, ok := stopping.RegressionTop(s.Campaign); ok {
			p.Tables = append(p.Tables, study.OfLabels("regression", t))
		}
	}
	if s.Agreement != nil {
		p.Tables = append(p.Tables, study.OfLabels("agreement", *s.Agreement))
	}
}
