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
	pages := []string{filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CHANGELOG.md"), filepath.Join("..", "..", "SECURITY.md")}
	for _, folder := range []string{"docs", "examples"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".md") {
				pages = append(pages, path)
			}
			return err
		})
		noError(t, err)
	}
	if len(pages) < 20 {
		t.Fatalf("found %d pages only", len(pages))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		noError(t, err)
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
	noError(t, err)
	for _, list := range [][]naming.Named{study.Tables(), figures.Figures()} {
		for _, n := range list {
			if len(n.Papers) > 0 {
				contains(t, string(page), "| `"+n.Name+"` | `"+strings.Join(n.Aliases(), "`, `")+"` |\n")
			}
		}
	}
}

// TestReadmesCampaign: the campaign of the README can be planned with the questions beside it.
func TestReadmesCampaign(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	noError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, begins := range map[string]string{"questions.csv": "id,question,", "mine.yaml": "name: mine\n"} {
		_, block, ok := strings.Cut(string(text), "\n"+begins)
		block, _, ended := strings.Cut(block, "```")
		if !ok || !ended {
			t.Fatalf("README.md has no %s", name)
		}
		save(t, dir, name, begins+block)
	}
	out, err := runCommand(t, "plan", "mine.yaml", "--json")
	noError(t, err)
	if cells := document(t, out)["cells"]; cells != 54.0 {
		t.Errorf("it has %v cells", cells)
	}
}

// TestThreatsNameTests: each test that docs/threats.md names exists, and each promise
// names one.
func TestThreatsNameTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "threats.md"))
	noError(t, err)
	names := regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`").FindAllStringSubmatch(string(page), -1)
	if len(names) < 50 {
		t.Fatalf("found %d tests only", len(names))
	}
	for _, name := range names {
		if !hasTest(t, filepath.Join(root, name[1]), name[2]) {
			t.Errorf("docs/threats.md names %s.%s, which does not exist", name[1], name[2])
		}
	}
	for line := range strings.Lines(string(page)) {
		isPromise := strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| promised") && !strings.HasPrefix(line, "| ---")
		if isPromise && !strings.Contains(line, "Test") && !strings.Contains(line, "Fuzz") {
			t.Errorf("docs/threats.md promises without a test: %s", line)
		}
	}
}

// hasTest reports whether a test file of a folder defines a function.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	noError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		noError(t, err)
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
