package report

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"strings"

	"roundtable/analysis/record"
	"roundtable/analysis/table"
	"roundtable/analysis/telling"
	"roundtable/workflows/transcript"
)

// transcripts are in the page, or each in a file once they are too large for that.
type transcripts struct {
	Files
	Inline []Transcript
	most   int // bytes in the page
	size   int
	split  bool
}

// Transcript is the HTML of one transcript.
type Transcript struct {
	ID   string
	HTML template.HTML
}

func (t *transcripts) addStory(s story) error {
	var b bytes.Buffer
	if err := render(&b, "transcript.tmpl", s); err != nil {
		return err
	}
	t.size += b.Len()
	one := Transcript{ID: s.ID, HTML: template.HTML(b.String())} // made by a template
	if t.split || t.size <= t.most || t.Put == nil {
		return t.keepTranscript(one)
	}
	t.split = true
	for _, earlier := range t.Inline {
		if err := t.keepTranscript(earlier); err != nil {
			return err
		}
	}
	t.Inline = nil
	return t.keepTranscript(one)
}

func (t *transcripts) keepTranscript(one Transcript) error {
	if !t.split {
		t.Inline = append(t.Inline, one)
		return nil
	}
	var b bytes.Buffer
	file := struct {
		head
		Transcript
		Back string
	}{headOf(one.ID), one, "../" + t.Page}
	if err := render(&b, "file.tmpl", file); err != nil {
		return err
	}
	return t.Put(fileOf(one.ID), b.Bytes())
}

func fileOf(id string) string { return id + ".html" }

// Link returns where a collaboration's transcript is.
func (t transcripts) Link(id string) string {
	if t.split {
		return path.Join(t.Folder, fileOf(id))
	}
	return "#" + id
}

// story is what the template of a transcript is given.
type story struct {
	telling.Story
	ID        string
	Simulated string
	unusable  map[int][]Unusable
	Lost      string // why unusable answers are missing
	Unknown   string // why it cannot be said what it was about
	Show      string // the command that shows prompts and raw answers
}

func (s Source) storyOf(id string, rows record.Rows) story {
	told := story{Story: telling.Tell(rows), ID: id}
	c := rows.Collaborations[0]
	if c.Simulated {
		told.Simulated = table.Simulated + "."
	}
	told.Show = fmt.Sprintf("roundtable show %s/%s.%d --prompts --raw", c.CampaignID, c.CollaborationID, c.Generation)
	if s.Facts != nil {
		var err error
		if told.Facts, err = s.Facts(c.Key); err != nil {
			told.Unknown = err.Error()
		}
	}
	if entries := unusableEntries(rows.Turns); s.Unusable != nil && len(entries) > 0 {
		var err error
		if told.unusable, err = s.Unusable(c.Key, entries); err != nil {
			told.Lost = err.Error()
		}
	}
	return told
}

// Unusable returns the raw answers of an entry that could not be used.
func (s story) Unusable(entry int32) []Unusable { return s.unusable[int(entry)] }

// Saw returns which earlier entries were shown: "0–4, 7".
func (s story) Saw(ranges []transcript.Range) string {
	var parts []string
	for _, r := range ranges {
		switch {
		case r.To <= r.From:
		case r.To == r.From+1:
			parts = append(parts, fmt.Sprint(r.From))
		default:
			parts = append(parts, fmt.Sprintf("%d–%d", r.From, r.To-1))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
