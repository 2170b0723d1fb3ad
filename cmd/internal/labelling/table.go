package labelling

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
)

// row is one row of a table, with its line.
type row struct {
	line                    int
	id, text, labels, check string
	hasText                 bool
}

func (r row) shownCheck() string { return wording.SafeLine(r.check) }

// neededColumns says what a table must have.
const neededColumns = "needed are the columns id, labels and check, as in what --gold writes"

// readTable reads the rows that are about an item: those that have an id or a check.
func readTable(file string, data []byte) ([]row, error) {
	data, err := asUTF8(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.Comma = separatorOf(data)
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is empty and has no header; %s", file, neededColumns)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at, err := columnsOf(header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var rows []row
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		field := func(name string) (string, bool) {
			i, ok := at[name]
			if !ok || i >= len(fields) {
				return "", false
			}
			return strings.TrimSpace(fields[i]), true
		}
		one := row{}
		one.line, _ = r.FieldPos(0)
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

// columnsOf returns where the columns are.
func columnsOf(header []string) (map[string]int, error) {
	at := map[string]int{}
	twice := map[string]bool{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		_, twice[name] = at[name]
		at[name] = i
	}
	for _, name := range []string{columnID, columnLabels, columnCheck, columnText} {
		if twice[name] {
			return nil, fmt.Errorf("it has the column %s twice; %s, each once", name, neededColumns)
		}
	}
	for _, name := range []string{columnID, columnLabels, columnCheck} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("it has no column %s, but %s; %s, separated by commas, semicolons or tabs", name,
				wording.Clip(wording.SafeLine(strings.Join(header, ", "))), neededColumns)
		}
	}
	return at, nil
}

// asUTF8 returns a table in UTF-8 with lines that end in a line feed, of what spreadsheets save:
// UTF-16 with its mark, or lines that end in a carriage return alone.
func asUTF8(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	}
	if order != nil {
		if len(data)%2 != 0 {
			return nil, errors.New("it begins as UTF-16 and ends within a character; save it as CSV in UTF-8")
		}
		units := make([]uint16, 0, len(data)/2)
		for i := 2; i < len(data); i += 2 {
			units = append(units, order.Uint16(data[i:]))
		}
		data = []byte(string(utf16.Decode(units)))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("it holds zero bytes: it is not text, or UTF-16 without its mark; save it as CSV in UTF-8")
	}
	if !bytes.Contains(data, []byte("\n")) {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	line := 1
	for l := range bytes.Lines(data) {
		if !utf8.Valid(l) {
			return nil, fmt.Errorf("line %d is not UTF-8, but perhaps Windows-1252 or Latin-1; save it as CSV in UTF-8", line)
		}
		line++
	}
	return data, nil
}

// separatorOf returns what separates the names of the first line: a comma, or what spreadsheets of
// many countries save.
func separatorOf(data []byte) rune {
	header, _, _ := bytes.Cut(data, []byte("\n"))
	best := ','
	for _, r := range ";\t" {
		if strings.Count(string(header), string(r)) > strings.Count(string(header), string(best)) {
			best = r
		}
	}
	return best
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
		errs = append(errs, fmt.Errorf("%s: %s not coded: %s; a sample of which only a part is coded has no known probabilities", file, wording.Count(len(open), "item"), wording.Clip(strings.Join(open, ", "))))
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
