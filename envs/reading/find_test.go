package reading

import (
	"fmt"
	"testing"
)

// What looks like an answer and is none is not found: words that stand for two options or are labels, words inside of
// others, and numbers that count steps, belong to a name or are spelled in a phrase.
func TestWhatIsNotFound(t *testing.T) {
	texts := func(text string, all []found) (list []string) {
		for _, f := range all {
			list = append(list, text[f.from:f.to])
		}
		return list
	}
	for text, want := range map[string]string{"x2 and 7": "[7]", "step 3 gives 7": "[7]", "7, as in agent 2": "[7]", "1. first, then 7": "[7]", "this one": "[]", "one of them": "[]", "one or 7": "[one 7]"} {
		if got := fmt.Sprint(texts(text, Number(false).findNumbers(text, 0, len(text)))); got != want {
			t.Errorf("numbers of %q are %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"x2, so candidate 3": "[candidate 3]", "1 or 2": "[1 2]"} {
		if got := fmt.Sprint(texts(text, Candidates(3).findCandidates(text, 0, len(text)))); got != want {
			t.Errorf("candidates of %q are %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"new york or york": "[[0 8] [12 16]]", "york": "[[0 4]]", "red or the b": "[]", "newyork": "[]"} {
		if got := fmt.Sprint(Options([]string{"New York", "York", "red", "red", "B"}).findWords(text)); got != want {
			t.Errorf("words of options in %q are at %s, want %s", text, got, want)
		}
	}
}
