// Package scripted answers without asking a language model: as a simulated agent, with what
// was answered before, or with what a search finds.
//
// A simulated agent's environment has a policy that decides, and the answer is written in the
// JSON that a model would write, so that nothing downstream knows the difference except by the
// name "scripted". The same scene gives the same answer on every machine. One number is drawn
// from the situation's stream, and everything else follows from that and from what the draw is
// about, so that neither the order of the candidates nor the presence of another one changes
// an agent's taste.
//
// A replay reads what was answered from a file or from a recorded lake. It never makes an
// answer up: what is missing is an error that names the entry.
//
// Retrieval asks a search endpoint for texts about a question: what it finds is an entry of
// the transcript like any other answer, stored before anybody sees it and never fetched twice.
// It makes one request for one call, and every error is a *model.Error; no error text holds
// the key, and a key goes only where the campaign says. Nothing that was found is as good an
// answer as something.
package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// Name is the model's name in every table.
const Name = "scripted"

// Params are the parameters of the simulated model; the policy has its own.
type Params struct {
	// Malformed is the probability, from 0 to 1, that an ask gets a malformed answer.
	Malformed float64 `json:"malformed"`
	// Skip is the probability, from 0 to 1, to propose nothing or to cast no ballot.
	Skip float64 `json:"skip"`
	// Latency is how long every answer takes; up to Jitter is added.
	Latency model.Duration `json:"latency"`
	Jitter  model.Duration `json:"jitter"`
}

func (p Params) check() error {
	probability := func(name string, v float64) error {
		if v >= 0 && v <= 1 {
			return nil
		}
		return fmt.Errorf("%s is %v; it is a probability from 0 to 1", name, v)
	}
	duration := func(name string, v model.Duration) error {
		if v >= 0 {
			return nil
		}
		return fmt.Errorf("%s is %v; it cannot be negative", name, time.Duration(v))
	}
	return errors.Join(probability("malformed", p.Malformed), probability("skip", p.Skip),
		duration("latency", p.Latency), duration("jitter", p.Jitter))
}

type agent struct {
	Params
	policy envs.Policy
}

// New returns a simulated agent whose policy decides. It reads only Request.Scene and the length of
// the messages.
func New(p Params, policy envs.Policy) (model.Model, error) {
	if policy == nil {
		return nil, errors.New("a scripted model needs a policy of the environment")
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("scripted model: %w", err)
	}
	return agent{p, policy}, nil
}

// Complete answers. Usage is an estimate: four bytes a token, rounded up.
func (a agent) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	if r.Scene == nil || r.Scene.Situation.Rand == nil {
		return model.Response{}, newError(model.Fail, "no_scene",
			"a scripted model was asked without a scene or its random stream")
	}
	d := draws{seed: r.Scene.Situation.Rand.Uint64()}
	text, err := a.writeAnswer(d, *r.Scene)
	if err != nil {
		return model.Response{}, newError(model.Fail, "no_answer", err.Error())
	}
	if err := a.wait(ctx, d.newStream("latency", r.Scene.Ask)); err != nil {
		return model.Response{}, newError(model.Retry, "canceled", err.Error())
	}
	var input int
	for _, m := range r.Messages {
		input += len(m.Content)
	}
	answer := model.Response{Text: text, Model: Name, FinishReason: "stop",
		Usage: model.Usage{Input: tokensOf(input), Output: tokensOf(len(text))}}
	if r.Parameters.Logprobs { // drawn, whatever the answer: it says nothing of models
		answer.Logprob = &model.Logprob{Mean: -d.newStream("logprob", r.Scene.Ask).Float64(),
			Tokens: answer.Usage.Output}
	}
	return answer, nil
}

func tokensOf(bytes int) int64 { return int64(bytes+3) / 4 }

func newError(class model.Class, code, message string) *model.Error {
	return &model.Error{Class: class, Provider: Name, Code: code, Message: message, Unbilled: true}
}

func (a agent) wait(ctx context.Context, rng *rand.Rand) error {
	d := time.Duration(a.Latency)
	if a.Jitter > 0 {
		d += time.Duration(rng.Int64N(int64(a.Jitter) + 1))
	}
	if d == 0 {
		return ctx.Err()
	}
	return model.Sleep(ctx, d)
}

// draws are sub-streams of one number.
type draws struct{ seed uint64 }

func (d draws) newStream(purpose string, parts ...any) *rand.Rand {
	return envs.Stream(d.seed, purpose, parts...)
}

func (d draws) drawHappens(p float64, purpose string, parts ...any) bool {
	return p > 0 && d.newStream(purpose, parts...).Float64() < p
}

// writeAnswer returns what the agent writes: a good answer, and instead of it, if the
// draw of this ask says so, a malformed one.
func (a agent) writeAnswer(d draws, s model.Scene) ([]byte, error) {
	f, ok := formats[s.Format]
	if !ok {
		return nil, fmt.Errorf("a scripted model has no answer of the format %q", s.Format)
	}
	good, err := f.fill(a, d, s)
	if err != nil || !d.drawHappens(a.Malformed, "malformed", s.Ask) {
		return good, err
	}
	return f.spoil(d.newStream("malformed kind", s.Ask), s, good), nil
}

// policyMessage returns what the policy says.
func (a agent) policyMessage(d draws, s model.Scene) envs.Message {
	sit := s.Situation
	sit.Rand = d.newStream("message")
	return a.policy.Message(sit)
}

func (a agent) writeEstimate(d draws, s model.Scene) ([]byte, error) {
	sit := s.Situation
	estimator, ok := a.policy.(envs.Estimator)
	if !ok {
		return nil, errors.New("the policy does not estimate")
	}
	sit.Rand = d.newStream("estimate")
	return decisionJSON("estimate", "I take together what I see and what I was told.",
		json.RawMessage(estimator.Estimate(sit)))
}

func (a agent) writeProposal(d draws, s model.Scene) ([]byte, error) {
	sit := s.Situation
	sit.Rand = d.newStream("proposal")
	proposal, ok := a.policy.Propose(sit)
	switch {
	case !ok:
		return decisionJSON("proposal", "I have nothing better to propose.", nil)
	case d.drawHappens(a.Skip, "skip"):
		return decisionJSON("proposal", "I leave it as it is this time.", nil)
	}
	return decisionJSON("proposal", "It is good for me and the others may accept it.", json.RawMessage(proposal))
}

// writeSolution returns what the agent thinks, and its proposal at the end: a text as it is, anything else as JSON.
func (a agent) writeSolution(d draws, s model.Scene) ([]byte, error) {
	sit, thought := s.Situation, a.policyMessage(d, s).Text
	sit.Rand = d.newStream("proposal")
	proposal, ok := a.policy.Propose(sit)
	var words string
	switch {
	case !ok:
		return []byte(thought), nil
	case json.Unmarshal([]byte(proposal), &words) == nil:
		proposal = words
	}
	if s.Confidence {
		thought += fmt.Sprintf("\nConfidence: %d", a.countConfident(d, s.Situation))
	}
	return []byte(thought + "\n" + proposal), nil
}

// countConfident returns how many of 100 answers that the agent might have given are the
// one that it gives.
func (a agent) countConfident(d draws, sit envs.Situation) int {
	sit.Rand = d.newStream("proposal")
	given, _ := a.policy.Propose(sit)
	same := 0
	for i := range 100 {
		sit.Rand = d.newStream("confidence", i)
		if other, ok := a.policy.Propose(sit); ok && other == given {
			same++
		}
	}
	return same
}

func (a agent) writeBallot(d draws, s model.Scene) ([]byte, error) {
	if len(s.Candidates) != s.Ballot.N {
		return nil, fmt.Errorf("the ballot is over %d candidates, the scene shows %d", s.Ballot.N, len(s.Candidates))
	}
	if d.drawHappens(a.Skip, "skip") || len(s.Candidates) == 0 {
		return decisionJSON("decision", "I do not vote this time.", nil)
	}
	decision, err := a.judgeCandidates(d, s).decisionFor(s.Ballot)
	if err != nil {
		return nil, err
	}
	return decisionJSON("decision", "This is how I value the candidates.", decision)
}

// format is how the agent fills in answers of one form, and how they can be malformed.
type format struct {
	fill  func(a agent, d draws, s model.Scene) ([]byte, error)
	spoil spoiler // breaks the format for certain
}

var formats = map[transcript.Format]format{
	transcript.FormatText:   {fill: agent.writeText, spoil: sayNothing},
	transcript.FormatReply:  {fill: agent.writeReply, spoil: sayNothing},
	transcript.FormatAnswer: {fill: agent.writeSolution, spoil: sayProse},
	transcript.FormatMessage: {fill: agent.writeMessage, spoil: spoilOneWay(
		sayInstead(`{"target":7,"message":["hello"]}`),
		sayInstead(`{"target":["Nobody of that name"],"message":"What do you think?"}`),
		sayInstead(`{"target":[]}`))}, // it has no amounts, and lacks its text instead
	transcript.FormatProposal: {fill: agent.writeProposal, spoil: spoilOneWay(
		sayInstead(`{"reason_for_decision":"It is fair.","proposal":true}`),
		sayInstead(`{"reason_for_decision":"It is fair.","proposal":{"Nobody of that name":{"nothing":1}}}`),
		negativeProposal)},
	transcript.FormatBallot:   {fill: agent.writeBallot, spoil: spoilBallot},
	transcript.FormatEstimate: {fill: agent.writeEstimate, spoil: spoilBallot}, // no estimate has such names
	transcript.FormatPersona:  {fill: agent.writePersona, spoil: spoilBallot},
}

var spoilBallot = spoilOneWay(sayInstead(`{"reason_for_decision":"It is fair.","decision":true}`), unknownCandidate,
	negativeBallot)

func (a agent) writeText(d draws, s model.Scene) ([]byte, error) {
	return []byte(a.policyMessage(d, s).Text), nil
}

func (a agent) writeMessage(d draws, s model.Scene) ([]byte, error) {
	return messageJSON(a.policyMessage(d, s), s.Situation.Agents)
}

// writeReply returns a message of a discussion: it agrees with the draft if its answer is
// the agent's own, and otherwise tells that.
func (a agent) writeReply(d draws, s model.Scene) ([]byte, error) {
	own, err := a.writeSolution(d, s)
	if err != nil || len(s.Candidates) == 0 || s.Problem == nil {
		return own, err
	}
	if answer, err := readProposal(s.Problem, a, d, s.Situation); err == nil && answer == s.Candidates[0] {
		return append([]byte("[AGREE] "), own...), nil
	}
	return append([]byte("[DISAGREE] "), own...), nil
}

// readProposal returns the agent's proposal in canonical form.
func readProposal(in envs.Instance, a agent, d draws, sit envs.Situation) (envs.Proposal, error) {
	sit.Rand = d.newStream("proposal")
	proposal, ok := a.policy.Propose(sit)
	if !ok {
		return "", fmt.Errorf("it proposes nothing")
	}
	var words string
	if answering, is := in.(envs.Answering); is && json.Unmarshal([]byte(proposal), &words) == nil {
		p, _, err := answering.Answer(words, false)
		return p, err
	}
	return in.Parse([]byte(proposal))
}

// writePersona returns a persona with the number of those written before it.
func (a agent) writePersona(_ draws, s model.Scene) ([]byte, error) {
	n := len(s.Situation.Notes)
	return json.Marshal(map[string]string{
		"role":        fmt.Sprint("Expert ", n+1),
		"description": fmt.Sprintf("Looks at the question from the side that is number %d.", n+1),
	})
}
