package integrity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/recount"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Counting returns a function that says how a collaboration counts its votes, given the row with its settings,
// which may name these plug-ins.
func Counting(plugins catalogue.Catalogue) func(record.Collaboration) (recount.Counting, error) {
	return func(c record.Collaboration) (recount.Counting, error) { return countingOf(plugins, c) }
}

func countingOf(plugins catalogue.Catalogue, c record.Collaboration) (recount.Counting, error) {
	var cond plan.Condition
	if err := json.Unmarshal([]byte(c.SettingsJSON), &cond); err != nil {
		return recount.Counting{}, err
	}
	if cond.Rule.Name == "" {
		return recount.Counting{}, nil
	}
	camp := plan.Campaign{Seed: uint64(c.Seed), Conditions: []plan.Condition{cond}}
	seed := camp.TreatmentSeed(plan.Cell{Instance: int(c.Instance), Replicate: int(c.Replicate)})
	counting, err := countingUnder(plugins, cond, int(c.Agents), seed)
	if err != nil || cond.Fork == nil {
		return counting, err
	}
	original, err := cond.Original()
	if err != nil {
		return counting, err
	}
	before, err := countingUnder(plugins, original, int(c.Agents), seed)
	counting.Before = &before
	return counting, err
}

// countingUnder returns how votes of a condition are counted from its fork on, if it has one.
func countingUnder(plugins catalogue.Catalogue, cond plan.Condition, agents int,
	seed uint64) (recount.Counting, error) {
	rule, err := cond.BuildRule(plugins)
	if err != nil {
		return recount.Counting{}, err
	}
	cond.Fork = nil
	session, err := cond.Session(plugins, agents, seed)
	if err != nil {
		return recount.Counting{}, err
	}
	traits := session.Protocol().Traits()
	return recount.Counting{Rule: rule, Asked: traits.AskedVote, Seats: session.Seats(),
		Break: func(winners []int, round int, phase string) int {
			return protocol.BreakTie(winners, traits.TieBreak(round, phase), seed, round, phase)
		}}, nil
}

// recountDecisions derives every decision from its ballots once more.
func (v *Verification) recountDecisions(ctx context.Context, s store.Store, plugins catalogue.Catalogue) error {
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	r, err := recount.Check(ctx, s, d, Counting(plugins))
	if err != nil {
		return err
	}
	v.Decisions, v.Uncounted = r.Decisions, r.Uncounted
	for _, m := range r.Mismatches {
		v.find(fmt.Sprintf("%s.%d, round %d", m.Collaboration, m.Generation, m.Round), m.Problem)
	}
	return nil
}

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

// compareForks holds what a fork has from another campaign's collaborations against what
// is stored of these.
func (v *Verification) compareForks(ctx context.Context, s store.Store, plugins catalogue.Catalogue) error {
	p, _, err := campaign.ReadRecorded(ctx, s, v.Campaign)
	if err != nil || len(p.Campaign.Conditions) == 0 || p.Campaign.Conditions[0].Fork == nil {
		return err
	}
	of := p.Campaign.Conditions[0].Fork.Campaign
	if _, err := campaign.ReadManifest(ctx, s, of); errors.Is(err, fs.ErrNotExist) {
		v.NoOriginal = of
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	replaced := map[lake.Run]map[int]string{}
	reader := collaboration.NewReader(s, plugins)
	for _, m := range d.Members {
		key := record.Key{CampaignID: v.Campaign, ConditionID: record.ConditionOf(m.Run.Collaboration),
			CollaborationID: m.Run.Collaboration, Generation: int32(m.Run.Generation)}
		run := answers.RunKey{Campaign: v.Campaign, Collaboration: m.Run.Collaboration, Generation: m.Run.Generation}
		found, err := reader.CheckFork(ctx, key)
		if err != nil {
			found.Problems = append(found.Problems,
				fmt.Sprintf("what it has from before the fork cannot be compared: %v", err))
		}
		for _, problem := range found.Problems {
			v.find(folderOf(run), problem)
		}
		if len(found.Replaced) > 0 {
			replaced[m.Run] = found.Replaced
		}
		v.Forked++
	}
	return v.compareReplaced(ctx, s, d, replaced)
}

// compareReplaced holds the rows of messages in whose place a text stands against that text.
func (v *Verification) compareReplaced(ctx context.Context, s store.Store, d lake.Dataset,
	replaced map[lake.Run]map[int]string) error {
	if len(replaced) == 0 {
		return nil
	}
	for row, err := range lake.Scan[record.Turn](ctx, s, d) {
		if err != nil {
			return err
		}
		run := lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}
		text, is := replaced[run][int(row.Entry)]
		if is && (row.Text == nil && text != "" || row.Text != nil && *row.Text != text) {
			v.find(fmt.Sprintf("%s, entry %d", run, row.Entry),
				"its text is not the one that stands in place of the message")
		}
	}
	return nil
}
