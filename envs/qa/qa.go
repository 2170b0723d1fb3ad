// Package qa is the environment of questions with known answers: the official files of BIG-Bench Hard
// (logical deduction, geometric shapes), MATH-500, StrategyQA, MMLU, MMLU-Pro, GPQA (the user's own
// copy), MuSR and SQuAD 2.0, and JSONL, CSV, Parquet or Hugging Face folders of the user's own. All
// agents see the same question. No observation holds the right answer, and answers are found, compared
// and scored as each data set's own evaluation does.
//
// Data files are read by New and never again.
package qa

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"roundtable/envs"
	"roundtable/envs/qa/records"
	"roundtable/envs/qa/scoring"
	"roundtable/envs/wording"
)

// Params are the parameters of the environment. Start from Defaults.
type Params struct {
	// Format is that of the files: one of Formats.
	Format string `json:"format"`
	// File is a path or pattern (test/*.csv) within the folder of data.
	File string `json:"file"`
	// Config and Split select from a folder in the format hf; where it has only one, it need not be
	// named.
	Config string `json:"config"`
	Split  string `json:"split"`
	// Columns maps the parts of a question to columns, for jsonl, csv, parquet and hf.
	Columns records.Columns `json:"columns"`
	// AnswerIs says how the answer column names an option, where that is ambiguous.
	AnswerIs records.Reading `json:"answer_is"`
	// AnswerAfter is the marker after which the answer stands in its column, such as ####.
	AnswerAfter string `json:"answer_after"`
	// Rows is the dotted path to the list of rows in a JSON file, such as data.paragraphs.qas.
	Rows string `json:"rows"`
	// Header names the columns of a CSV file without a header.
	Header []string `json:"header"`
	// Choices are the options that all questions share.
	Choices []string `json:"choices"`
	// OptionsAfter is the line of a question's text after which its options stand.
	OptionsAfter string `json:"options_after"`
	// Skip names questions that are not asked, by their ids.
	Skip IDs `json:"skip"`
	// Shuffle is "options" if the campaign's seed shuffles them.
	Shuffle string `json:"shuffle"`
	// Kind of the questions that have no options.
	Kind Kind `json:"kind"`
	// Score says how an answer is scored; by default as usual for the question's kind.
	Score scoring.Scoring `json:"score,omitzero"`
	// Reading of answers in free texts: stated or last.
	Reading Reading `json:"reading"`
	// Agents is the size of the group; default 3.
	Agents int `json:"agents"`
	// N questions are drawn by the campaign's seed without replacement; a larger
	// sample begins with the smaller one. 0 takes all, in the order of the file.
	N int `json:"n"`
	// Sample is "all", or "population": paper 2's n = ⌈385/(1+384/N)⌉ of N questions.
	Sample string `json:"sample"`
	// Shots are worked examples that every agent is shown.
	Shots Shots `json:"shots"`
	// Pool holds viewpoints that were sampled before (paper 4, RQ3).
	Pool Pool `json:"pool"`
	// Challenges holds what challengers of an answer are shown (paper 2, §4.2).
	Challenges Challenges `json:"challenges"`

	form records.Form // of the files; "" is by their names
}

// IDs are ids of questions; a file may write them as numbers.
type IDs []string

// UnmarshalJSON reads a list of texts and numbers.
func (ids *IDs) UnmarshalJSON(data []byte) error {
	var list []any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&list); err != nil {
		return errors.New("this is not a list of ids")
	}
	for _, id := range list {
		*ids = append(*ids, fmt.Sprint(id))
	}
	return nil
}

// Defaults returns a group of three and all questions.
func Defaults() Params {
	return Params{Agents: 3, Reading: Stated, Sample: "all", Pool: Pool{Each: 40, Contexts: 1}}
}

// mostAgents is more than any paper's group.
const mostAgents = 1000

// QA is the environment.
type QA struct {
	params    Params
	source    source
	questions []Question
	repeats   []int          // how often each has been asked before, see Identity
	repeated  string         // a warning about these
	all       []Question     // before those without a viewpoint or challenge were left out
	byID      map[string]int // where a question is among all
	shots     []Shot
	pool      map[string]viewpoints // by question; nil without a pool
	byHash    map[string]Question   // made when it is needed
	// challenges by question; nil without a file
	challenges map[string]challenge
}

// New reads the data from files; its error lists all that is wrong with p and the files.
func New(p Params, files fs.FS) (envs.Environment, error) {
	e, err := loadQuestions(p, files)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func loadQuestions(p Params, files fs.FS) (*QA, error) {
	p, err := p.withLayout()
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, err
	}
	questions, from, err := readFiles(p, files)
	if err != nil {
		return nil, err
	}
	for i := range questions {
		questions[i].reading = p.Reading
	}
	e := &QA{params: p, source: from, byID: map[string]int{}}
	if e.shots, e.questions, err = takeShots(p, questions, files); err != nil {
		return nil, err
	}
	e.repeats, e.repeated = countRepeats(e.questions)
	e.all = e.questions
	for i, q := range e.all {
		e.byID[q.ID] = i
	}
	if err := e.readPool(files); err != nil {
		return nil, err
	}
	if err := e.readChallenges(files); err != nil {
		return nil, err
	}
	if p.N > len(e.questions) {
		return nil, fmt.Errorf("n is %d; the data hold %d questions", p.N, len(e.questions))
	}
	return e, nil
}

func (p Params) check() error {
	switch {
	case p.isOwn() && p.AnswerIs != records.Any && !slices.Contains(records.Readings(), p.AnswerIs):
		return fmt.Errorf("answer_is is %q; expected %s", p.AnswerIs, wording.Or(records.Readings()))
	case p.Kind != "" && !slices.Contains(allKinds(), p.Kind):
		return fmt.Errorf("kind is %q; expected %s", p.Kind, wording.Or(allKinds()))
	case p.Shuffle != "" && p.Shuffle != shuffleOptions:
		return fmt.Errorf("shuffle is %q; expected options", p.Shuffle)
	case len(p.Choices) == 1 || len(p.Choices) > mostOptions:
		return fmt.Errorf("choices is a list of %d; expected 2 to %d", len(p.Choices), mostOptions)
	case p.Format != "hf" && p.Config+p.Split != "":
		return fmt.Errorf("config and split go with the format hf, not with %s", p.Format)
	case p.File == "":
		return fmt.Errorf("file is missing; it is a path or pattern within the folder that data: names")
	case !slices.Contains(allReadings(), string(p.Reading)):
		return fmt.Errorf("reading is %q; expected %s", p.Reading, wording.Or(allReadings()))
	case p.Agents < 1 || p.Agents > mostAgents:
		return fmt.Errorf("agents is %d; expected 1 to %d", p.Agents, mostAgents)
	case p.N < 0:
		return fmt.Errorf("n is %d; it cannot be negative", p.N)
	case p.Sample != "all" && p.Sample != "population":
		return fmt.Errorf("sample is %q; expected all or population", p.Sample)
	case p.Sample == "population" && p.N > 0:
		return fmt.Errorf("sample is population, which says how many; leave n out")
	}
	return errors.Join(p.Shots.check(), p.Pool.check())
}

// Population returns paper 2's size of a sample from n questions: 95 % confidence and a margin of
// five points, with the correction for finite populations (appendix B; 384.16 is rounded up
// first).
func Population(n int) int {
	if n < 1 {
		return 0
	}
	return int(math.Ceil(385 * float64(n) / float64(n+384)))
}

// Version returns the version of dealing, parsing, scoring and the scripted policies.
func (e *QA) Version() int { return 2 }

// Measure returns a share: accuracy, or F1 for SQuAD; or Scored if a program or a judge scores
// final answers.
func (e *QA) Measure() envs.Measure {
	if name := e.params.Score.Name; name == scoring.ByCommand || name == scoring.ByJudge {
		return envs.Scored
	}
	return envs.Share
}

// Instances returns the number of questions in the sample, times the contexts drawn from a pool.
func (e *QA) Instances() int {
	n := e.params.N
	switch {
	case e.params.Sample == "population":
		n = Population(len(e.questions))
	case n == 0:
		n = len(e.questions)
	}
	return n * e.contextsEach()
}

// Instance deals one question, with one of its contexts if there is a pool.
func (e *QA) Instance(seed uint64, index int) (envs.Instance, error) {
	if index < 0 || index >= e.Instances() {
		return nil, fmt.Errorf("qa: there is no instance %d; there are 0 to %d", index, e.Instances()-1)
	}
	at := index / e.contextsEach()
	if e.Instances() < len(e.questions)*e.contextsEach() {
		at = envs.Stream(seed, "qa/sample").Perm(len(e.questions))[at]
	}
	in := &Instance{env: e, q: e.questions[at].withShuffledOptions(seed), repeat: e.repeats[at]}
	in.seen = Observation{
		ID: in.q.ID, Kind: in.q.Kind, Question: in.q.Text, Context: in.q.Context, Options: in.q.letteredOptions(),
		Form: in.q.answerForm(), Shots: e.shots,
	}
	if e.pool != nil {
		in.views = e.pool[in.q.ID].drawContext(seed, in.q.ID, index%e.contextsEach(), e.params.Pool.Each)
		in.suffix = fmt.Sprint("-c", index%e.contextsEach())
	}
	return in, nil
}

//go:embed prompts/*.tmpl kindprompts/*.tmpl
var prompts embed.FS

// Prompts returns the built-in templates. Questions of mapped columns have a folder of their own:
// each says itself how it is answered.
func (e *QA) Prompts() fs.FS {
	folder := "prompts"
	if slices.Contains(mappedKinds, e.params.Kind) {
		folder = "kindprompts"
	}
	sub, err := fs.Sub(prompts, folder)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}
