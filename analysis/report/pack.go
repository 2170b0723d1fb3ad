package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
)

// block is something of several collaborations, packed: JSON by their names, with
// gzip, in base64.
type block struct {
	IDs  string // separated by spaces
	Data template.HTML
}

// blockSize is how many bytes are packed together: enough to pack well, and quick to unpack.
const blockSize = 4 << 20

// packer fills blocks one after the other.
type packer struct {
	Blocks []block
	open   map[string]json.RawMessage // of the block that is not full yet
	order  []string
	size   int
}

// add packs what belongs to a collaboration.
func (p *packer) add(id string, v any) error {
	data, err := plainJSON(v)
	if err != nil {
		return err
	}
	if p.open == nil {
		p.open = map[string]json.RawMessage{}
	}
	p.open[id], p.order, p.size = data, append(p.order, id), p.size+len(data)
	if p.size < blockSize {
		return nil
	}
	return p.close()
}

// close ends the open block.
func (p *packer) close() error {
	if len(p.open) == 0 {
		return nil
	}
	data, err := plainJSON(p.open) // by name, so that the same rows give the same bytes
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
	// no markup
	p.Blocks = append(p.Blocks, block{strings.Join(p.order, " "),
		template.HTML(base64.StdEncoding.EncodeToString(b.Bytes()))})
	p.open, p.order, p.size = nil, nil, 0
	return nil
}

// plainJSON returns JSON that is not for a page as it is, so markup in it needs no escapes.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
