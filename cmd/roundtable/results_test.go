package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestShippedResults: the lake of the real model that comes with the examples is whole, and
// the page that tells of it has its table.
func TestShippedResults(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	noError(t, err)
	lake, err := filepath.Abs(filepath.Join("..", "..", "examples", "results", "gathering.tar.gz"))
	noError(t, err)
	file, err := os.ReadFile(filepath.Join("..", "..", "examples", "results", "gathering.yaml"))
	noError(t, err)
	dir := unpack(t, lake)
	if read(t, dir, "gathering.yaml") != string(file) {
		t.Error("the lake's campaign file is not the one beside it")
	}
	t.Chdir(dir)
	_, err = runCommand(t, "verify", "gathering")
	noError(t, err)
	out, err := runCommand(t, "analyze", "gathering", "--table", "consensus")
	noError(t, err)
	_, table, _ := strings.Cut(out, "\n\n")
	_, table, _ = strings.Cut(table, "\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if strings.Count(table, "\n") < 5 || !strings.Contains(string(page), table) {
		t.Errorf("docs/results.md lacks\n%s", table)
	}
	_, query, _ := strings.Cut(string(page), "```sql\n")
	query, _, _ = strings.Cut(query, "```")
	out, err = runCommand(t, "query", query)
	noError(t, err)
	contains(t, string(page), "```\n"+strings.TrimSpace(out)+"\n```")
}
