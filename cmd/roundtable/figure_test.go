package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

func TestAnalyzeDraws(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 2, 0, "succeeded")
	svg, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "utility-by-rule")
	noError(t, err)
	contains(t, svg, "<svg", "SIMULATED", "majority", "n = 2 replicates")
	file := filepath.Join(t.TempDir(), "f.png")
	if out, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "utility-by-rule", "-o", file); err != nil || out != "" {
		t.Fatalf("%v, and on standard output %q", err, out)
	}
	picture, err := os.ReadFile(file)
	noError(t, err)
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	numbers, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "utility-by-rule", "--json")
	noError(t, err)
	if d := document(t, numbers); d["name"] != "utility-by-rule" || len(d["panels"].([]any)) != 1 {
		t.Errorf("the numbers are %v", d)
	}
}

// A figure for a journal is a PDF, or an SVG, of the width that is asked for.
func TestAnalyzeDrawsForPrint(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 2, 0, "succeeded")
	svg, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "conditions", "--width", "85mm")
	noError(t, err)
	contains(t, svg, `width="240.94pt"`, "SIMULATED", "majority")
	file := filepath.Join(t.TempDir(), "f.pdf")
	if out, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "conditions", "--width", "85mm", "-o", file); err != nil || out != "" {
		t.Fatalf("%v, and on standard output %q", err, out)
	}
	written, err := os.ReadFile(file)
	noError(t, err)
	contains(t, string(written), "%PDF-", "/MediaBox [0 0 240.94 ")
}

func TestAnalyzeDoesNotDraw(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	for _, x := range []struct{ args, says []string }{
		{[]string{"--figure", "rating-errors"}, []string{"recsys", "reading"}},
		{[]string{"--figure", "99"}, []string{`"99"`, "squared-rating-errors"}},
		{[]string{"--figure", "utility-by-rule", "--format", "gif"}, []string{"gif", "svg, png, pdf or json"}},
		{[]string{"--figure", "utility-by-rule", "-o", "figure.eps"}, []string{"eps", "svg, png, pdf or json"}},
		{[]string{"--figure", "utility-by-rule", "--width", "85"}, []string{`"85"`, "85mm"}},
		{[]string{"--figure", "utility-by-rule", "--width", "85mm", "--json"}, []string{"--width", "json", "svg, png or pdf"}},
		{[]string{"--width", "85mm"}, []string{"--figure"}},
		{[]string{"--figure", "utility-by-rule", "--table", "utility-by-rule"}, []string{"--table and --figure"}},
		{[]string{"--figure", "utility-by-rule", "--json", "--format", "png"}, []string{"both"}},
	} {
		_, err := runCommand(t, append([]string{"analyze", "reading", "--lake", o.Lake}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says...)
	}
}

// A paper's number works as a name does.
func TestTablesAndFiguresHaveAliases(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	for flag, alias := range map[string]string{"--table": "paper1/table-1", "--figure": "paper1/figure-3"} {
		want := ran(t, "analyze", "reading", "--lake", o.Lake, "--json", flag, "utility-by-rule")
		if want.code != 0 || want.err != "" || !strings.Contains(want.out, `"name": "utility-by-rule"`) {
			t.Fatalf("%s: %d %s\n%s", flag, want.code, want.err, want.out)
		}
		if got := ran(t, "analyze", "reading", "--lake", o.Lake, "--json", flag, alias); got.code != 0 || got.out != want.out || got.err != "" {
			t.Errorf("%s %s: %d %s\n%s", flag, alias, got.code, got.err, got.out)
		}
	}
	for flag, want := range map[string]string{"--table=utility-by-rul": "did you mean utility-by-rule?", "--figure=message-lengh": "did you mean message-length?"} {
		if got := ran(t, "analyze", "reading", "--lake", o.Lake, flag); got.code != cli.ExitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: %d %s", flag, got.code, got.err)
		}
	}
}
