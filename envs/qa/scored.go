package qa

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"roundtable/envs"
	"roundtable/envs/qa/scoring"
)

// Part of a question that its score is about.
const itsScore = "score"

// checkScore returns what keeps the answers to a question from being scored, as
// a partError. Expressions are tried on a right answer and a wrong one.
func (p Params) checkScore(q Question) error {
	switch p.Score.Name {
	case "":
		if q.Kind == Open && len(q.Gold) == 0 {
			return errorIn(itsAnswer, "there is no right answer; an open question without one needs a score: score: "+
				"{expression: …}, {command: […]} or {judge: {…}}")
		}
	case scoring.Number:
		if q.Kind != Number && q.Kind != Integer {
			return errorIn(itsScore, "score: number goes with the kinds number and integer; this is of the kind %s", q.Kind)
		}
	case scoring.F1:
		if q.Kind != Several && q.Kind != Span && q.Kind != Text && q.Kind != Open {
			return errorIn(itsScore, "score: f1 goes with the kinds several, span, text and open; this is of the kind %s", q.Kind)
		}
	}
	if (p.Score.Name == scoring.Exact || p.Score.Name == scoring.F1) && q.Kind == Open && len(q.Gold) == 0 {
		return errorIn(itsAnswer, "there is no right answer, which score: %s needs", p.Score.Name)
	}
	if p.Score.Name != scoring.ByExpression {
		return nil
	}
	in := Instance{q: q}
	for _, answer := range append(in.acceptedAnswers(), q.listDistractors()...) {
		answer, err := q.canonicalAnswer(answer)
		if err != nil {
			continue
		}
		if _, err := p.Score.Expression.Score(q.scoredCase(answer)); err != nil {
			return errorIn(itsScore, "for the answer %.40q: %w", answer, err)
		}
	}
	return nil
}

// scoredCase returns what an expression is given of an answer in canonical form.
func (q Question) scoredCase(answer string) scoring.Case {
	c := scoring.Case{Answer: q.valueOf(answer), ID: q.ID, Question: q.Text, Context: q.Context, Options: q.Options,
		Fields: q.fields}
	if q.Kind == Choice && len(answer) == 3 && int(answer[1]-'A') < len(q.Options) {
		c.Option = q.Options[answer[1]-'A']
	}
	in := Instance{q: q}
	for _, key := range in.acceptedAnswers() {
		c.Keys = append(c.Keys, q.valueOf(key))
	}
	if len(c.Keys) > 0 {
		c.Key = c.Keys[0]
	}
	return c
}

// Scorer returns the program of score: {command: …}; nil without one.
func (e *QA) Scorer() []string { return e.params.Score.Command }

// ScoreRequest returns what the program of score: {command: …} is asked about a
// final answer; nil if the environment scores it.
func (in *Instance) ScoreRequest(p envs.Proposal) *envs.ScoreRequest {
	s := in.scoringOf()
	if s.Name != scoring.ByCommand {
		return nil
	}
	answer := proposalText(p)
	c := in.q.scoredCase(answer)
	if c.Fields == nil {
		c.Fields = map[string]any{}
	}
	input, err := json.Marshal(struct {
		ID       string         `json:"id"`
		Question string         `json:"question"`
		Context  string         `json:"context,omitempty"`
		Options  []string       `json:"options,omitempty"`
		Answer   any            `json:"answer"`
		Option   string         `json:"option,omitempty"`
		Key      any            `json:"key"`
		Keys     []any          `json:"keys,omitempty"`
		Fields   map[string]any `json:"fields"`
	}{c.ID, c.Question, c.Context, c.Options, c.Answer, c.Option, c.Key, c.Keys, c.Fields})
	if err != nil {
		panic("qa: " + err.Error()) // plain values always marshal
	}
	return &envs.ScoreRequest{Command: s.Command, Timeout: s.Timeout, Input: input, About: in.aboutAnswer(answer)}
}

// aboutAnswer names an answer to the question, with the question's place.
func (in *Instance) aboutAnswer(answer string) string {
	if in.q.place != "" {
		return fmt.Sprintf("question %s (%s), the answer %.60q", in.q.ID, in.q.place, answer)
	}
	return fmt.Sprintf("question %s, the answer %.60q", in.q.ID, answer)
}

// valueOf returns an answer in canonical form as expressions see it.
func (q Question) valueOf(answer string) any {
	switch q.Kind {
	case Choice:
		return strings.Trim(answer, "()")
	case Several:
		return lettersOf(answer)
	case Integer, Number:
		if f, err := strconv.ParseFloat(answer, 64); err == nil {
			return f
		}
	}
	return answer
}

// lettersOf returns the letters of (A)(C).
func lettersOf(answer string) []string {
	return strings.FieldsFunc(answer, func(r rune) bool { return r == '(' || r == ')' })
}

// scoreOf returns the score of an answer in canonical form. An expression that
// fails on it is a panic, which the caller makes the collaboration's failure.
func (in *Instance) scoreOf(answer string) float64 {
	s := in.scoringOf()
	switch s.Name {
	case scoring.Number:
		for _, key := range in.acceptedAnswers() {
			if s.Tolerance.IsWithin(answer, key) {
				return 1
			}
		}
		return 0
	case scoring.F1:
		return in.overlapOf(answer)
	case scoring.ByExpression:
		score, err := s.Expression.Score(in.q.scoredCase(answer))
		if err != nil {
			panic(fmt.Errorf("qa: question %s, the answer %.60q: %w", in.q.ID, answer, err))
		}
		return score
	case scoring.ByCommand, scoring.ByJudge:
		return 0
	}
	if in.isCorrect(answer) {
		return 1
	}
	return 0
}

func (in *Instance) scoringOf() scoring.Scoring {
	if in.env == nil {
		return scoring.Scoring{}
	}
	return in.env.params.Score
}

// overlapOf returns the F1 of an answer: over options, or over words.
func (in *Instance) overlapOf(answer string) float64 {
	if in.q.Kind == Several {
		have, want := lettersOf(answer), lettersOf(in.acceptedAnswers()[0])
		return wordOverlap(strings.Join(have, " "), strings.Join(want, " "))
	}
	return F1(answer, in.q.Gold)
}

// JudgeCase returns what the model of score: {judge: …} is shown of a final answer;
// nil if something else scores it.
func (in *Instance) JudgeCase(p envs.Proposal) *envs.JudgeCase {
	if in.scoringOf().Name != scoring.ByJudge {
		return nil
	}
	answer := proposalText(p)
	c := &envs.JudgeCase{Question: in.q.Text, Context: in.q.Context, Answer: in.q.withOption(answer), ID: in.q.ID,
		About: in.aboutAnswer(answer)}
	for i, option := range in.q.Options {
		c.Options = append(c.Options, "("+string(rune('A'+i))+") "+option)
	}
	for _, key := range in.acceptedAnswers() {
		c.References = append(c.References, in.q.withOption(key))
	}
	return c
}

// withOption returns an answer in canonical form with the text of its option, if it
// is one.
func (q Question) withOption(answer string) string {
	if q.Kind == Choice && len(answer) == 3 && int(answer[1])-'A' < len(q.Options) {
		return answer + " " + q.Options[answer[1]-'A']
	}
	return answer
}
