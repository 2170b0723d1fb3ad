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
	dir, names := t.TempDir(), []string{}
	for archive, campaigns := range map[string][]string{
		"questions": {"questions", "rules", "steps"}, "discussion": {"discussion"}, "gathering": {"gathering"}, "gathering-smol": {"gathering-smol"},
	} {
		lake, err := filepath.Abs(filepath.Join("..", "..", "examples", "results", archive+".tar.gz"))
		noError(t, err)
		unpackTo(t, lake, dir)
		for _, name := range campaigns {
			file, err := os.ReadFile(filepath.Join("..", "..", "examples", "results", name+".yaml"))
			noError(t, err)
			if read(t, dir, name+".yaml") != string(file) {
				t.Errorf("%s: the lake's campaign file is not the one beside it", name)
			}
		}
		names = append(names, campaigns...)
	}
	t.Chdir(dir)
	for _, name := range names {
		_, err := runCommand(t, "verify", name)
		noError(t, err)
		if !strings.HasPrefix(name, "gathering") { // whose headline stands there
			out, err := runCommand(t, "analyze", name)
			noError(t, err)
			headline := strings.TrimSpace(strings.Split(out, "\n\n")[1])
			if !strings.HasPrefix(headline, "qa") || !strings.Contains(page, headline) && (name == "questions" || name == "steps") {
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
	if len(queries) != 4 {
		t.Errorf("%d queries", len(queries))
	}
}
