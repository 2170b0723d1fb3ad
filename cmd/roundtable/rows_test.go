package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRowsArePinned holds the condition ids and the digest of the rows of examples that
// cover the protocols, environments and models. Neither may change: an id names what
// was paid for, and whoever published a digest must find it again.
func TestRowsArePinned(t *testing.T) {
	dir := t.TempDir()
	for from, to := range map[string]string{"../../examples": "examples", "../../envs/recsys/testdata/ml-tiny": "envs/recsys/testdata/ml-tiny"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "examples"))
	var got strings.Builder
	for _, c := range []struct {
		name   string
		change []string
	}{
		{"voting-rules", []string{"replicates: 100", "replicates: 1"}},
		{"controls", []string{"replicates: 50", "replicates: 1"}},
		{"phases", []string{"replicates: 20", "replicates: 1"}},
		{"grids", []string{"replicates: 10", "replicates: 1"}},
		{"movielens-tiny", []string{"model:", "instances: 1\nmodel:"}},
		{"publicgoods", []string{"replicates: 10", "replicates: 1", "instances: 5", "instances: 1"}},
		{"delphi", []string{"replicates: 10", "replicates: 1", "instances: 5", "instances: 2"}},
		{"consensus", []string{"instances: 300", "instances: 3"}},
		{"consensus-networks", []string{"instances: 20", "instances: 3"}},
		{"robots", []string{"instances: 20", "instances: 3"}},
		{"deliberation", []string{"instances: 60", "instances: 1"}},
		{"debate", []string{"replicates: 3", "instances: 1"}},
		{"debate-when-needed", []string{"replicates: 6", "instances: 3"}},
		{"viewpoints", []string{"replicates: 2", "instances: 1", "[1, 4, 7, 10, 12, 14, 16, 18, 20]", "[1, 7, 20]"}},
		{"voting-or-consensus", []string{"replicates: 3", "instances: 1"}},
		{"challenges", []string{"replicates: 3", "instances: 2"}},
		{"baselines", []string{"replicates: 4", "instances: 1", "samples: 60", "samples: 12"}},
		{"own-questions", []string{"replicates: 5", "instances: 2"}},
		{"own-study", []string{"replicates: 3", "instances: 1"}},
		{"judged-questions", []string{"replicates: 3", "instances: 1"}},
		{"labels-by-hand", []string{"replicates: 40", "replicates: 2"}},
	} {
		path := c.name + ".yaml"
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(c.change); i += 2 {
			if strings.Count(string(text), c.change[i]) == 0 {
				t.Fatalf("%s has no %q", path, c.change[i])
			}
			text = []byte(strings.Replace(string(text), c.change[i], c.change[i+1], 1))
		}
		save(t, ".", path, string(text))
		if d := ran(t, "run", path, "--json"); d.code != 0 {
			t.Fatalf("run %s: code %d\n%s%s", path, d.code, d.out, d.err)
		}
		var plan struct{ Conditions []struct{ Condition string } }
		var rows struct {
			Digest     string
			OK, Sealed bool
		}
		for _, x := range []struct {
			args []string
			into any
		}{{[]string{"plan", path, "--json"}, &plan}, {[]string{"verify", c.name, "--json"}, &rows}} {
			d := ran(t, x.args...)
			if err := json.Unmarshal([]byte(d.out), x.into); err != nil || d.code != 0 {
				t.Fatalf("%v: code %d, %v\n%s%s", x.args, d.code, err, d.out, d.err)
			}
		}
		if !rows.OK || !rows.Sealed || rows.Digest == "" || len(plan.Conditions) == 0 {
			t.Fatalf("%s: %+v, %d conditions", c.name, rows, len(plan.Conditions))
		}
		fmt.Fprintf(&got, "%s %s\n", c.name, rows.Digest)
		for _, c := range plan.Conditions {
			fmt.Fprintf(&got, "  %s\n", c.Condition)
		}
	}
	t.Chdir(here)
	golden(t, "rows", got.String())
}
