package qa

import (
	"fmt"
	"io/fs"
	"slices"

	"roundtable/envs"
)

// Challenges names a file with what challengers of a final answer are shown (paper 2, §4.2), one
// {"question": ID, "context": "…", "wrong": "…", "irrelevant": "…"} a line: a text that was
// retrieved for the question, and solutions that another model gave; "hash" of the question
// (Instance.Identity), to find it by its content; "simulated": true where the model is a scripted
// agent. All lines have the same keys. Only the questions that the file names are asked.
type Challenges struct {
	File string `json:"file"`
}

// challenge is a line of the file.
type challenge struct {
	Question, Hash, Context, Wrong, Irrelevant string

	Simulated bool // by a scripted agent
}

// textsByCue returns the texts of a line by the names of their cues.
func (c challenge) textsByCue() map[string]string {
	return map[string]string{"context": c.Context, "wrong": c.Wrong, "irrelevant": c.Irrelevant}
}

// readChallenges keeps the questions of the file only.
func (e *QA) readChallenges(files fs.FS) error {
	file := e.params.Challenges.File
	if file == "" {
		return nil
	}
	e.challenges = map[string]challenge{}
	var first challenge
	err := readRows(files, "challenges.file", file, func(c challenge) error {
		if len(e.challenges) == 0 {
			first = c
		}
		q, err := e.questionOf(c.Question, c.Hash)
		if err != nil {
			return err
		}
		c.Question = q.ID
		err = e.checkChallenge(q, c, first)
		e.challenges[q.ID] = c
		return err
	})
	if err != nil {
		return err
	}
	e.questions = slices.DeleteFunc(slices.Clone(e.questions), func(q Question) bool { return e.challenges[q.ID] == challenge{} })
	if len(e.questions) == 0 {
		return fmt.Errorf("challenges.file %s holds no questions", file)
	}
	return nil
}

// checkChallenge says what is wrong with a line.
func (e *QA) checkChallenge(q Question, c, first challenge) error {
	switch {
	case e.challenges[c.Question] != challenge{}:
		return fmt.Errorf("question %s is there twice", c.Question)
	case q.shuffle && c.Wrong != "":
		return fmt.Errorf("the options of %s are shuffled by the seed, so letters of a file mean nothing", c.Question)
	}
	have := c.textsByCue()
	for _, name := range []string{"context", "wrong", "irrelevant"} {
		if (have[name] == "") != (first.textsByCue()[name] == "") {
			return fmt.Errorf("a line has %s and another has not; what one line has, all have", name)
		}
	}
	in := Instance{env: e, q: q}
	if answer, err := q.Extract(c.Wrong); c.Wrong != "" && err != nil {
		return fmt.Errorf("the wrong solution of %s: %w", c.Question, err)
	} else if c.Wrong != "" && in.isCorrect(answer) {
		return fmt.Errorf("the wrong solution of %s is right: %s", c.Question, answer)
	}
	if answer, err := q.Extract(c.Irrelevant); err == nil && c.Irrelevant != "" && in.isCorrect(answer) {
		return fmt.Errorf("the irrelevant solution of %s ends with the right answer: %s", c.Question, answer)
	}
	return nil
}

// wrongSolution returns a solution with a wrong answer: the file's, or one of the answers
// that are not right.
func (in *Instance) wrongSolution() (envs.Contribution, error) {
	text := in.env.challenges[in.q.ID].Wrong
	if text == "" {
		others := slices.DeleteFunc(in.q.listDistractors(), in.isCorrect)
		if len(others) == 0 {
			return envs.Contribution{}, fmt.Errorf("qa: no wrong answer is known for question %s; set "+
				"challenges.file", in.q.ID)
		}
		text = formatAnswer(in.q.Kind, others[envs.Stream(0, "qa/wrong", in.q.ID).IntN(len(others))])
	}
	p, _, err := in.Answer(text, false)
	return envs.Contribution{Text: text, Proposals: []envs.Proposal{p},
		Simulated: in.env.challenges[in.q.ID].Simulated}, err
}

// irrelevantSolution returns a solution that answers another question: the file's, or
// another question of the data with its answer. It proposes nothing here.
func (in *Instance) irrelevantSolution() (envs.Contribution, error) {
	if c := in.env.challenges[in.q.ID]; c.Irrelevant != "" {
		return envs.Contribution{Text: c.Irrelevant, Simulated: c.Simulated}, nil
	}
	others := slices.DeleteFunc(slices.Clone(in.env.questions), func(q Question) bool { return q.Text == in.q.Text })
	if len(others) == 0 {
		return envs.Contribution{}, fmt.Errorf("qa: there is no other question than %s to take an irrelevant "+
			"solution from; set challenges.file", in.q.ID)
	}
	other := others[envs.Stream(0, "qa/irrelevant", in.q.ID).IntN(len(others))]
	return envs.Contribution{Text: other.Text + "\n" + other.rightAnswer()}, nil
}

// rightAnswer returns the right one in words.
func (q Question) rightAnswer() string {
	accepted := (&Instance{q: q}).acceptedAnswers()
	if len(accepted) == 0 {
		return ""
	}
	right := accepted[0]
	if q.Kind == Choice {
		return q.Options[right[1]-'A']
	}
	return right
}

// retrievedContext returns what was retrieved for the question.
func (in *Instance) retrievedContext() (envs.Contribution, error) {
	text := in.env.challenges[in.q.ID].Context
	if text == "" {
		return envs.Contribution{}, fmt.Errorf("qa: there is no context for question %s; the environment's "+
			"challenges.file names a file of them", in.q.ID)
	}
	return envs.Contribution{Text: text}, nil
}
