package integrity

import (
	"context"
	"encoding/json"
	"fmt"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// endRules are the learned stopping rules that a condition's collaborations were asked
// about; nil for rules of another name, which are not asked again.
type endRules struct {
	own    *stopping.LearnedFit
	before *stopping.LearnedFit // of a fork: the original's, in force up to the fork
}

// endRulesOf returns the rules of a condition; the error says which cannot be asked.
func endRulesOf(c plan.Condition) (rules endRules, err error) {
	if rules.own, err = learnedOf(c); err != nil || c.Fork == nil {
		return rules, err
	}
	original, err := c.Original()
	if err != nil {
		return rules, err
	}
	rules.before, err = learnedOf(original)
	return rules, err
}

func learnedOf(c plan.Condition) (*stopping.LearnedFit, error) {
	params, fit, learned := c.Learned()
	if !learned {
		return nil, nil
	}
	if _, err := stopping.NewLearned(params); err != nil {
		return nil, fmt.Errorf("the stopping rule of %s: %w", c.ID(), err)
	}
	return &fit, nil
}

// askAgain asks the learned stopping rules of a plan once more, with the acts that rows
// have: each collaboration that one of them ended must end there, and no earlier.
func (v *Verification) askAgain(ctx context.Context, s store.Store, p campaign.Plan) error {
	rules := map[string]endRules{}
	for _, c := range p.Campaign.Conditions {
		of, err := endRulesOf(c)
		if err != nil {
			return err
		}
		if of.own != nil || of.before != nil {
			rules[c.ID()] = of
		}
	}
	if len(rules) == 0 {
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	d = d.Only(func(m lake.Member) bool { _, asked := rules[m.Condition]; return asked })
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Rounds, record.Turns) {
		if err != nil {
			return err
		}
		c := rows.Collaborations[0]
		if c.Status != record.Succeeded {
			continue
		}
		if problem := rules[c.ConditionID].check(rows); problem != "" {
			v.find(fmt.Sprintf("%s.%d", c.CollaborationID, c.Generation), problem)
		}
		v.Stops++
	}
	return nil
}

// check returns what is wrong with the end of a collaboration; "" if nothing is.
func (e endRules) check(rows record.Rows) string {
	c := rows.Collaborations[0]
	t, err := compactOf(rows)
	if err != nil {
		return err.Error()
	}
	last := int(c.RoundsRun)
	seen := stopping.RoundsOf(t, last)
	for _, r := range rows.Rounds { // turns do not say who holds a candidate
		if i := int(r.Round) - 1; i >= 0 && i < len(seen) {
			seen[i].Agreement = r.Agreement
		}
	}
	until, from := askedRounds(rows.Turns, last)
	for round := 1; round < last; round++ {
		if round <= until && e.before != nil && e.before.StopsAt(seen, round) {
			return fmt.Sprintf("the stopping rule of the original ends it with round %d, before the fork, and it has %d rounds", round, last)
		}
		if round >= from && e.own != nil && e.own.StopsAt(seen, round) {
			return fmt.Sprintf("its stopping rule ends it with round %d, and it has %d rounds", round, last)
		}
	}
	if c.EndReason == "stopped" && !e.canEnd(seen, last, until, from) {
		return fmt.Sprintf("its stopping rule does not end it with round %d, as its row says", last)
	}
	return ""
}

// canEnd reports whether a rule that was asked at a round ends it, or may: what is not
// learned is not asked again.
func (e endRules) canEnd(seen []stopping.Round, round, until, from int) bool {
	ends := func(rule *stopping.LearnedFit) bool { return rule == nil || rule.StopsAt(seen, round) }
	return round >= from && ends(e.own) || round <= until && ends(e.before)
}

// askedRounds returns up to which round the rule of the original was asked, and from which round
// on the collaboration's own. Both are asked at the end of a round after which a fork
// begins, first the original's: that it ended what never left the prefix is possible.
func askedRounds(turns []record.Turn, last int) (until, from int) {
	prefix := 0
	for _, t := range turns {
		if t.ForkedFrom != nil {
			prefix = int(t.Round)
			continue
		}
		if round := int(t.Round); prefix > 0 && (round == prefix || isReplaced(t)) {
			return round - 1, round // it begins within a round
		}
		return prefix, prefix
	}
	return last, last
}

// isReplaced reports whether a turn of a fork has a given text: it begins with the next one.
func isReplaced(t record.Turn) bool {
	return t.Kind == transcript.Ask.String() && t.Status == string(transcript.Said) && t.AnswerHash == ""
}

// compactOf returns what stopping rules look at of a collaboration's turns.
func compactOf(rows record.Rows) (*transcript.Transcript, error) {
	kinds := map[string]transcript.Kind{}
	for k := transcript.Ask; k <= transcript.Annotate; k++ {
		kinds[k.String()] = k
	}
	t := &transcript.Transcript{Agents: int(rows.Collaborations[0].Agents)}
	agents := map[int]int{} // by entry
	for _, row := range rows.Turns {
		e := transcript.Entry{Index: int(row.Entry)}
		e.Kind, e.Round, e.Phase, e.Speaker.Role, e.Payload.Format = kinds[row.Kind], int(row.Round), row.Phase,
			row.Role, transcript.Format(row.Format)
		if row.DataJSON == nil {
			return nil, fmt.Errorf("entry %d has no act", row.Entry)
		}
		if err := json.Unmarshal([]byte(*row.DataJSON), &e.Act); err != nil {
			return nil, fmt.Errorf("the act of entry %d: %w", row.Entry, err)
		}
		if row.Agent != nil {
			e.Speaker.Index = int(*row.Agent)
			agents[e.Index] = e.Speaker.Index
		}
		if e.Payload.Format == transcript.FormatActs { // its speaker has the index of whom it labels
			var sees [][2]int
			if err := json.Unmarshal([]byte(row.SeesJSON), &sees); err != nil || len(sees) == 0 {
				return nil, fmt.Errorf("entry %d labels no message", row.Entry)
			}
			e.Speaker.Index = agents[sees[len(sees)-1][1]-1]
		}
		t.Entries = append(t.Entries, e)
	}
	return t, nil
}
