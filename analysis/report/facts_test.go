package report

import (
	"errors"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// A transcript says what it was about, what proposals are worth, and how to see its prompts.
func TestAboutIsInTheTranscript(t *testing.T) {
	s := source(collaboration("majority", 0, 1, "I want 30 apples."))
	s.About = func(record.Key) (About, error) {
		return About{
			Facts: []Fact{{Name: "Question", Text: "Who <b>reads</b> this?"}, {Name: "Right answer", Text: "B"}},
			Worth: func(string) (Worth, bool) { return Worth{.75, []float64{3, 2, 1}}, true },
		}, nil
	}
	s.Acts = func(record.Key) (map[int32][]string, error) { return map[int32][]string{0: {"Request"}}, nil }
	page := write(t, s)
	for _, says := range []string{
		"<dt>Question</dt><dd>Who &lt;b&gt;reads&lt;/b&gt; this?</dd>", "<dt>Right answer</dt><dd>B</dd>",
		"roundtable show made-up/majority-1-i0-r0.0 --prompts --raw", "score 0.75; worth to Ann 3, Bob 2, Cem 1", `<span class="act">Request</span>`,
	} {
		if !strings.Contains(page, says) {
			t.Errorf("%q is not in the page", says)
		}
	}
	s.About = func(record.Key) (About, error) { return About{}, errors.New("the data folder has gone") }
	if page := write(t, s); !strings.Contains(page, "cannot be shown: the data folder has gone") {
		t.Error("the page is silent about facts that are lost")
	}
}
