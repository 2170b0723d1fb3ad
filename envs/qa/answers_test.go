package qa

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"roundtable/envs/envtest"
)

const shared = "../../../shared/data/"

// The form of each kind of answer at the end of a text.
func TestExtract(t *testing.T) {
	choice := Question{Kind: Choice, Options: []string{"a", "b", "c"}}
	for _, x := range []struct {
		q          Question
		text, want string // "" if there is none
	}{
		{choice, "First (A), but then (B).", ""},
		{choice, "I say (b)", "(B)"},
		{choice, "It is (B). Write it in the form (X).", "(B)"}, // an echo of the instructions
		{choice, "It is (Z).", ""},
		{choice, "It is B", "(B)"},
		{Question{Kind: Integer}, "So (3) and in the end (306).", "306"},
		{Question{Kind: Integer}, "(-14)", "-14"},
		{Question{Kind: Integer}, "( +007 )", "7"},
		{Question{Kind: Integer}, "306", "306"},
		{Question{Kind: YesNo}, "No, wait. Yes.", "yes"},
		{Question{Kind: YesNo}, "I do not know", ""},
		{Question{Kind: Math}, `a \boxed{1} b \boxed{\frac{1}{2}} c`, `\frac{1}{2}`},
		{Question{Kind: Math}, `\boxed{\text{a}_{1}}`, `\text{a}_{1}`},
		{Question{Kind: Math}, `$\boxed 7$`, "7"},
		{Question{Kind: Math}, `\fbox{.5}`, `\frac{1}{2}`},
		{Question{Kind: Math}, `\boxed{1`, ""},
		{Question{Kind: Math}, "it is 7", ""},
		{Question{Kind: Span}, "I read.\nAnswer: The Old Mill.\n", "old mill"},
		{Question{Kind: Span}, "the answer is: 1820", "1820"},
		{Question{Kind: Span}, "1820", "1820"},
		{Question{Kind: Span}, "Hm.\nAnswer: [UNKNOWN]", Unknown},
		{Question{Kind: Span}, "Two\nlines", ""},
	} {
		got, err := x.q.Extract(x.text)
		if (err != nil) != (x.want == "") || got != x.want {
			t.Errorf("%s %q: %q, %v; want %q", x.q.Kind, x.text, got, err, x.want)
		}
	}
}

// What is found in a text is in canonical form, and found again when it is written.
func TestWrittenIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Question{Kind: rapid.SampledFrom(allKinds()).Draw(t, "kind"), Options: []string{"a", "b", "c", "d"}}
		q.reading = Reading(rapid.SampledFrom(allReadings()).Draw(t, "reading"))
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z0-9 .\\{}()/=-]*(\\boxed\{[a-z0-9 ./\\=^-]*\}|\([A-Da-d0-9]\)|yes|no|Answer: [a-z ]*)`)).Draw(t, "text")
		answer, err := q.Extract(text)
		if err != nil {
			return
		}
		if again, err := q.canonicalAnswer(answer); err != nil || again != answer {
			t.Fatalf("%s: %q is not canonical: %q, %v", q.Kind, answer, again, err)
		}
		if q.Kind == Math && strings.Count(answer, "{") != strings.Count(answer, "}") || q.Kind == Open && strings.ContainsAny(answer, "*_") { // emphasis
			return
		}
		if again, err := q.Extract("Well. " + formatAnswer(q.Kind, answer)); err != nil || again != answer {
			t.Fatalf("%s: %q is written and not found: %q, %v", q.Kind, answer, again, err)
		}
	})
}

func FuzzExtract(f *testing.F) {
	for _, s := range append(envtest.Hostile()[:60], `\boxed{\frac12}`, `\boxed{$1.$}`, "(A) (B)", "Answer: x", "The answer is not (A) or (B)", "none of (A) to (B)", "Rule 1(a)(b)", "no doubt: yes or no") {
		f.Add(s[:min(len(s), 1<<15)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range len(allKinds()) * len(allReadings()) {
			k, reading := allKinds()[i/len(allReadings())], Reading(allReadings()[i%len(allReadings())])
			q := Question{Kind: k, Options: []string{"a", "b"}, reading: reading}
			if answer, err := q.Extract(text); err == nil {
				if again, err := q.canonicalAnswer(answer); err != nil || again != answer {
					t.Errorf("%s: %q is not canonical: %q, %v", k, answer, again, err)
				}
			}
		}
	})
}

// Normal forms of MATH, worked by hand from its rules (Hendrycks et al. 2021).
func TestNormalise(t *testing.T) {
	for latex, want := range map[string]string{
		`\frac12`: `\frac{1}{2}`, `\frac1{72}`: `\frac{1}{72}`, `\dfrac{3}{4}`: `\frac{3}{4}`, `3/4`: `\frac{3}{4}`, `0.5`: `\frac{1}{2}`,
		`.25`: `0.25`, `x=5`: `5`, `x = 5`: `5`, `abc=5`: `abc=5`, `ab=5`: `ab=5`, `5\text{ or }7`: `5\text{or}7`, `\sqrt3`: `\sqrt{3}`, `10\%`: `10`, `\$5`: `5`, `90^\circ`: `90`, `5\text{ cm}`: `5`,
		`\left(1, 2\right)`: `(1,2)`, `03/4`: `03/4`, `a/b`: `a/b`, `\frac1`: `\frac1`, "1\n2": `12`,
	} {
		if got := Normalise(latex); got != want {
			t.Errorf("%s: %s, want %s", latex, got, want)
		}
	}
}

// All 500 right answers of MATH-500 as its authors' function writes them, and
// these are fixed: their identity is what is recorded.
func TestRecordedNormalForms(t *testing.T) {
	data, err := os.ReadFile(shared + "recorded/madc/math500_normalised_answers.jsonl")
	if err != nil {
		t.Skip("no recorded answers next to this checkout")
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var row struct {
			ID     string `json:"question_id"`
			Target string
			Want   string `json:"strip_string"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		n++
		if got := Normalise(row.Target); got != row.Want {
			t.Errorf("%s: %s becomes %s, recorded is %s", row.ID, row.Target, got, row.Want)
		}
		if got, err := (Question{Kind: Math}).Extract(`So \boxed{` + row.Target + `}.`); err != nil || got != untilUnchanged(row.Want, Normalise) {
			t.Errorf("%s: in a box %s becomes %s: %v", row.ID, row.Target, got, err)
		}
	}
	if n != 500 {
		t.Errorf("%d answers", n)
	}
}

// The official BERT prediction file scores what SQuAD's leaderboard says of it
// (EM 78.74, F1 81.78), from the raw texts.
func TestSQuADScores(t *testing.T) {
	predictions, err := os.ReadFile(shared + "squad2/BERT_predictions_dev-v2.0.json")
	if err != nil {
		t.Skip("no SQuAD next to this checkout")
	}
	said := map[string]string{}
	if err := json.Unmarshal(predictions, &said); err != nil {
		t.Fatal(err)
	}
	e := mustLoad(t, params("squad2", "dev-v2.0.reconstructed.json"), shared+"squad2")
	em, f1, unanswerable := 0.0, 0.0, 0
	for _, q := range e.questions {
		if len(q.Gold) == 0 {
			unanswerable++
		}
		if IsExactMatch(said[q.ID], q.Gold) {
			em++
		}
		f1 += F1(said[q.ID], q.Gold)
	}
	n := float64(len(e.questions))
	if em, f1 = 100*em/n, 100*f1/n; math.Abs(em-78.74) > .005 || math.Abs(f1-81.78) > .005 || len(e.questions) != 11873 || unanswerable != 5945 {
		t.Errorf("EM %.3f, F1 %.3f of %d questions, %d without an answer", em, f1, len(e.questions), unanswerable)
	}
}

// The words of SQuAD's official script, by hand.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"The  Old-Mill, an inn.": "oldmill inn", "a": "", "theatre": "theatre", "É a b": "é b", "the_a": "thea", "3.5 %": "35",
	} {
		if got := plainWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if f := F1("old mill house", []string{"the old mill"}); math.Abs(f-0.8) > 1e-15 {
		t.Errorf("F1 %v, want 2·(2/3)·1/(2/3+1) = 0.8", f)
	}
	if F1(Unknown, nil) != 1 || F1("x", nil) != 0 || IsExactMatch("", []string{"x"}) || !IsExactMatch("", nil) {
		t.Error("questions without an answer")
	}
}

// The official files are read whole, and the right answer of every question scores 1.
func TestOfficialFiles(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no data sets next to this checkout")
	}
	for _, x := range []struct {
		format, file string
		n            int
	}{
		{"bbh", "bbh/logical_deduction_three_objects.json", 250},
		{"bbh", "bbh/logical_deduction_seven_objects.json", 250},
		{"bbh", "bbh/geometric_shapes.json", 250},
		{"math500", "math500/test.jsonl", 500},
		{"strategyqa", "strategyqa/dev.json", 229},
		{"mmlu", "mmlu/test/*.csv", 14042},
		{"mmlu_pro", "mmlu_pro/test.reconstructed.jsonl", 12032},
		{"musr", "musr/small_murder_mystery.json", 5},
		{"squad2", "squad2/dev-v2.0.reconstructed.json", 11873},
	} {
		e := mustLoad(t, params(x.format, x.file), shared)
		if len(e.questions) != x.n || len(e.byID) != x.n {
			t.Errorf("%s: %d questions, %d names, want %d", x.file, len(e.questions), len(e.byID), x.n)
		}
		for i := 0; i < e.Instances(); i += 1 + e.Instances()/500 {
			instance, err := e.Instance(1, i)
			if err != nil {
				t.Fatal(err)
			}
			in := instance.(*Instance)
			right := in.acceptedAnswers()[0]
			p, err := in.toProposal(right, nil)
			if err != nil || in.Score(p).Value != 1 || in.Utility(0, p) != 1 {
				t.Errorf("%s: the right answer %s of %s scores %+v: %v", x.file, right, in.ID(), in.Score(p), err)
			}
			if found, _, err := in.Answer("I see. "+formatAnswer(in.q.Kind, right), false); err != nil || found != p {
				t.Errorf("%s: the right answer %s of %s is found as %s: %v", x.file, right, in.ID(), found, err)
			}
		}
	}
}

// Paper 2's sample sizes, of N questions (table of appendix B; GPQA's 250 is not 227).
func TestPopulation(t *testing.T) {
	for n, want := range map[int]int{14042: 375, 12032: 374, 2289: 330, 250: 152, 11873: 373, 546: 227, 1: 1, 0: 0} {
		if got := Population(n); got != want {
			t.Errorf("%d of %d questions, want %d", got, n, want)
		}
	}
	files := fstest.MapFS{"q.jsonl": {Data: []byte(strings.Repeat(`{"question":"How many?","answer":1}`+"\n", 250))}}
	p := params("jsonl", "q.jsonl")
	p.Sample = "population"
	if e, err := New(p, files); err != nil || e.Instances() != 152 {
		t.Errorf("%v, %v", e, err)
	}
}
