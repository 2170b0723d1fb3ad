package qa

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
)

// loadLines loads files by the lines under env.
func loadLines(lines string, files fstest.MapFS) (*QA, error) {
	var v map[string]any
	if err := yaml.Unmarshal([]byte("{"+lines+"}"), &v); err != nil {
		return nil, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	p := Defaults()
	if err := envs.DecodeStrict(data)(&p); err != nil {
		return nil, err
	}
	return loadQuestions(p, files)
}

// keysOf returns the kind, the options and the right answers of all questions.
func keysOf(e *QA) string {
	var all []string
	for _, q := range e.questions {
		all = append(all, fmt.Sprint(q.Kind, q.Options, q.Gold))
	}
	return strings.Join(all, "; ")
}

// What is in a file is asked, or an error says what to write.
func TestWhatIsRead(t *testing.T) {
	type dated struct {
		Question string `parquet:"question"`
		Answer   int32  `parquet:"answer,date"`
	}
	type mapped struct {
		Question string            `parquet:"question"`
		Choices  map[string]string `parquet:"choices"`
		Answer   string            `parquet:"answer"`
	}
	targets := `{"question":"Q?","mc2_targets":{"choices":["P","Q","R","S"],"labels":[1,0,1,0]}}`
	for _, x := range []struct{ lines, file, data, want string }{
		// options that would not be asked
		{"format: jsonl", "q", `{"question":"Which?","choices":["0","4","2","6"],"answer":1}`, "the column choices looks like options that would not be asked; write columns: {options: choices}, or {options: []}"},
		{"format: parquet", "q", string(rowsOf(mmluRow{"Which?", "x", []string{"0", "4", "2", "6"}, 1})), "write columns: {options: choices}"},
		{"format: jsonl, kind: integer, columns: {options: []}", "q", `{"question":"Which?","choices":["0","4"],"answer":1}`, "integer[] [1]"},
		{"format: jsonl", "q", `{"question":"Which?","mine":["a","b"],"answer":"b"}`, "write columns: {options: mine}"},
		{"format: jsonl, kind: yesno", "q", `{"question":"Is it?","facts":["a","b"],"answer":true}`, "yesno[] [yes]"},
		{"format: jsonl", "q", `{"question":"Which?","choices":"['a', 'b']","answer":"b"}`, "write columns: {options: choices}"},
		{"format: csv", "q", "question,option_a,option_b,answer\nx?,a,b,a\n", "write columns: {options: [option_a, option_b]}"},
		{"format: csv", "q", "question,a,b,c,answer\nx?,1,2,3,a\n", "write columns: {options: [a, b, c]}"},
		{"format: csv", "q", "question,correct_answer,distractor1,distractor2\nx?,a,b,c\n", "write columns: {options: [correct_answer, distractor1, distractor2]}"},
		{"format: csv, kind: text, columns: {options: []}", "q", "question,a,b,answer\nx?,1,2,a\n", "text[] [a]"},
		{"format: jsonl", "q", `{"question":"Which?","mc1_targets":{"choices":["a","b"],"labels":[1,0]},"answer":"a"}`, "write columns: {options: mc1_targets}"},
		// the kind is said, and hinted at
		{"format: csv", "q", "question,answer\nx?,7\n", "so the kind of the answers is needed: kind: integer, number, yesno, text, open, math or span (all right answers can be read as kind: integer)"},
		{"format: csv", "q", "question,answer\nx?,yes\n", "can be read as kind: yesno"},
		{"format: csv", "q", "question,answer\nx?,Paris\n", "can be read as kind: text"},
		{"format: csv, kind: integers", "q", "question,answer\nx?,7\n", `kind is "integers"; expected choice, integer,`},
		// several keys, and parts in another spelling
		{"format: jsonl, kind: integer", "q", `{"question":"x?","answer":1,"Answer":2}`, "the right answer can be in the columns answer and Answer; write which: columns: {answer: answer}"},
		{"format: csv, kind: text", "q", "question,answer,label\nx?,1,2\n", "the right answer can be in the columns answer and label"},
		{"format: csv, kind: text, columns: {answer: label}", "q", "question,answer,label\nx?,1,2\n", "text[] [2]"},
		{"format: csv, kind: text, columns: {answer: [answer, label]}", "q", "question,answer,label\nx?,1,2\n", "text[] [1 2]"},
		{"format: csv, kind: text", "q", "question,answerKey\nx?,1\n", `there is no column "answer"; write columns: {answer: answerKey}`},
		{"format: csv, kind: span", "q", "question,reply\nx?,1\n", `there is no column "answer"; the file has question, reply`},
		{"format: csv, kind: text", "q", "problem,answer\nx?,1\n", `there is no column "question"; the file has problem, answer; write columns: {question: problem}`},
		{"format: csv, kind: text", "q", "question,Question,answer\nx?,y?,1\n", "the file has question and Question; write which"},
		{"format: csv", "q", "question,A,B,answer\nx?,a,b,\"A, B\"\n", "write kind: several if several options are right"},
		{"format: jsonl", "q", `{"question":"x?","options":["a","b"],"answer":["a","b"]}`, "2 options are right; write kind: several"},
		// masks
		{"format: jsonl, kind: several, columns: {options: mc2_targets.choices, answer: mc2_targets.labels}", "q", targets, "write answer_is: mask if 1 marks the right ones"},
		{"format: jsonl, kind: several, answer_is: index_0, columns: {options: mc2_targets.choices, answer: mc2_targets.labels}", "q", targets, "write answer_is: mask if 1 marks the right ones"},
		{"format: jsonl, kind: several, answer_is: mask, columns: {options: mc2_targets.choices, answer: mc2_targets.labels}", "q", targets, "several[P Q R S] [(A)(C)]"},
		{"format: jsonl, answer_is: mask, columns: {options: mc2_targets.choices, answer: mc2_targets.labels}", "q", targets, "2 options are right; write kind: several"},
		{"format: csv, answer_is: mask, columns: {options: [A, B], answer: [isA, isB]}", "q", "question,A,B,isA,isB\nx?,a,b,0,1\n", "choice[a b] [B]"},
		{"format: jsonl, answer_is: mask", "q", `{"question":"x?","options":["a","b"],"answer":[0.3,0.7]}`, `mark 1 is "0.3"; expected 0 or 1`},
		// options with their scores
		{"format: jsonl, columns: {question: input}", "q", `{"input":"x?","target_scores":{"yes":1,"no":0}}`, "the column target_scores gives each option its score; write columns: {options: target_scores, answer: target_scores}, with answer_is: mask"},
		{"format: jsonl, columns: {question: input, options: target_scores, answer: target_scores}", "q", `{"input":"x?","target_scores":{"yes":1,"no":0,"both":0}}`, "write answer_is: mask if 1 marks the right ones"},
		{"format: jsonl, answer_is: mask, columns: {question: input, options: target_scores, answer: target_scores}", "q", `{"input":"x?","target_scores":{"yes":1,"no":0,"both":0.5}}`, `mark 1 is "0.5"; expected 0 or 1`},
		{"format: jsonl, answer_is: mask, columns: {question: input, options: target_scores, answer: target_scores}", "q", `{"input":"x?","target_scores":{"yes":1,"no":0,"both":1}}`, "2 options are right; write kind: several"},
		{"format: jsonl, kind: several, answer_is: mask, columns: {question: input, options: target_scores, answer: target_scores}", "q", `{"input":"x?","target_scores":{"yes":1,"no":0,"both":1}}`, "several[both no yes] [(A)(C)]"},
		{"format: jsonl, answer_is: mask", "q", `{"question":"x?","options":["a","b"],"answer":[1]}`, "there are 2 options and 1 marks"},
		{"format: jsonl, kind: several", "q", `{"question":"x?","options":["a","b"],"answer":["a","A"]}`, "option (A) is there twice"},
		// dates, maps
		{"format: parquet, kind: text", "q", string(rowsOf(dated{"When?", 7252})), "text[] [1989-11-09]"},
		{"format: parquet, kind: integer", "q", string(rowsOf(dated{"When?", 7252})), "it is a date, which kind: text compares as it is written"},
		{"format: parquet, columns: {options: choices}", "q", string(rowsOf(mapped{"Q?", map[string]string{"B": "y", "A": "x"}, "B"})), "choice[x y] [B]"},
		// empty options and answers
		{"format: csv", "q", "id,question,A,B,C,D,answer\nt1,Pick,alpha,,gamma,delta,C\n", "q, line 2, B (question t1): the option is empty"},
		{"format: csv", "q", "id,question,A,B,answer\nt1,x?,a,b,A\nt2,y?,a,b,\n", "q, line 3, answer (question t2): it is empty; give a right answer, or leave the question out: skip: [t2]"},
		{"format: csv, skip: [t2]", "q", "id,question,A,B,answer\nt1,x?,a,b,A\nt2,y?,a,b,\n", "choice[a b] [A]"},
		{"format: csv, skip: [2, 3]", "q", "id,question,A,B,answer\n1,x?,a,b,A\n2,y?,a,b,\n", `skip names "3"; there is no such question`},
		// answers after a marker
		{"format: jsonl, kind: integer", "q", `{"question":"x?","answer":"48/2 = <<48/2=24>>24\n#### 72"}`, `write answer_after: "####" if the answer follows it`},
		{`format: jsonl, kind: integer, answer_after: "####"`, "q", `{"question":"x?","answer":"48/2 = <<48/2=24>>24\n#### 1,072"}`, "integer[] [1,072]"},
		{`format: jsonl, kind: integer, answer_after: "####"`, "q", `{"question":"x?","answer":"72"}`, `there is no "####" in it (answer_after)`},
		{`format: jsonl, kind: math, answer_after: '\boxed'`, "q", `{"question":"x?","answer":"so \\boxed{2} or \\boxed{\\frac{1}{2}} it is"}`, `math[] [\frac{1}{2}]`},
		{`format: jsonl, kind: math, answer_after: '\boxed'`, "q", `{"question":"x?","answer":"so \\boxed{2"}`, "are not closed"},
		// options of all questions, or within the text
		{"format: csv, choices: [yes, no, maybe], answer_is: index_0", "q", "question,answer\nx?,2\n", "choice[yes no maybe] [C]"},
		{"format: csv, choices: [yes, no]", "q", "question,A,B,answer\nx?,a,b,A\n", "the row has options of its own"},
		{`format: jsonl, options_after: "Options:"`, "q", `{"question":"x?\nOptions:\n- Yes\n- No","answer":"No"}`, "choice[Yes No] [B]"},
		{"format: bbh, kind: text", "q", `{"examples":[{"input":"( [ is closed by","target":"] )"}]}`, "text[] [] )]"},
		{"format: jsonl, kind: text, columns: {options: mc.choicez}", "q", `{"question":"x?","mc":{"choices":["a"]},"answer":"a"}`, `no row has anything at "mc.choicez"; the keys in the column mc are choices`},
		// files
		{"format: csv", "far/q", "question,answer\nx?,1\n", `is not in the folder that data: names; did you mean far/q?`},
		{"format: jsonl, kind: integer", "q", "\ufeff{\"question\":\"x?\",\"answer\":\"1\"}\n", "integer[] [1]"},
		{"format: csv, shuffle: rows", "q", "question,answer\nx?,1\n", `shuffle is "rows"; expected options`},
	} {
		e, err := loadLines(x.lines+", file: q", fstest.MapFS{x.file: {Data: []byte(x.data)}})
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = keysOf(e)
		}
		if !strings.Contains(got, x.want) || err == nil && got != x.want {
			t.Errorf("%s of %.80q:\n%s\nwant %s", x.lines, x.data, got, x.want)
		}
	}
}

// Texts that lie in lists are context, those of several columns one after another.
func TestContexts(t *testing.T) {
	e, err := loadLines("format: jsonl, file: q, kind: text, columns: {context: [intro, p.text]}", fstest.MapFS{"q": {Data: []byte(`{"question":"x?","answer":"a","intro":["one","two"],"p":[{"text":"three"},{"text":"four"}]}`)}})
	if err != nil || e.questions[0].Context != "one\ntwo\n\nthree\nfour" {
		t.Errorf("%v %v", e, err)
	}
	e, err = loadLines("format: csv, file: q, kind: text", fstest.MapFS{"q": {Data: []byte("question;passage;answer\nx?;p;a\n")}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Survey(1)
	if got := fmt.Sprint(s.Warnings, s.Unused, s.Notes, s.Read, err); !strings.Contains(got, "the column passage is not shown to anybody; write columns: {context: passage}") || !strings.Contains(got, "divided by semicolons") ||
		!strings.Contains(got, "{answer answer, of the kind text}") || !strings.Contains(got, "[passage]") {
		t.Error(got)
	}
}

// The right answer always in one place is said, and shuffled options end it; they stay right.
func TestKeysInOnePlace(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("id,question,A,B,C,answer\n")
	for i := range 30 {
		fmt.Fprintf(&rows, "t%d,x%d?,right,b%d,c%d,A\n", i, i, i, i)
	}
	files := fstest.MapFS{"q": {Data: []byte(rows.String())}}
	for lines, want := range map[string]string{
		"format: csv, file: q": "[{(A) 30} {(B) 0} {(C) 0}] 1", "format: csv, file: q, shuffle: options": "0",
	} {
		e, err := loadLines(lines, files)
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Survey(3)
		if got := fmt.Sprint(s.Keys, " ", len(s.Warnings)); err != nil || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s %v, want %s", lines, got, err, want)
		}
		for i := range e.Instances() {
			in, err := e.Instance(3, i)
			if err != nil {
				t.Fatal(err)
			}
			dealt := in.(*Instance).q
			if key := dealt.keyTexts(); len(key) != 1 || key[0] != "right" {
				t.Errorf("%s: question %d has the key %v", lines, i, key)
			}
		}
	}
	e, err := loadLines("format: jsonl, file: q, kind: several, shuffle: options", fstest.MapFS{"q": {Data: []byte(`{"id":"s","question":"x?","options":["p","q","r","s"],"answer":["p","r"]}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(10) {
		in, _ := e.Instance(seed, 0)
		if dealt := in.(*Instance).q; fmt.Sprint(dealt.keyTexts()) != "[p r]" {
			t.Errorf("seed %d: %v %v", seed, dealt.Options, dealt.Gold)
		}
	}
}

// An instance is what is asked with its key: not its id, its place, or where its options stand.
func TestIdentity(t *testing.T) {
	identities := func(data string) (ids, hashes []string) {
		e, err := loadLines("format: csv, file: q", fstest.MapFS{"q": {Data: []byte(data)}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Instances() {
			in, _ := e.Instance(1, i)
			ids, hashes = append(ids, in.ID()), append(hashes, in.(envs.Identified).Identity())
		}
		return ids, hashes
	}
	const head = "id,question,A,B,answer\n"
	_, first := identities(head + "1,x?,a,b,A\n2,y?,a,b,B\n")
	_, moved := identities(head + "9,y?,a,b,B\n8,x?,b,a,B\n")
	_, others := identities(head + "1,x?,a,b,B\n2,x ?,a,b,A\n3,x?,a,c,A\n")
	if first[0] != moved[1] || first[1] != moved[0] || first[0] == first[1] {
		t.Errorf("%v and %v", first, moved)
	}
	for i, hash := range others { // another key, text, option
		if hash == first[0] {
			t.Errorf("question %d is the first one", i)
		}
	}
	_, again := identities(head + "1,x?,a,b,A\n2,x?,a,b,A\n3,y?,a,b,B\n4,x?,b,a,B\n") // three times, the options moved in one
	if again[0] != first[0] || again[2] != first[1] || len(slices.Compact(slices.Sorted(slices.Values(again)))) != 4 {
		t.Errorf("of a question that is there three times: %v", again)
	}
	if _, elsewhere := identities(head + "7,x?,a,b,A\n8,x?,a,b,A\n"); elsewhere[1] != again[1] {
		t.Errorf("the second time of two data sets: %v and %v", elsewhere[1], again[1])
	}
	for data, want := range map[string]string{
		"1,x?,a,b,A\n2,x?,a,b,A\n3,y?,a,b,B\n4,x?,b,a,B\n": "2 questions ask the same as others, with the same right answer: 2 asks the same as 1",
		"1,x?,a,b,A\n2,x?,a,b,A\n":                         "2 asks the same as 1",
		"1,x?,a,b,A\n2,x?,a,b,B\n":                         "",
	} {
		e, err := loadLines("format: csv, file: q", fstest.MapFS{"q": {Data: []byte(head + data)}})
		if err != nil {
			t.Fatal(err)
		}
		survey, err := e.Survey(1)
		said := strings.Join(survey.Warnings, "\n")
		if err != nil || (want == "") == strings.Contains(said, "asks the same") || !strings.Contains(said, want) {
			t.Errorf("%q warns %q: %v", data, said, err)
		}
	}
	ids, _ := identities(head + "問一,x?,a,b,A\n問二,y?,a,b,B\nñ é,z?,a,b,A\nñ é,w?,a,b,A\n")
	if got := strings.Join(ids, " "); got != "問一 問二 ñ-é ñ-é-3" {
		t.Errorf("ids %s", got)
	}
}

// Options that bring their own letters are asked with two, which is said.
func TestOptionsWithTheirOwnLetters(t *testing.T) {
	for options, want := range map[string]bool{
		`"A)21", "B)21.5", "C)22"`:          true,
		`"(a) red", "(b) green"`:            true,
		`"A. one", "B. two"`:                true,
		`"A cat", "B movies", "Cats"`:       false,
		`"A) one", "two"`:                   false,
		`"B) one", "A) two"`:                false,
		`"A", "B"`:                          false,
		`"A.", "B."`:                        false,
		`"Vitamin A: yes", "Vitamin B: no"`: false,
	} {
		e, err := loadLines("format: jsonl, file: q, columns: {answer: right}, answer_is: letter", fstest.MapFS{"q": {Data: []byte(`{"question": "Which?", "options": [` + options + `], "right": "A"}`)}})
		if err != nil {
			t.Errorf("%s: %v", options, err)
			continue
		}
		survey, err := e.Survey(1)
		if said := strings.Contains(strings.Join(survey.Warnings, "\n"), "letters of their own"); err != nil || said != want {
			t.Errorf("%s: %v, %v", options, survey.Warnings, err)
		}
	}
}

// A file that cannot be read is named with what to do about it.
func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(data, 0o755))
	const text = "question,answer\nIs it?,yes\n"
	must(os.WriteFile(filepath.Join(dir, "outside.csv"), []byte(text), 0o644))
	must(os.WriteFile(filepath.Join(data, "caf\u00e9 %41.csv"), []byte(text), 0o644))
	must(os.WriteFile(filepath.Join(data, "Upper.csv"), []byte(text), 0o644))
	must(os.Symlink("../outside.csv", filepath.Join(data, "out.csv")))
	must(os.Symlink("nothing.csv", filepath.Join(data, "dead.csv")))
	must(os.Symlink("Upper.csv", filepath.Join(data, "link.csv")))
	large, err := os.Create(filepath.Join(data, "large.csv"))
	must(err)
	must(large.Truncate(mostRead + 1))
	must(large.Close())
	root, err := os.OpenRoot(data)
	must(err)
	defer root.Close()
	for file, want := range map[string]string{
		"link.csv":           "",
		"caf\u00e9 %41.csv":  "",
		"out.csv":            "it is a link that leads out of the folder that data: names: name a folder that holds both, or copy the file itself (cp -L)",
		"dead.csv":           "it is a link to a file that is not there",
		"upper.csv":          "did you mean Upper.csv?",
		"cafe\u0301 %41.csv": `did you mean café %41.csv? (with its accents written out: "caf\u00e9 %41.csv")`,
		"large.csv":          "at most 4096 are read",
	} {
		p := Defaults()
		p.Format, p.File, p.Kind = "csv", file, YesNo
		_, err := loadQuestions(p, root.FS())
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: %s; want %s", file, got, want)
		}
	}
	if _, err := readOther(root.FS(), "shots.file", "large.csv"); err == nil || !strings.Contains(err.Error(), "at most 4096 are read") {
		t.Errorf("large.csv as another file: %v", err)
	}
}
