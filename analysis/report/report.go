// Package report makes the pages that show a campaign: what it found, its
// collaborations, each transcript, what ran, what failed and what it cost. A report is all of
// them in one HTML page that needs nothing else, long transcripts packed, or in a
// folder; `view` serves the same parts. A page loads nothing, runs nothing but its
// own scripts, and nothing that a model wrote can act in it. The same rows give
// the same page.
//
// Told is a collaboration in words: who said what, who saw it, how ballots were counted and
// what came to stand.
package report

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

// Source is what a report is made from.
type Source struct {
	Campaign       campaign.Campaign // read with ReadWrong
	Cost           recorded.Spending // by model
	Labels         *dialogue.Labels  // nil if no labeller's are shown
	Agreement      *table.Table      // of labellers; nil unless there are several
	Collaborations iter.Seq2[record.Rows, error]
	Earlier        iter.Seq2[record.Rows, error] // generations that were run again; nil if there are none
	Digest         string                        // of the rows, see lake.Digest
	// Unusable are the raw answers of some entries that could not be used; nil
	// if they are not at hand. What it could read counts beside an error.
	Unusable  func(of record.Key, entries []int) (map[int][]Unusable, error)
	Questions Questions // what conditions ask, for the list
	// About says what a collaboration was about; nil if that is not at hand.
	About func(of record.Key) (About, error)
	// Asked is how each turn of a collaboration was asked for, by entry; nil if that is left out.
	Asked func(rows record.Rows) (map[int32]Asked, error)
	// Conditions are what conditions are called, by ID; nil if there is only one.
	Conditions map[string]string
	// Counting is how a collaboration counts its votes; nil leaves the counts out.
	Counting recount.Settings
	// Acts are the dialogue acts of a collaboration's messages, by entry; nil if there are none.
	Acts func(of record.Key) (map[int32][]string, error)
}

// About is what a collaboration was about.
type About struct {
	Facts    []Fact
	Question Question
	Worth    func(proposal string) (Worth, bool) // false if it cannot be read
}

// Files are next to a page that is the index of a folder.
type Files struct {
	Page   string                               // the page's own name, for links back to it
	Folder string                               // where transcripts go, relative to the page
	Put    func(name string, data []byte) error // writes a file of the folder; nil if all is in the page
}

// Written is what was written.
type Written struct {
	Collaborations int `json:"collaborations"`
	Transcripts    int `json:"transcripts"` // in files of their own; 0 if they are in the page
}

// inPage is how many bytes of transcripts are in the page as they are; more are packed.
const inPage = 4 << 20

// Write writes the page to w, and what it links to before that.
func Write(w io.Writer, s Source, files Files) (Written, error) {
	transcripts := transcripts{Files: files, most: inPage}
	s.Conditions = s.Campaign.View("").FullTitles()
	list := NewList(s.Campaign, s.Questions)
	stories := tellStories(transcripts.add)
	t, err := s.tally(func(rows record.Rows, earlier bool) error {
		id := list.Add(rows.Collaborations[0], earlier)
		return stories.tell(func() (toldStory, error) { return s.StoryOf(id, rows).tell() })
	})
	if err := cmp.Or(stories.end(), err); err != nil {
		return Written{}, err
	}
	written := Written{Collaborations: t.countFinished()}
	if transcripts.Put != nil {
		written.Transcripts = len(list.rows)
	}
	if err := transcripts.close(); err != nil {
		return written, err
	}
	return written, render(w, "page.tmpl", newPage(s, t, list, transcripts))
}

// Overview is what a page says of all collaborations.
type Overview struct {
	Status  string // how many cells have finished
	Results Results
	Ran     Ran
}

// Overview says what a page says of all collaborations, and leaves out what is in each.
func (s Source) Overview() (Overview, error) {
	t, err := s.tally(nil)
	if err != nil {
		return Overview{}, err
	}
	return s.overviewOf(t), nil
}

// Glance says what can be said of all collaborations before their turns and calls are read:
// how many have finished, and how conditions came out.
func Glance(c campaign.Campaign) (Overview, error) {
	t := tallyRuns(c.Runs)
	o := Overview{Status: t.statusText(c), Ran: Ran{Simulated: t.simulatedText()}}
	if f, err := figures.Make(c, "conditions"); err == nil && f.Compares() {
		o.Results.Figures = []Figure{pictureOf(f)}
	}
	return o, nil
}

func (s Source) overviewOf(t *Tally) Overview {
	return Overview{t.statusText(s.Campaign), s.allResults(), t.ranOf(s)}
}

// allResults are those of the campaign and of its costs.
func (s Source) allResults() Results {
	r := resultsOf(s.Campaign, s.Labels, s.Agreement)
	r.Tables = append(r.Tables, Result{Table: CostTable(s.Cost)})
	return r
}

// tally goes through all collaborations, those that were run again last; the others only if
// each wants them.
func (s Source) tally(each func(rows record.Rows, earlier bool) error) (*Tally, error) {
	t := tallyRuns(s.Campaign.Runs)
	through := func(all iter.Seq2[record.Rows, error], earlier bool) error {
		for rows, err := range all {
			if err != nil {
				return err
			}
			if len(rows.Collaborations) != 1 {
				return fmt.Errorf("expected 1 row in collaborations, got %d", len(rows.Collaborations))
			}
			if earlier {
				t.addEarlier(rows)
			}
			if each == nil {
				continue
			}
			if err := each(rows, earlier); err != nil {
				return err
			}
		}
		return nil
	}
	if each != nil {
		if err := through(s.Collaborations, false); err != nil {
			return t, err
		}
	}
	if s.Earlier == nil {
		return t, nil
	}
	return t, through(s.Earlier, true)
}

// page is what the template of the page is given.
type page struct {
	head
	Overview
	List        *List
	Rows, Base  string // where a list that is not in the page is; empty
	Transcripts transcripts
}

func newPage(s Source, t *Tally, list *List, transcripts transcripts) page {
	p := page{
		head: headOf(s.Campaign.Name, "list.js", "story.js"), Overview: s.overviewOf(t), List: list,
		Transcripts: transcripts,
	}
	p.Ran.To = transcripts.Link
	if transcripts.Put != nil {
		p.Base = transcripts.Folder + "/"
	}
	return p
}
