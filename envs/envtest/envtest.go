// Package envtest is the suite that every environment passes: the checks of
// conformance, and a short game that reads the same as the one recorded in testdata.
//
//	func TestEnvironment(t *testing.T) { envtest.Run(t, env, envtest.Options{Private: []string{"Utility"}}) }
//	func FuzzParse(f *testing.F)       { envtest.Fuzz(f, env) }
package envtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/envs/conformance"
)

var update = flag.Bool("update", false, "write again what is recorded in testdata")

// Options of Run. The zero value is fine for an environment whose agents all know the same.
type Options struct {
	// Private names the fields of the Observation struct that may differ from
	// agent to agent of one instance. All others must be equal.
	Private []string
	// Golden is the recorded game, "testdata/play.txt" if empty, "-" for none.
	// go test -update writes it.
	Golden string
	// Instances is how many to deal at most, 3 if zero.
	Instances int
	// Hostile are more answers that Parse has to survive.
	Hostile []string
}

// Run runs the whole suite.
func Run(t *testing.T, env envs.Environment, opt Options) {
	t.Helper()
	if opt.Golden == "" {
		opt.Golden = "testdata/play.txt"
	}
	checked := conformance.Options{Private: opt.Private, Instances: opt.Instances, Hostile: opt.Hostile}.For(env)
	for _, c := range conformance.Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, env, checked) })
	}
	t.Run("golden", func(t *testing.T) { testGolden(t, env, opt) })
}

// Fuzz fuzzes Parse of the environment's first instance.
func Fuzz(f *testing.F, env envs.Environment) {
	f.Helper()
	if testing.Short() {
		f.Skip("runs in one goroutine")
	}
	in := conformance.DealInstance(f, env, 0)
	for _, a := range conformance.Hostile() {
		if len(a) < 1000 {
			f.Add([]byte(a))
		}
	}
	for _, valid := range conformance.SampleProposals(f, env, in) {
		f.Add([]byte(valid))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		if err := conformance.CheckParse(in, answer); err != nil {
			t.Errorf("%v", err)
		}
	})
}

// Hostile returns a list of answers as broken as those that models and networks have given.
func Hostile() []string { return conformance.Hostile() }

// Mutations returns valid answers made a little wrong, and wrong answers made of valid ones.
func Mutations(valid string) []string { return conformance.Mutations(valid) }

func testGolden(t *testing.T, env envs.Environment, opt Options) {
	if opt.Golden != "-" {
		Golden(t, opt.Golden, conformance.GameText(t, env))
	}
}

// Golden compares what an environment gives with what is recorded in a file,
// which go test -update writes.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatalf("%v", err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatalf("%v", err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("nothing is recorded (go test -update writes it): %v", err)
	}
	if line, a, b, same := firstDifference(string(want), got); !same {
		t.Errorf("%s:%d has changed (raise Version, then go test -update)\nrecorded: %s\nnow:      %s",
			file, line, a, b)
	}
}

func firstDifference(want, got string) (line int, a, b string, same bool) {
	if want == got {
		return 0, "", "", true
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for line < len(w) && line < len(g) && w[line] == g[line] {
		line++
	}
	at := func(s []string) string {
		if line < len(s) {
			return s[line]
		}
		return "(end)"
	}
	return line + 1, at(w), at(g), false
}
