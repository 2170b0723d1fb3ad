package handcoding

import (
	"bytes"
	"encoding/csv"
	"strings"

	"roundtable/activities/codebook"
	"roundtable/analysis/gold"
	"roundtable/analysis/safetext"
)

// columns of the table that coders fill in. A page saves those that are needed alone.
const (
	columnID     = "id"
	columnFrom   = "speaker"
	columnText   = "text"
	columnLabels = "labels"
	columnCheck  = "check"
)

// separator of labels in a cell, and none: the unit was coded, and has no label.
const (
	separator = ";"
	none      = "none"
)

// writeCSV writes a table: what was said before has no id and is not to be coded.
func writeCSV(d gold.Draw, _ codebook.Book, blocks []block) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write([]string{columnID, columnFrom, columnText, columnLabels, columnCheck}); err != nil {
		return nil, err
	}
	checks := checksOf(d)
	for _, block := range blocks {
		for _, s := range block.context {
			if err := w.Write([]string{"", cell(s.From), cell(s.Text), "(said before)", ""}); err != nil {
				return nil, err
			}
		}
		for _, i := range block.items {
			from := ""
			if i.entry >= 0 {
				from = i.said[0].From
			}
			if err := w.Write([]string{i.id, cell(from), cell(i.text()), "", checks[i.id]}); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func checksOf(d gold.Draw) map[string]string {
	checks := map[string]string{}
	for _, b := range d.Blocks {
		for _, i := range b.Items {
			checks[i.ID] = i.Check
		}
	}
	return checks
}

// cell returns a text as a spreadsheet may show it: it begins no formula and steers nothing.
func cell(text string) string {
	text = strings.TrimSpace(safetext.Lines(strings.ReplaceAll(text, "\r\n", "\n")))
	if safetext.IsFormula(text) {
		return "'" + text
	}
	return text
}
