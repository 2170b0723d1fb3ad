package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShippedResults: the lakes of real models that come with the examples are whole, and the page
// that tells of them has their tables.
func TestShippedResults(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	noError(t, err)
	page := string(text)
	dir, names := t.TempDir(), []string{"questions", "gathering", "gathering-smol"}
	for _, name := range names {
		lake, err := filepath.Abs(filepath.Join("..", "..", "examples", "results", name+".tar.gz"))
		noError(t, err)
		file, err := os.ReadFile(filepath.Join("..", "..", "examples", "results", name+".yaml"))
		noError(t, err)
		from := unpack(t, lake)
		if read(t, from, name+".yaml") != string(file) {
			t.Errorf("%s: the lake's campaign file is not the one beside it", name)
		}
		noError(t, os.CopyFS(filepath.Join(dir, "lake"), os.DirFS(filepath.Join(from, "lake"))))
	}
	t.Chdir(dir)
	for _, name := range names {
		_, err := runCommand(t, "verify", name)
		noError(t, err)
		if name == "questions" { // whose headline stands there
			out, err := runCommand(t, "analyze", name)
			noError(t, err)
			headline := strings.Split(out, "\n\n")[1]
			if !strings.HasPrefix(headline, "qa (no result") || !strings.Contains(page, strings.TrimSpace(headline)) {
				t.Errorf("docs/results.md lacks\n%s", headline)
			}
			continue
		}
		out, err := runCommand(t, "analyze", name, "--table", "consensus")
		noError(t, err)
		_, table, _ := strings.Cut(out, "\n\n")
		_, table, _ = strings.Cut(table, "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		if strings.Count(table, "\n") < 5 || !strings.Contains(page, table) {
			t.Errorf("docs/results.md lacks\n%s", table)
		}
	}
	queries := strings.Split(page, "```sql\n")[1:]
	for _, after := range queries {
		query, _, _ := strings.Cut(after, "```")
		out, err := runCommand(t, "query", query)
		noError(t, err)
		contains(t, page, "```\n"+strings.TrimSpace(out)+"\n```")
	}
	if len(queries) != 3 {
		t.Errorf("%d queries", len(queries))
	}
}
