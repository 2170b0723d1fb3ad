package qa

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"

	"roundtable/envs/envtest"
	"roundtable/envs/qa/records"
)

type arcChoices struct {
	Text  []string `parquet:"text,list"`
	Label []string `parquet:"label,list"`
}

type arcRow struct {
	ID      string     `parquet:"id"`
	Stem    string     `parquet:"stem"`
	Choices arcChoices `parquet:"choices"`
	Key     string     `parquet:"answerKey"`
}

func parquetFile(t testing.TB, rows ...arcRow) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[arcRow](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes()}
}

func mappedFiles(t testing.TB) fstest.MapFS {
	arc := parquetFile(t,
		arcRow{"q/1", "Which floats?", arcChoices{[]string{"stone", "cork"}, []string{"1", "2"}}, "2"},
		arcRow{"q/2", "Which burns?", arcChoices{[]string{"wood", "sand", "water"}, []string{"A", "B", "C"}}, "A"})
	return fstest.MapFS{
		"arc.parquet":                          arc,
		"bad.parquet":                          parquetFile(t, arcRow{"x", "", arcChoices{}, "A"}, arcRow{"y", "Which?", arcChoices{[]string{"a", "b"}, []string{"A", "B"}}, "C"}),
		"hub/data/test-00000-of-00001.parquet": arc,
		"hub/data/train-00000-of-00001.jsonl":  {Data: []byte(`{"stem":"Cut?","choices":["x","y"],"answerKey":"x"}`)},
		"mapped.csv":                           {Data: []byte("nr,text,opa,opb,opc,cop\n1,Which?,x,y,z,1\n2,And?,x,y,,0\n")},
		"mapped.jsonl":                         {Data: []byte("{\"prompt\":{\"stem\":\"How many?\"},\"target\":4}\n{\"prompt\":{\"stem\":\"How many more?\"},\"target\":\"05\"}\n")},
	}
}

func TestMapped(t *testing.T) {
	files := mappedFiles(t)
	arc := records.Columns{Question: "stem", Options: records.Names{"choices"}, Answer: records.Names{"answerKey"}}
	for _, x := range []struct {
		set  func(*Params)
		want string
	}{
		{func(p *Params) { p.Format, p.File, p.Columns = "parquet", "arc.parquet", arc }, "q-1 choice [stone cork] [B]; q-2 choice [wood sand water] [A]"},
		{func(p *Params) { p.Format, p.File, p.Columns, p.Split = "hf", "hub", arc, "test" }, "q-1 choice [stone cork] [B]; q-2 choice [wood sand water] [A]"},
		{func(p *Params) { p.Format, p.File, p.Columns, p.Split = "hf", "hub", arc, "train" }, "train-00000-of-00001-0 choice [x y] [A]"},
		{func(p *Params) {
			p.Format, p.File, p.AnswerIs = "csv", "mapped.csv", records.From0
			p.Columns = records.Columns{ID: "nr", Question: "text", Options: records.Names{"opa", "opb", "opc"}, Answer: records.Names{"cop"}}
		}, "1 choice [x y z] [B]; 2 choice [x y] [A]"},
		{func(p *Params) {
			p.File, p.Columns = "mapped.jsonl", records.Columns{Question: "prompt.stem", Answer: records.Names{"target"}}
		}, "mapped-0 integer [] [4]; mapped-1 integer [] [05]"},
	} {
		p := params("jsonl", "x")
		x.set(&p)
		e, err := loadQuestions(p, files)
		if err != nil {
			t.Errorf("%+v: %v", p, err)
			continue
		}
		var all []string
		for _, q := range e.questions {
			all = append(all, fmt.Sprint(q.ID, " ", q.Kind, " ", q.Options, " ", q.Gold))
		}
		if got := strings.Join(all, "; "); got != x.want {
			t.Errorf("%s: %s, want %s", p.File, got, x.want)
		}
		envtest.Run(t, e, envtest.Options{Golden: "-", Hostile: []string{`"(A)"`, `"(Z)"`, `7`}})
	}
}

// All that is wrong is said at once, with the file, the place and the column's own name.
func TestMappedFaults(t *testing.T) {
	files := mappedFiles(t)
	arc := records.Columns{Question: "stem", Options: records.Names{"choices"}, Answer: records.Names{"answerKey"}}
	for _, x := range []struct {
		set  func(*Params)
		want string
	}{
		{func(p *Params) { p.Format, p.File, p.Columns = "parquet", "bad.parquet", arc },
			"bad.parquet, row 1, stem (question x): there is no question\nbad.parquet, row 2, answerKey (question y): the right answer \"C\" is none of the options"},
		{func(p *Params) { p.Format, p.File = "parquet", "arc.parquet" },
			"arc.parquet, read as parquet: there is no column \"question\"; the file has id, stem, choices, answerKey"},
		{func(p *Params) { p.Format, p.File, p.Columns = "hf", "hub", arc }, "split is missing; the folder has test, train"},
		{func(p *Params) { p.Format, p.File = "hf", "nothing" }, "the folder nothing holds no file"},
		{func(p *Params) {
			p.Format, p.File = "csv", "mapped.csv"
			p.Columns = records.Columns{Question: "text", Options: records.Names{"opa", "opb", "opc"}, Answer: records.Names{"cop"}}
		}, `mapped.csv, line 2, cop (question mapped-0): the right answer "1" is option (B) counted from 0 and (A) counted from 1; say which: answer_is: index_0 or index_1`},
		{func(p *Params) { p.Format, p.Columns = "bbh", arc }, "columns is given, and the format bbh has its own; it goes with csv, hf, jsonl and parquet"},
		{func(p *Params) { p.Format, p.AnswerIs = "bbh", "text" }, "answer_is is given, and the format bbh has its own"},
		{func(p *Params) { p.AnswerIs = "number" }, `answer_is is "number"; expected letter, text, index_0, index_1 or mask`},
		{func(p *Params) { p.Split = "test" }, "config and split go with the format hf, not with jsonl"},
		{func(p *Params) {
			p.File, p.Columns = "mapped.jsonl", records.Columns{Question: "promt", Answer: records.Names{"taget"}}
		}, "mapped.jsonl, read as jsonl: there is no column \"promt\"; the file has prompt, target; did you mean prompt?\nmapped.jsonl, read as jsonl: there is no column \"taget\""},
	} {
		p := params("jsonl", "x")
		x.set(&p)
		if _, err := New(p, files); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v\nwant %s", p, err, x.want)
		}
	}
}
