// Package report makes the HTML pages that show a campaign: its results, its collaborations, each transcript,
// what ran, what failed and what it cost. A report holds all of them in one self-contained page, with long
// transcripts compressed, or in a folder; `view` serves the same parts. A page loads nothing, runs only its
// own scripts, and escapes everything that a model wrote. The same rows give the same page.
//
// Told is a collaboration in words: who said what, who saw it, how ballots were counted and what was decided.
package report

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/recount"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

// Source is everything that a report is made from.
type Source struct {
	Campaign       campaign.Campaign  // read with ReadWrong
	Beside         *campaign.Campaign // it and others as one, to compare them; nil if it stands alone
	Cost           recorded.Spending  // by model
	Labels         *dialogue.Labels   // nil if no labeller's are shown
	Agreement      *table.Table       // of labellers; nil unless there are several
	Collaborations iter.Seq2[record.Rows, error]
	// Told are the runs in Collaborations; nil if these are all of the campaign's.
	Told    map[lake.Run]bool
	Earlier iter.Seq2[record.Rows, error] // generations that were run again; nil if there are none
	Digest  string                        // of the rows, see lake.Digest
	// Unusable returns the raw answers of some entries that could not be used, by entry; nil if they are
	// not available. With an error it returns what it could read.
	Unusable  func(of record.Key, entries []int) (map[int][]Unusable, error)
	Questions Questions // what conditions ask, for the list
	// About returns the task of a collaboration; nil if that is not available.
	About func(of record.Key) (About, error)
	// Asked returns how the model was called for each turn, by entry; nil leaves that out.
	Asked func(rows record.Rows) (map[int32]Asked, error)
	// Conditions are the names of conditions, by ID; nil if there is only one.
	Conditions map[string]string
	// Counting returns how a collaboration counts its votes; nil leaves the counts out.
	Counting recount.Settings
	// Acts returns the dialogue acts of a collaboration's messages, by entry; nil if there are none.
	Acts func(of record.Key) (map[int32][]string, error)
}

// About is the task of a collaboration: facts, question and value of proposals.
type About struct {
	Facts    []Fact
	Question Question
	Worth    func(proposal string) (Worth, bool) // false if it cannot be read
}

// Files says how the files of a folder are written whose index is the page.
type Files struct {
	Page   string                               // the page's own name, for links back to it
	Folder string                               // where transcripts go, relative to the page
	Put    func(name string, data []byte) error // writes a file of the folder; nil if all is in the page
}

// Written counts what Write wrote.
type Written struct {
	Collaborations int `json:"collaborations"`
	Transcripts    int `json:"transcripts"` // in files of their own; 0 if they are in the page
	LeftOut        int `json:"left_out"`    // transcripts that the page has no room for
}

// inPage is how many bytes of transcripts are in the page as they are; more are packed.
const inPage = 4 << 20

// Write writes the page to w, after the files that it links to.
func Write(w io.Writer, s Source, files Files) (Written, error) {
	transcripts := transcripts{Files: files, most: inPage}
	s.Conditions = s.Campaign.View("").FullTitles()
	list := NewList(s.Campaign, s.Questions)
	stories := tellStories(transcripts.add)
	t, err := s.tally(func(rows record.Rows, earlier bool) error {
		id := list.Add(&rows.Collaborations[0], earlier)
		if earlier && s.Told != nil {
			return nil
		}
		return stories.tell(func() (toldStory, error) { return s.StoryOf(id, rows).tell() })
	})
	if err := cmp.Or(stories.end(), err); err != nil {
		return Written{}, err
	}
	for i, r := range s.Campaign.Runs {
		if s.Told != nil && !s.Told[runOf(r)] {
			list.Add(&s.Campaign.Runs[i].Collaboration, false)
		}
	}
	written := Written{Collaborations: t.countFinished()}
	if transcripts.Put != nil {
		written.Transcripts = len(list.rows)
	}
	if s.Told != nil {
		written.LeftOut = len(s.Campaign.Runs) - len(s.Told)
	}
	if err := transcripts.close(); err != nil {
		return written, err
	}
	return written, render(w, "page.tmpl", newPage(s, t, list, transcripts))
}

// Overview is what a page says of all collaborations together.
type Overview struct {
	Status  string // how many cells have finished
	Results Results
	Ran     Ran
}

// Overview reads all collaborations and returns the overview.
func (s Source) Overview() (Overview, error) {
	t, err := s.tally(nil)
	if err != nil {
		return Overview{}, err
	}
	return s.overviewOf(t), nil
}

// Glance returns the part of the overview that needs no turns and calls: how many cells have finished, and the
// figure that compares the conditions.
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
	if s.Beside != nil {
		r.Beside = compareCampaigns(*s.Beside, s.Campaign.Name)
	}
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
	LeftOut     string // which transcripts are not in the page; "" if all are
}

func newPage(s Source, t *Tally, list *List, transcripts transcripts) page {
	p := page{
		head: headOf(s.Campaign.Name, "list.js", "story.js"), Overview: s.overviewOf(t), List: list,
		Transcripts: transcripts, LeftOut: s.describeLeftOut(),
	}
	p.Ran.To = transcripts.Link
	if transcripts.Put != nil {
		p.Base = transcripts.Folder + "/"
	}
	return p
}
