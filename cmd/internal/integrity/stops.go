package integrity

import (
	"context"
	"encoding/json"
	"fmt"

	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// askAgain asks the learned stopping rules of a plan once more, with the acts that rows
// have: each collaboration that one of them ended must end there, and no earlier.
func (v *Verification) askAgain(ctx context.Context, s storage.Store, p recorded.Plan) error {
	rules := map[string]*stopping.LearnedFit{}
	for _, c := range p.Campaign.Conditions {
		if params, fit, learned := c.Learned(); learned {
			if _, err := stopping.NewLearned(params); err != nil {
				return fmt.Errorf("the stopping rule of %s: %w", c.ID(), err)
			}
			rules[c.ID()] = &fit
		}
	}
	if len(rules) == 0 {
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	d = d.Only(func(m lake.Member) bool { return rules[m.Condition] != nil })
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Rounds, record.Turns) {
		if err != nil {
			return err
		}
		c := rows.Collaborations[0]
		if c.Status != record.Succeeded {
			continue
		}
		if problem := checkStop(rules[c.ConditionID], rows); problem != "" {
			v.find(fmt.Sprintf("%s.%d", c.CollaborationID, c.Generation), problem)
		}
		v.Stops++
	}
	return nil
}

// checkStop returns what is wrong with the end of a collaboration; "" if nothing is.
func checkStop(rule *stopping.LearnedFit, rows record.Rows) string {
	c := rows.Collaborations[0]
	t, err := compactOf(rows)
	if err != nil {
		return err.Error()
	}
	seen := stopping.RoundsOf(t, int(c.RoundsRun))
	for _, r := range rows.Rounds { // turns do not say who holds a candidate
		if i := int(r.Round) - 1; i >= 0 && i < len(seen) {
			seen[i].Agreement = r.Agreement
		}
	}
	for round := 1; round < int(c.RoundsRun); round++ {
		if rule.StopsAt(seen, round) {
			return fmt.Sprintf("its stopping rule ends it with round %d, and it has %d rounds", round, c.RoundsRun)
		}
	}
	if c.EndReason == "stopped" && !rule.StopsAt(seen, int(c.RoundsRun)) {
		return fmt.Sprintf("its stopping rule does not end it with round %d, as its row says", c.RoundsRun)
	}
	return ""
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
		e.Kind, e.Round, e.Phase, e.Speaker.Role, e.Payload.Format = kinds[row.Kind], int(row.Round), row.Phase, row.Role, transcript.Format(row.Format)
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
