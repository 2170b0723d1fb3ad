// Package deploy checks the files of infra/deploy: each with its own tool (Helm,
// kubeconform with the schemas of Kubernetes and KEDA, the library of `docker compose
// config`, hadolint and BuildKit's parser, terraform against the providers' schemas),
// and what they mean: not root, a read-only root, limits, secrets by reference only,
// variables and command lines that the program knows. Each tool has to find an error
// that is planted.
package deploy

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	binary   = flag.String("roundtable", "", "the built program")
	schemas  = flag.String("kubernetes-schemas", "", "folder of the schemas of one version of Kubernetes; without it manifests are not compared with them")
	hadolint = flag.String("hadolint", "", "the program hadolint; without it that is not run")
	update   = flag.Bool("update", false, "write infra/deploy/manifests from the chart")
)

const (
	root  = "../.."
	files = root + "/infra/deploy"
)

// read returns a file below infra/deploy.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(files, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// readRoot returns a file of the repository.
func readRoot(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// plant returns text with an error in it: old, which must be there, becomes bad.
func plant(t *testing.T, text, old, bad string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("nothing to plant an error in: %q is not there", old)
	}
	return strings.ReplaceAll(text, old, bad)
}

// finds fails the test unless the planted error was found and is named.
func finds(t *testing.T, err error, names string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("a planted error is not found: %s", names)
	case !strings.Contains(err.Error(), names):
		t.Errorf("a planted error is found, but %q is not named: %v", names, err)
	default:
		t.Logf("a planted error is found: %.200v", err)
	}
}

// execute runs a program; its output is in the error.
func execute(env []string, dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out.String())
	}
	return out.String(), nil
}

var variable = regexp.MustCompile("`([A-Z][A-Z0-9_]+)`")

// documented returns the variables that the documentation says the program reads.
func documented(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, page := range []string{"operating.md", "providers.md", "s3.md"} {
		for _, m := range variable.FindAllStringSubmatch(readRoot(t, "docs/guides/"+page), -1) {
			known[m[1]] = true
			if file, ok := strings.CutSuffix(m[1], "_PATH"); ok && strings.HasPrefix(file, "TEMPORAL_TLS_") {
				known[file+"_DATA"] = true // "or with `_DATA` the PEM itself"
			}
		}
	}
	if !known["ROUNDTABLE_LAKE"] || !known["TEMPORAL_API_KEY"] || known["ROUNDTABLE_LAKES"] {
		t.Fatal("the table of variables in docs/guides/operating.md is not read as it stands there")
	}
	return known
}

// accepts returns the error of the program for a command line: its command or one of its
// flags is not known. Nothing is carried out.
func accepts(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no command")
	}
	out, err := execute(nil, ".", *binary, append(append([]string{}, args...), "--help")...)
	if err != nil {
		return err
	}
	if !strings.Contains(out, "  roundtable "+args[0]) {
		return fmt.Errorf("roundtable has no command %q", args[0])
	}
	return nil
}

func TestMain(m *testing.M) {
	flag.Parse()
	if *binary == "" && !*update {
		fmt.Fprintln(os.Stderr, "-roundtable names no program")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// TestCommandLines shows that the check of command lines can fail.
func TestCommandLines(t *testing.T) {
	if err := accepts([]string{"prepare", "--insecure"}); err != nil {
		t.Error(err)
	}
	finds(t, accepts([]string{"worker", "--insecurely"}), "--insecurely")
	finds(t, accepts([]string{"work"}), `"work"`)
}
