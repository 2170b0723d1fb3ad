package scaffold_test

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/scaffold"
	"roundtable/workflows/catalogue"
)

var long = flag.Bool("long", false, "build and test what is written")

const root = "../../.."

// checkout copies the packages that plug-ins are made of, with go.mod.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "envs", "workflows", "activities", "analysis", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == "testdata" && name == "analysis" {
				return fs.SkipDir
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if d.IsDir() {
				return os.MkdirAll(filepath.Join(dir, rel), 0o755)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, rel), data, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every kind compiles and passes the suite of its kind as soon as its entry is
// in the catalogue.
func TestWhatIsWrittenWorks(t *testing.T) {
	if !*long {
		t.Skip("it compiles the module a second time; -long")
	}
	dir := checkout(t)
	list := filepath.Join(dir, "workflows", "catalogue", "catalogue.go")
	for _, kind := range scaffold.Kinds()[1:] { // a study has nothing to compile
		w, err := scaffold.Write(catalogue.Builtin(), dir, kind, "my_"+kind)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(string(text), "func "+w.List+"()")
		end := start + strings.Index(string(text)[start:], "\n\t}\n}")
		with := string(text)[:end] + "\n\t\t" + w.Entry + string(text)[end:]
		if kind == "env" {
			with = strings.Replace(with, "import (", "import (\n\t\"roundtable/envs/myenv\"", 1)
		}
		if err := os.WriteFile(list, []byte(with), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"test", "-run", "TestMyRule|TestMyStop|TestMyProtocol|TestEnvironment|TestScore", "./workflows/decision", "./workflows/stopping", "./workflows/protocol", "./envs/myenv"},
		{"test", "-run", "TestProtocols", "./activities/prompt"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no tests to run") {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func TestFilesAreNamedAndFormatted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module roundtable\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string][]string{
		"study":    {"two-ballots.csv", "two-ballots.yaml"},
		"rule":     {"workflows/decision/twoballots.go", "workflows/decision/twoballots_test.go"},
		"stop":     {"workflows/stopping/twoballots.go", "workflows/stopping/twoballots_test.go"},
		"protocol": {"workflows/protocol/prompts/two_ballots/proposal.tmpl", "workflows/protocol/prompts/two_ballots/system.tmpl", "workflows/protocol/prompts/two_ballots/vote.tmpl", "workflows/protocol/twoballots.go", "workflows/protocol/twoballots_test.go"},
		"env":      {"envs/twoballots/prompts/background.tmpl", "envs/twoballots/prompts/proposal.tmpl", "envs/twoballots/prompts/task.tmpl", "envs/twoballots/twoballots.go", "envs/twoballots/twoballots_test.go"},
	} {
		name := "two_ballots"
		if kind == "study" {
			name = "two-ballots"
		}
		w, err := scaffold.Write(catalogue.Builtin(), dir, kind, name)
		if err != nil || strings.Join(w.Files, " ") != filepath.FromSlash(strings.Join(want, " ")) {
			t.Errorf("%s: wrote %v, error %v; want %v", kind, w.Files, err, want)
		}
		if _, err := scaffold.Write(catalogue.Builtin(), dir, kind, name); err == nil || !strings.Contains(err.Error(), "exists; nothing was written") {
			t.Errorf("%s a second time: %v", kind, err)
		}
	}
	out, err := exec.Command("gofmt", "-l", dir).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v\n%s", err, out)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ kind, name, says string }{
		{"rules", "mine", "known are study, rule, stop, protocol and env"},
		{"rule", "My-Rule", `the name "My-Rule" cannot be used`},
		{"rule", "borda", `there is a rule "borda" already`},
		{"rule", "simple", `there is a rule "simple" already`}, // an alias
		{"study", "my_study", `the name "my_study" cannot be used`},
		{"study", "My study", `the name "My study" cannot be used`},
		{"rule", "mine", "is not the root of roundtable's source code"},
	} {
		if _, err := scaffold.Write(catalogue.Builtin(), dir, c.kind, c.name); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: error %v does not say %q", c.kind, c.name, err, c.says)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files were written", len(left))
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module roundtable.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(catalogue.Builtin(), dir, "rule", "mine"); err == nil || !strings.Contains(err.Error(), "is not the root") {
		t.Errorf("in another module: %v", err)
	}
}
