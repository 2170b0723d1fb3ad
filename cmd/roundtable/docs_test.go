package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roundtable/analysis/figures"
	"roundtable/analysis/naming"
	"roundtable/analysis/study"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksResolve: every page that a page of the documentation links to exists.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	pages := []string{filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CHANGELOG.md")}
	for _, folder := range []string{"docs", "examples"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(pages) < 20 {
		t.Fatalf("found %d pages only", len(pages))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			}
		}
	}
}

// TestNumbersOfThePapers: the page on replication has each number of the papers with
// the name that stands for it.
func TestNumbersOfThePapers(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers", "replication.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]naming.Named{study.Tables(), figures.Figures()} {
		for _, n := range list {
			if len(n.Papers) > 0 {
				contains(t, string(page), "| `"+n.Name+"` | `"+strings.Join(n.Aliases(), "`, `")+"` |\n")
			}
		}
	}
}
