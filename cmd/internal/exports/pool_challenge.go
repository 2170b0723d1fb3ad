package exports

import (
	"context"
	"slices"

	"roundtable/analysis/lake/record"
)

// Challenge is a line of a challenges file as the environment qa reads it
// (challenges.file): a wrong solution that a model gave, a solution that it gave
// to another question, and where the wrong one comes from.
type Challenge struct {
	Question      string `json:"question"`
	Hash          string `json:"hash,omitempty"` // of the question, whatever it is called
	Wrong         string `json:"wrong"`
	Irrelevant    string `json:"irrelevant,omitempty"`
	Model         string `json:"model"`
	Simulated     bool   `json:"simulated"` // by a scripted agent
	Collaboration string `json:"collaboration"`
	Agent         int32  `json:"agent"`
}

// given are the answers to one question.
type given struct {
	wrong  *Challenge
	answer string            // of the wrong one
	right  map[string]bool   // right answers that were given
	texts  map[string]string // the first text that ends with each answer
	order  []string          // of these answers
}

// Challenges returns the first wrong answer to each question that has one, and
// the questions without. Each has an irrelevant solution if all can have one:
// the first of the following questions' that cannot be right by chance.
func (p *Pool) Challenges(ctx context.Context) (list []Challenge, without []string, err error) {
	all := map[string]*given{}
	for rows, err := range p.finishedRows(ctx) {
		if err != nil {
			return nil, nil, err
		}
		c := rows.Collaborations[0]
		if all[c.InstanceID] == nil {
			all[c.InstanceID] = &given{right: map[string]bool{}, texts: map[string]string{}}
		}
		for _, t := range rows.Turns {
			if isFirst(t) && t.ProposalJSON != nil && t.Text != nil {
				all[c.InstanceID].add(c, t)
			}
		}
	}
	everywhere := true
	for i, question := range p.Questions {
		g := all[question]
		if g.wrong == nil {
			without = append(without, question)
			continue
		}
		for _, other := range slices.Concat(p.Questions[i+1:], p.Questions[:i]) {
			if g.wrong.Irrelevant = g.irrelevantTo(all[other]); g.wrong.Irrelevant != "" {
				break
			}
		}
		everywhere = everywhere && g.wrong.Irrelevant != ""
		list = append(list, *g.wrong)
	}
	if !everywhere { // what one line has, all have
		for i := range list {
			list[i].Irrelevant = ""
		}
	}
	return list, without, nil
}

func (g *given) add(c record.Collaboration, t record.Turn) {
	answer := *t.ProposalJSON
	if _, known := g.texts[answer]; !known {
		g.texts[answer], g.order = *t.Text, append(g.order, answer)
	}
	switch {
	case isRight(t):
		g.right[answer] = true
	case g.wrong == nil:
		g.answer = answer
		g.wrong = &Challenge{
			Question: c.InstanceID, Hash: hashOf(c), Wrong: *t.Text, Model: *t.Model, Simulated: t.ModelSimulated,
			Collaboration: c.CollaborationID, Agent: *t.Agent,
		}
	}
}

// irrelevantTo returns a solution of another question that ends with an answer
// that is known to be wrong here; "" if there is none. Where no right answer is
// known, only the one that was wrong is known to be.
func (g *given) irrelevantTo(other *given) string {
	for _, answer := range other.order {
		if answer == g.answer || len(g.right) > 0 && !g.right[answer] {
			return other.texts[answer]
		}
	}
	return ""
}
