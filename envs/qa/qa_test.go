package qa

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"text/template"

	"roundtable/envs"
	"roundtable/envs/envtest"
)

func params(format, file string) Params {
	p := Defaults()
	p.Format, p.File = format, file
	if layouts[format].Columns.Question == "" {
		p.Kind = Integer
	}
	return p
}

func mustLoad(t testing.TB, p Params, folder string) *QA {
	t.Helper()
	e, err := loadQuestions(p, os.DirFS(folder))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func tiny(t testing.TB, format, file string) *QA {
	return mustLoad(t, params(format, file), "testdata/tiny")
}

func TestEnvironment(t *testing.T) {
	for format, file := range map[string]string{
		"bbh": "bbh.json", "math500": "math.jsonl", "strategyqa": "strategy.json", "gpqa": "gpqa.csv", "squad2": "squad.json", "csv": "own.csv",
	} {
		golden := "-"
		if format == "bbh" {
			golden = ""
		}
		t.Run(format, func(t *testing.T) {
			envtest.Run(t, tiny(t, format, file), envtest.Options{
				Golden: golden, Hostile: []string{`"(A)"`, `"(Z)"`, `"yes"`, `7`, `true`, `"\\boxed{1}"`, `"\\frac"`, `"x=.5"`, `"\\sqrt"`},
			})
		})
	}
}

func FuzzParse(f *testing.F)     { envtest.Fuzz(f, tiny(f, "bbh", "bbh.json")) }
func FuzzParseMath(f *testing.F) { envtest.Fuzz(f, tiny(f, "math500", "math.jsonl")) }
func FuzzParseSpan(f *testing.F) { envtest.Fuzz(f, tiny(f, "squad2", "squad.json")) }

// Every format: how a question of the made-up files is read.
func TestFormats(t *testing.T) {
	for _, x := range []struct{ format, file, want string }{
		{"bbh", "bbh.json", "bbh-0 choice 5 [B]"}, // logical deduction, five objects
		{"bbh", "bbh_three.json", "bbh_three-0 choice 3 [C]"},
		{"bbh", "bbh_seven.json", "bbh_seven-0 choice 7 [G]"},
		{"bbh", "bbh_shapes.json", "bbh_shapes-0 choice 10 [J]"},
		{"math500", "math.jsonl", `test-prealgebra-1.json math 0 [\frac{1}{2}]`},
		{"strategyqa", "strategy.json", "a1 yesno 0 [no]"},
		{"mmlu", "mmlu_test.csv", "mmlu_test-0 choice 4 [C]"},
		{"mmlu", "mmlu_header.csv", "mmlu_header-0 choice 4 [C]"},
		{"mmlu_pro", "mmlu_pro.jsonl", "7 choice 6 [E]"},
		{"gpqa", "gpqa.csv", "rec1 choice 4 [A]"},
		{"musr", "musr.json", "musr-0 choice 2 [B]"},
		{"squad2", "squad.json", "m1 span 0 [1820 in 1820]"},
		{"jsonl", "own.jsonl", "o1 integer 0 [7]"},
		{"csv", "own.csv", "c1 choice 2 [B]"},
	} {
		e := tiny(t, x.format, x.file)
		q := e.questions[0]
		if got := fmt.Sprint(q.ID, " ", q.Kind, " ", len(q.Options), " ", q.Gold); got != x.want {
			t.Errorf("%s: %s, want %s", x.file, got, x.want)
		}
	}
	if all := tiny(t, "mmlu", "mmlu_*.csv"); len(all.questions) != 3 {
		t.Errorf("a pattern reads %d questions of two files", len(all.questions))
	}
	if q := tiny(t, "jsonl", "own.jsonl").questions[1]; q.Kind != Choice || q.Gold[0] != "B" {
		t.Errorf("an option given by its text: %+v", q)
	}
}

// Faults of parameters and files say what is wrong and where.
func TestFaults(t *testing.T) {
	files := fstest.MapFS{
		"broken.jsonl":  {Data: []byte("{\"question\":\"a?\",\"answer\":1}\nnot json\n")},
		"table.csv":     {Data: []byte("question,reply\na,b\n")},
		"empty.jsonl":   {Data: nil},
		"good.jsonl":    {Data: []byte(`{"id":"g","question":"How many?","answer":1}`)},
		"pool.jsonl":    {Data: []byte(`{"question":"g","text":"(1)"}` + "\n" + `{"question":"g","text":"(2)"}`)},
		"strange.jsonl": {Data: []byte("\n" + `{"question":"x","text":"(1)"}`)},
		"cut.jsonl":     {Data: []byte(`{"question":"g","text":1}`)},
		"shots.jsonl":   {Data: []byte(`{"question":"a"}`)},
	}
	for _, x := range []struct {
		set  func(*Params)
		want string
	}{
		{func(p *Params) { p.Format = "xml" }, `format is "xml"`},
		{func(p *Params) { p.File = "" }, "file is missing"},
		{func(p *Params) { p.File = "none.jsonl" }, "is not in the folder"},
		{func(p *Params) { p.File = "broken.jsonl" }, "broken.jsonl, read as jsonl: line 2"},
		{func(p *Params) { p.Format, p.File = "csv", "table.csv" }, `no column "answer"`},
		{func(p *Params) { p.File = "empty.jsonl" }, "empty.jsonl, read as jsonl: it is empty"},
		{func(p *Params) { p.Agents = 0 }, "agents is 0"},
		{func(p *Params) { p.N = 2 }, "n is 2; the data hold 1"},
		{func(p *Params) { p.N, p.Sample = 1, "population" }, "leave n out"},
		{func(p *Params) { p.Pool.File = "pool.jsonl" }, "pool.each is 40; question g has 1 right and 1 wrong"},
		{func(p *Params) { p.Pool.File = "strange.jsonl" }, `pool.file strange.jsonl, line 2: there is no question "x"`},
		{func(p *Params) { p.Pool.File = "cut.jsonl" }, "pool.file cut.jsonl, line 1: text is of the type number"},
		{func(p *Params) { p.Pool.File = "gone.jsonl" }, "cannot be read"},
		{func(p *Params) { p.Shots = Shots{File: "shots.jsonl", N: 1} }, "shots.jsonl, line 1: this is not"},
	} {
		p := params("jsonl", "good.jsonl")
		x.set(&p)
		if _, err := New(p, files); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v, want %q", p, err, x.want)
		}
	}
}

// What is wrong in a file is said with its line and the format's own field;
// every faulty question, not the first alone.
func TestFaultsInFiles(t *testing.T) {
	for _, x := range []struct{ format, data, want string }{
		{"bbh", `{"examples":[{"input":"Which?\nOptions:\n(A) x\n(B) y","target":"(C)"}]}`, `f, line 1, target (question f-0): the right answer "(C)" is none of the options: no letter of (A) to (B), no label, no text of an option and no place among them`},
		{"bbh", "{\"canary\": [1, {}],\n\"examples\": [\n {\"input\": \"Which?\\nOptions:\\n(A) x\\n(B) y\", \"target\": \"(A)\"},\n {\"input\": \"Really?\", \"target\": \"no\"}]}",
			`line 4, options (question f-1): there is no line "Options:"`},
		{"bbh", `{"examples":[{"input":"Which?\nOptions:\n(A) x\ny","target":"(A)"}]}`, `line 1, options (question f-0): option 2 is "y"; (B) and a text`},
		{"bbh", "{\"examples\":[\n{\"input\":7}]}", `f, read as bbh: there is no column "target"; the file has input`},
		{"bbh", `[]`, "f holds no questions"},
		{"bbh", `{"samples":[]}`, `f, read as bbh: line 1: rows is "examples", and there is no key "examples"; there are samples`},
		{"bbh", "{\n\"examples\": [", "line 2: this is not JSON: it ends too early"},
		{"strategyqa", "[\n{\"qid\":\"q1\",\"question\":\"Is it?\"},\n{\"qid\":\"q2\",\"question\":\"\",\"answer\":true}]", "f, line 2, answer (question q1): it is empty; give a right answer, or leave the question out: skip: [q1]\nf, line 3, question (question q2): there is no question"},
		{"strategyqa", `[{"question":"?","answer":"perhaps"}]`, `f, line 1, answer (question f-0): the right answer "perhaps": "perhaps" is neither yes nor no`},
		{"squad2", `{"data":[{"paragraphs":[{"context":"c","qas":[{"id":"s1","question":"?","answers":[],"is_impossible":false}]}]}]}`,
			"f, line 1, answers.text (question s1): is_impossible is false, and there are 0 answers"},
		{"musr", `[{"context":"c","questions":[{"question":"?","choices":["a","b"],"answer":2}]}]`, `line 1, answer (question f-0): the right answer "2" is none of the 2 options, read counted from 0`},
		{"musr", `[{"context":"c","questions":[{"question":"?","choices":["a"],"answer":0}]}]`, "f, line 1, choices (question f-0): there are 1 options"},
		{"math500", "{\"problem\":\"?\",\"answer\":\"1\"}\n{\"problem\":\"?\",\"answer\":\" \"}", `line 2, answer (question f-1): the right answer " ": it is empty`},
		{"math500", "\n{\"problem\":{\"a\":1},\"answer\":1}", "f, line 2, problem (question f-0): it is a mapping; a text is expected"},
		{"mmlu", "q,a,b,c,d,A\n\"q\nin two lines\",a,b,c,d,E\nq,a,b,c,d,7", "f, line 2, answer (question f-1): the right answer \"E\" is none of the 4 options, read as a letter or counted from 0 (answer_is: letter or index_0)\nf, line 4, answer"},
		{"mmlu", "q,a,A", "line 1 has 3 cells; the header has 6"},
		{"mmlu_pro", `{"question_id":1,"question":"?","options":["a","b"],"answer":"C"}`, `line 1, answer (question 1): the right answer "C"`},
		{"gpqa", "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2\na,b,c,d\n", `there is no column "Incorrect Answer 3"`},
		{"gpqa", "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n,a,b,c,d\n", "line 2, Question (question f-0): there is no question"},
		{"jsonl", "{\"question\":\"?\",\"answer\":1}\n{\"question\":\n", "f, read as jsonl: line 2: this is not JSON"},
		{"jsonl", `{"question":"?","answer":{"a":1}}`, "line 1, answer (question f-0): it is a mapping; a text, a number"},
		{"csv", "question,answer\nHow many?,many", "line 2, answer (question f-0): the right answer \"many\": \"many\" is not a whole number"},
		{"csv", "question,answer\nHow many?,12.5", "\"12.5\" is not a whole number; kind: number takes decimals and %"},
		{"csv", "question,answer\nHow many?,50%", "\"50%\" is not a whole number; kind: number takes decimals and %"},
		{"csv", "question,answer\nHow many?,\"12,5\"", "\"12,5\" is not a whole number; expected a point before decimals"},
		{"csv", "question,answer\nHow many?,1 250", "\"1 250\" is not a whole number; expected a point before decimals"},
		{"csv", "question,answer\nHow many?,1.250.000", "\"1.250.000\" is not a whole number; expected a point before decimals"},
		{"csv", "question,answer\n\"open,1", "parse error"},
	} {
		_, err := New(params(x.format, "f"), fstest.MapFS{"f": {Data: []byte(x.data)}})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.format, err, x.want)
		}
	}
}

// Options without an order of their own are dealt by the seed; the right one stays right.
func TestShuffledOptions(t *testing.T) {
	e := tiny(t, "gpqa", "gpqa.csv")
	places := map[string]bool{}
	for seed := range uint64(20) {
		in, err := e.Instance(seed, 0)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for _, o := range in.Observe(0).(Observation).Options {
			p, err := in.Parse([]byte(`"` + o.Letter + `"`))
			if err != nil {
				t.Fatal(err)
			}
			if in.Utility(0, p) == 1 {
				places[o.Letter] = true
				right++
				if o.Text != "hydrogen" {
					t.Errorf("seed %d: %s counts as right", seed, o.Text)
				}
			}
		}
		if right != 1 {
			t.Errorf("seed %d: %d right options", seed, right)
		}
	}
	if len(places) != 4 {
		t.Errorf("the right option was at %v only", places)
	}
}

// A larger sample begins with the smaller one, and no question comes twice.
func TestSample(t *testing.T) {
	ids := func(n int) (all []string) {
		p := params("bbh", "bbh.json")
		p.N = n
		e := mustLoad(t, p, "testdata/tiny")
		for i := range e.Instances() {
			in, err := e.Instance(5, i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, in.ID())
		}
		return all
	}
	small, large := ids(3), ids(5)
	if len(small) != 3 || !slices.Equal(small, large[:3]) {
		t.Errorf("%v does not begin with %v", large, small)
	}
	slices.Sort(large)
	if len(slices.Compact(large)) != 5 {
		t.Errorf("%v", large)
	}
}

// Worked examples come before the question, and only as many as asked for.
func TestShots(t *testing.T) {
	p := params("bbh", "bbh.json")
	p.Shots = Shots{File: "shots.jsonl", N: 1}
	e := mustLoad(t, p, "testdata/tiny")
	in, err := e.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := template.Must(template.ParseFS(e.Prompts(), "task.tmpl"))
	var b strings.Builder
	if err := tmpl.Execute(&b, in.Observe(0)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if at := strings.Index(text, "a comes before b. The answer is (A)."); at < 0 || at > strings.Index(text, "Question: ") || strings.Contains(text, "b comes last") {
		t.Errorf("prompt:\n%s", text)
	}
}

// A context is fixed: the same at every asking, of the right kinds, without repetition.
func TestPool(t *testing.T) {
	p := params("bbh", "orders.json")
	p.Pool = Pool{File: "viewpoints.jsonl", Each: 40, Contexts: 3}
	e := mustLoad(t, p, "../../examples/data")
	if e.Instances() != 6 {
		t.Fatalf("%d instances of 2 questions with 3 contexts", e.Instances())
	}
	drawn := map[string]bool{}
	for i := range e.Instances() {
		in, _ := e.Instance(1, i)
		again, _ := e.Instance(1, i)
		whole := ""
		for _, name := range []string{"correct", "incorrect"} {
			for n := range 40 {
				c, err := in.(envs.Cued).Cue(envs.Cue{Name: name, N: n})
				if err != nil {
					t.Fatal(err)
				}
				d, _ := again.(envs.Cued).Cue(envs.Cue{Name: name, N: n})
				if fmt.Sprint(c) != fmt.Sprint(d) || (in.Utility(0, c.Proposals[0]) == 1) != (name == "correct") || c.Text == "" {
					t.Fatalf("%s viewpoint %d of %s: %+v", name, n, in.ID(), c)
				}
				whole += c.Text
			}
		}
		drawn[whole] = true
		if _, err := in.(envs.Cued).Cue(envs.Cue{Name: "correct", N: 40}); err == nil {
			t.Error("there is a 41st viewpoint")
		}
	}
	if len(drawn) != 6 {
		t.Errorf("%d different contexts of 6", len(drawn))
	}
}
