package handcoding

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"roundtable/activities/codebook"
	"roundtable/activities/commits"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/safetext"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// readBack stores what a coder gave to a draw.
func (o Options) readBack(ctx context.Context, s storage.Store, name string, book codebook.Book) error {
	data, err := os.ReadFile(o.From)
	if err != nil {
		return cli.UsageError(fmt.Errorf("--gold-from: %w", err))
	}
	draws, err := gold.ReadDraws(ctx, s, name, book.ID())
	if err != nil {
		return err
	}
	if err := refuseLost(ctx, s, name, book, len(draws)); err != nil {
		return err
	}
	if len(draws) == 0 {
		return cli.UsageError(fmt.Errorf("nothing of campaign %s was drawn to be coded by %s; roundtable label %s --gold 200 draws", name, book.ID(), name))
	}
	rows, err := readTable(o.From, data)
	if err != nil {
		return cli.UsageError(err)
	}
	d := drawOf(draws, rows)
	given, err := check(o.From, d, book, rows)
	if err != nil {
		return cli.UsageError(err)
	}
	if err := o.store(ctx, s, d, given); err != nil {
		return err
	}
	if err := commits.RefreshCard(ctx, s, name); err != nil {
		return err
	}
	return o.reportStored(ctx, s, d, book)
}

// row is one row of a table, with its line.
type row struct {
	line                    int
	id, text, labels, check string
	hasText                 bool
}

// readTable reads the rows that have an id.
func readTable(file string, data []byte) ([]row, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.FieldsPerRecord = -1
	if line, _, _ := bytes.Cut(data, []byte("\n")); bytes.Count(line, []byte(";")) > bytes.Count(line, []byte(",")) {
		r.Comma = ';' // as spreadsheets of many countries save
	}
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: it has no header; needed are the columns id, labels and check, as in what --gold writes", file)
	}
	at := map[string]int{}
	for i, name := range header {
		at[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for _, name := range []string{columnID, columnLabels, columnCheck} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("%s: it has no column %s; needed are id, labels and check, as in what --gold writes", file, name)
		}
	}
	var rows []row
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
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
		if one.id != "" {
			rows = append(rows, one)
		}
	}
}

// drawOf returns the draw that most rows belong to; the last if none does.
func drawOf(draws []gold.Draw, rows []row) gold.Draw {
	best, most := draws[len(draws)-1], 0
	for _, d := range draws {
		checks, n := checksOf(d), 0
		for _, r := range rows {
			if checks[r.id] == r.check && r.check != "" {
				n++
			}
		}
		if n > most {
			best, most = d, n
		}
	}
	return best
}

// check reports all that is wrong with a table, or returns the labels by item.
func check(file string, d gold.Draw, book codebook.Book, rows []row) (map[string][]string, error) {
	checks, given, first := checksOf(d), map[string][]string{}, map[string]int{}
	var errs []error
	var open []string
	wrong := func(r row, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s, line %d, item %s: %s", file, r.line, safetext.Line(r.id), fmt.Sprintf(format, args...)))
	}
	for _, r := range rows {
		want, known := checks[r.id]
		switch {
		case !known:
			wrong(r, "draw %d has no such item", d.Number)
		case first[r.id] > 0:
			wrong(r, "it is in line %d already", first[r.id])
		case r.check != want:
			wrong(r, "its check is %q, that of draw %d is %q: it is of another draw, campaign or code book, or was moved", safetext.Line(r.check), d.Number, want)
		case r.hasText && checkOf(d, r.id, strings.ReplaceAll(r.text, "\r\n", "\n")) != want:
			wrong(r, "its text is not the one that was drawn; code what is written, and leave the text as it is")
		default:
			first[r.id] = r.line
			if r.labels == "" {
				open = append(open, r.id)
				continue
			}
			if labels, err := readLabels(book, r.labels); err != nil {
				wrong(r, "%v", err)
			} else {
				given[r.id] = labels
			}
		}
		first[r.id] = cmp.Or(first[r.id], r.line)
	}
	if len(open) > 0 {
		errs = append(errs, fmt.Errorf("%s: %s not coded: %s; a sample of which only a part is coded has no known probabilities", file, wording.Count(len(open), "item"), wording.Clip(strings.Join(open, ", "))))
	}
	if missing := missingItems(d, first); len(missing) > 0 {
		errs = append(errs, fmt.Errorf("%s: %s of draw %d not there: %s", file, wording.Count(len(missing), "item"), d.Number, wording.Clip(strings.Join(missing, ", "))))
	}
	return given, errors.Join(errs...)
}

func missingItems(d gold.Draw, there map[string]int) []string {
	var missing []string
	for _, b := range d.Blocks {
		for _, i := range b.Items {
			if there[i.ID] == 0 {
				missing = append(missing, i.ID)
			}
		}
	}
	return missing
}

// readLabels reads a cell of labels.
func readLabels(book codebook.Book, text string) ([]string, error) {
	if text == none {
		return book.Read(nil)
	}
	var names []string
	for name := range strings.SplitSeq(text, separator) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, safetext.Line(name))
		}
	}
	return book.Read(names)
}

// store commits the labels of each collaboration.
func (o Options) store(ctx context.Context, s storage.Store, d gold.Draw, given map[string][]string) error {
	condition := map[lake.Run]string{}
	draws, err := gold.ReadDraws(ctx, s, d.Campaign, d.CodeBook)
	if err != nil {
		return err
	}
	for _, one := range draws {
		for _, f := range one.Frame {
			condition[f.Run] = f.Condition
		}
	}
	byRun := map[lake.Run][]record.GoldLabel{}
	var runs []lake.Run
	for _, b := range d.Blocks {
		if byRun[b.Run] == nil {
			runs = append(runs, b.Run)
		}
		for _, i := range b.Items {
			labels, err := json.Marshal(slices.Concat([]string{}, given[i.ID]))
			if err != nil {
				return err
			}
			byRun[b.Run] = append(byRun[b.Run], record.GoldLabel{
				Key:      record.Key{SchemaVersion: record.SchemaVersion, CampaignID: d.Campaign, ConditionID: condition[b.Run], CollaborationID: b.Collaboration, Generation: int32(b.Generation)},
				CodeBook: d.CodeBook, Coder: o.Coder, Draw: int32(d.Number), Entry: int32(i.Entry), Round: int32(i.Round), Agent: int32(i.Agent),
				Labels: string(labels), TextHash: i.Hash,
			})
		}
	}
	for _, run := range runs {
		_, err := commits.CommitAnnotations(ctx, s, lake.Marker{
			Campaign: d.Campaign, Condition: condition[run], Collaboration: run.Collaboration, Generation: run.Generation,
			By: gold.By(d.CodeBook, o.Coder, d.Number), Table: record.Gold, Status: record.Succeeded,
		}, byRun[run])
		if errors.Is(err, commits.ErrConflict) {
			return cli.UsageError(fmt.Errorf("other labels of draw %d by %s are stored already, and stay: gold is not changed afterwards. Store these under another --coder; those of the coder %s stand for all", d.Number, o.Coder, gold.Adjudicated))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
