package report

import (
	"errors"
	"strings"
	"testing"

	"roundtable/analysis/record"
	"roundtable/analysis/telling"
)

// A transcript says what it was about, and how to see its prompts.
func TestFactsAreInTheTranscript(t *testing.T) {
	s := source(collaboration("majority", 0, 1, "I want 30 apples."))
	s.Facts = func(record.Key) ([]telling.Fact, error) {
		return []telling.Fact{{Name: "Question", Text: "Who <b>reads</b> this?"}, {Name: "Right answer", Text: "B"}}, nil
	}
	page, _, _ := write(t, s)
	for _, says := range []string{"<dt>Question</dt><dd>Who &lt;b&gt;reads&lt;/b&gt; this?</dd>", "<dt>Right answer</dt><dd>B</dd>", "roundtable show made-up/majority-1-i0-r0.0 --prompts --raw"} {
		if !strings.Contains(page, says) {
			t.Errorf("%q is not in the page", says)
		}
	}
	s.Facts = func(record.Key) ([]telling.Fact, error) { return nil, errors.New("the data folder has gone") }
	if page, _, _ := write(t, s); !strings.Contains(page, "cannot be shown: the data folder has gone") {
		t.Error("the page is silent about facts that are lost")
	}
}
