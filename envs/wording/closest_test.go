package wording

import (
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	rules := []string{"majority", "unanimous", "approval", "ranked"}
	if got := DidYouMean(strings.Repeat("m", 1_000_000), []string{"majority", strings.Repeat("m", 999_999)}); got != "" { // at once
		t.Errorf("of a million letters: %.30q", got)
	}
	for written, want := range map[string]string{
		"majorty": "; did you mean majority?", "Approvall": "; did you mean approval?", "rankde": "; did you mean ranked?", "condorcet": "", "": "", "x": "",
	} {
		if got := DidYouMean(written, rules); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}
