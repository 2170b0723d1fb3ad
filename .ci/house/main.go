// Command house counts what the house is measured by: lines, packages, long lines, names
// of functions, words of the documentation. Run it in the root of the repository.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// top are the folders whose code is counted.
var top = []string{"activities", "analysis", "cmd", "envs", "infra", "workflows"}

type counts struct {
	lines, tests, long, functions, oneWord int
	packages                               map[string]bool
}

func main() {
	c := counts{packages: map[string]bool{}}
	for _, dir := range top {
		before := c.lines
		if err := filepath.WalkDir(dir, c.visit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%-12s %7d lines outside tests\n", dir, c.lines-before)
	}
	words, err := countWords("README.md", "docs")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%-12s %7d lines outside tests, %d in tests\n", "all", c.lines, c.tests)
	fmt.Printf("%-12s %7d\n", "packages", len(c.packages))
	fmt.Printf("%-12s %7d lines over 120 columns\n", "long", c.long)
	fmt.Printf("%-12s %7d of %d functions have a name of one lower-case word (%.0f %%)\n", "one word", c.oneWord,
		c.functions, 100*float64(c.oneWord)/float64(c.functions))
	fmt.Printf("%-12s %7d words\n", "docs", words)
}

// visit counts one Go file.
func (c *counts) visit(path string, d fs.DirEntry, err error) error {
	if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.Contains(path, "testdata") {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	// Suites for tests are packages that no program imports.
	if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Base(filepath.Dir(path)), "test") {
		c.tests += len(lines)
		return nil
	}
	c.lines += len(lines)
	c.packages[filepath.Dir(path)] = true
	for _, line := range lines {
		if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > 120 {
			c.long++
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Name.Name == "main" || f.Name.Name == "init" {
			continue
		}
		c.functions++
		if strings.IndexFunc(f.Name.Name, unicode.IsUpper) < 0 {
			c.oneWord++
		}
	}
	return nil
}

// countWords counts the words of Markdown files: what has a letter or a digit, so no bars of tables.
func countWords(roots ...string) (words int, err error) {
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, field := range strings.Fields(string(text)) {
				if strings.ContainsFunc(field, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
					words++
				}
			}
			return err
		})
		if err != nil {
			return words, err
		}
	}
	return words, nil
}
