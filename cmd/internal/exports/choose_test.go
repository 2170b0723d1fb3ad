package exports

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// What is written follows from the names, and what cannot be is refused with what would help.
func TestChoose(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		x      Export
		format string
		want   string // the tables and the format, or a part of the error
	}{
		"all":             {Export{Output: at("new")}, "", strings.Join(Tables[:len(Tables)-1], " ") + " parquet"},
		"a data set":      {Export{Output: at("new"), Dataset: true}, "", strings.Join(Tables, " ") + " parquet"},
		"two":             {Export{Output: at("new"), Tables: []string{record.Turns, record.Collaborations}}, "csv", "collaborations turns csv"},
		"a file":          {Export{Output: at("t.jsonl"), Tables: []string{record.Turns}}, "", "turns jsonl"},
		"transcripts":     {Export{Output: at("new")}, transcriptFormats[0], " " + transcriptFormats[0]},
		"no table":        {Export{Output: dir, Tables: []string{"x"}}, "", `unknown table "x"`},
		"nowhere":         {Export{}, "", "-o says where"},
		"several":         {Export{Output: at("t.csv"), Tables: []string{record.Turns, record.Calls}}, "", "holds one table"},
		"a strange file":  {Export{Output: at("t.txt")}, "", "is not a format"},
		"a set in a file": {Export{Output: at("t.csv"), Dataset: true}, "", "--dataset needs"},
		"a set as CSV":    {Export{Output: at("new"), Dataset: true}, "csv", "--dataset needs"},
		"told, a table":   {Export{Output: at("new"), Tables: []string{record.Turns}}, transcriptFormats[0], "takes no --table"},
		"told, a file":    {Export{Output: at("t.csv")}, transcriptFormats[0], "needs -o FOLDER"},
	} {
		err := c.x.Choose(c.format)
		got := strings.Join(c.x.Tables, " ") + " " + c.x.Format
		if err != nil {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, x := range []struct {
		Export
		format string
	}{{Export{}, ""}, {Export{Output: at("a"), Tables: []string{"turns"}}, ""}, {Export{Output: at("a")}, "csv"}} {
		if _, err := x.readPool(t.Context(), nil, "--challenges", "", x.format); err == nil || !strings.Contains(err.Error(), "--challenges needs -o FILE") {
			t.Errorf("%+v: %v", x, err)
		}
	}
	dataset := Export{Tables: []string{record.Turns}, Format: "parquet", Output: dir, Dataset: true}
	if err := dataset.checkPlaces(); err != nil {
		t.Error(err)
	}
	for _, taken := range []string{readmeName, croissantName} {
		dataset.Output = t.TempDir()
		if err := os.WriteFile(filepath.Join(dataset.Output, taken), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := dataset.checkPlaces(); err == nil {
			t.Errorf("%s would be written over", taken)
		}
	}
}

// Rows are read once, when the first is asked for, one after another; of no campaign there are none.
func TestEachRow(t *testing.T) {
	reads := 0
	each := eachRow(func(campaign string) ([][]any, error) {
		if reads++; campaign == "lost" {
			return nil, errors.New("lost")
		}
		return [][]any{{1}, {2}}, nil
	})
	next := each("c")
	if reads != 0 {
		t.Error("they are read before one is asked for")
	}
	var got []any
	for range 2 {
		row, err := next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row...)
	}
	_, end := next()
	if _, again := next(); !slices.Equal(got, []any{1, 2}) || end != io.EOF || again != io.EOF || reads != 1 {
		t.Errorf("%v, then %v, %v, read %d times", got, end, again, reads)
	}
	if _, err := each("")(); err != io.EOF || reads != 1 {
		t.Errorf("of no campaign: %v", err)
	}
	if _, err := each("lost")(); err == nil || err == io.EOF {
		t.Errorf("%v", err)
	}
}
