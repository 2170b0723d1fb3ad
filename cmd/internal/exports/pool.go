package exports

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// A pool holds viewpoints for fixed contexts (paper 4, RQ3) from a campaign in which
// agents answered questions alone: their first answers, in the order of collaborations
// and agents. Only committed rows are read, and the same rows give the same pool.

// Viewpoint is a line of a pool as the environment qa reads it (pool.file),
// and where it comes from.
type Viewpoint struct {
	Question      string `json:"question"`
	Hash          string `json:"hash,omitempty"` // of the question, whatever it is called
	Text          string `json:"text"`
	Right         bool   `json:"right"`
	Model         string `json:"model"`
	Simulated     bool   `json:"simulated"` // by a scripted agent
	Collaboration string `json:"collaboration"`
	Agent         int32  `json:"agent"`
}

// Tally is how many answers of a question there are.
type Tally struct{ Right, Wrong, Unread int }

// hasEnough says that a context with n viewpoints of each kind can be drawn.
func (t Tally) hasEnough(each int) bool { return t.Right >= each && t.Wrong >= each }

// Pool is what a campaign's condition has to offer.
type Pool struct {
	store   store.Store
	dataset lake.Dataset
	// Tallies by question; Questions are its keys in the order of the rows.
	Tallies   map[string]Tally
	Questions []string
	Simulated int // answers by scripted agents
}

// readPool counts the first answers of one condition, or of the only one that has
// some if none is named. Several are refused: conditions of a campaign share
// first answers, and a pool must not hold one twice.
func readPool(ctx context.Context, s store.Store, d lake.Dataset, condition string) (*Pool, error) {
	if condition != "" {
		d = d.Only(func(m lake.Member) bool { return m.Condition == condition })
	}
	p := &Pool{store: s, dataset: d, Tallies: map[string]Tally{}}
	var conditions []string
	for rows, err := range p.finishedRows(ctx) {
		if err != nil {
			return nil, err
		}
		if id := rows.Collaborations[0].ConditionID; !slices.Contains(conditions, id) {
			conditions = append(conditions, id)
		}
		p.count(rows)
	}
	switch {
	case len(conditions) == 0 && condition != "":
		return nil, fmt.Errorf("condition %s has no first answers to questions", condition)
	case len(conditions) == 0:
		return nil, fmt.Errorf("campaign %s has no first answers to questions", d.Campaign)
	case len(conditions) > 1:
		return nil, fmt.Errorf("campaign %s has first answers in several conditions, and they may share them; say which by --condition: %s", d.Campaign, strings.Join(conditions, ", "))
	}
	return p, nil
}

// finishedRows that succeeded and have first answers.
func (p *Pool) finishedRows(ctx context.Context) iter.Seq2[record.Rows, error] {
	return func(yield func(record.Rows, error) bool) {
		for rows, err := range lake.Collaborations(ctx, p.store, p.dataset, record.Collaborations, record.Turns) {
			if err != nil {
				yield(rows, err)
				return
			}
			if rows.Collaborations[0].Status != "succeeded" || !slices.ContainsFunc(rows.Turns, isFirst) {
				continue
			}
			if !yield(rows, nil) {
				return
			}
		}
	}
}

// isFirst says that a turn is an agent's own answer, before it saw any other.
func isFirst(t record.Turn) bool {
	return t.Kind == "ask" && t.Format == "answer" && t.Phase == "answer" && t.Agent != nil
}

func isRight(t record.Turn) bool { return t.ProposalUtility != nil && *t.ProposalUtility >= 1 }

func (p *Pool) count(rows record.Rows) {
	question := rows.Collaborations[0].InstanceID
	if question == "" { // it could not begin
		return
	}
	tally, known := p.Tallies[question]
	if !known {
		p.Questions = append(p.Questions, question)
	}
	for _, t := range rows.Turns {
		switch {
		case !isFirst(t):
			continue
		case t.ProposalKey == nil || t.Text == nil:
			tally.Unread++
			continue
		case isRight(t):
			tally.Right++
		default:
			tally.Wrong++
		}
		if t.ModelSimulated {
			p.Simulated++
		}
	}
	p.Tallies[question] = tally
}

// hashOf returns the hash of a collaboration's question; "" if it has none.
func hashOf(c record.Collaboration) string {
	if c.InstanceHash == nil {
		return ""
	}
	return *c.InstanceHash
}

// Short returns the questions of which no context with so many right and so many
// wrong viewpoints can be drawn.
func (p *Pool) Short(each int) []string {
	return slices.DeleteFunc(slices.Clone(p.Questions), func(q string) bool { return p.Tallies[q].hasEnough(each) })
}

// Viewpoints returns the answers that could be read, of the questions that have enough.
func (p *Pool) Viewpoints(ctx context.Context, each int) iter.Seq2[Viewpoint, error] {
	return func(yield func(Viewpoint, error) bool) {
		for rows, err := range p.finishedRows(ctx) {
			if err != nil {
				yield(Viewpoint{}, err)
				return
			}
			c := rows.Collaborations[0]
			if !p.Tallies[c.InstanceID].hasEnough(each) {
				continue
			}
			for _, t := range rows.Turns {
				if !isFirst(t) || t.ProposalKey == nil || t.Text == nil {
					continue
				}
				v := Viewpoint{c.InstanceID, hashOf(c), *t.Text, isRight(t), *t.Model, t.ModelSimulated,
					c.CollaborationID, *t.Agent}
				if !yield(v, nil) {
					return
				}
			}
		}
	}
}
