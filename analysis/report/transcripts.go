package report

import (
	"bytes"
	"cmp"
	"html/template"
	"path"
)

// transcripts are in the page as they are, or packed once they are too large for
// that, or each in a file. How their turns were asked for is packed always.
type transcripts struct {
	Files
	Inline []Transcript
	Told   packer // transcripts that are packed
	Asked  packer
	Said   packer // what a search goes through
	most   int    // bytes that are not packed
	size   int
	packed bool
}

// Transcript is the HTML of one transcript.
type Transcript struct {
	ID   string
	HTML template.HTML
}

func (t *transcripts) addStory(s Story) error {
	html, err := s.HTML()
	if err != nil {
		return err
	}
	if err := t.Said.add(s.ID, s.said()); err != nil {
		return err
	}
	one := Transcript{s.ID, html}
	asked := &t.Asked
	if t.Put != nil {
		asked = &packer{} // of its file
	}
	if s.asked != nil {
		packed, err := packAsked(s.asked)
		if err == nil {
			err = asked.add(s.ID, packed)
		}
		if err != nil {
			return err
		}
	}
	if t.Put == nil {
		return t.keep(one)
	}
	if err := asked.close(); err != nil {
		return err
	}
	return t.writeFile(one, asked.Blocks)
}

// keep keeps a transcript in the page.
func (t *transcripts) keep(one Transcript) error {
	t.size += len(one.HTML)
	if !t.packed && t.size <= t.most {
		t.Inline = append(t.Inline, one)
		return nil
	}
	t.packed = true
	for _, earlier := range append(t.Inline, one) {
		if err := t.Told.add(earlier.ID, earlier.HTML); err != nil {
			return err
		}
	}
	t.Inline = nil
	return nil
}

// close ends what is packed.
func (t *transcripts) close() error { return cmp.Or(t.Told.close(), t.Asked.close(), t.Said.close()) }

func (t *transcripts) writeFile(one Transcript, asked []block) error {
	var b bytes.Buffer
	file := struct {
		head
		Transcript
		Asked []block
		Back  string
	}{headOf(one.ID, "story.js"), one, asked, "../" + t.Page}
	if err := render(&b, "file.tmpl", file); err != nil {
		return err
	}
	return t.Put(fileOf(one.ID), b.Bytes())
}

func fileOf(id string) string { return id + ".html" }

// Link returns where a collaboration's transcript is.
func (t transcripts) Link(id string) string {
	if t.Put != nil {
		return path.Join(t.Folder, fileOf(id))
	}
	return "#" + id
}
