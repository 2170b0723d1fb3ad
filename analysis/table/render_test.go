package table

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, []Table{hostile()}); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "hostile."+format)
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, b.Bytes()) {
			t.Errorf("%s differs (go test -update writes it):\n%s", golden, &b)
		}
	}
	if err := Write(&bytes.Buffer{}, "xls", nil); err == nil || !strings.Contains(err.Error(), "csv") {
		t.Errorf("an unknown format says %v", err)
	}
}

// hostile is what a table could be made to carry.
func hostile() Table {
	return Table{Name: "x", Title: "a\x1b[31m title", Columns: []string{"=name", "value"}, Rows: [][]Cell{
		{Word("=HYPERLINK(\"x\")"), Number(-1.5, 2)}, {Word("+1|2"), {}}, {Word("-a\nb"), Number(2, 0)},
		{Word("@x\u202e\xff"), {Value: new(1.0 / 3), N: 2, SE: new(.125), Decimals: 3, Partial: true}}, {Word("x=1"), {}},
	}}
}

func TestSpreadsheetsAreSafe(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, "csv", []Table{hostile()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"'=name,", `"'=HYPERLINK(""x"")",-1.5,`, "'+1|2,", "'-a b,2,", "'@x", "\nx=1,", ",0.3333333333333333,0.125,2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	text := hostile().Text() + hostile().Markdown() + b.String()
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == '\u202e' || r == 0x1b }); i >= 0 {
		t.Errorf("a control character comes through: %q", text[max(0, i-10):i+10])
	}
}
