package qa

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
)

// Public layouts beside those of the guide are read right, or refused with what to write; see
// testdata/layouts.txt, which -update writes: read each line that changes.
func TestOtherPublicLayouts(t *testing.T) {
	const name = "testdata/layouts.txt"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, sets, _ := strings.Cut(string(file), "\n== ")
	updated := strings.Builder{}
	updated.WriteString(strings.TrimSpace(head) + "\n")
	for set := range strings.SplitSeq(sets, "\n== ") {
		title, rest, _ := strings.Cut(set, "\n")
		data, tries, _ := strings.Cut(rest, "\n-- ")
		fmt.Fprintf(&updated, "\n== %s\n%s\n", title, data)
		for try := range strings.SplitSeq(tries, "\n-- ") {
			lines, want, _ := strings.Cut(try, "\n=> ")
			got := outcome(title, data, lines)
			if want = strings.TrimRight(want, "\n"); got != want {
				t.Errorf("%s with %q: %s; want %s", title, lines, got, want)
			}
			fmt.Fprintf(&updated, "-- %s\n=> %s\n", lines, got)
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(name, []byte(updated.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// outcome returns the right answers of a file that is read by some lines, with the warnings, or
// why it is not read.
func outcome(file, data, lines string) string {
	format := map[string]string{".jsonl": "jsonl", ".csv": "csv", ".tsv": "csv"}[path.Ext(file)]
	x := published{lines: fmt.Sprintf("format: %s\nfile: %s\n%s", format, file, strings.ReplaceAll(lines, "; ", "\n")), file: file, data: []byte(data)}
	e, err := x.read()
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return "error: " + strings.TrimPrefix(first, file+", ")
	}
	var keys []string
	for i := range e.Instances() {
		in, err := e.Instance(1, i)
		if err != nil {
			return err.Error()
		}
		keys = append(keys, strings.Join(in.(*Instance).acceptedAnswers(), "|"))
	}
	s, err := e.Survey(1)
	if err != nil {
		return err.Error()
	}
	return strings.Join(append([]string{strings.Join(keys, " ")}, s.Warnings...), "; warning: ")
}
