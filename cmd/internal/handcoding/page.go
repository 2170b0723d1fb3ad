package handcoding

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
)

//go:embed page/coding.tmpl
var pageSource string

//go:embed page/coding.js
var script string

//go:embed page/coding.css
var style string

var pageTemplate = template.Must(template.New("coding").Funcs(template.FuncMap{"safe": wording.SafeLines}).Parse(pageSource))

// pageData is what the template is given.
type pageData struct {
	Title    string
	Store    string // the browser's memory of what was coded so far
	File     string // that the page saves
	Book     campaign.Book
	Single   bool
	MayBe    bool // coded, but without a label
	Script   template.JS
	Style    template.CSS
	Blocks   []pageBlock
	Items    int
	None     string
	Messages bool
}

type pageBlock struct {
	Number  int
	Context []said
	Items   []pageItem
}

type pageItem struct {
	ID, Check string
	Said      []said
}

// writePage writes a page that needs nothing else: what is coded stays in the browser, and is
// saved as a table.
func writePage(d gold.Draw, book campaign.Book, blocks []block) ([]byte, error) {
	data := pageData{
		Title: "Coding by hand: " + book.Name,
		Store: hash(d.Campaign + "\x00" + d.CodeBook + "\x00" + fmt.Sprint(d.Number))[:12],
		File:  d.Campaign + "-" + book.Name + "-coded.csv", Book: book,
		Single: book.Choice == campaign.OneLabel, MayBe: book.CanBeNone(), None: campaign.NoLabel,
		Script: template.JS(script), Style: template.CSS(style), Items: d.Items(), Messages: !d.Whole,
	}
	known := itemsOf(d)
	for _, b := range blocks {
		shown := pageBlock{Number: b.number, Context: b.context}
		for _, i := range b.items {
			shown.Items = append(shown.Items, pageItem{i.place.placeID(), known.checkAt(i.place), i.said})
		}
		data.Blocks = append(data.Blocks, shown)
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, data)
	return b.Bytes(), err
}
