package wording_test

import (
	"encoding/json"
	"testing"

	"roundtable/envs/wording"
)

func TestForeignText(t *testing.T) {
	t.Parallel()
	hostile := "a\x1b[2Jb\tc\nd\u202ee\u2028f\x00g\xffh"
	if got, want := wording.SafeLine(hostile), "a [2Jb c d e f g\uFFFDh"; got != want {
		t.Errorf("Line: %q, want %q", got, want)
	}
	if got, want := wording.SafeLines(hostile), "a␛[2Jb c\nd\\u202ee\\u2028f␀g\uFFFDh"; got != want {
		t.Errorf("Lines: %q, want %q", got, want)
	}
	if got, want := wording.SafeLines("a\r\nb\rc\x7f\u009b"), "a\nb␍c␡\\u009b"; got != want {
		t.Errorf("Lines: %q, want %q", got, want)
	}
	data := []byte("{\n\"x\": \"\u202e \x7f\"\n}")
	escaped := wording.EscapeJSON(data)
	if got, want := string(escaped), "{\n\"x\": \"\\u202e \\u007f\"\n}"; got != want {
		t.Errorf("EscapeJSON: %q, want %q", got, want)
	}
	var before, after any
	if json.Unmarshal(data, &before) != nil || json.Unmarshal(escaped, &after) != nil || before.(map[string]any)["x"] != after.(map[string]any)["x"] {
		t.Errorf("%q and %q do not say the same", data, escaped)
	}
}

func TestFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"=1+1": true, "+1": true, "-1": true, "@SUM(A1)": true, "＝1+1": true, "＋1": true, "－1": true, "＠x": true,
		"": false, "a=1": false, "1": false, "\xff=": false, "≡": false,
	} {
		if got := wording.IsFormula(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
