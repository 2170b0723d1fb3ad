package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"roundtable/analysis/lake/store/storetest"
)

// Sources that write what must outlive a kill, below the module's root. What the
// engine's database writes is killed at random moments.
var durableSources = []string{
	"analysis/lake/store/*.go", "cmd/internal/cli/output.go", "cmd/internal/cli/staging.go", "cmd/internal/engine/*.go", "cmd/commands/*.go", "infra/*.go",
}

// durableWrites are the names of functions and methods that change a disk or a bucket.
var durableWrites = []string{
	"Sync", "sync", "Write", "writeFile", "Link", "Rename", "Remove", "RemoveAll", "Mkdir", "MkdirAll", "WriteFile", "allocate", "name",
	"PutObject", "DeleteObject", "CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload", "AbortMultipartUpload",
}

// objectNames are parameters that say what is written.
var objectNames = []string{"key", "another", "path", "file", "name"}

// TestAimedKills kills every command before and after each of its durable writes, for
// every kind of object, at the first, a middle and the last time; see TestRandomKills.
func TestAimedKills(t *testing.T) {
	if *kills == 0 && !*long {
		t.Skip("runs with -long or -kills N")
	}
	program := buildKillable(t)
	f := newKillFigures()
	var all []aimedKill
	for _, s := range prepareKills(t) {
		for where := range strings.SplitSeq(*killsOn, ",") {
			if where == "folder" || where == "s3" && os.Getenv(storetest.ServerVariable) != "" {
				all = append(all, s.points(t, where, program)...)
			}
		}
	}
	points := map[string]int{}
	for _, a := range all {
		points[a.stage.name+" "+a.where]++
	}
	t.Logf("%d kills to aim: %v", len(all), points)
	if *kills == 0 { // a sample
		rand.New(rand.NewPCG(*killSeed, 0)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		all = all[:min(16, len(all))]
	}
	missed := 0
	for _, a := range all {
		t.Run(fmt.Sprintf("%s/%s/%s#%d", a.where, a.stage.name, a.point, a.time), func(t *testing.T) {
			for !a.kill(t, f) {
				if a.time /= 2; a.time == 0 { // it does not come by each time
					missed++
					break
				}
			}
		})
	}
	f.log(t)
	t.Logf("%d of %d ended without coming by", missed, len(all))
	if missed > len(all)/10 {
		t.Errorf("%d of %d kills were not aimed well", missed, len(all))
	}
}

// aimedKill is a kill when a point is reached for a certain time.
type aimedKill struct {
	stage                 *killStage
	where, program, point string
	time                  int
}

// points runs a stage without a kill and returns what it came by.
func (s *killStage) points(t *testing.T, where, program string) (all []aimedKill) {
	t.Helper()
	c := newKillCase(t, where, s)
	c.program = program
	log := filepath.Join(t.TempDir(), "points")
	k := c.start(newKillFigures(), "ROUNDTABLE_KILL_LOG="+log)
	if code := k.code(t); code != 0 {
		t.Fatalf("code %d\n%s", code, &k.said)
	}
	data, err := os.ReadFile(log)
	noError(t, err)
	count := map[string]int{}
	for line := range strings.Lines(string(data)) {
		count[strings.TrimSpace(line)]++
	}
	for _, point := range slices.Sorted(maps.Keys(count)) {
		times := []int{1, (count[point] + 1) / 2, count[point] - count[point]/8} // the last one may not come again
		for range 3 - len(slices.Compact(slices.Clone(times))) {
			times = append(times, 1) // one that is reached once is hit three times all the same
		}
		for _, n := range append(slices.Compact(times[:3:3]), times[3:]...) {
			all = append(all, aimedKill{s, where, program, point, n})
		}
	}
	return all
}

func (a aimedKill) kill(t *testing.T, f *killFigures) (hit bool) {
	t.Helper()
	c := newKillCase(t, a.where, a.stage)
	c.program = a.program
	k := c.start(f, fmt.Sprintf("ROUNDTABLE_KILL_AT=%s#%d", a.point, a.time))
	select {
	case <-k.ended:
	case <-time.After(time.Minute):
		t.Fatalf("it neither ended nor was killed\n%s", &k.said)
	}
	if s, ok := k.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		hit = true
		k.killed(a.point)
	}
	c.program = ""
	if !hit { // it has ended, and is asked for once more
		c.kills++
	}
	c.finish(f)
	return hit
}

// buildKillable builds the program with a killpoint.At before and after every durable write.
func buildKillable(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	noError(t, err)
	dir := t.TempDir()
	replace := map[string]string{filepath.Join(root, "activities", "killpoint", "killpoint.go"): filepath.Join(root, "cmd", "roundtable", "testdata", "killpoint.go.txt")}
	for _, p := range durableSources {
		files, err := filepath.Glob(filepath.Join(root, p))
		noError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			if changed, n := withKillpoints(t, root, file); n > 0 {
				replace[file] = filepath.Join(dir, fmt.Sprint(len(replace))+"-"+filepath.Base(file))
				save(t, dir, filepath.Base(replace[file]), string(changed))
			}
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	noError(t, err)
	save(t, dir, "overlay.json", string(overlay))
	program := filepath.Join(dir, "roundtable")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// withKillpoints returns a source with a point before each statement that writes, and
// after it where it is done then.
func withKillpoints(t *testing.T, root, file string) (changed []byte, n int) {
	t.Helper()
	source, err := os.ReadFile(file)
	noError(t, err)
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, 0)
	noError(t, err)
	insert := map[int]string{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			for _, s := range writingStatements(f.Body) {
				at := set.Position(s.Pos())
				place, _ := filepath.Rel(root, file)
				point := func(when string) string {
					return fmt.Sprintf("killpoint.At(%q, %s); ", fmt.Sprintf("%s:%d %s %s", place, at.Line, f.Name.Name, when), objectOf(f))
				}
				insert[at.Offset] = point("before")
				switch s.(type) {
				case *ast.AssignStmt, *ast.ExprStmt:
					insert[set.Position(s.End()).Offset] = "; " + point("after")
				}
				n++
			}
		}
	}
	if n == 0 {
		return source, 0
	}
	insert[set.Position(parsed.Name.End()).Offset] = "; import \"roundtable/activities/killpoint\""
	var b bytes.Buffer
	last := 0
	for _, at := range slices.Sorted(maps.Keys(insert)) {
		b.Write(source[last:at])
		b.WriteString(insert[at])
		last = at
	}
	b.Write(source[last:])
	return b.Bytes(), n
}

// objectOf is the parameter that says what a function writes.
func objectOf(f *ast.FuncDecl) string {
	for _, p := range f.Type.Params.List {
		kind, ok := p.Type.(*ast.Ident)
		for _, name := range p.Names {
			switch {
			case ok && kind.Name == "string" && slices.Contains(objectNames, name.Name):
				return name.Name
			case ok && kind.Name == "write": // of the bucket
				return "*" + name.Name + ".name"
			}
		}
	}
	return `""`
}

// writingStatements are the innermost statements of a body that call what writes.
func writingStatements(body *ast.BlockStmt) (found []ast.Stmt) {
	var list func(statements []ast.Stmt)
	walk := func(s ast.Stmt) (writes bool) {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				list(n.List)
				return false
			case *ast.CaseClause:
				list(n.Body)
				return false
			case *ast.CommClause:
				list(n.Body)
				return false
			case *ast.CallExpr:
				writes = writes || slices.Contains(durableWrites, called(n))
			case *ast.DeferStmt:
				return false
			}
			return true
		})
		return writes
	}
	list = func(statements []ast.Stmt) {
		for _, s := range statements {
			if walk(s) {
				found = append(found, s)
			}
		}
	}
	list(body.List)
	return found
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}
