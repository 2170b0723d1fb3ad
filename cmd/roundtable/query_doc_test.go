package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
)

var (
	block = regexp.MustCompile("(?ms)^```(sql|sh)\n(.*?)^```$")
	word  = regexp.MustCompile(`"[^"]*"|\S+`)
)

const documented = `
name: voting-rules
replicates: 4
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 4}
model: scripted/trader
grid: {rule: [majority, plurality]}
`

// TestExamplesOfTheDocumentation runs every block of docs/guides/sql.md over a lake
// with its campaign; each has to answer something.
func TestExamplesOfTheDocumentation(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	page, err := os.ReadFile("../../docs/guides/sql.md")
	noError(t, err)
	t.Chdir(t.TempDir())
	s, err := store.NewLocal("lake")
	noError(t, err)
	noError(t, laketest.Play(context.Background(), s, documented, 0))
	if err := os.WriteFile("invalid.sql", []byte("SELECT count(*) AS invalid FROM turns WHERE status = 'invalid';\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var statements, commands int
	for _, m := range block.FindAllStringSubmatch(string(page), -1) {
		if m[1] == "sql" {
			statements++
			out, err := runCommand(t, "query", "--format", "jsonl", m[2])
			if err != nil || !strings.HasPrefix(out, "{") {
				t.Errorf("%s: %q, error %v", m[2], out, err)
			}
			continue
		}
		for line := range strings.Lines(m[2]) {
			commands++
			if out, err := runLine(t, line); err != nil || strings.TrimSpace(out) == "" {
				t.Errorf("%s: %q, error %v", line, out, err)
			}
		}
	}
	if statements < 5 || commands < 10 {
		t.Errorf("%d statements and %d commands", statements, commands)
	}
	for _, name := range []string{"turns.parquet", "tables/calls.parquet", "csv/turns.csv", "csv/ballots.csv", "turns.csv", "scores.csv"} {
		if info, err := os.Stat(filepath.FromSlash(name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// runLine runs a line of a shell that knows quotes and <.
func runLine(t *testing.T, line string) (string, error) {
	t.Helper()
	line, file, reads := strings.Cut(strings.TrimSpace(line), " < ")
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], `"`)
	}
	root, out := newRoot(), &bytes.Buffer{}
	if reads {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		root.SetIn(f)
	}
	root.SetOut(out)
	root.SetErr(out)
	root.SetArgs(words[1:])
	err := root.ExecuteContext(context.Background())
	return out.String(), err
}
