package qa

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// What a text states is its answer; what it negates is none. The plain last
// match is what the authors' code takes.
func TestReadings(t *testing.T) {
	choice := Question{Kind: Choice, Options: strings.Split("a b c d e f g", " ")}
	yesno, integer := Question{Kind: YesNo}, Question{Kind: Integer}
	for _, x := range []struct {
		q                  Question
		text, stated, last string // "" if it is unusable
	}{
		{yesno, "Yes. There is no doubt about it.", "yes", "no"},
		{yesno, "The answer is not yes.", "", "yes"},
		{yesno, "The answer is not yes but no.", "no", "no"},
		{yesno, "The answer is no: yes would need proof.", "no", "yes"},
		{yesno, "**Answer:** No. Yes is wrong.", "no", "yes"},
		{yesno, "I must say Yes or No. It is hard.", "", "no"},
		{yesno, "No it is not. There is no-one.", "no", "no"},
		{yesno, "The answer is: B) No.", "no", "no"},
		{yesno, "A) Yes", "yes", "yes"},
		{yesno, "Perhaps yes. I do not know.", "", "yes"},
		{choice, "The answer is (A), not (B).", "(A)", "(B)"},
		{choice, "The answer is not (A) or (B), it is (C).", "(C)", "(C)"},
		{choice, "So it is (A), not (B).", "(A)", "(B)"},
		{choice, "It isn't (B).", "", "(B)"},
		{choice, "The answer is (C): under Rule 12(b)(6) the motion fails.", "(C)", "(B)"},
		{choice, "(C), by Rule 12(b)(6).", "(C)", "(B)"},
		{choice, "None of the options (A) to (G) works.", "", "(G)"},
		{choice, "None of the options (A) and (B) works, so (C).", "(C)", "(C)"},
		{choice, "I looked at (A) and (B). The answer is none of these.", "", "(B)"},
		{choice, "It could be (A) or (B). I cannot answer this.", "", "(B)"},
		{choice, "I take (D), it cannot be determined.", "(D)", "(D)"},
		{choice, "(B) it is. None of the other options fits.", "(B)", "(B)"},
		{choice, "The answer is B, as (C) is wrong.", "(B)", "(C)"},
		{choice, "If the answer is (A), then (B) is as well. So (C).", "(C)", "(C)"},
		{choice, "Agent 2's answer is (A). I stay with (B).", "(B)", "(B)"},
		{choice, "The answer is (A). No: the answer is (D). (B) is wrong.", "(D)", "(B)"},
		{choice, "The answer is clear. (A) fails, (B) holds.", "(B)", "(B)"},
		{choice, "Answer:\n\n(E)\n\n(F) is close.", "(E)", "(F)"},
		{choice, "(A), but then (B).", "", "(B)"},
		{yesno, "I don't think the answer is yes.", "", "yes"},
		{yesno, "It is not the case that the answer is yes.", "", "yes"},
		{yesno, "There's no way the answer is yes. No.", "no", "no"},
		{yesno, "There is no doubt that the answer is yes.", "yes", "yes"},
		{yesno, "I doubt that the answer is yes.", "", "yes"},
		{yesno, "I am not sure, but the answer is yes.", "yes", "yes"},
		{yesno, "The answer is yes. I don't think the answer is no.", "yes", "no"},
		{choice, "I don't think the answer is (A), it is (B).", "(B)", "(B)"},
		{choice, "I don't believe that the correct option is (A) or (B).", "", "(B)"},
		{choice, "The answer is either (A) or (B). I choose (B).", "(B)", "(B)"},
		{choice, "The answer is either (B) or (A). I'd go with (B), not (A).", "(B)", "(A)"},
		{choice, "The answer is either (A) or (B).", "", "(B)"},
		{choice, "The answer is (A) or (B).", "", "(B)"},
		{choice, "The answer is either option (A) or option (B). (A) fails, so (B).", "(B)", "(B)"},
		{choice, "It is either (A) or (B).", "", "(B)"},
		{choice, "Answer (B). Do not choose (C).", "(B)", "(C)"},
		{choice, "(B). Do not choose (C).", "(B)", "(C)"},
		{choice, "Agent 1's answer (B) is wrong. So (C).", "(C)", "(C)"},
		{choice, "If I choose (B), (C) fails.", "", "(C)"},
		{choice, "The correct option is (B), because (C) contradicts it.", "(B)", "(C)"},
		{choice, "The correct choice is (B). (C) fails the test.", "(B)", "(C)"},
		{choice, "The answer must be (B). (A) is wrong and (C) too.", "(B)", "(C)"},
		{choice, "I pick B. It is not as bad as (C).", "(B)", "(C)"},
		{choice, `So \boxed{B}.`, "(B)", ""},
		{choice, `So \boxed{\text{B}}, as (C) fails and the answer is \boxed{D}.`, "(D)", "(C)"},
		{choice, "Hence **B**", "(B)", ""},
		{choice, "B", "(B)", ""},
		{choice, " b.\n", "(B)", ""},
		{choice, "H", "", ""},
		{integer, "So it is (1,234).", "1234", ""},
		{integer, "The answer is (42.0).", "42", ""},
		{integer, "It is (42.5), or (1,23).", "", ""},
		{integer, "The answer is (42), since f(3) = (41) + 1.", "42", "41"},
		{integer, "So f(2) = 5, that is (5). See g(7).", "5", "7"},
	} {
		for reading, want := range map[Reading]string{Stated: x.stated, Last: x.last} {
			x.q.reading = reading
			if got, err := x.q.Extract(x.text); got != want || (err != nil) != (want == "") {
				t.Errorf("%s: %q is read as %q, %v; want %q", reading, x.text, got, err, want)
			}
		}
	}
}

// The texts of package reading's corpus whose answers are words or formulas.
func TestCorpusOfTexts(t *testing.T) {
	for _, file := range []string{"corpus_en.tsv", "corpus_other.tsv", "corpus_held.tsv", "corpus_tried.tsv"} {
		data, err := os.ReadFile("../reading/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			parts := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
			kind := map[string]Kind{"txt": Text, "math": Math}[parts[0]]
			if kind == "" {
				continue
			}
			text := strings.ReplaceAll(parts[2], `\n`, "\n")
			got, err := Question{Kind: kind}.Extract(text)
			if (err == nil) != (parts[1] != "-") || err == nil && got != parts[1] {
				t.Errorf("%s %q is read as %q, %v, not %q", kind, text, got, err, parts[1])
			}
		}
	}
}

// What writers put around an answer to MATH is not part of it.
func TestMathAnswersAsWritten(t *testing.T) {
	q := Question{Kind: Math}
	for _, text := range []string{
		`\boxed{12}`, `\boxed{12.}`, `\boxed{$12$}`, `\boxed{\(12\)}`, `\boxed{\[12\]}`, `\boxed{$12.$}`, `\boxed{$$12$$}`, `\boxed{ 12 }`, `\boxed{ 12 , }`, `\boxed{12;}`,
		`\boxed{\$12}`, `\boxed{12\%}`, `\boxed{x=12}`, `\boxed{12\text{ cm}}`, `\boxed{12^\circ}`, `\boxed{12.\text{ cm}}`,
	} {
		if got, err := q.Extract(text); got != "12" || err != nil {
			t.Errorf("%s is read as %q, %v", text, got, err)
		}
	}
	if _, err := q.Extract(`\boxed{.}`); err == nil {
		t.Error("a full stop is an answer")
	}
}

// Each of MATH-500's right answers is right however it is written, of 3 × 500.
func TestMath500AsWritten(t *testing.T) {
	if _, err := os.Stat(shared + "math500/test.jsonl"); err != nil {
		t.Skip("no MATH-500 next to this checkout")
	}
	e := mustLoad(t, params("math500", "math500/test.jsonl"), shared)
	for _, q := range e.questions {
		in := Instance{env: e, q: q}
		for _, form := range []string{"%.", "$%$", `\(%\)`, `\[%\]`, "$%.$"} {
			text := `So \boxed{` + strings.ReplaceAll(form, "%", q.Gold[0]) + "}."
			if answer, err := q.Extract(text); err != nil || !in.isCorrect(answer) {
				t.Errorf("%s: %s is read as %q, %v", q.ID, text, answer, err)
			}
		}
	}
}

// The 4,122 recorded answers to StrategyQA hold one yes or no at most, so both
// readings must agree on all that hold one, unless they state nothing.
func TestRecordedYesNo(t *testing.T) {
	data, err := os.ReadFile(shared + "recorded/mallm/strategyqa_grid_votes.jsonl")
	if err != nil {
		t.Skip("no recorded answers next to this checkout")
	}
	var texts []string
	for line := range strings.Lines(string(data)) {
		var row struct {
			FinalAnswer   string
			Messages      []struct{ Solution string }
			VotesEachTurn map[string]struct{ Answers []string }
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, row.FinalAnswer)
		for _, m := range row.Messages {
			texts = append(texts, m.Solution)
		}
		for _, v := range row.VotesEachTurn {
			texts = append(texts, v.Answers...)
		}
	}
	read := 0
	for _, text := range texts {
		last, lastErr := Question{Kind: YesNo, reading: Last}.Extract(text)
		stated, err := Question{Kind: YesNo}.Extract(text)
		if err == nil {
			read++
		}
		if stated != last || (err == nil) != (lastErr == nil) {
			t.Errorf("%.200q is read as %q, %v; the last is %q", text, stated, err, last)
		}
	}
	if len(texts) != 4122 || read != 4041 {
		t.Errorf("%d of %d answers are read", read, len(texts))
	}
}

// A campaign's reading is its environment's.
func TestReadingOfTheEnvironment(t *testing.T) {
	files := fstest.MapFS{"q.jsonl": {Data: []byte(`{"question":"Is it?","options":["a","b"],"answer":"A"}` + "\n")}}
	for reading, want := range map[Reading]string{Stated: `"(A)"`, Last: `"(B)"`} {
		p := params("jsonl", "q.jsonl")
		p.Reading = reading
		e, err := New(p, files)
		if err != nil {
			t.Fatal(err)
		}
		in, err := e.Instance(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := in.(*Instance).Answer("The answer is (A), not (B).", false); string(got) != want || err != nil {
			t.Errorf("%s: %s, %v", reading, got, err)
		}
	}
	p := params("jsonl", "q.jsonl")
	p.Reading = "first"
	if _, err := New(p, files); err == nil || !strings.Contains(err.Error(), "stated or last") {
		t.Error(err)
	}
}
