package wording

import "testing"

func TestDidYouMean(t *testing.T) {
	rules := []string{"majority", "unanimous", "approval", "ranked"}
	for written, want := range map[string]string{
		"majorty": "; did you mean majority?", "Approvall": "; did you mean approval?", "rankde": "; did you mean ranked?", "condorcet": "", "": "", "x": "",
	} {
		if got := DidYouMean(written, rules); got != want {
			t.Errorf("%q: %q, want %q", written, got, want)
		}
	}
}
