package qa

import (
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs"
)

const twoQuestions = `{"id":"a","question":"Is ice cold?","answer":true}
{"id":"b","question":"Is fire wet?","answer":false}
`

func challenged(t *testing.T, lines string) (*QA, error) {
	t.Helper()
	files := fstest.MapFS{"q.jsonl": {Data: []byte(twoQuestions)}, "c.jsonl": {Data: []byte(lines)}}
	p := params("jsonl", "q.jsonl")
	p.Kind = YesNo
	if lines != "" {
		p.Challenges.File = "c.jsonl"
	}
	return loadQuestions(p, files)
}

func cue(t *testing.T, e *QA, name string) (envs.Contribution, error) {
	t.Helper()
	in, err := e.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in.(envs.Cued).Cue(envs.Cue{Name: name})
}

// What a file says is given as it stands; only its questions are asked.
func TestChallengesOfAFile(t *testing.T) {
	e, err := challenged(t, `{"question":"b","context":"Fire is hot gas.","wrong":"It is, so yes.","irrelevant":"Paris."}`)
	if err != nil {
		t.Fatal(err)
	}
	if e.Instances() != 1 {
		t.Errorf("%d questions, want that of the file", e.Instances())
	}
	for name, want := range map[string]string{"context": "Fire is hot gas.", "wrong": "It is, so yes.", "irrelevant": "Paris."} {
		got, err := cue(t, e, name)
		if err != nil || got.Text != want || (len(got.Proposals) == 1) != (name == "wrong") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A line with a hash is about the question that asks this, whatever either file calls it, and about
// no other that is called so.
func TestChallengesAreFoundByHash(t *testing.T) {
	plain, err := challenged(t, "")
	if err != nil {
		t.Fatal(err)
	}
	in, err := plain.Instance(1, 1) // b
	if err != nil {
		t.Fatal(err)
	}
	hash := in.(envs.Identified).Identity()
	for _, x := range []struct{ line, asked, wrong string }{
		{`{"question":"b","hash":"HASH","wrong":"Yes."}`, "b", ""},
		{`{"question":"1","hash":"HASH","wrong":"Yes."}`, "b", ""},
		{`{"question":"a","hash":"HASH","wrong":"Yes."}`, "b", ""},
		{`{"question":"a","hash":"00112233445566778899aabbccddeeff","wrong":"No."}`, "", `line 1: question "a" (hash 00112233445566778899aabbccddeeff) is none of q.jsonl`},
		{`{"question":"c","wrong":"No."}`, "", `there is no question "c" in q.jsonl`},
	} {
		e, err := challenged(t, strings.ReplaceAll(x.line, "HASH", hash))
		if x.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), x.wrong) {
				t.Errorf("%s: %v", x.line, err)
			}
			continue
		}
		if err != nil || e.Instances() != 1 || e.questions[0].ID != x.asked {
			t.Errorf("%s: %v", x.line, err)
		}
	}
}

// Without a file a wrong and an irrelevant solution are made from the data; a context cannot be.
func TestChallengesWithoutAFile(t *testing.T) {
	e, err := challenged(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cue(t, e, "wrong"); err != nil || got.Proposals[0] != `"no"` {
		t.Errorf("wrong: %+v, %v", got, err)
	}
	if got, err := cue(t, e, "irrelevant"); err != nil || got.Text != "Is fire wet?\nno" || len(got.Proposals) > 0 {
		t.Errorf("irrelevant: %+v, %v", got, err)
	}
	if _, err := cue(t, e, "context"); err == nil || !strings.Contains(err.Error(), "challenges.file") {
		t.Errorf("context: %v", err)
	}
	for format, file := range map[string]string{"bbh": "bbh.json", "gpqa": "gpqa.csv", "squad2": "squad.json", "math500": "math.jsonl"} {
		e := tiny(t, format, file)
		for i := range e.Instances() {
			instance, err := e.Instance(1, i)
			if err != nil {
				t.Fatal(err)
			}
			in := instance.(*Instance)
			wrong, err := in.Cue(envs.Cue{Name: "wrong"})
			if err != nil || in.Score(wrong.Proposals[0]).Value == 1 {
				t.Errorf("%s %s: the wrong solution %+v: %v", format, in.ID(), wrong, err)
			}
			other, err := in.Cue(envs.Cue{Name: "irrelevant"})
			if (err == nil) != (e.Instances() > 1) || strings.Contains(other.Text, in.q.Text) {
				t.Errorf("%s %s: the irrelevant solution %+v: %v", format, in.ID(), other, err)
			}
		}
	}
}

func TestFaultyChallenges(t *testing.T) {
	for lines, want := range map[string]string{
		`{"question":"c","context":"x"}`:                             `line 1: there is no question "c"`,
		`{"question":"a","wrong":"Yes"}`:                             "is right: yes",
		`{"question":"a","wrong":"Perhaps"}`:                         "does not state an answer",
		`{"question":"a","irrelevant":"Yes."}`:                       "ends with the right answer",
		`{"question":"a","context":"x"}` + "\n" + `{"question":"b"}`: "line 2: a line has context and another has not",
		`{"question":"a"}` + "\n" + `{"question":"a"}`:               "question a is there twice",
		"\n": "it is empty",
		"{":  "line 1: ",
	} {
		if _, err := challenged(t, lines); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", lines, err, want)
		}
	}
	p := params("jsonl", "q.jsonl")
	p.Kind, p.Challenges.File = YesNo, "gone.jsonl"
	if _, err := loadQuestions(p, fstest.MapFS{"q.jsonl": {Data: []byte(twoQuestions)}}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a file that is not there: %v", err)
	}
}
