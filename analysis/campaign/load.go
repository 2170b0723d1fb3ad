package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unique"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// atOnce collaborations are gone through while the next are read: a reader's embedder may be far away.
const atOnce = 8

// Unread are the columns of turns and of calls that no study has a use for, by table: what
// models thought is longer than all else.
func Unread() map[string][]string {
	return map[string][]string{
		record.Turns: {"reason", "thinking", "read_as", "addressees_json", "prompt_hash", "agent_name", "agent_role",
			"model", "asks"},
		record.Calls: {"provider", "cached_input_tokens", "cache_write_tokens", "worst_usd", "worst_tokens",
			"latency_ms", "request_id", "started_at", "reasoning_asked", "tier", "saved_usd"},
	}
}

// Load reads what is committed of a campaign, once; only what tables need is kept. The
// plan is not in it.
func Load(ctx context.Context, store store.Store, campaign string, readers ...Reader) (Campaign, error) {
	return Kept{}.Load(ctx, store, campaign, readers...)
}

// Load does what the function does, and reads no rows of parts whose runs are kept.
func (k Kept) Load(ctx context.Context, store store.Store, campaign string, readers ...Reader) (Campaign, error) {
	return k.load(ctx, store, campaign, []string{record.Collaborations, record.Rounds, record.Turns,
		record.Calls}, readers)
}

// LoadOutcomes reads how collaborations came out, round by round, in a small part of the time
// that Load takes: nothing of turns and calls is known of the runs.
func LoadOutcomes(ctx context.Context, store store.Store, campaign string) (Campaign, error) {
	return Kept{}.load(ctx, store, campaign, []string{record.Collaborations, record.Rounds}, nil)
}

// maxAgents is more than any group has: rows of a stranger's lake may say anything.
const maxAgents = 1 << 16

// checkAgents refuses rows whose turns are of agents that the collaboration does not have.
func checkAgents(rows record.Rows) error {
	c := rows.Collaborations[0]
	if c.Agents < 0 || c.Agents > maxAgents {
		return fmt.Errorf("collaboration %s: expected 0 to %d agents, got %d", c.CollaborationID, maxAgents, c.Agents)
	}
	for _, t := range rows.Turns {
		if t.Agent != nil && (*t.Agent < 0 || *t.Agent >= c.Agents) {
			return fmt.Errorf("collaboration %s, entry %d: agent %d, and it has %d agents, numbered from 0",
				c.CollaborationID, t.Entry, *t.Agent, c.Agents)
		}
	}
	return nil
}

func (k Kept) load(ctx context.Context, store store.Store, campaign string, tables []string,
	readers []Reader) (Campaign, error) {
	c := Campaign{Name: campaign}
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return c, err
	}
	c.Earlier = d.Earlier
	settled, err := lake.ReadSettled(ctx, store, campaign)
	if err != nil {
		return c, err
	}
	members := len(d.Members)
	d, readings := k.find(ctx, store, d, readers)
	for table, columns := range Unread() {
		d = d.Without(table, columns...)
	}
	read := make([]Run, len(d.Members))
	through, ctx := errgroup.WithContext(ctx)
	through.SetLimit(atOnce)
	i := 0
	for rows, err := range lake.Collaborations(ctx, store, d, tables...) {
		run := &read[i]
		i++
		through.Go(func() error {
			if err != nil {
				return err
			}
			if n := len(rows.Collaborations); n != 1 {
				return fmt.Errorf("expected 1 row in collaborations, got %d", n)
			}
			if err := checkAgents(rows); err != nil {
				return err
			}
			var err error
			*run, err = NewRun(rows, readers...)
			run.SettingsJSON = unique.Make(run.SettingsJSON).Value() // one copy for each condition
			return err
		})
	}
	if err := through.Wait(); err != nil {
		return c, err
	}
	c.Runs = make([]Run, 0, members)
	var fresh []reading
	for _, one := range readings {
		if one.runs == nil {
			one.runs, read = read[:len(one.Members)], read[len(one.Members):]
			fresh = append(fresh, one)
		}
		c.Runs = append(c.Runs, one.runs...)
	}
	k.keep(fresh, readers)
	c.Runs = append(c.Runs, read...)
	for i := range c.Runs {
		Correct(&c.Runs[i].Collaboration, settled)
	}
	slices.SortStableFunc(c.Runs, func(a, b Run) int { // as before compaction: sums of floats depend on it
		return cmp.Or(cmp.Compare(a.ConditionID, b.ConditionID), cmp.Compare(a.CollaborationID, b.CollaborationID),
			cmp.Compare(a.Generation, b.Generation))
	})
	return c, nil
}

// Correct puts what settled calls were billed in place of their worst case.
func Correct(c *record.Collaboration, settled lake.Settled) {
	if len(settled) == 0 || c.CostUSD == nil || c.WorstUSD == nil {
		return
	}
	cost, worst := settled.Correct(lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)},
		*c.CostUSD, *c.WorstUSD)
	c.CostUSD, c.WorstUSD = &cost, &worst
}
