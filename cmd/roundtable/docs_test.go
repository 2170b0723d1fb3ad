package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksResolve: every page that a page of the documentation links to exists.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	pages := []string{filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CHANGELOG.md"), filepath.Join("..", "..", "SECURITY.md"), filepath.Join("..", "..", "AGENTS.md"), filepath.Join("..", "..", "llms.txt")}
	for _, folder := range []string{"docs", "examples", "infra"} {
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
	anchors := map[string]map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		noError(t, err)
		anchors[page] = headings(string(text))
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		noError(t, err)
		prose := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`").ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target, anchor, hasAnchor := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if hasAnchor && anchors[path] != nil && !anchors[path][anchor] {
				t.Errorf("%s links to %s; the page has no such heading", page, m[1])
			}
		}
	}
}

// headings returns the anchors of a page: its headings in lower case, with dashes for spaces
// and without other marks.
func headings(page string) map[string]bool {
	anchors := map[string]bool{}
	code := regexp.MustCompile("(?ms)^```.*?^```")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(code.ReplaceAllString(page, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		anchors[name] = true
	}
	return anchors
}

// TestQuotedErrors: what AGENTS.md says that errors say, the program says.
func TestQuotedErrors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "AGENTS.md"))
	noError(t, err)
	var source strings.Builder
	for _, folder := range []string{"activities", "cmd", "envs", "workflows"} {
		noError(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				var data []byte
				data, err = os.ReadFile(path)
				source.Write(data)
			}
			return err
		}))
	}
	_, rows, ok := strings.Cut(string(page), "| it says | do |\n| --- | --- |\n")
	if !ok {
		t.Fatal("AGENTS.md quotes no errors")
	}
	for row := range strings.Lines(rows) {
		said := strings.Split(row, "|")[1]
		for part := range strings.SplitSeq(strings.ReplaceAll(said, ": budget", ": ... budget"), "...") {
			if part = strings.TrimSpace(part); !strings.Contains(source.String(), part) {
				t.Errorf("no error says %q", part)
			}
		}
	}
}

// TestCampaignsOfTheFirstPages: the campaigns of the README and of AGENTS.md, and a new study, can be planned.
func TestCampaignsOfTheFirstPages(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	noError(t, err)
	agents, err := os.ReadFile(filepath.Join("..", "..", "AGENTS.md"))
	noError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("OPENAI_API_KEY", "")
	block := func(page []byte, begins string) string {
		_, rest, ok := strings.Cut(string(page), "\n"+begins)
		text, _, ended := strings.Cut(rest, "```")
		if !ok || !ended {
			t.Fatalf("no block begins with %q", begins)
		}
		return begins + text
	}
	questions, study := block(readme, "id,question,"), block(agents, "name: study")
	for _, x := range []struct {
		file, questions string
		cells           float64
	}{
		{block(readme, "name: mine\n"), questions, 54},
		{study, questions, 108},
		{
			strings.Replace(study, "# columns:", "columns:", 1),
			strings.Replace(questions, "id,question,A,B,C,answer", "nr,message,first,second,third,right", 1), 108,
		},
	} {
		save(t, dir, "questions.csv", x.questions)
		save(t, dir, "campaign.yaml", x.file)
		out, err := runCommand(t, "plan", "campaign.yaml", "--json")
		noError(t, err)
		if cells := document(t, out)["cells"]; cells != x.cells {
			t.Errorf("it has %v cells, want %v:\n%s", cells, x.cells, x.file)
		}
	}
	_, err = runCommand(t, "new", "study", "null")
	noError(t, err)
	out, err := runCommand(t, "plan", "null.yaml", "--json")
	noError(t, err)
	if cells := document(t, out)["cells"]; cells != 108. {
		t.Errorf("the first version of a study has %v cells", cells)
	}
}

// TestThreatsNameTests: each test that docs/threats.md names exists, each promise names one, and what
// only -long shows is said to.
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
	longOnly := regexp.MustCompile(`func (Test\w+)\(t \*testing\.T\) \{\n(?:\tt\.Parallel\(\)\n)?\tif !\*long \{\n\t\tt\.Skip`)
	files, err := filepath.Glob("*_test.go")
	noError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		noError(t, err)
		for _, name := range longOnly.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(string(page)) {
				if strings.Contains(line, "`cmd/roundtable."+name[1]+"`") && !strings.Contains(line, "`-long`") {
					t.Errorf("docs/threats.md does not say that %s is of -long: %s", name[1], line)
				}
			}
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
