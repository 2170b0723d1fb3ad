package labelling

import (
	"bytes"
	"encoding/csv"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
)

// columns of the table that coders fill in. A page saves those that are needed alone.
const (
	columnID     = "id"
	columnFrom   = "speaker"
	columnText   = "text"
	columnLabels = "labels"
	columnCheck  = "check"
)

// separator of labels in a cell.
const separator = ";"

// writeCSV writes a table: what was said before has no id and is not to be coded.
func writeCSV(d gold.Draw, _ campaign.Book, blocks []block) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write([]string{columnID, columnFrom, columnText, columnLabels, columnCheck}); err != nil {
		return nil, err
	}
	known := itemsOf(d)
	for _, block := range blocks {
		for _, s := range block.context {
			if err := w.Write([]string{"", safeCell(s.From), safeCell(s.Text), "(said before)", ""}); err != nil {
				return nil, err
			}
		}
		for _, i := range block.items {
			from := ""
			if i.entry >= 0 {
				from = i.said[0].From
			}
			if err := w.Write([]string{i.place.placeID(), safeCell(from), safeCell(i.hashedText()), "",
				known.checkAt(i.place)}); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// safeCell returns a text as a spreadsheet may show it: it begins no formula and steers nothing.
func safeCell(text string) string {
	text = strings.TrimSpace(wording.SafeLines(strings.ReplaceAll(text, "\r\n", "\n")))
	if wording.IsFormula(text) {
		return "'" + text
	}
	return text
}
