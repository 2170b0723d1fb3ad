package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/analysis/figures"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyses"
)

var update = flag.Bool("update", false, "write the golden files")

// pinned holds everything that the program says of a campaign to a golden file:
// the plan, the state, the digest, every table and the numbers of every figure.
func pinned(t *testing.T, dir, name string) {
	t.Helper()
	s, err := store.Open(filepath.Join(dir, "lake"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := analyses.ReadCampaign(t.Context(), s, name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, args := range [][]string{{"plan", name + ".yaml"}, {"status", name, "--json"}, {"verify", name}} {
		fmt.Fprintf(&b, "=== %s\n%s", strings.Join(args, " "), numbersOfFiles.ReplaceAllString(output(t, dir, args...), ""))
	}
	writeTables(t, &b, output(t, dir, "analyze", name, "--table", "all", "--format", "json"))
	for _, name := range figures.Names() {
		figure, err := figures.Make(c, name)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "=== figure %s: %s\n", name, figure.Title)
		for _, panel := range figure.Panels {
			fmt.Fprintln(&b, rounded(t, panel))
		}
		fmt.Fprintf(&b, "notes: %s\n", strings.Join(figure.Notes, "\n"))
	}
	golden(t, name, b.String())
}

// numbersOfFiles, in what verify says, differ by how answers fell together in time; the
// revision, in what status says, is a hash of the form in which a plan is recorded.
var numbersOfFiles = regexp.MustCompile(`(?m)^(Whole|Compacted|    "revision"): .*\n`)

// writeTables writes the tables of analyze, a row a line.
func writeTables(t *testing.T, b *strings.Builder, text string) {
	t.Helper()
	var all struct {
		Tables []struct {
			Name, Title    string
			Columns, Notes []string
			Rows           []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	for _, table := range all.Tables {
		fmt.Fprintf(b, "=== table %s: %s\n%s\n", table.Name, table.Title, strings.Join(table.Columns, " | "))
		for _, row := range table.Rows {
			var cells []string
			for _, column := range table.Columns {
				cells = append(cells, rounded(t, row[column]))
			}
			fmt.Fprintln(b, strings.Join(cells, " | "))
		}
		fmt.Fprintf(b, "notes: %s\n", strings.Join(table.Notes, "\n"))
	}
}

// rounded is JSON with numbers to eight digits: the last ones differ by machine.
func rounded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(b.Bytes(), &plain); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := e.Encode(round(plain)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func round(v any) any {
	switch v := v.(type) {
	case float64:
		if math.Abs(v) < 1e-12 {
			return 0 // but for rounding
		}
		return json.Number(strconv.FormatFloat(v, 'g', 8, 64))
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
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Dir(path), filepath.Base(path), got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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

// TestHelpIsPinned holds every command's help to a golden file.
func TestHelpIsPinned(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		var help bytes.Buffer
		c.SetOut(&help)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "=== %s --help\n%s", c.CommandPath(), help.String())
		for _, sub := range slices.DeleteFunc(c.Commands(), func(c *cobra.Command) bool { return c.Name() == "completion" }) { // the library's own
			walk(sub)
		}
	}
	root := newRoot()
	root.InitDefaultHelpCmd()
	walk(root)
	golden(t, "help", b.String())
}
