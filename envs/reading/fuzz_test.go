package reading

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Whatever a text is, what is read is an answer of its form, or there is none, soon.
func FuzzRead(f *testing.F) {
	for _, file := range []string{"corpus_en.tsv", "corpus_other.tsv", "corpus_hard.tsv"} {
		for n, i := range corpus(f, file) {
			if n%10 == 0 {
				f.Add(i.text, uint8(n))
			}
		}
	}
	for _, s := range []string{strings.Repeat("(A) or ", 900), strings.Repeat("[0,", 3000), strings.Repeat(`\boxed{`, 900), "\uE000 (A)", "\xff(A)"} {
		f.Add(s, uint8(0))
	}
	names := []string{"cap", "ten", "sev", "yn", "int", "numde", "bal"}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		form := questions[names[int(n)%len(names)]]
		began := time.Now()
		got, err := form.Read(text, n > 127)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%d bytes took %v", len(text), took)
		}
		switch {
		case err != nil && got != Answer{}, err == nil && (got.Text == "" || got.Way == ""):
			t.Errorf("%q, %v", got, err)
		case err == nil && len(form.labels) > 0 && !form.several && !slices.Contains(form.labels, got.Text):
			t.Errorf("%q is not a label", got.Text)
		case err == nil && form.yesNo && got.Text != "yes" && got.Text != "no":
			t.Errorf("%q is neither yes nor no", got.Text)
		}
	})
}
