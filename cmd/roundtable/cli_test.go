package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"roundtable/cmd/commands"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func newRoot() *cobra.Command { return commands.NewRoot(catalogue.Builtin()) }

// each visits the commands below one.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		visit(c)
		each(c, visit)
	}
}

// ran is how the program ends with some arguments.
func ran(t *testing.T, args ...string) done {
	t.Helper()
	var out, said bytes.Buffer
	code := commands.Execute(context.Background(), catalogue.Builtin(), args, &out, &said)
	return done{out.String(), said.String(), code}
}

// With --json an error is the one document on standard output; it stays in words on standard error.
func TestErrorsAreJSON(t *testing.T) {
	t.Parallel()
	o, _, _ := reading(t)
	for _, args := range [][]string{
		{"analyze", "nobody", "--lake", o.Lake}, {"status", "nobody", "--lake", o.Lake}, {"analyze", "reading", "--nonsense"},
		{"run", "none.yaml", "--lake", filepath.Join(t.TempDir(), "lake")}, {"frobnicate"}, {"tune"},
	} {
		d := ran(t, append(args, "--json")...)
		got := document(t, d.out)
		if d.code != cli.ExitUsage || got["exit_code"] != float64(cli.ExitUsage) || !strings.Contains(d.err, got["error"].(string)) {
			t.Errorf("%v: code %d, %s%s", args, d.code, d.out, d.err)
		}
		if d = ran(t, args...); d.out != "" || d.code != cli.ExitUsage {
			t.Errorf("%v without --json: code %d, %q", args, d.code, d.out)
		}
	}
	d := ran(t, "data", "movielens", "--path", t.TempDir(), "--json") // a document of its own, and an error
	if got := document(t, d.out); d.code != cli.ExitFailed || got["ok"] != false || got["error"] != nil {
		t.Errorf("code %d, %s", d.code, d.out)
	}
}

func TestUnknownCommandsAndFlags(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		`unknown command "statsu"`:                            {"statsu"},
		`unknown command "nosuch"`:                            {"help", "nosuch"},
		"it is a key of the campaign file; write replicates:": {"run", "x.yaml", "--replicates", "3"},
		"--timout of roundtable tune; did you mean --timeout": {"tune", "x", "--timout", "3s"},
		"expected 1 campaign file, got 2":                     {"run", "a.yaml", "b.yaml"},
		"list takes one of":                                   {"list", "rulse"},
		"did you mean rules?":                                 {"list", "rulse"},
	} {
		if d := ran(t, args...); d.code != cli.ExitUsage || !strings.Contains(d.err, says) {
			t.Errorf("%v: code %d, %s", args, d.code, d.err)
		}
	}
	if d := ran(t, "help", "cache", "stats"); d.code != 0 || !strings.Contains(d.out, "roundtable cache stats") {
		t.Errorf("help of a command of a command: code %d, %s", d.code, d.out)
	}
	if d, v := ran(t, "--version"), ran(t, "version"); d.code != 0 || d.out != v.out || !strings.HasPrefix(d.out, "roundtable ") {
		t.Errorf("--version: %q, version: %q", d.out, v.out)
	}
}

// Every command explains itself, in a group, with examples that it understands.
func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	example := regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	each(newRoot(), func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "temporal" || c.Name() == "completion" {
			return
		}
		if c.Long == "" || c.Example == "" || c.Parent() == newRoot() && c.GroupID == "" {
			t.Errorf("%s has no explanation, example or group", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			words := example.FindAllString(strings.TrimSpace(line), -1)
			at := slices.Index(words, "roundtable")
			cmd, rest, err := newRoot().Find(words[at+1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil || !strings.HasPrefix(cmd.CommandPath(), c.CommandPath()) {
				t.Errorf("the example %q of %s: %v", line, c.CommandPath(), err)
			}
		}
	})
	d := ran(t, "help", "run")
	for _, flag := range []string{"--temporal", "--namespace", "--insecure"} {
		if strings.Contains(d.out, flag) || !strings.Contains(ran(t, "help", "temporal").out, flag) {
			t.Errorf("%s belongs to the help of temporal alone:\n%s", flag, d.out)
		}
	}
	contains(t, ran(t, "--help").out, "Run campaigns:", "Read results:", "roundtable temporal")
}

func TestCompletion(t *testing.T) {
	o, s, p := reading(t)
	id := commit(t, s, p, 0, 0, "succeeded").Collaboration
	for want, args := range map[string][]string{
		"reading":              {"analyze", "re"},
		"reading\n":            {"status", ""},
		id:                     {"show", id[:8]},
		"reading/" + id:        {"show", "reading/"},
		"debate-by-round\n":    {"analyze", "reading", "--table", "debate-by-r"},
		"trajectories\n":       {"analyze", "reading", "--figure", "tra"},
		"latex\n":              {"analyze", "reading", "--format", "la"},
		"yaml\n":               {"run", ""},
		"figures\n":            {"list", "fig"},
		"tune\tChange the lim": {"help", "tun"},
	} {
		d := ran(t, append([]string{"__complete", "--lake", o.Lake}, args...)...)
		if d.code != 0 || !strings.Contains(d.out, want) {
			t.Errorf("%v completes to code %d, %q, want %q", args, d.code, d.out, want)
		}
	}
}

// Nothing is left of a lake in which nothing was written.
func TestRefusedFilesLeaveNoLake(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "bad.yaml", "name: bad\nrule: majorty\n")
	save(t, dir, "good.yaml", readingCampaign)
	lake := filepath.Join(dir, "new", "lake")
	for code, args := range map[int][]string{
		cli.ExitUsage: {"run", filepath.Join(dir, "bad.yaml")}, 0: {"plan", filepath.Join(dir, "good.yaml")},
	} {
		if d := ran(t, append(args, "--lake", lake, "--state", filepath.Join(dir, "state"))...); d.code != code {
			t.Errorf("%v: code %d, %s", args, d.code, d.err)
		}
	}
	for _, left := range []string{"new", "state"} {
		if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
			t.Errorf("%s was made", left)
		}
	}
	d := ran(t, "run", filepath.Join(dir, "god.yaml"), "--lake", lake)
	contains(t, d.err, "there is no campaign file", "in that folder: ", "did you mean "+filepath.Join(dir, "good.yaml"))
	save(t, dir, "replay.yaml", strings.Replace(readingCampaign, "scripted/trader", "replay/readin", 1))
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	d = ran(t, "plan", filepath.Join(dir, "replay.yaml"), "--lake", o.Lake)
	if contains(t, d.err, `the lake has no campaign "readin" to replay; it has reading`, "did you mean reading?"); strings.Contains(d.err, "manifest") {
		t.Errorf("a file of the lake's own is named: %s", d.err)
	}
}

func TestLakeOfTheEnvironment(t *testing.T) {
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	t.Setenv("ROUNDTABLE_LAKE", o.Lake)
	if d := ran(t, "list", "campaigns"); d.code != 0 || !strings.Contains(d.out, "reading") {
		t.Errorf("code %d, %s%s", d.code, d.out, d.err)
	}
	if d := ran(t, "status", "redaing", "--state", t.TempDir()); !strings.Contains(d.err, "it has reading; did you mean reading?") {
		t.Errorf("an unknown campaign: %s", d.err)
	}
}

// tune says what changes, and status the limits.
func TestTuneSaysWhatChanges(t *testing.T) {
	t.Parallel()
	o, _, _ := reading(t)
	in := func(args ...string) done { return ran(t, append(args, "--lake", o.Lake, "--state", t.TempDir())...) }
	d := in("tune", "reading", "--calls", "7", "--cost-usd", "2.5", "--json")
	contains(t, d.out, `"limit": "calls"`, `"old": "200"`, `"new": "7"`, `"limit": "cost_usd"`, `"old": "none"`, `"new": "$2.5"`, `"running": false`)
	d = in("tune", "reading", "--calls", "9", "--model", "scripted/trader", "--timeout", "90s")
	contains(t, d.out, "the next resume uses the new limits: models.scripted/trader.calls none → 9, models.scripted/trader.timeout none → 90s")
	if d = in("tune", "reading", "--cost-usd", "2.5"); d.code != cli.ExitUsage || !strings.Contains(d.err, "no limit changes") {
		t.Errorf("code %d, %s", d.code, d.err)
	}
	contains(t, in("status", "reading").out, "0 of 22 collaborations finished", "0% done", "limits: collaborations 64, calls 7, cost_usd $2.5, tokens none, models.scripted/trader.calls 9")
}

// The name of a file says the format, or is refused.
func TestTablesInFiles(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	dir := t.TempDir()
	write := func(name string) (done, string) {
		file := filepath.Join(dir, name)
		d := ran(t, "analyze", "reading", "--lake", o.Lake, "--table", "summary", "-o", file)
		data, _ := os.ReadFile(file)
		return d, string(data)
	}
	for name, want := range map[string]string{"t.tex": `\begin{tabular}`, "t.html": "<table", "t.md": "| rule |", "t.txt": "-----", "t": "-----", "t.csv": "rule,"} {
		if d, text := write(name); d.code != 0 || !strings.Contains(text, want) {
			t.Errorf("%s: code %d, %s%s", name, d.code, d.err, text)
		}
	}
	for name, want := range map[string]string{"t.xlsx": `tables are not written as "xlsx"; name the file .txt, .md`, "none/t.csv": "there is no folder " + filepath.Join(dir, "none"), ".": "is a folder"} {
		if d, _ := write(name); d.code != cli.ExitUsage || !strings.Contains(d.err, want) {
			t.Errorf("%s: code %d, %s", name, d.code, d.err)
		}
	}
	if d := ran(t, "export", "reading", "--lake", o.Lake, "--table", "turns", "-o", filepath.Join(dir, "none", "t.csv")); d.code != cli.ExitUsage || !strings.Contains(d.err, "there is no folder "+filepath.Join(dir, "none")) {
		t.Errorf("export to a folder that is missing: code %d, %s", d.code, d.err)
	}
}
