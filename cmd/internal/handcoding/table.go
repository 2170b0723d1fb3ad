package handcoding

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/qa/records"
	"roundtable/envs/wording"
)

// row is one row of a table, with its line.
type row struct {
	line                    int
	id, text, labels, check string
	hasText                 bool
}

// neededColumns says what a table must have.
const neededColumns = "needed are the columns id, labels and check, as in what --gold writes"

// readTable reads the rows that are about an item: those that have an id or a check.
func readTable(file string, data []byte) ([]row, error) {
	t, err := records.Read(file, data, records.Options{Form: records.CSV})
	if err != nil {
		return nil, fmt.Errorf("%s: %w; %s", file, err, neededColumns)
	}
	at := map[string]string{}
	for _, name := range t.Columns {
		if at[strings.ToLower(name)] != "" {
			return nil, fmt.Errorf("%s: it has the column %s twice; %s, each once", file, name, neededColumns)
		}
		at[strings.ToLower(name)] = name
	}
	for _, name := range []string{columnID, columnLabels, columnCheck} {
		if at[name] == "" {
			return nil, fmt.Errorf("%s: it has no column %s, but %s; %s, separated by commas, semicolons or tabs", file,
				name, wording.Clip(wording.SafeLine(strings.Join(t.Columns, ", "))), neededColumns)
		}
	}
	var rows []row
	for _, r := range t.Records {
		field := func(name string) (string, bool) {
			text, has := r.Fields[at[name]].(string)
			return strings.TrimSpace(text), has
		}
		one := row{line: r.At}
		one.id, _ = field(columnID)
		one.labels, _ = field(columnLabels)
		one.check, _ = field(columnCheck)
		one.text, one.hasText = field(columnText)
		if one.id != "" || one.check != "" {
			rows = append(rows, one)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: it has a header, but no row with an id or a check", file)
	}
	return rows, nil
}

// drawOf returns the draw that most rows belong to; the last if none does.
func drawOf(draws []gold.Draw, rows []row) gold.Draw {
	best, most := draws[len(draws)-1], 0
	for _, d := range draws {
		known, n := itemsOf(d), 0
		for _, r := range rows {
			if _, ok := known.byCheck[plainCheck(r.check)]; ok {
				n++
			}
		}
		if n > most {
			best, most = d, n
		}
	}
	return best
}

// check reports all that is wrong with a table, or returns the labels of the items in their order.
func check(file string, d gold.Draw, book campaign.Book, rows []row) ([][]string, error) {
	known := itemsOf(d)
	given, first := make([][]string, len(known.all)), make([]int, len(known.all))
	var errs []error
	var open, missing []string
	for _, r := range rows {
		wrong := func(item, format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s, line %d, item %s: %s", file, r.line, item,
				fmt.Sprintf(format, args...)))
		}
		at, err := known.find(r)
		if err != nil {
			wrong(cmp.Or(wording.SafeLine(r.id), "without an id"), "%v", err)
			continue
		}
		id := known.all[at].place.placeID()
		switch {
		case first[at] > 0:
			wrong(id, "it is in line %d already", first[at])
		case r.hasText && plainCheck(checkOf(d, known.all[at].place,
			strings.ReplaceAll(r.text, "\r\n", "\n"))) != plainCheck(r.check):
			wrong(id, "its text is not the one that was drawn; code what is written, and leave the text as it is")
		case r.labels == "":
			open = append(open, id)
		default:
			if given[at], err = readLabels(book, r.labels); err != nil {
				wrong(id, "%v", err)
			}
		}
		first[at] = cmp.Or(first[at], r.line)
	}
	for at, line := range first {
		if line == 0 {
			missing = append(missing, known.all[at].place.placeID())
		}
	}
	if len(open) > 0 {
		errs = append(errs, fmt.Errorf("%s: %s not coded: %s; a sample of which only a part is coded has no known "+
			"probabilities", file, wording.Count(len(open), "item"), wording.Clip(strings.Join(open, ", "))))
	}
	if len(missing) > 0 {
		errs = append(errs, fmt.Errorf("%s: %s of draw %d not there: %s", file, wording.Count(len(missing), "item"),
			d.Number, wording.Clip(strings.Join(missing, ", "))))
	}
	return given, errors.Join(errs...)
}

// readLabels reads a cell of labels.
func readLabels(book campaign.Book, text string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(text, separator) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, wording.SafeLine(name))
		}
	}
	return book.Read(names)
}

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
