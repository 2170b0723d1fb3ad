package qa

import (
	"encoding/json"
	"regexp"
	"strings"
)

// BBH: {"examples": [{"input": "… Options:\n(A) …", "target": "(A)"}]}.
func readBBH(data []byte, _ Kind) ([]Question, error) {
	var file struct {
		Examples []struct{ Input, Target string }
	}
	if err := decodeJSON(0, data, &file); err != nil {
		return nil, err
	}
	var all []Question
	for i, e := range file.Examples {
		text, options, found := strings.Cut(e.Input, "\nOptions:\n")
		q := Question{Kind: Choice, Text: text, Gold: []string{e.Target}, at: location{path: []any{"examples", i}}}
		if !found {
			q.bad = errorIn(itsOptions, `there is no line "Options:"; tasks with lettered options can be asked`)
		}
		for n, line := range strings.Split(strings.TrimSpace(options), "\n") {
			option, ok := strings.CutPrefix(line, "("+letter(n)+") ")
			if found && !ok && q.bad == nil {
				q.bad = errorIn(itsOptions, "option %d is %.40q; (%s) and a text are expected", n+1, line, letter(n))
			}
			q.Options = append(q.Options, option)
		}
		all = append(all, q)
	}
	return all, nil
}

// MATH-500: one {"problem", "answer", "unique_id": "test/algebra/12.json"} a line.
func readMath500(data []byte, _ Kind) ([]Question, error) {
	type line struct {
		Problem, Answer string
		ID              string `json:"unique_id"`
	}
	return parseLines(data, func(l line) Question {
		id := strings.TrimSuffix(strings.TrimPrefix(l.ID, "test/"), ".json")
		return Question{ID: id, Kind: Math, Text: l.Problem, Gold: []string{l.Answer}}
	})
}

// StrategyQA: [{"qid", "question", "answer": true}].
func readStrategyQA(data []byte, _ Kind) ([]Question, error) {
	var items []struct {
		QID, Question string
		Answer        *bool
	}
	if err := decodeJSON(0, data, &items); err != nil {
		return nil, err
	}
	var all []Question
	for i, it := range items {
		q := Question{ID: it.QID, Kind: YesNo, Text: it.Question, at: location{path: []any{i}}}
		if it.Answer != nil {
			q.Gold = []string{map[bool]string{true: "yes", false: "no"}[*it.Answer]}
		}
		all = append(all, q)
	}
	return all, nil
}

// MMLU-Pro: one {"question_id", "question", "options", "answer": "I"} a line.
// Where answer and answer_index differ (question 3983), the letter counts.
func readMMLUPro(data []byte, _ Kind) ([]Question, error) {
	type line struct {
		ID       json.Number `json:"question_id"`
		Question string
		Options  []string
		Answer   string
	}
	return parseLines(data, func(l line) Question {
		return Question{ID: "mmlu-pro-" + l.ID.String(), Kind: Choice, Text: l.Question, Options: l.Options, Gold: []string{l.Answer}}
	})
}

// MuSR: [{"context", "questions": [{"question", "choices", "answer": 0}]}].
func readMuSR(data []byte, _ Kind) ([]Question, error) {
	var stories []struct {
		Context   string
		Questions []struct {
			Question string
			Choices  []string
			Answer   *int
		}
	}
	if err := decodeJSON(0, data, &stories); err != nil {
		return nil, err
	}
	var all []Question
	for i, s := range stories {
		for n, it := range s.Questions {
			q := newChoice(it.Question, it.Choices, it.Answer)
			q.Context, q.at.path = s.Context, []any{i, "questions", n}
			all = append(all, q)
		}
	}
	return all, nil
}

// SQuAD 2.0: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers", "is_impossible"}]}]}]}.
func readSQuAD(data []byte, _ Kind) ([]Question, error) {
	var file struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAs     []struct {
					ID, Question string
					Answers      []struct{ Text string }
					Impossible   bool `json:"is_impossible"`
				}
			}
		}
	}
	if err := decodeJSON(0, data, &file); err != nil {
		return nil, err
	}
	var all []Question
	for a, article := range file.Data {
		for b, p := range article.Paragraphs {
			for c, it := range p.QAs {
				q := Question{ID: it.ID, Kind: Span, Text: it.Question, Context: p.Context}
				q.at.path = []any{"data", a, "paragraphs", b, "qas", c}
				for _, answer := range it.Answers {
					q.Gold = append(q.Gold, answer.Text)
				}
				if it.Impossible != (len(q.Gold) == 0) {
					q.bad = errorIn(itsAnswer, "is_impossible is %v, and there are %d answers", it.Impossible, len(q.Gold))
				}
				all = append(all, q)
			}
		}
	}
	return all, nil
}

// JSONL of the user's own: one {"id", "question", "answer", "options", "context"}
// a line. Without options it is of the kind that the campaign names.
func readJSONL(data []byte, kind Kind) ([]Question, error) {
	type line struct {
		ID, Question, Context string
		Options               []string
		Answer                json.RawMessage
	}
	return parseLines(data, func(l line) Question {
		gold, err := decodeGolds(l.Answer)
		q := newOwnQuestion(l.ID, l.Question, l.Context, l.Options, gold, kind)
		q.bad = err
		return q
	})
}

// decodeGolds reads a text, a number, true, false, or a list of texts.
func decodeGolds(v json.RawMessage) ([]string, error) {
	var one string
	var many []string
	switch {
	case len(v) == 0 || string(v) == "null":
		return nil, nil
	case json.Unmarshal(v, &one) == nil:
		return []string{one}, nil
	case json.Unmarshal(v, &many) == nil:
		return many, nil
	case v[0] == '{' || v[0] == '[':
		return nil, errorIn(itsAnswer, "it is neither a text, a number, true or false, nor a list of texts")
	}
	return []string{string(v)}, nil
}

// newOwnQuestion returns a question of the user's: with options it is a choice, and the right
// one may be given by its letter or by its text.
func newOwnQuestion(id, text, context string, options, gold []string, kind Kind) Question {
	q := Question{ID: id, Kind: kind, Text: text, Context: context, Options: options, Gold: gold}
	if len(options) == 0 {
		return q
	}
	q.Kind = Choice
	for i, o := range options {
		if len(gold) == 1 && o == gold[0] && !optionLetter.MatchString(gold[0]) {
			q.Gold = []string{letter(i)}
		}
	}
	return q
}

var optionLetter = regexp.MustCompile(`^\(?[A-Z]\)?$`)
