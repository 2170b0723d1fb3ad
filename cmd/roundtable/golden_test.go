package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyze"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the golden files")

// numbered are the numbers of one table or figure.
type numbered struct{ of, text string }

// numbersText has the tables of a campaign, a row a line, and the numbers of its figures.
func numbersText(t *testing.T, dir, name string) (all []numbered) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	c, err := analyze.ReadCampaign(t.Context(), s, name, campaign.Kept{})
	noError(t, err)
	var analysis struct {
		Tables []struct {
			Name, Title string
			Columns     []string
			Rows        []map[string]any
		}
	}
	d := ends(t, 0, dir, nil, "analyze", name, "--table", "all", "--format", "json")
	if err := json.Unmarshal([]byte(d.out), &analysis); err != nil {
		t.Fatalf("%v in\n%s", err, d.out)
	}
	for _, table := range analysis.Tables {
		if len(table.Rows) == 0 {
			continue
		}
		text := fmt.Sprintf("=== table %s: %s\n%s\n", table.Name, table.Title, strings.Join(table.Columns, " | "))
		for _, row := range table.Rows {
			var cells []string
			for _, column := range table.Columns {
				cells = append(cells, rounded(t, row[column]))
			}
			text += strings.Join(cells, " | ") + "\n"
		}
		all = append(all, numbered{"table " + table.Name, text})
	}
	for _, name := range figures.Names() {
		figure, err := figures.Make(c, name)
		if err != nil || name == "paths" { // whose points are the table's
			continue
		}
		text := fmt.Sprintf("=== figure %s: %s\n", name, figure.Title)
		for _, panel := range figure.Panels {
			text += rounded(t, panel) + "\n"
		}
		all = append(all, numbered{"figure " + name, text})
	}
	return all
}

// checkTablesAlone: a table that is made by itself, of what its own study reads, is that among all.
func checkTablesAlone(t *testing.T, dir, name string) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	var which analyze.Request
	which.Messages.Flags(&cobra.Command{})
	noError(t, which.Choose(t.Context(), s, name))
	which.Table = "all"
	all, err := analyze.Make(t.Context(), s, name, which)
	noError(t, err)
	for _, table := range all.Tables {
		which.Table = table.Name
		if one, err := analyze.Make(t.Context(), s, name, which); err != nil || !reflect.DeepEqual(one.Tables[0], table) {
			t.Errorf("%s: the table %s differs by itself: %v", name, table.Name, err)
		}
	}
}

// rounded is JSON with numbers to six digits: the last ones differ by machine.
func rounded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	noError(t, e.Encode(v))
	var plain any
	noError(t, json.Unmarshal(b.Bytes(), &plain))
	b.Reset()
	noError(t, e.Encode(round(plain)))
	return strings.TrimSuffix(b.String(), "\n")
}

func round(v any) any {
	switch v := v.(type) {
	case float64:
		if math.Abs(v) < 1e-12 {
			return 0 // but for rounding
		}
		return json.Number(strconv.FormatFloat(v, 'g', 6, 64))
	case []any:
		for i := range v {
			v[i] = round(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = round(v[k])
		}
	}
	return v
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "pinned", name+".txt")
	if *update {
		noError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		save(t, filepath.Dir(path), filepath.Base(path), got)
		return
	}
	want, err := os.ReadFile(path)
	noError(t, err)
	if got == string(want) {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			t.Fatalf("%s, line %d, is not what the program says (-update writes it):\n%s\n%s", path, i+1, old[i], now[i])
		}
	}
	t.Errorf("%s has %d lines, the program says %d", path, len(old), len(now))
}
