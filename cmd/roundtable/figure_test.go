package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"testing"
)

func TestAnalyzeDraws(t *testing.T) {
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 2, 0, "succeeded")
	svg, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "3")
	if err != nil {
		t.Fatal(err)
	}
	contains(t, svg, "<svg", "SIMULATED", "majority", "n = 2 replicates")
	file := filepath.Join(t.TempDir(), "f.png")
	if out, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "3", "-o", file); err != nil || out != "" {
		t.Fatalf("%v, and on standard output %q", err, out)
	}
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
	numbers, err := runCommand(t, "analyze", "reading", "--lake", o.Lake, "--figure", "3", "--json")
	if err != nil {
		t.Fatal(err)
	}
	if d := document(t, numbers); d["name"] != "3" || len(d["panels"].([]any)) != 1 {
		t.Errorf("the numbers are %v", d)
	}
}

func TestAnalyzeDoesNotDraw(t *testing.T) {
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	for _, x := range []struct{ args, says []string }{
		{[]string{"--figure", "4"}, []string{"recsys", "reading"}},
		{[]string{"--figure", "99"}, []string{`"99"`, "21"}},
		{[]string{"--figure", "3", "--format", "gif"}, []string{"gif", "svg, png, json"}},
		{[]string{"--figure", "3", "-o", "figure.pdf"}, []string{"pdf", "svg, png, json"}},
		{[]string{"--figure", "3", "--table", "1"}, []string{"--table and --figure"}},
		{[]string{"--figure", "3", "--json", "--format", "png"}, []string{"both"}},
	} {
		_, err := runCommand(t, append([]string{"analyze", "reading", "--lake", o.Lake}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says...)
	}
}
