package qa

import (
	"strings"
	"testing"
	"testing/fstest"
	"text/template"

	"roundtable/envs/envtest"
)

var kindFiles = map[Kind]string{
	Number:  `{"id":"n1","question":"Half of 5?","answer":2.5}` + "\n" + `{"id":"n2","question":"A thousand?","answer":"1,000"}`,
	Text:    `{"id":"t1","question":"Which bird?","answer":["The Owl","owl"]}`,
	Several: `{"id":"s1","question":"Which are even?","options":["two","three","four"],"answer":["two","four"]}` + "\n" + `{"id":"s2","question":"Which?","options":["x","y"],"answer":"B"}`,
	Open:    `{"id":"o1","question":"Why?","answer":"because"}`,
}

func ofKind(t testing.TB, k Kind) *QA {
	t.Helper()
	p := params("jsonl", "q.jsonl")
	p.Kind = k
	e, err := loadQuestions(p, fstest.MapFS{"q.jsonl": {Data: []byte(kindFiles[k])}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestKinds(t *testing.T) {
	for k := range kindFiles {
		t.Run(string(k), func(t *testing.T) {
			envtest.Run(t, ofKind(t, k), envtest.Options{Golden: "-", Hostile: []string{`"(A)"`, `"(Z)"`, `"1e9"`, `7.50`, `true`, `" .5"`, `"-0.0"`, `"(B)(A)(B)"`, `"\"Owl.\" "`}})
		})
	}
}

func FuzzParseNumber(f *testing.F)  { envtest.Fuzz(f, ofKind(f, Number)) }
func FuzzParseText(f *testing.F)    { envtest.Fuzz(f, ofKind(f, Text)) }
func FuzzParseSeveral(f *testing.F) { envtest.Fuzz(f, ofKind(f, Several)) }

// What the later kinds' templates say of the former kinds is what those say.
func TestKindPromptsSayTheSame(t *testing.T) {
	former, later := ofKind(t, Open), ofKind(t, Open)
	former.params.Kind = Integer
	for _, name := range []string{"task.tmpl", "background.tmpl", "answer.tmpl", "proposal.tmpl"} {
		for _, k := range []Kind{Choice, Integer, YesNo, Math, Span} {
			seen := Observation{Kind: k, Question: "?", Context: "c", Options: []Option{{"A", "x"}}, Shots: []Shot{{"q", "a"}}}
			var texts []string
			for _, e := range []*QA{former, later} {
				var b strings.Builder
				if err := template.Must(template.ParseFS(e.Prompts(), name)).Execute(&b, seen); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, b.String())
			}
			if texts[0] != texts[1] {
				t.Errorf("%s of %s: %q and %q", name, k, texts[0], texts[1])
			}
		}
	}
}

// How free texts of each kind are read; "" is unusable.
func TestForms(t *testing.T) {
	for _, x := range []struct {
		kind       Kind
		text, want string
	}{
		{Number, "So the answer is (2.50).", "2.5"},
		{Number, "First (1), then the answer is ($1,234.50).", "1234.5"},
		{Number, "The answer is (-.5).", "-0.5"},
		{Number, "The answer is (1e3), I think.", "1000"},
		{Number, "The answer is (40 %).", "40"},
		{Number, "I do not know ().", ""},
		{Number, "The answer is (1e99).", ""},
		{Text, "I weigh it.\nAnswer: \"The Owl.\"", "the owl"},
		{Text, "Answer:  A   b ", "a b"},
		{Text, "two\nlines", ""},
		{Several, "I think (B) is wrong.\nAnswer: (C)(A)", "(A)(C)"},
		{Several, "Answer: A, C", "(A)(C)"},
		{Several, "Answer: a and c", "(A)(C)"},
		{Several, "The answer is (A) and (B).", "(A)(B)"},
		{Several, "Answer: (D)", ""},
		{Several, "Answer: none", ""},
		{Open, "Thinking.\nAnswer: one\n\ntwo ", "one\n\ntwo"},
		{Open, "Answer:", ""},
		{Open, "Just this.", "Just this."},
		{Open, "no\nmark", ""},
	} {
		got, err := ofKind(t, x.kind).questions[0].Extract(x.text)
		if got != x.want || (err == nil) != (x.want != "") {
			t.Errorf("%s %q: %q, error %v; want %q", x.kind, x.text, got, err, x.want)
		}
	}
}

// Answers that say the same are one proposal, and the right one scores.
func TestKindsScore(t *testing.T) {
	for _, x := range []struct {
		kind     Kind
		proposal string
		want     float64
	}{
		{Number, `2.50`, 1}, {Number, `"2,5"`, -1}, {Number, `"2.51"`, 0},
		{Text, `"the OWL."`, 1}, {Text, `"owls"`, 0},
		{Several, `"(C), (A)"`, 1}, {Several, `"(A)"`, 0},
		{Open, `"because"`, 1}, {Open, `"Because"`, 0},
	} {
		in, err := ofKind(t, x.kind).Instance(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := in.Parse([]byte(x.proposal))
		if err != nil {
			if x.want >= 0 {
				t.Errorf("%s %s: %v", x.kind, x.proposal, err)
			}
			continue
		}
		if got := in.Score(p).Value; got != x.want {
			t.Errorf("%s %s: %s scores %v, want %v", x.kind, x.proposal, p, got, x.want)
		}
	}
}
