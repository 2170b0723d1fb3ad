package qa

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/envs/qa/records"
)

func TestWhichShots(t *testing.T) {
	files := fstest.MapFS{
		"q.csv":       {Data: []byte("nr,text,opa,opb,key,why\n1,Which?,x,y,A,\"x is first.\"\n2,And?,x,y,B,\n3,Then?,x,y,B,\n")},
		"more.jsonl":  {Data: []byte(`{"text":"Or?","opa":"u","opb":"v","key":"v","why":"So it is. The answer is (B)."}`)},
		"wrong.jsonl": {Data: []byte(`{"text":"Or?","opa":"u","opb":"v","key":"w","why":""}`)},
	}
	cols := records.Columns{ID: "nr", Question: "text", Options: records.Names{"opa", "opb"}, Answer: records.Names{"key"}, Solution: "why"}
	for _, x := range []struct {
		shots Shots
		want  string
	}{
		{Shots{From: "first", N: 2}, "[{Which?\n(A) x\n(B) y x is first.\nThe answer is (A).} {And?\n(A) x\n(B) y The answer is (B).}] 1"},
		{Shots{From: "first", N: 3}, "shots.n is 3; the data hold 3 questions, of which some must be left to ask"},
		{Shots{From: "last", N: 1}, `shots.from is "last"; expected first`},
		{Shots{From: "first", N: 1, File: "x"}, "shots have both file and from"},
		{Shots{N: 1}, "shots need n, at least 1, and either file or from"},
		{Shots{From: "first"}, "shots need n, at least 1, and either file or from"},
		{Shots{File: "wrong.jsonl", N: 1}, `shots.file wrong.jsonl, read`},
		{Shots{File: "none.jsonl", N: 1}, `shots.file is "none.jsonl", which cannot be read`},
		{Shots{File: "q.csv", N: 4}, "shots.n is 4; q.csv holds 3"},
	} {
		p := params("csv", "q.csv")
		p.Columns, p.Shots = cols, x.shots
		e, err := loadQuestions(p, files)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(e.shots, " ", e.Instances())
		}
		if want := strings.Replace(x.want, ", read", "", 1); !strings.Contains(got, want) {
			t.Errorf("%+v: %s\nwant %s", x.shots, got, want)
		}
	}
	p := params("parquet", "q.parquet")
	p.Columns, p.Shots = cols, Shots{File: "more.jsonl", N: 1}
	p.Columns.ID = ""
	shots, _, err := takeShots(p, nil, files)
	if got := fmt.Sprint(shots, err); got != "[{Or?\n(A) u\n(B) v So it is. The answer is (B).}] <nil>" {
		t.Errorf("a file of another format: %s", got)
	}
}

// Every kind's worked example ends as an answer should.
func TestWorked(t *testing.T) {
	for _, x := range []struct{ format, file string }{
		{"bbh", "bbh.json"}, {"math500", "math.jsonl"}, {"strategyqa", "strategy.json"}, {"squad2", "squad.json"}, {"jsonl", "own.jsonl"},
	} {
		for _, q := range tiny(t, x.format, x.file).questions {
			in := &Instance{q: q}
			if found, err := q.Extract(q.workedExample().Answer); err != nil || !in.isCorrect(found) {
				t.Errorf("%s %s: %q gives %q, error %v", x.file, q.ID, q.workedExample().Answer, found, err)
			}
		}
	}
	for k := range kindFiles {
		for _, q := range ofKind(t, k).questions {
			if found, err := q.Extract(q.workedExample().Answer); err != nil || !(&Instance{q: q}).isCorrect(found) {
				t.Errorf("%s: %q gives %q, error %v", k, q.workedExample().Answer, found, err)
			}
		}
	}
}
