// Mutation changes one place of a package at a time and runs the package's tests, which should
// notice:
//
//	mutation [-seed 1] [-n 12] [-equivalent FILE] PACKAGE...
//
// It prints what no test noticed, and the share that was found by package; it fails if that is
// below 90 % of all. What does not compile is not a change. Changes that make no difference are in
// FILE as they are printed, each with the reason after " # ", and are not tried. The same seed
// draws the same changes of the same source.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// edit replaces bytes of a file.
type edit struct {
	file       string
	start, end int
	with       string
}

const least = 0.9 // the share that must be found

var (
	seed   = flag.Uint64("seed", 1, "draws the changes")
	number = flag.Int("n", 12, "changes of each package")
	known  = flag.String("equivalent", ".ci/mutation/equivalent.txt", "changes that make no difference")
)

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(packages []string) error {
	data, err := os.ReadFile(*known)
	if err != nil {
		return err
	}
	equivalent := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		change, _, _ := strings.Cut(line, " # ")
		equivalent[change] = true
	}
	temp, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	found, all := 0, 0
	for _, pkg := range packages {
		f, n, err := measure(temp, pkg, equivalent)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		found, all = found+f, all+n
	}
	fmt.Printf("%-28s %4d of %4d found\n", "all", found, all)
	if float64(found) < least*float64(all) {
		return errors.New("too few are found")
	}
	return nil
}

// measure tries some changes of a package and returns how many its tests found, of how many.
func measure(temp, pkg string, equivalent map[string]bool) (found, all int, err error) {
	edits, err := findEdits(pkg)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if out, err := test(pkg, time.Hour); err != nil {
		return 0, 0, fmt.Errorf("its tests fail without a change: %w\n%s", err, out)
	}
	limit := 20*time.Second + 5*time.Since(began)
	kept := filepath.Join(pkg, "testdata", "rapid") // what failed
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		defer os.RemoveAll(kept)
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	for _, e := range edits {
		if all == *number {
			break
		}
		overlay, what, err := e.write(temp)
		if err != nil {
			return found, all, err
		}
		if equivalent[what] || command("go", "build", "-overlay", overlay, "./"+pkg).Run() != nil {
			continue
		}
		all++
		if _, err := test(pkg, limit, "-overlay", overlay); err != nil {
			found++
		} else {
			fmt.Println(what)
		}
	}
	fmt.Printf("%-28s %4d of %4d found\n", pkg, found, all)
	return found, all, nil
}

// test runs a package's tests; those that hang have failed.
func test(pkg string, limit time.Duration, options ...string) ([]byte, error) {
	args := append([]string{"go", "test", "-short", "-failfast", "-vet=off", "-timeout", limit.String()}, options...)
	return command(append(args, "./"+pkg)...).CombinedOutput()
}

// command runs a program with bounded memory: a changed loop may never end.
func command(args ...string) *exec.Cmd {
	return exec.Command("sh", append([]string{"-c", `ulimit -v 8388608; exec "$@"`, "sh"}, args...)...)
}

// write writes the changed file and an overlay that has it, and says what is changed.
func (e edit) write(temp string) (overlay, what string, err error) {
	data, err := os.ReadFile(e.file)
	if err != nil {
		return "", "", err
	}
	changed := slices.Concat(data[:e.start], []byte(e.with), data[e.end:])
	from := bytes.LastIndexByte(data[:e.start], '\n') + 1
	to := e.end + max(0, bytes.IndexByte(append(data[e.end:len(data):len(data)], '\n'), '\n'))
	short := func(b []byte) string { return strings.Join(strings.Fields(string(b)), " ") }
	what = strings.TrimSpace(fmt.Sprintf("%s: %s => %s", e.file, short(data[from:to]), short(changed[from:to+len(e.with)-(e.end-e.start)])))
	path, err := filepath.Abs(e.file)
	file := filepath.Join(temp, "changed.go")
	overlay = filepath.Join(temp, "overlay.json")
	table, e2 := json.Marshal(map[string]map[string]string{"Replace": {path: file}})
	return overlay, what, errors.Join(err, e2, os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, table, 0o600))
}

// findEdits lists all changes of a package, in the order of its files.
func findEdits(pkg string) (edits []edit, err error) {
	out, err := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, "./"+pkg).Output()
	for _, name := range strings.Fields(string(out)) {
		file := filepath.Join(pkg, name)
		set := token.NewFileSet()
		source, err := os.ReadFile(file)
		tree, e := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
		if err := errors.Join(err, e); err != nil {
			return nil, err
		}
		add := func(from, to token.Pos, with string) {
			edits = append(edits, edit{file, set.Position(from).Offset, set.Position(to).Offset, with})
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if i, ok := n.(*ast.IfStmt); ok {
				condition := source[set.Position(i.Cond.Pos()).Offset:set.Position(i.Cond.End()).Offset]
				add(i.Cond.Pos(), i.Cond.End(), "!("+string(condition)+")")
			}
			mutate(n, add)
			return true
		})
	}
	return edits, err
}

var swapped = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.LAND: "||", token.LOR: "&&",
}

// mutate says how a node can be changed beside negated conditions: swapped operators, numbers
// that are one off, true and false, statements left out.
func mutate(n ast.Node, add func(from, to token.Pos, with string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if with := swapped[n.Op]; with != "" {
			add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
		}
	case *ast.BasicLit:
		if i, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
			add(n.Pos(), n.End(), strconv.Itoa(i+1))
		}
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			add(n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"))
		}
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		add(n.Pos(), n.End(), "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			add(n.Pos(), n.End(), "")
		}
	}
}
