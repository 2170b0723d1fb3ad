package qa

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"
	"go.yaml.in/yaml/v3"

	"roundtable/envs"
)

// published is a public data set as it is published, with two rows that were made up here.
type published struct {
	name, from string
	lines      string // under env
	file       string
	data       []byte
	want       string // the key of each row
}

type labelled struct {
	Text  []string `parquet:"text,list"`
	Label []string `parquet:"label,list"`
}

type ofTargets struct {
	Choices []string `parquet:"choices,list"`
	Labels  []int32  `parquet:"labels,list"`
}

type spans struct {
	Text  []string `parquet:"text,list"`
	Start []int32  `parquet:"answer_start,list"`
}

type (
	mmluRow struct {
		Question string   `parquet:"question"`
		Subject  string   `parquet:"subject"`
		Choices  []string `parquet:"choices,list"`
		Answer   int64    `parquet:"answer"`
	}
	mmluProRow struct {
		ID       int64    `parquet:"question_id"`
		Question string   `parquet:"question"`
		Options  []string `parquet:"options,list"`
		Answer   string   `parquet:"answer"`
		Index    int64    `parquet:"answer_index"`
		CoT      string   `parquet:"cot_content"`
		Category string   `parquet:"category"`
		Src      string   `parquet:"src"`
	}
	choiceRow struct {
		ID       string   `parquet:"id"`
		Question string   `parquet:"question"`
		Concept  string   `parquet:"question_concept"`
		Choices  labelled `parquet:"choices"`
		Key      string   `parquet:"answerKey"`
	}
	truthfulRow struct {
		Question string    `parquet:"question"`
		MC1      ofTargets `parquet:"mc1_targets"`
		MC2      ofTargets `parquet:"mc2_targets"`
	}
	swagRow struct {
		Ind     int32    `parquet:"ind"`
		Label   string   `parquet:"activity_label"`
		A       string   `parquet:"ctx_a"`
		B       string   `parquet:"ctx_b"`
		Ctx     string   `parquet:"ctx"`
		Endings []string `parquet:"endings,list"`
		Source  string   `parquet:"source_id"`
		Split   string   `parquet:"split"`
		Type    string   `parquet:"split_type"`
		Right   string   `parquet:"label"`
	}
	winoRow struct {
		Sentence string `parquet:"sentence"`
		One      string `parquet:"option1"`
		Two      string `parquet:"option2"`
		Answer   string `parquet:"answer"`
	}
	sciqRow struct {
		Question string `parquet:"question"`
		D3       string `parquet:"distractor3"`
		D1       string `parquet:"distractor1"`
		D2       string `parquet:"distractor2"`
		Right    string `parquet:"correct_answer"`
		Support  string `parquet:"support"`
	}
	medRow struct {
		ID       string `parquet:"id"`
		Question string `parquet:"question"`
		A        string `parquet:"opa"`
		B        string `parquet:"opb"`
		C        string `parquet:"opc"`
		D        string `parquet:"opd"`
		Cop      int64  `parquet:"cop"`
		Type     string `parquet:"choice_type"`
		Exp      string `parquet:"exp"`
		Subject  string `parquet:"subject_name"`
		Topic    string `parquet:"topic_name"`
	}
	gsmRow struct {
		Question string `parquet:"question"`
		Answer   string `parquet:"answer"`
	}
	mathRow struct {
		Problem  string `parquet:"problem"`
		Level    string `parquet:"level"`
		Type     string `parquet:"type"`
		Solution string `parquet:"solution"`
	}
	squadRow struct {
		ID       string `parquet:"id"`
		Title    string `parquet:"title"`
		Context  string `parquet:"context"`
		Question string `parquet:"question"`
		Answers  spans  `parquet:"answers"`
	}
	anliRow struct {
		UID        string `parquet:"uid"`
		Premise    string `parquet:"premise"`
		Hypothesis string `parquet:"hypothesis"`
		Label      int64  `parquet:"label"`
		Reason     string `parquet:"reason"`
	}
	mnliRow struct {
		Prompt     int32  `parquet:"promptID"`
		Pair       string `parquet:"pairID"`
		Premise    string `parquet:"premise"`
		Hypothesis string `parquet:"hypothesis"`
		Genre      string `parquet:"genre"`
		Label      int64  `parquet:"label"`
	}
)

func rowsOf[T any](rows ...T) []byte {
	var b strings.Builder
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return []byte(b.String())
}

func publishedSets() []published {
	const part = "-00000-of-00001.parquet"
	cup := spans{[]string{"1871", "in 1871"}, []int32{22, 19}}
	inns := ofTargets{[]string{"It has one inn", "It has two inns", "It has no inn"}, []int32{1, 0, 0}}
	both := ofTargets{[]string{"It lies on a river", "It lies at sea", "A river runs through it"}, []int32{1, 0, 1}}
	return []published{
		{"MMLU", "`cais/mmlu`", "format: hf\nfile: mmlu\nconfig: all\nsplit: test\ncolumns: {options: choices}\nanswer_is: index_0", "mmlu/all/test" + part,
			rowsOf(mmluRow{"Which of these is a prime?", "made_up", []string{"8", "9", "11", "15"}, 2}, mmluRow{"Which of these is even?", "made_up", []string{"3", "4", "5", "7"}, 1}), "(C) (B)"},
		{"MMLU-Pro", "`TIGER-Lab/MMLU-Pro`", "format: hf\nfile: mmlu-pro\nsplit: test\ncolumns: {id: question_id, answer: answer}\nanswer_is: letter", "mmlu-pro/data/test" + part,
			rowsOf(mmluProRow{1, "Which town has a harbour?", []string{"Brenn", "Tarn", "Yarrow", "Lorne", "Nethers"}, "D", 3, "", "made up", "x"}, mmluProRow{2, "Which has a mill?", []string{"Brenn", "Tarn"}, "A", 0, "", "made up", "x"}), "(D) (A)"},
		{"ARC", "`allenai/ai2_arc`", "format: hf\nfile: ai2_arc\nconfig: ARC-Challenge\nsplit: test\ncolumns: {options: choices, answer: answerKey}", "ai2_arc/ARC-Challenge/test" + part,
			rowsOf(choiceRow{"a1", "What floats?", "", labelled{[]string{"cork", "iron"}, []string{"A", "B"}}, "A"}, choiceRow{"a2", "What burns?", "", labelled{[]string{"sand", "wood"}, []string{"1", "2"}}, "2"}), "(A) (B)"},
		{"CommonsenseQA", "`tau/commonsense_qa`", "format: hf\nfile: commonsense_qa\nsplit: validation\ncolumns: {options: choices, answer: answerKey}", "commonsense_qa/data/validation" + part,
			rowsOf(choiceRow{"c1", "Where is bread kept?", "bread", labelled{[]string{"bin", "sea", "lamp"}, []string{"A", "B", "C"}}, "A"}, choiceRow{"c2", "Where does one swim?", "swim", labelled{[]string{"bin", "sea", "lamp"}, []string{"A", "B", "C"}}, "B"}), "(A) (B)"},
		{"TruthfulQA, one right answer", "`truthfulqa/truthful_qa`, `mc1`: the right one comes first in its files", "format: hf\nfile: truthful_qa\nconfig: multiple_choice\nsplit: validation\ncolumns: {options: mc1_targets.choices, answer: mc1_targets.labels}\nanswer_is: mask\nshuffle: options", "truthful_qa/multiple_choice/validation" + part,
			rowsOf(truthfulRow{"How many inns has Brenn?", inns, both}, truthfulRow{"How many inns has Tarn?", inns, both}), "It has one inn; It has one inn"},
		{"TruthfulQA, all right answers", "the same, `mc2`", "format: hf\nfile: truthful_qa\nconfig: multiple_choice\nsplit: validation\nkind: several\ncolumns: {options: mc2_targets.choices, answer: mc2_targets.labels}\nanswer_is: mask", "truthful_qa/multiple_choice/validation" + part,
			rowsOf(truthfulRow{"Where does Brenn lie?", inns, both}, truthfulRow{"Where does Tarn lie?", inns, both}), "(A)(C) (A)(C)"},
		{"HellaSwag", "`Rowan/hellaswag`", "format: hf\nfile: hellaswag\nsplit: validation\ncolumns: {id: ind, question: ctx, options: endings, answer: label}\nanswer_is: index_0", "hellaswag/data/validation" + part,
			rowsOf(swagRow{1, "Baking", "She kneads the dough.", "she", "She kneads the dough. she", []string{"swims.", "bakes it."}, "x", "val", "indomain", "1"}, swagRow{2, "Rowing", "He takes the oars.", "he", "He takes the oars. he", []string{"rows.", "bakes them."}, "x", "val", "indomain", "0"}), "(B) (A)"},
		{"WinoGrande", "`allenai/winogrande`", "format: hf\nfile: winogrande\nconfig: winogrande_xl\nsplit: validation\ncolumns: {question: sentence, options: [option1, option2], answer: answer}\nanswer_is: index_1", "winogrande/winogrande_xl/validation" + part,
			rowsOf(winoRow{"The jar did not fit the box because _ was too large.", "jar", "box", "1"}, winoRow{"The jar did not fit the box because _ was too small.", "jar", "box", "2"}), "(A) (B)"},
		{"SciQ", "`allenai/sciq`; `context: support` shows the passage", "format: hf\nfile: sciq\nsplit: test\ncolumns: {options: [correct_answer, distractor1, distractor2, distractor3], answer: correct_answer, context: []}\nshuffle: options", "sciq/data/test" + part,
			rowsOf(sciqRow{"What do plants breathe out?", "iron", "salt", "sand", "oxygen", "Plants breathe."}, sciqRow{"What is ice?", "fire", "stone", "glass", "water", ""}), "oxygen; water"},
		{"MedMCQA", "`openlifescienceai/medmcqa`", "format: hf\nfile: medmcqa\nsplit: validation\ncolumns: {options: [opa, opb, opc, opd], answer: cop, solution: exp}\nanswer_is: index_0", "medmcqa/data/validation" + part,
			rowsOf(medRow{"m1", "Which is a bone?", "Liver", "Femur", "Skin", "Blood", 1, "single", "", "Anatomy", ""}, medRow{"m2", "Which pumps?", "Heart", "Femur", "Skin", "Nail", 0, "single", "", "Anatomy", ""}), "(B) (A)"},
		{"GSM8K", "`openai/gsm8k`, or its `test.jsonl` with `format: jsonl`", "format: hf\nfile: gsm8k\nconfig: main\nsplit: test\nkind: integer\nanswer_after: \"####\"", "gsm8k/main/test" + part,
			rowsOf(gsmRow{"Ada has 3 cups and buys 4. How many has she?", "She has 3+4 = <<3+4=7>>7 cups.\n#### 7"}, gsmRow{"How many metres are 1.2 km?", "1.2*1000 = 1200\n#### 1,200"}), "7 1200"},
		{"MATH", "`EleutherAI/hendrycks_math`", "format: hf\nfile: hendrycks_math\nconfig: algebra\nsplit: test\nkind: math\ncolumns: {question: problem, answer: solution}\nanswer_after: \\boxed", "hendrycks_math/algebra/test" + part,
			rowsOf(mathRow{"What is $\\frac{2}{4}$?", "Level 1", "Algebra", "We halve: $\\boxed{\\frac{1}{2}}$."}, mathRow{"What is $2+2$?", "Level 1", "Algebra", "It is $\\boxed{4}$."}), `\frac{1}{2} 4`},
		{"GPQA", "your own copy of `gpqa_*.csv`; the options are dealt by the seed", "format: gpqa\nfile: gpqa_diamond.csv", "gpqa_diamond.csv",
			[]byte("Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Explanation\nrec1,Which is lightest?,hydrogen,helium,neon,argon,none\nrec2,Which is a metal?,iron,neon,argon,helium,none\n"), "hydrogen; iron"},
		{"BIG-Bench Hard", "the JSON files of its repository. Tasks without options need a kind: `kind: yesno`, `integer` or `text`", "format: bbh\nfile: logical_deduction_three_objects.json", "logical_deduction_three_objects.json",
			[]byte(`{"examples": [{"input": "Three jars stand in a row. Which is first?\nOptions:\n(A) red\n(B) blue\n(C) green", "target": "(B)"}, {"input": "Which is last?\nOptions:\n(A) red\n(B) blue\n(C) green", "target": "(C)"}]}`), "(B) (C)"},
		{"BIG-bench", "the `task.json` of a task with `target_scores`; several of 1 need `kind: several`", "format: jsonl\nfile: task.json\nrows: examples\ncolumns: {question: input, options: target_scores, answer: target_scores}\nanswer_is: mask", "task.json",
			[]byte(`{"name": "which_sea", "metrics": ["multiple_choice_grade"], "preferred_score": "multiple_choice_grade", "examples": [{"input": "In which sea does the Ouse end?", "target_scores": {"Lorne Sea": 1, "Black Sea": 0, "in none": 0}}, {"input": "Is it salty?", "target_scores": {"yes": 0, "no": 1}}]}`), "(B) (A)"},
		{"StrategyQA", "the authors' JSON files", "format: strategyqa\nfile: dev.json", "dev.json",
			[]byte(`[{"qid": "s1", "term": "Brenn", "description": "a town", "question": "Is Brenn older than Tarn?", "answer": true, "facts": ["Brenn is old."]}, {"qid": "s2", "term": "Tarn", "description": "a town", "question": "Is Tarn at sea?", "answer": false, "facts": []}]`), "yes no"},
		{"MuSR", "`TAUR-Lab/MuSR`; `format: musr` reads the JSON files of its repository", "format: csv\nfile: murder_mysteries.csv\ncolumns: {context: narrative, options: choices, answer: answer_index}\nanswer_is: index_0", "murder_mysteries.csv",
			[]byte("narrative,question,choices,answer_index,answer_choice\n\"Ada was at sea, \"\"far\"\" away.\",Who did it?,\"['Ada', \"\"O'Neil\"\"]\",1,O'Neil\nBen slept.,Who was awake?,\"['Ada', 'Ben']\",0,Ada\n"), "(B) (A)"},
		{"SQuAD 2.0", "`rajpurkar/squad_v2`; `format: squad2` reads `dev-v2.0.json`", "format: hf\nfile: squad_v2\nconfig: squad_v2\nsplit: validation\nkind: span\ncolumns: {answer: answers.text}", "squad_v2/squad_v2/validation" + part,
			rowsOf(squadRow{"q1", "Brenn", "Brenn won the cup in 1871.", "When did Brenn win?", cup}, squadRow{"q2", "Brenn", "Brenn won the cup in 1871.", "Who lost?", spans{}}), "1871|in 1871 "},
		{"ANLI", "`facebook/anli`", "format: hf\nfile: anli\nconfig: plain_text\nsplit: test_r1\ncolumns: {id: uid, context: premise, question: hypothesis, answer: label}\nchoices: [entailment, neutral, contradiction]\nanswer_is: index_0", "anli/plain_text/test_r1" + part,
			rowsOf(anliRow{"u1", "Brenn lies at sea.", "Brenn lies at the water.", 0, ""}, anliRow{"u2", "Brenn lies at sea.", "Brenn has no coast.", 2, ""}), "(A) (C)"},
		{"MNLI", "`nyu-mll/multi_nli`", "format: hf\nfile: multi_nli\nsplit: validation_matched\ncolumns: {id: pairID, context: premise, question: hypothesis, answer: label}\nchoices: [entailment, neutral, contradiction]\nanswer_is: index_0", "multi_nli/data/validation_matched" + part,
			rowsOf(mnliRow{1, "1n", "Tarn has a mill.", "Tarn has a large mill.", "made up", 1}, mnliRow{2, "2c", "Tarn has a mill.", "Tarn has no mill.", "made up", 2}), "(B) (C)"},
		{"MuSiQue", "the authors' JSON lines", "format: jsonl\nfile: musique_ans_v1.0_dev.jsonl\nkind: text\ncolumns: {context: paragraphs.paragraph_text, answer: [answer, answer_aliases]}", "musique_ans_v1.0_dev.jsonl",
			[]byte(`{"id": "2hop__1", "paragraphs": [{"idx": 0, "title": "Brenn", "paragraph_text": "Brenn lies on the Ouse.", "is_supporting": true}, {"idx": 1, "title": "Ouse", "paragraph_text": "The Ouse ends in the Lorne Sea.", "is_supporting": true}], "question": "In which sea does the river of Brenn end?", "question_decomposition": [{"id": 1, "question": "Brenn >> river", "answer": "Ouse"}], "answer": "Lorne Sea", "answer_aliases": ["the Lorne"], "answerable": true}` + "\n" +
				`{"id": "2hop__2", "paragraphs": [{"idx": 0, "title": "Tarn", "paragraph_text": "Tarn was founded by Ada.", "is_supporting": true}], "question": "Who founded Tarn?", "question_decomposition": [], "answer": "Ada", "answer_aliases": [], "answerable": true}` + "\n"), "Lorne Sea|the Lorne Ada"},
		{"HiddenBench", "`benchmark.json` of its repository, with all information in everybody's hands", "format: jsonl\nfile: benchmark.json\ncolumns: {question: description, context: [shared_information, hidden_information], options: possible_answers, answer: correct_answer}", "benchmark.json",
			[]byte(`[{"id": 1, "name": "ferry", "description": "Which ferry is safe?", "shared_information": ["Three ferries leave.", "The red one is new."], "hidden_information": ["The red one leaks.", "The blue one was repaired."], "possible_answers": ["red", "blue", "green"], "correct_answer": "blue"}, {"id": 2, "name": "inn", "description": "Which inn is open?", "shared_information": ["There are two."], "hidden_information": ["The old one burnt down."], "possible_answers": ["old", "new"], "correct_answer": "new"}]`), "(B) (B)"},
	}
}

// env returns the lines as they stand in the guide.
func (x published) env() string {
	return "{name: qa, " + strings.ReplaceAll(x.lines, "\n", ", ") + "}"
}

// read loads a data set by its lines.
func (x published) read() (*QA, error) {
	var lines map[string]any
	if err := yaml.Unmarshal([]byte(x.env()), &lines); err != nil {
		return nil, err
	}
	delete(lines, "name")
	data, err := json.Marshal(lines)
	if err != nil {
		return nil, err
	}
	p := Defaults()
	if err := envs.DecodeStrict(data)(&p); err != nil {
		return nil, err
	}
	return loadQuestions(p, fstest.MapFS{x.file: {Data: x.data}})
}

const guideHead = `# Public data sets

` + "```" + `yaml
data: downloads                  # what you downloaded, as it is
env: {name: qa, format: hf, file: mmlu, config: all, split: test, columns: {options: choices}, answer_is: index_0, agents: 3}
` + "```" + `

` + "`roundtable plan FILE`" + ` prints which column was read as what, what is not used, where the right answers lie among the options, and an example with its key. Look at it before you run. A column that would not be asked, an answer that can be read in two ways, and a file that is something else than its name says are errors that say what to write. Other files: [campaign file](../reference/campaign.md#environments).

| data set | published as (owner/name: on the Hugging Face hub) | ` + "`env:`" + ` |
| --- | --- | --- |
`

// Every layout is read by the lines in the guide, which is made from them.
func TestPublishedLayouts(t *testing.T) {
	guide := strings.Builder{}
	guide.WriteString(guideHead)
	for _, x := range publishedSets() {
		e, err := x.read()
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		var keys []string
		for i := range e.Instances() {
			dealt, err := e.Instance(1, i)
			if err != nil {
				t.Fatal(err)
			}
			in := dealt.(*Instance)
			if e.params.Shuffle != "" {
				keys = append(keys, strings.Join(in.q.keyTexts(), "|"))
			} else if in.q.Kind == Choice || in.q.Kind == YesNo || in.q.Kind == Integer {
				keys = append(keys, strings.Join(in.acceptedAnswers(), "|"))
			} else {
				keys = append(keys, strings.Join(in.q.Gold, "|"))
			}
		}
		got := strings.Join(keys, " ")
		if e.params.Shuffle != "" {
			got = strings.Join(keys, "; ")
		}
		if got != x.want {
			t.Errorf("%s: keys %q, want %q", x.name, got, x.want)
		}
		s, err := e.Survey(1)
		if err != nil || len(s.Files) != 1 || len(s.Example) < 2 || len(s.Warnings) > 0 && x.name != "SciQ" {
			t.Errorf("%s: files %v, example %v, warnings %v, error %v", x.name, s.Files, s.Example, s.Warnings, err)
		}
		fmt.Fprintf(&guide, "| %s | %s | `%s` |\n", x.name, x.from, x.env())
	}
	const name = "../../docs/guides/data-sets.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(name, []byte(guide.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(name); err != nil || string(have) != guide.String() {
		t.Errorf("%s is not what the test makes (error %v); go test ./envs/qa -run TestPublishedLayouts -update writes it", name, err)
	}
}
