// Mutation changes one place of a package at a time and runs the package's tests, which should
// notice:
//
//	mutation [-seed 1] [-n 12] [-with PACKAGES] [-equivalent FILE] PACKAGE[:PATTERN]...
//
// What a package's own tests do not find is looked for by those of -with, for all packages in one
// program; a pattern says which of them can tell.
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
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// edit replaces bytes of a file, in the body of a function or outside of all.
type edit struct {
	pkg, file  string
	source     []byte
	start, end int
	with       string
	from, to   int // the function's body
}

const least = 0.9 // the share that must be found

var (
	seed   = flag.Uint64("seed", 1, "draws the changes")
	number = flag.Int("n", 12, "changes of each package")
	with   = flag.String("with", "", "packages whose tests, or those that match a pattern after a colon, also look "+
		"for what is left of packages without a pattern of their own")
	known = flag.String("equivalent", ".ci/mutation/equivalent.txt", "changes that make no difference")
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
	drawn := make([]int, len(packages))
	var left []edit
	for i, pkg := range packages {
		pkg, _, _ = strings.Cut(pkg, ":")
		edits, err := draw(temp, pkg, equivalent)
		if err == nil {
			drawn[i] = len(edits)
			edits, err = look(temp, pkg, edits, func(edit) string { return "" })
		}
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		left = append(left, edits...)
		fmt.Printf("%-28s %4d of %4d found by its own tests\n", pkg, drawn[i]-len(edits), drawn[i])
	}
	for _, by := range strings.Fields(*with) {
		by, all, _ := strings.Cut(by, ":")
		left, err = look(temp, by, left, func(e edit) string {
			for _, pkg := range packages {
				if pkg, own, has := strings.Cut(pkg, ":"); has && pkg == e.pkg {
					return own
				}
			}
			return all
		})
		if err != nil {
			return err
		}
	}
	for _, e := range left {
		fmt.Println(e.what())
	}
	sum := 0
	for i, pkg := range packages {
		pkg, _, _ = strings.Cut(pkg, ":")
		found := drawn[i]
		for _, e := range left {
			if e.pkg == pkg {
				found--
			}
		}
		sum += drawn[i]
		fmt.Printf("%-28s %4d of %4d found\n", pkg, found, drawn[i])
	}
	fmt.Printf("%-28s %4d of %4d found\n", "all", sum-len(left), sum)
	if float64(sum-len(left)) < least*float64(sum) {
		return errors.New("too few are found")
	}
	return nil
}

// draw returns some changes of a package that are Go and make a difference, as far as is known.
func draw(temp, pkg string, equivalent map[string]bool) (drawn []edit, err error) {
	edits, err := findEdits(pkg)
	if err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
	edits = slices.DeleteFunc(edits, func(e edit) bool { return equivalent[e.what()] })
	for len(drawn) < *number && len(edits) > 0 {
		next := edits[:min(len(edits), *number-len(drawn))]
		edits = edits[len(next):]
		isApart := func(e edit) bool { return e.to == 0 } // which hides others of its file
		if slices.ContainsFunc(next, isApart) || !compile(temp, pkg, next...) {
			next = slices.DeleteFunc(next, func(e edit) bool { return !compile(temp, pkg, e) })
		}
		drawn = append(drawn, next...)
	}
	return drawn, nil
}

// look returns those changes that the tests of a package do not find: for each those that match its pattern.
func look(temp, by string, edits []edit, pattern func(edit) string) (left []edit, err error) {
	kept := filepath.Join(by, "testdata", "rapid") // what failed
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		defer os.RemoveAll(kept)
	}
	programs := [][]edit{nil} // one has all changes of functions, beside one for each other change
	for _, e := range edits {
		if e.to > 0 {
			programs[0] = append(programs[0], e)
		} else {
			programs = append(programs, []edit{e})
		}
	}
	tests, limits := filepath.Join(temp, "tests"), map[string]time.Duration{}
	for p, edits := range programs {
		if len(edits) == 0 {
			continue
		}
		overlay, err := write(temp, edits...)
		if err != nil {
			return nil, err
		}
		_ = os.Remove(tests)
		build := command("", "go", "test", "-c", "-vet=off", "-o", tests, "-overlay", overlay, "./"+by)
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w\n%s", err, out)
		}
		if _, err := os.Stat(tests); err != nil { // it has none of its own
			left = append(left, edits...)
			continue
		}
		for i, e := range edits {
			run := pattern(e)
			if p > 0 {
				limits[run] = 3 * time.Minute
			} else if limits[run] == 0 {
				began := time.Now()
				if out, err := test(tests, by, run, "", time.Hour); err != nil {
					return nil, fmt.Errorf("the tests of %s fail without a change: %w\n%s", by, err, out)
				}
				limits[run] = 20*time.Second + 3*time.Since(began)
			}
			if _, err := test(tests, by, run, strconv.Itoa(i), limits[run]); err == nil {
				left = append(left, e)
			}
		}
	}
	return left, nil
}

// test runs a package's tests with a change; those that hang have failed.
func test(tests, pkg, run, change string, limit time.Duration) ([]byte, error) {
	c := command(pkg, tests, "-test.failfast", "-test.run", run, "-test.timeout", limit.String())
	c.Env = append(os.Environ(), "MUTATION="+change)
	return c.CombinedOutput()
}

// command runs a program with bounded memory: a changed loop may never end.
func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command("sh", append([]string{"-c", `ulimit -v 8388608; exec "$@"`, "sh"}, args...)...)
	c.Dir = dir
	return c
}

// compile says whether changes are Go.
func compile(temp, pkg string, edits ...edit) bool {
	overlay, err := write(temp, edits...)
	return err == nil && command("", "go", "build", "-o", os.DevNull, "-overlay", overlay, "./"+pkg).Run() == nil
}

// write writes the changed files, and an overlay that has them. One program has all changes of
// functions, as it takes seconds to build: a changed function has a body for each, and a variable of
// the environment chooses.
func write(temp string, edits ...edit) (overlay string, err error) {
	changed := map[string][]byte{}
	for _, e := range edits {
		chosen := filepath.Join(e.pkg, "mutation_chosen.go")
		if changed[chosen] == nil {
			clause, failed := exec.Command("go", "list", "-f", "{{.Name}}", "./"+e.pkg).Output()
			changed[chosen] = fmt.Appendf(nil,
				"package %s\n\nimport \"os\"\n\nvar mutationChosen = os.Getenv(\"MUTATION\")\n", clause)
			err = errors.Join(err, failed)
		}
	}
	bodies := map[string]map[int][]byte{} // by file and beginning
	for i, e := range edits {
		if e.to == 0 {
			changed[e.file] = e.apply(0, len(e.source))
			continue
		}
		if bodies[e.file] == nil {
			bodies[e.file] = map[int][]byte{}
		}
		bodies[e.file][e.from] = fmt.Appendf(bodies[e.file][e.from], "\ncase \"%d\":\n%s", i, e.apply(e.from, e.to))
	}
	for _, e := range edits {
		of := bodies[e.file]
		if changed[e.file] != nil || of == nil {
			continue
		}
		text, at := []byte(nil), 0
		for _, from := range slices.Sorted(maps.Keys(of)) {
			to := edits[slices.IndexFunc(edits, func(o edit) bool { return o.file == e.file && o.from == from })].to
			text = append(text, e.source[at:from]...)
			text = fmt.Appendf(text, "\nswitch mutationChosen {%s\ndefault:\n%s\n}\n", of[from], e.source[from:to])
			at = to
		}
		changed[e.file] = append(text, e.source[at:]...)
	}
	replace := map[string]string{}
	for file, text := range changed {
		path, e := filepath.Abs(file)
		replace[path] = filepath.Join(temp, strings.ReplaceAll(file, "/", "-"))
		err = errors.Join(err, e, os.WriteFile(replace[path], text, 0o600))
	}
	overlay = filepath.Join(temp, "overlay.json")
	table, e := json.Marshal(map[string]any{"Replace": replace})
	return overlay, errors.Join(err, e, os.WriteFile(overlay, table, 0o600))
}

// apply is a part of the file, with the change.
func (e edit) apply(from, to int) []byte {
	return slices.Concat(e.source[from:e.start], []byte(e.with), e.source[e.end:to])
}

// what says what is changed.
func (e edit) what() string {
	from := bytes.LastIndexByte(e.source[:e.start], '\n') + 1
	to := e.end + max(0, bytes.IndexByte(e.source[e.end:], '\n'))
	short := func(b []byte) string { return strings.Join(strings.Fields(string(b)), " ") }
	return strings.TrimSpace(fmt.Sprintf("%s: %s => %s", e.file, short(e.source[from:to]), short(e.apply(from, to))))
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
			e := edit{pkg: pkg, file: file, source: source, start: set.Position(from).Offset,
				end: set.Position(to).Offset, with: with}
			for _, d := range tree.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && f.Body.Pos() < from && to <= f.Body.End() {
					e.from, e.to = set.Position(f.Body.Lbrace).Offset+1, set.Position(f.Body.Rbrace).Offset
				}
			}
			edits = append(edits, e)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if i, ok := n.(*ast.IfStmt); ok {
				condition := source[set.Position(i.Cond.Pos()).Offset:set.Position(i.Cond.End()).Offset]
				add(i.Cond.Pos(), i.Cond.End(), "!("+string(condition)+")")
			}
			if silly(n) {
				return false
			}
			mutate(n, add)
			return !isBelow0(n)
		})
	}
	return edits, err
}

var swapped = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.LAND: "||", token.LOR: "&&",
}

// unseen are calls that no test can miss: they give back what is also given back later, or log.
var unseen = []string{"Close", "Debug", "Grow", "Helper", "Info", "Log", "Stop", "Warn", "cancel", "stop"}

// silly says what is not changed: capacities, lengths of waits, and calls that no test can miss.
func silly(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		unit, ok := n.Y.(*ast.SelectorExpr)
		took, isCall := n.X.(*ast.CallExpr)
		return ok && n.Op == token.MUL && fmt.Sprint(unit.X) == "time" || isCall && name(took) == "Since"
	case *ast.CallExpr:
		if name(n) != "make" || len(n.Args) == 0 { // or a method of that name
			return false
		}
		_, isMap := n.Args[0].(*ast.MapType)
		return isMap || len(n.Args) == 3
	case *ast.DeferStmt:
		return slices.Contains(unseen, name(n.Call))
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		return ok && slices.Contains(unseen, name(call))
	}
	return false
}

// isBelow0 says whether a node is a number with a minus: -2 is mostly as good as -1, so it is 0 instead.
func isBelow0(n ast.Node) bool {
	u, ok := n.(*ast.UnaryExpr)
	if !ok || u.Op != token.SUB {
		return false
	}
	l, ok := u.X.(*ast.BasicLit)
	return ok && l.Kind == token.INT
}

func isText(n ast.Expr) bool {
	l, ok := n.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

// name is that of a called function or method.
func name(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// mutate says how a node can be changed beside negated conditions: swapped operators, numbers
// that are one off, or 0 for one below it, true and false, statements left out.
func mutate(n ast.Node, add func(from, to token.Pos, with string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if with := swapped[n.Op]; with != "" && !(n.Op == token.ADD && (isText(n.X) || isText(n.Y))) {
			add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
		}
	case *ast.BasicLit:
		if i, err := strconv.Atoi(n.Value); err == nil && n.Kind == token.INT {
			add(n.Pos(), n.End(), strconv.Itoa(i+1))
		}
	case *ast.UnaryExpr:
		if isBelow0(n) {
			add(n.Pos(), n.End(), "0")
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
