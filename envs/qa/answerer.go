package qa

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roundtable/envs"
)

// Answerer is the scripted agent of this environment. It has no skill: it looks the right answer
// up and gives it with the probability accuracy. When it has seen others' answers, it adopts one
// of them with the probability conformity; which one depends only on their positions: the last is
// 1 + bias times as likely as the first, those between linearly in between.
type Answerer struct {
	Accuracy   float64 `json:"accuracy"`   // probability that a first answer is right; 0.6
	Conformity float64 `json:"conformity"` // probability to take over a peer's answer; 0.6
	Insight    float64 `json:"insight"`    // probability to see what is right once others were heard; 0
	Bias       float64 `json:"bias"`       // by how much peers shown later are favoured; 0 is none
	Lure       float64 `json:"lure"`       // share of the wrong answers that fall on the same one; 0
	Verbosity  int     `json:"verbosity"`  // sentences before the answer; 1

	env *QA
}

// Policies returns the names of the scripted agents.
func (e *QA) Policies() []string { return []string{"answerer"} }

// Policy builds a scripted agent with the parameters of Answerer.
func (e *QA) Policy(name string, decode envs.Decode) (envs.Policy, error) {
	if name != "answerer" {
		return nil, envs.NewPolicyError("qa", name, e.Policies())
	}
	a := Answerer{Accuracy: 0.6, Conformity: 0.6, Verbosity: 1, env: e}
	if err := decode(&a); err != nil {
		return nil, err
	}
	return a, a.check()
}

func (a Answerer) check() error {
	share := func(name string, v float64) error {
		if v >= 0 && v <= 1 {
			return nil
		}
		return fmt.Errorf("%s is %v; it is from 0 to 1", name, v)
	}
	errs := []error{share("accuracy", a.Accuracy), share("conformity", a.Conformity), share("lure", a.Lure),
		share("insight", a.Insight)}
	if !(a.Bias >= 0 && a.Bias <= 1e6) {
		errs = append(errs, fmt.Errorf("bias is %v; it is from 0 to 1000000", a.Bias))
	}
	if a.Verbosity < 0 || a.Verbosity > 1000 {
		errs = append(errs, fmt.Errorf("verbosity is %d; it is from 0 to 1000", a.Verbosity))
	}
	return errors.Join(errs...)
}

// Message returns the reasoning before an answer; a speaker with a role summarizes the answers
// that it has seen.
func (a Answerer) Message(s envs.Situation) envs.Message {
	m := envs.Message{From: s.Agent}
	if s.Role != "" {
		m.Text = summarizeOffers(s.Offers)
		return m
	}
	said := []string{}
	for i := range a.Verbosity {
		said = append(said, fmt.Sprintf("Step %d: I weigh what is given.", i+1))
	}
	m.Text = strings.Join(said, " ")
	if m.Text == "" {
		m.Text = "I have thought it over."
	}
	return m
}

// Propose returns the agent's answer, as it would write it.
func (a Answerer) Propose(s envs.Situation) (string, bool) {
	answer := proposalText(a.currentAnswer(s))
	if o, ok := s.Observation.(Observation); ok {
		answer = formatAnswer(o.Kind, answer)
	}
	data, err := json.Marshal(answer)
	return string(data), err == nil
}

// formatAnswer returns an answer in the form in which Extract finds it.
func formatAnswer(k Kind, answer string) string {
	switch k {
	case Integer, Number:
		return "(" + answer + ")"
	case Math:
		return `\boxed{` + answer + "}"
	case Span, Text, Several, Open:
		return "Answer: " + answer
	}
	return answer
}

// Value returns 1 for the agent's own answer, and for another its share of the answers seen. A
// speaker with a role, such as a judge, has no answer of its own.
func (a Answerer) Value(s envs.Situation, p envs.Proposal) float64 {
	if s.Role != "" {
		s.Agent = -1
	}
	if own, ok := latestAnswer(s, s.Agent); ok && own == p {
		return 1
	}
	peers := a.peerAnswers(s)
	same := 0
	for _, o := range peers {
		if o == p {
			same++
		}
	}
	if len(peers) == 0 {
		return 0
	}
	return float64(same) / float64(len(peers)+1)
}

// Reserve returns 0: any candidate is accepted.
func (a Answerer) Reserve(envs.Situation) float64 { return 0 }

func (a Answerer) currentAnswer(s envs.Situation) envs.Proposal {
	first, conform, pick := a.firstAnswer(s), s.Rand.Float64(), s.Rand.Float64()
	own, ok := latestAnswer(s, s.Agent)
	if !ok {
		own = first
	}
	peers := a.peerAnswers(s)
	if len(peers) > 0 && a.Insight > 0 && s.Rand.Float64() < a.Insight {
		a.Accuracy = 1
		return a.firstAnswer(s)
	}
	if len(peers) == 0 || conform >= a.Conformity {
		return own
	}
	return peers[a.drawPlace(len(peers), pick)]
}

// drawPlace draws one of n places; weights rise evenly from 1 to 1 + bias.
func (a Answerer) drawPlace(n int, draw float64) int {
	weight := func(i int) float64 {
		if n == 1 {
			return 1
		}
		return 1 + float64(a.Bias*float64(i)/float64(n-1)) // not fused, so the same on every machine
	}
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	left := float64(draw * total)
	for i := range n {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return n - 1
}

// latestAnswer returns the last answer of an agent that was seen.
func latestAnswer(s envs.Situation, agent int) (envs.Proposal, bool) {
	for _, o := range slices.Backward(s.Offers) {
		if o.Agent == agent {
			return o.Proposal, true
		}
	}
	return "", false
}

// peerAnswers returns the others' latest answers in the order in which they were seen, or
// those that a summary tells of.
func (a Answerer) peerAnswers(s envs.Situation) []envs.Proposal {
	at := map[int]int{} // last place of each peer
	for i, o := range s.Offers {
		at[o.Agent] = i
	}
	var all []envs.Proposal
	for i, o := range s.Offers {
		if o.Agent != s.Agent && at[o.Agent] == i {
			all = append(all, o.Proposal)
		}
	}
	if len(all) == 0 && len(s.Messages) > 0 {
		return parseSummary(s.Messages[len(s.Messages)-1].Text)
	}
	return all
}

const summaryBegins = "The solutions came to these answers, in this order: "

func summarizeOffers(offers []envs.Offer) string {
	list := []envs.Proposal{}
	for _, o := range offers {
		list = append(list, o.Proposal)
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "There is nothing to sum up."
	}
	return summaryBegins + string(data)
}

// parseSummary reads a summary in these words.
func parseSummary(text string) []envs.Proposal {
	list, ok := strings.CutPrefix(text, summaryBegins)
	var all []envs.Proposal
	if !ok || json.Unmarshal([]byte(list), &all) != nil {
		return nil
	}
	return all
}
