package report

import (
	"bytes"
	"cmp"
	"html/template"
	"path"
)

// transcripts are in the page as they are, or packed once they are too large for
// that, or each packed in a file. How their turns were asked for is packed always.
type transcripts struct {
	Files
	Inline  []Transcript
	Told    packer // transcripts that are packed
	Asked   packer
	Said    packer // what a search goes through
	most    int    // bytes that are not packed
	size    int
	packed  bool
	sharing bool // the files that pages of a folder share are written
}

// Transcript is the HTML of one transcript.
type Transcript struct {
	ID   string
	HTML template.HTML
}

// toldStory is a story as it is kept.
type toldStory struct {
	Transcript
	said  string
	asked *packedAsked // nil if that is left out
}

func (s Story) tell() (toldStory, error) {
	html, err := s.HTML()
	one := toldStory{Transcript{s.ID, html}, s.searchText(), nil}
	if err == nil && s.asked != nil {
		var packed packedAsked
		packed, err = packAsked(s.asked)
		one.asked = &packed
	}
	return one, err
}

func (t *transcripts) add(one toldStory) error {
	if err := t.Said.add(one.ID, one.said); err != nil {
		return err
	}
	told, asked := &packer{}, &t.Asked
	if t.Put != nil {
		asked = &packer{} // of its file
	}
	if one.asked != nil {
		if err := asked.add(one.ID, *one.asked); err != nil {
			return err
		}
	}
	if t.Put == nil {
		return t.keep(one.Transcript)
	}
	if err := cmp.Or(told.add(one.ID, one.HTML), told.close(), asked.close()); err != nil {
		return err
	}
	return t.writeFile(one.ID, told.Blocks, asked.Blocks)
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

// shared are the files that all pages of a folder use.
var shared = []string{"style.css", "story.js"}

// folderPolicy lets a page of a folder use files of it, from a disk or a server. No
// script in the page itself runs.
const folderPolicy = "default-src 'none'; style-src 'self' file: 'unsafe-inline'; script-src 'self' file:; img-src " +
	"data:; base-uri 'none'; form-action 'none'"

func (t *transcripts) writeFile(id string, told, asked []block) error {
	if !t.sharing {
		t.sharing = true
		for _, name := range shared {
			if err := t.Put(name, []byte(Asset(name))); err != nil {
				return err
			}
		}
	}
	var b bytes.Buffer
	file := struct {
		head
		ID          string
		Told, Asked []block
		Back        string
	}{head{Name: id, CSP: folderPolicy, Sheet: shared[0]}, id, told, asked, "../" + t.Page}
	if err := render(&b, "file.tmpl", file); err != nil {
		return err
	}
	return t.Put(fileOf(id), b.Bytes())
}

func fileOf(id string) string { return id + ".html" }

// Link returns where a collaboration's transcript is.
func (t transcripts) Link(id string) string {
	if t.Put != nil {
		return path.Join(t.Folder, fileOf(id))
	}
	return "#" + id
}
