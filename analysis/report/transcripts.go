package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"path"
	"strings"
)

// transcripts are in the page as they are, or packed once they are too large for
// that, or each in a file.
type transcripts struct {
	Files
	Inline []Transcript
	Blocks []block
	most   int // bytes that are not packed
	size   int
	packed bool
	open   map[string]template.HTML // of the block that is not full yet
	order  []string
}

// Transcript is the HTML of one transcript.
type Transcript struct {
	ID   string
	HTML template.HTML
}

// block is some transcripts, packed: JSON of the HTML by name, with gzip, in base64.
type block struct {
	IDs  string // separated by spaces
	Data template.HTML
}

// blockSize is how many bytes are packed together: enough to pack well, and quick to unpack.
const blockSize = 4 << 20

func (t *transcripts) addStory(s Story) error {
	html, err := s.HTML()
	if err != nil {
		return err
	}
	one := Transcript{s.ID, html}
	if t.Put != nil {
		return t.writeFile(one)
	}
	t.size += len(html)
	if !t.packed && t.size <= t.most {
		t.Inline = append(t.Inline, one)
		return nil
	}
	if !t.packed {
		t.packed = true
		for _, earlier := range t.Inline {
			if err := t.pack(earlier); err != nil {
				return err
			}
		}
		t.Inline = nil
	}
	return t.pack(one)
}

// pack adds a transcript to the open block, and closes it when it is full.
func (t *transcripts) pack(one Transcript) error {
	if t.open == nil {
		t.open = map[string]template.HTML{}
	}
	t.open[one.ID] = one.HTML
	t.order = append(t.order, one.ID)
	size := 0
	for _, html := range t.open {
		size += len(html)
	}
	if size < blockSize {
		return nil
	}
	return t.packRest()
}

// packRest closes the open block.
func (t *transcripts) packRest() error {
	if len(t.open) == 0 {
		return nil
	}
	data, err := json.Marshal(t.open) // by name, so that the same rows give the same bytes
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	t.Blocks = append(t.Blocks, block{strings.Join(t.order, " "), template.HTML(base64.StdEncoding.EncodeToString(b.Bytes()))}) // no markup
	t.open, t.order = nil, nil
	return nil
}

func (t *transcripts) writeFile(one Transcript) error {
	var b bytes.Buffer
	file := struct {
		head
		Transcript
		Back string
	}{headOf(one.ID, "story.js"), one, "../" + t.Page}
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
