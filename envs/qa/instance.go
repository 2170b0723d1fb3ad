package qa

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"roundtable/envs"
	"roundtable/envs/qa/scoring"
)

// Observation is what every agent knows: the question, without its answer.
type Observation struct {
	ID       string
	Kind     Kind
	Question string
	Context  string
	Options  []Option
	Form     string // how an answer is written at the end of a text
	Shots    []Shot
}

// Option is an option of a multiple-choice question.
type Option struct{ Letter, Text string }

func (q Question) letteredOptions() []Option {
	var all []Option
	for i, o := range q.Options {
		all = append(all, Option{letterOf(i), o})
	}
	return all
}

// withShuffledOptions deals the options, and moves the right ones with them.
func (q Question) withShuffledOptions(seed uint64) Question {
	if !q.shuffle || !q.hasOptions() {
		return q
	}
	order := envs.Stream(seed, "qa/options", q.ID).Perm(len(q.Options))
	options, moved := make([]string, len(order)), make([]string, 2*len(order))
	for i, o := range order {
		options[i] = q.Options[o]
		moved[2*o], moved[2*o+1] = letterOf(o), letterOf(i)
	}
	gold := make([]string, len(q.Gold))
	for i, key := range q.Gold {
		gold[i] = strings.NewReplacer(moved...).Replace(key)
	}
	q.Options, q.Gold = options, gold
	return q
}

// Instance is one question as dealt.
type Instance struct {
	env    *QA
	q      Question
	seen   Observation
	views  viewpoints
	suffix string // of the context
	repeat int    // how often the data have asked it before
}

// ID returns the question's id, with the number of the context if there is a pool.
func (in *Instance) ID() string { return in.q.ID + in.suffix }

// Agents returns Agent 1, Agent 2, ….
func (in *Instance) Agents() []envs.Agent {
	agents := make([]envs.Agent, in.env.params.Agents)
	for i := range agents {
		agents[i].Name = fmt.Sprint("Agent ", i+1)
	}
	return agents
}

// Observe returns the Observation, the same for all agents; callers must not change it.
func (in *Instance) Observe(int) any { return in.seen }

const maxAnswer = 64 << 10

// Parse reads an answer as a JSON text ("(B)"), a number, or true and false;
// the canonical form is a JSON text.
func (in *Instance) Parse(proposal []byte) (envs.Proposal, error) {
	if len(proposal) > maxAnswer {
		return "", fmt.Errorf("the answer has %d bytes; at most %d are read", len(proposal), maxAnswer)
	}
	var v any
	if err := json.Unmarshal(proposal, &v); err != nil || !utf8.Valid(proposal) {
		return "", errors.New(`the answer is not valid JSON; an answer is a text in double quotes`)
	}
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case bool:
		text = map[bool]string{true: "yes", false: "no"}[v]
	case float64:
		text = string(proposal)
	default:
		return "", errors.New("the answer is neither a text nor a number")
	}
	answer, err := in.q.canonicalAnswer(text)
	if err != nil && in.q.hasReading() { // "Option B", "The answer is 42."
		if found, stated := in.q.Extract(text); stated == nil {
			answer, err = found, nil
		}
	}
	return in.toProposal(answer, err)
}

// Answer finds the final answer in a free text and how it was found; see Question.Read.
func (in *Instance) Answer(text string, cut bool) (envs.Proposal, string, error) {
	answer, readAs, err := in.q.Read(text, cut)
	p, err := in.toProposal(answer, err)
	return p, string(readAs), err
}

func (in *Instance) toProposal(answer string, err error) (envs.Proposal, error) {
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(answer)
	return envs.Proposal(data), err
}

// proposalText returns the answer that a canonical proposal holds.
func proposalText(p envs.Proposal) string {
	var s string
	if json.Unmarshal([]byte(p), &s) != nil {
		return ""
	}
	return s
}

// isCorrect reports whether it is one of the accepted answers (SQuAD: exact match).
func (in *Instance) isCorrect(answer string) bool {
	if in.scoringOf().Name == scoring.Number {
		return in.scoreOf(answer) == 1
	}
	if in.q.Kind == Span {
		return IsExactMatch(answer, in.q.Gold)
	}
	return slices.Contains(in.acceptedAnswers(), answer)
}

// acceptedAnswers returns the right answers in canonical form.
func (in *Instance) acceptedAnswers() []string {
	if in.q.Kind == Span {
		return acceptedSpans(in.q.Gold)
	}
	var all []string
	for _, g := range in.q.Gold {
		if c, err := in.q.canonicalAnswer(g); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// Utility returns the score, for every agent. For SQuAD it is exact match, unless Params.Score is
// set.
func (in *Instance) Utility(_ int, p envs.Proposal) float64 { return in.scoreOf(proposalText(p)) }

// Score returns F1 for SQuAD; for other data it is the utility.
func (in *Instance) Score(p envs.Proposal) envs.Score {
	u := in.Utility(0, p)
	s := envs.Score{Value: u, Utilities: slices.Repeat([]float64{u}, in.env.params.Agents)}
	if in.q.Kind == Span && in.scoringOf().IsZero() {
		s.Value = F1(proposalText(p), in.q.Gold)
	}
	return s
}

// Baselines returns what blind methods score here: guessing among the options, or always
// answering Unknown, which is right for unanswerable questions only.
func (in *Instance) Baselines() []envs.Baseline {
	if !in.scoringOf().IsZero() && in.scoringOf().Name != scoring.Exact {
		return nil
	}
	switch in.q.Kind {
	case Choice:
		return []envs.Baseline{{Name: "chance", Score: 1 / float64(len(in.q.Options))}}
	case YesNo:
		return []envs.Baseline{{Name: "chance", Score: 0.5}}
	case Span:
		return []envs.Baseline{{Name: "always_unknown", Score: F1(Unknown, in.q.Gold)}}
	}
	return nil
}

// Cue gives a protocol what only the environment knows: "gold", the accepted
// answers, which no agent may see; "correct" and "incorrect", the n-th viewpoint
// of that kind that was drawn from the pool; and what challengers of an answer
// are shown: "context", "wrong", "irrelevant" (see Challenges).
func (in *Instance) Cue(c envs.Cue) (envs.Contribution, error) {
	switch c.Name {
	case "gold":
		var all []envs.Proposal
		for _, a := range in.acceptedAnswers() {
			p, err := in.toProposal(a, nil)
			if err != nil {
				return envs.Contribution{}, err
			}
			all = append(all, p)
		}
		return envs.Contribution{Proposals: all}, nil
	case "context":
		return in.retrievedContext()
	case "wrong":
		return in.wrongSolution()
	case "irrelevant":
		return in.irrelevantSolution()
	case "correct", "incorrect":
		list := in.views[c.Name == "correct"]
		if c.N < 0 || c.N >= len(list) {
			return envs.Contribution{}, fmt.Errorf("qa: there is no %s viewpoint %d of question %s; the "+
				"environment's pool.each is %d (set pool.file)",
				c.Name, c.N, in.q.ID, len(list))
		}
		p, err := in.toProposal(list[c.N].answer, nil)
		return envs.Contribution{Text: list[c.N].text, Proposals: []envs.Proposal{p},
			Simulated: list[c.N].simulated}, err
	}
	return envs.Contribution{}, fmt.Errorf("qa: there is no cue %q", c.Name)
}
