package qa

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"roundtable/envs/qa/records"
)

// Shots are worked examples, which every agent is shown: the first N of a file,
// or the first N questions of the data, which are then not asked.
type Shots struct {
	// File has one {"question", "answer"} a line, whose answer includes the reasoning and ends as an
	// answer should; where columns are mapped, it has questions in the format of the data.
	File string `json:"file"`
	N    int    `json:"n"`
	// From is "first" to take the first questions of the data instead of a file.
	From string `json:"from"`
}

// Shot is one worked example.
type Shot struct{ Question, Answer string }

func (s Shots) check() error {
	switch {
	case s.From != "" && s.From != "first":
		return fmt.Errorf("shots.from is %q; expected first: the first n questions of the data, which are then not asked", s.From)
	case s.From != "" && s.File != "":
		return errors.New("shots have both file and from; one of them says where they are")
	case s == Shots{}:
		return nil
	case s.N < 1 || s.From == "" && s.File == "":
		return errors.New("shots need n, at least 1, and either file or from")
	}
	return nil
}

// takeShots returns the examples, and the questions that are left to ask.
func takeShots(p Params, questions []Question, files fs.FS) ([]Shot, []Question, error) {
	s := p.Shots
	var source []Question
	switch {
	case s.From == "first":
		if len(questions) <= s.N {
			return nil, nil, fmt.Errorf("shots.n is %d; the data hold %d questions, of which some must be left to ask",
				s.N, len(questions))
		}
		source, questions = questions[:s.N], slices.Clone(questions[s.N:])
	case s.File == "":
		return nil, questions, nil
	case !p.mapsShots():
		shots, err := readShots(s, files)
		return shots, questions, err
	default:
		var err error
		if source, err = readShotQuestions(p, files); err != nil {
			return nil, nil, err
		}
	}
	var shots []Shot
	for _, q := range source {
		if len(q.Gold) == 0 && q.Kind != Span {
			return nil, nil, fmt.Errorf("shots: question %s has no right answer to show", q.ID)
		}
		shots = append(shots, q.workedExample())
	}
	return shots, questions, nil
}

// mapsShots reports whether a file of worked examples holds questions as the data do.
func (p Params) mapsShots() bool {
	return p.isOwn() && (p.form != records.JSON && p.form != records.CSV || p.Columns.IsGiven() || p.AnswerIs != "" ||
		slices.Contains(mappedKinds, p.Kind))
}

// readShotQuestions reads the first questions of a file whose columns are mapped.
func readShotQuestions(p Params, files fs.FS) ([]Question, error) {
	data, err := readOther(files, "shots.file", p.Shots.File)
	if err != nil {
		return nil, err
	}
	if form := records.FormOf(p.Shots.File); form != "" {
		p.form = form
	}
	questions, table, cols, err := p.readFile(p.Shots.File, data)
	if err != nil {
		return nil, eachIn("shots.file "+p.Shots.File, err)
	}
	if len(questions) < p.Shots.N {
		return nil, fmt.Errorf("shots.n is %d; %s holds %d", p.Shots.N, p.Shots.File, len(questions))
	}
	var errs []error
	for i, q := range questions[:p.Shots.N] {
		questions[i].ID = fmt.Sprint("of row ", i+1)
		if f := (partError{}); errors.As(q.check(), &f) {
			errs = append(errs, fmt.Errorf("shots.file %s, %s, %s: %w", p.Shots.File,
				table.Place(records.Record{At: q.at}), columnOf(f.part, cols), f.error))
		}
	}
	return questions[:p.Shots.N], errors.Join(errs...)
}

// workedExample returns the question with its right answer, as an agent would end.
func (q Question) workedExample() Shot {
	lines := []string{strings.TrimSpace(q.Context + "\n\n" + q.Text)}
	for _, o := range q.letteredOptions() {
		lines = append(lines, fmt.Sprintf("(%s) %s", o.Letter, o.Text))
	}
	text := strings.Join(lines, "\n")
	in := Instance{q: q}
	answer := in.acceptedAnswers()[0]
	switch q.Kind {
	case Choice, Integer, Number:
		answer = "The answer is (" + strings.Trim(answer, "()") + ")."
	case YesNo:
		answer = "The answer is " + answer + "."
	case Text, Open:
		answer = formatAnswer(q.Kind, q.Gold[0]) // as the file writes it
	default:
		answer = formatAnswer(q.Kind, answer)
	}
	if q.solution != "" {
		if found, err := q.Extract(q.solution); err == nil && in.isCorrect(found) {
			return Shot{text, q.solution}
		}
		answer = q.solution + "\n" + answer
	}
	return Shot{text, answer}
}

func readShots(s Shots, files fs.FS) ([]Shot, error) {
	var all []Shot
	err := readRows(files, "shots.file", s.File, func(shot Shot) error {
		if all = append(all, shot); shot.Question == "" || shot.Answer == "" {
			return errors.New(`this is not {"question": "…", "answer": "…"}`)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) < s.N {
		return nil, fmt.Errorf("shots.n is %d; %s holds %d", s.N, s.File, len(all))
	}
	return all[:s.N], nil
}
