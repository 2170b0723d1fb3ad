package program

import (
	"encoding/json"
	"errors"
	"fmt"

	"roundtable/envs"
)

// instance is one problem that the program dealt.
type instance struct {
	env *Environment
	dealing
}

// Observation is what one agent knows: the texts that its prompts show, and View, which a
// scripted agent is given in their place.
type Observation struct {
	Agents     []string
	Task       string
	Proposal   string
	Background string          // private
	View       json.RawMessage // private
}

func (in *instance) ID() string { return in.dealing.ID }

func (in *instance) Agents() []envs.Agent {
	agents := make([]envs.Agent, len(in.dealing.Agents))
	for i, a := range in.dealing.Agents {
		agents[i].Name = a.Name
	}
	return agents
}

func (in *instance) Observe(agent int) any {
	o := Observation{Task: in.Task, Proposal: in.Proposal}
	for _, a := range in.dealing.Agents {
		o.Agents = append(o.Agents, a.Name)
	}
	o.Background, o.View = in.dealing.Agents[agent].Background, in.dealing.Agents[agent].View
	return o
}

// Parse has the program read a proposal. What no program need see is refused here.
func (in *instance) Parse(proposal []byte) (envs.Proposal, error) {
	text, err := canonicalJSON(proposal, mostProposal)
	if err != nil {
		return "", fmt.Errorf("the proposal cannot be read: %w", err)
	}
	asked := fields{"problem": in.Problem, "proposal": text}
	read := mustAsk(in.env.link, "parse", true, fmt.Sprintf("the proposal %.60s for %s", text, in.ID()),
		asked, checkReading)
	if read.Error != "" {
		return "", errors.New(clean(read.Error))
	}
	if text, err = canonicalJSON(read.Proposal, mostProposal); err != nil {
		panic(Failed{err}) // its check has passed
	}
	return envs.Proposal(text), nil
}

// Utility returns the program's utility of one agent.
func (in *instance) Utility(agent int, p envs.Proposal) float64 { return in.Score(p).Utilities[agent] }

// Score has the program score a proposal.
func (in *instance) Score(p envs.Proposal) envs.Score {
	asked := fields{"problem": in.Problem, "proposal": json.RawMessage(p)}
	s := mustAsk(in.env.link, "score", true, fmt.Sprintf("the score of %.60s for %s", p, in.ID()), asked,
		checkScoring(in.env.described.Measure, len(in.dealing.Agents)))
	return envs.Score{Value: *s.Score, Utilities: s.Utilities}
}

// Facts are those that the program tells readers.
func (in *instance) Facts() []envs.Fact { return in.dealing.Facts }

// Baselines are those that the program knows.
func (in *instance) Baselines() []envs.Baseline {
	var list []envs.Baseline
	for _, b := range in.dealing.Baselines {
		list = append(list, envs.Baseline{Name: b.Name, Score: *b.Score})
	}
	return list
}
