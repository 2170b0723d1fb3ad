package report

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// Answers that could not be used are shown as they came, those of entries that
// were asked again too; what cannot be read is said, and the rest still shown.
func TestUnusableAnswersAreShown(t *testing.T) {
	rows := failing()
	rows.Turns[0].Asks = 2
	s := source(rows)
	var asked []int
	s.Unusable = func(of record.Key, entries []int) (map[int][]Unusable, error) {
		asked = entries
		return map[int][]Unusable{
			0: {{Ask: 0, Fault: "the answer is not JSON", Raw: []byte("Sure! Here you go")}},
			1: {{Ask: 0, Fault: "cut", Raw: []byte("a" + strings.Repeat("ä", longest))}, {Ask: 1, Fault: "odd", Raw: []byte("\xffcaf\xc3")}},
		}, errors.New("000001.2.json is torn")
	}
	page := write(t, s)
	for _, says := range []string{
		"Answer 1 could not be used: the answer is not JSON</summary><pre tabindex=\"0\">Sure! Here you go</pre>",
		"Answer 2 could not be used: odd</summary><pre tabindex=\"0\">\uFFFDcaf\uFFFD</pre>",
		"ä… (16385 bytes; all of it is in the lake)", "Raw answers are missing: 000001.2.json is torn",
	} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if !slices.Equal(asked, []int{0, 1}) {
		t.Errorf("entries %v are asked for, want those with a fault", asked)
	}
	if !strings.Contains(page, "<pre tabindex=\"0\">a"+strings.Repeat("ä", longest/2-1)+"…") {
		t.Error("a long answer is not cut between letters")
	}
}

// A generation that was run again is listed, told and blamed, and counted nowhere else.
func TestEarlierGenerations(t *testing.T) {
	first, now := failing(), collaboration("rated", 1, 1, "hello")
	now.Collaborations[0].Generation = 1
	s := source(now)
	s.Earlier = sequence([]record.Rows{first})
	page, _, w := writeFolder(t, s)
	if w.Collaborations != 1 {
		t.Errorf("%d collaborations", w.Collaborations)
	}
	for _, says := range []string{
		"1 collaborations finished: 1 succeeded, 0 failed, 0 stopped. Generations that were run again, listed too: 1.",
		`<a href="report-transcripts/rated-1-i0-r1.0.html">`, `"rated-1-i0-r1.0","run again"`, `"rated-1-i0-r1","undecided"`, "failed, run again", "collaboration failed (run again since)",
		`<th scope="row">decision rule</th><td>rated</td>`,
	} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if strings.Contains(page, "SIMULATED: answers by scripted agents, not by language models, in") {
		t.Error("an earlier generation counts as a collaboration")
	}
}
