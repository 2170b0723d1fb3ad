package qa

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs/envtest"
	"roundtable/envs/qa/scoring"
)

func scoredBy(t testing.TB, score string) scoring.Scoring {
	t.Helper()
	var s scoring.Scoring
	if err := json.Unmarshal([]byte(score), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func scoredFiles() fstest.MapFS {
	return fstest.MapFS{
		"number.jsonl":  {Data: []byte(`{"question":"Pi?","answer":3.14159,"margin":0.01}` + "\n" + `{"question":"e?","answer":2.71828}`)},
		"several.jsonl": {Data: []byte(`{"question":"Which?","options":["x","y","z"],"answer":"A,C"}`)},
		"text.csv":      {Data: []byte("question,answer,weight\nWhich bird?,great horned owl,0.5\n")},
		"open.jsonl":    {Data: []byte("{\"question\":\"Why?\",\"words\":[\"light\",\"heat\"]}\n")},
		"own.csv":       {Data: []byte("question,A,B,answer,weight\nWhich?,x,y,B,0.5\n")},
	}
}

func TestScores(t *testing.T) {
	for _, x := range []struct {
		file, kind, score, proposal string
		want                        float64
	}{
		{"number.jsonl", "number", `"exact"`, `3.14`, 0},
		{"number.jsonl", "number", `{"number":{"absolute":0.01}}`, `3.14`, 1},
		{"number.jsonl", "number", `{"number":{"relative":0.0001}}`, `3.14`, 0},
		{"number.jsonl", "number", `{"expression":"abs(answer-key) < (fields.margin ?? 0.1) ? 1 : 0"}`, `3.15`, 1},
		{"several.jsonl", "several", `"f1"`, `"(A)"`, 2.0 / 3},
		{"several.jsonl", "several", `"f1"`, `"(A)(B)(C)"`, 0.8},
		{"several.jsonl", "several", `"exact"`, `"(C)(A)"`, 1},
		{"several.jsonl", "several", `{"expression":"count(answer, # in key) / len(key)"}`, `"(A)(B)"`, 0.5},
		{"text.csv", "text", `"f1"`, `"an owl"`, 0.5},
		{"open.jsonl", "open", `{"expression":"count(fields.words, # in split(lower(answer), ' ')) / len(fields.words)"}`, `"of Heat"`, 0.5},
		{"own.csv", "integer", `{"expression":"answer == key ? float(fields.weight) : 0"}`, `"(B)"`, 0.5},
		{"own.csv", "integer", `{"expression":"option == 'y'"}`, `"(B)"`, 1},
	} {
		p := params(strings.TrimPrefix(x.file[strings.Index(x.file, "."):], "."), x.file)
		p.Kind, p.Score = Kind(x.kind), scoredBy(t, x.score)
		e, err := loadQuestions(p, scoredFiles())
		if err != nil {
			t.Errorf("%s %s: %v", x.file, x.score, err)
			continue
		}
		in, err := e.Instance(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		proposal, err := in.Parse([]byte(x.proposal))
		if err != nil {
			t.Fatal(err)
		}
		if s := in.Score(proposal); s.Value != x.want || s.Utilities[0] != x.want {
			t.Errorf("%s %s: %s scores %v, want %v", x.file, x.score, proposal, s, x.want)
		}
		envtest.Run(t, e, envtest.Options{Golden: "-"})
	}
}

// What cannot be scored is said before anything is asked, with the line.
func TestScoreFaults(t *testing.T) {
	for _, x := range []struct{ file, kind, score, want string }{
		{"number.jsonl", "number", `{"expression":"answer > fields.margin"}`, "number.jsonl, line 2, score (question number-1): for the answer \"2.71828\": the expression fails: "},
		{"number.jsonl", "number", `{"expression":"answer"}`, "the expression gives 3.14159; a number from 0 to 1, true or false is expected"},
		{"number.jsonl", "number", `"f1"`, "line 1, score (question number-0): score: f1 goes with the kinds several, span, text and open; this is of the kind number"},
		{"text.csv", "text", `"number"`, "text.csv, line 2, score (question text-0): score: number goes with the kinds number and integer"},
		{"open.jsonl", "open", `"exact"`, "open.jsonl, line 1, answer (question open-0): there is no right answer, which score: exact needs"},
	} {
		p := params(strings.TrimPrefix(x.file[strings.Index(x.file, "."):], "."), x.file)
		p.Kind, p.Score = Kind(x.kind), scoredBy(t, x.score)
		if _, err := New(p, scoredFiles()); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %s: %v, want %s", x.file, x.score, err, x.want)
		}
	}
	p := params("jsonl", "open.jsonl")
	p.Kind = Open
	if _, err := New(p, scoredFiles()); err == nil || !strings.Contains(err.Error(), "an open question without one needs a score") {
		t.Errorf("open without a score: %v", err)
	}
}
