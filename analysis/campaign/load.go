package campaign

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"unique"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// atOnce collaborations are gone through while the next are read: a reader's embedder may be far away.
const atOnce = 8

// Unread returns the columns of turns and calls that no study uses, by table: what models thought
// is longer than all else.
func Unread() map[string][]string {
	return map[string][]string{
		record.Turns: {"reason", "thinking", "read_as", "addressees_json", "prompt_hash", "agent_name", "agent_role",
			"model", "asks"},
		record.Calls: {"provider", "cached_input_tokens", "cache_write_tokens", "worst_usd", "worst_tokens",
			"latency_ms", "request_id", "started_at", "reasoning_asked", "tier", "saved_usd"},
	}
}

// Load reads the committed rows of a campaign once and keeps what tables and the readers need. The
// plan is not set.
func Load(ctx context.Context, store store.Store, campaign string, readers ...Reader) (Campaign, error) {
	return Kept{}.Load(ctx, store, campaign, readers...)
}

// Load is the function Load, but reads no rows of parts whose runs are cached.
func (k Kept) Load(ctx context.Context, store store.Store, campaign string, readers ...Reader) (Campaign, error) {
	return k.load(ctx, store, campaign, allTables(), readers)
}

// allTables are those that runs are read from.
func allTables() []string {
	return []string{record.Collaborations, record.Rounds, record.Turns, record.Calls}
}

// LoadOutcomes reads only how collaborations came out, round by round, much faster than Load: its
// runs know nothing of turns and calls.
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
	source := source{ctx, store, tables, distinct(readers), k.filesOf(ctx, store, d)}
	sealed, raw := d.Split()
	read := make([][]Run, len(sealed)+1)
	parts, ctx := errgroup.WithContext(ctx)
	parts.SetLimit(runtime.GOMAXPROCS(0)) // more would hold more rows, and be no sooner
	source.ctx = ctx
	for i, one := range append(sealed, lake.Sealed{Dataset: raw}) {
		parts.Go(func() (err error) {
			read[i], err = source.read(one)
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return c, err
	}
	if c.kept = source.kept; c.kept != nil {
		c.kept.prune()
	}
	c.Runs = slices.Concat(read...)
	for i := range c.Runs {
		Correct(&c.Runs[i].Collaboration, settled)
	}
	slices.SortStableFunc(c.Runs, func(a, b Run) int { // as before compaction: sums of floats depend on it
		return cmp.Or(cmp.Compare(a.ConditionID, b.ConditionID), cmp.Compare(a.CollaborationID, b.CollaborationID),
			cmp.Compare(a.Generation, b.Generation))
	})
	return c, nil
}

// distinct returns the readers, each once.
func distinct(readers []Reader) (all []Reader) {
	for _, r := range readers {
		if !slices.ContainsFunc(all, func(other Reader) bool { return other.name == r.name }) {
			all = append(all, r)
		}
	}
	return all
}

// source is what runs are read from.
type source struct {
	ctx     context.Context
	store   store.Store
	tables  []string
	readers []Reader
	kept    *keptFiles // nil keeps nothing
}

// read returns the runs of a part: what is kept of it, and what its rows say of the rest.
func (s source) read(from lake.Sealed) ([]Run, error) {
	n := len(from.Members)
	if n == 0 {
		return nil, nil
	}
	isKept := from.Digest != "" && s.kept.has(from)
	bare := make([]any, n)
	isBareThere := isKept && s.kept.get(from.Digest, bareReader(), bare)
	all := make([][]any, len(s.readers)) // what each keeps of each run
	var missing []int
	for i, reader := range s.readers {
		if all[i] = make([]any, n); !isKept || !s.kept.get(from.Digest, reader, all[i]) {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 || !isBareThere {
		err := s.readRows(from.Dataset, len(missing) > 0, func(i int, rows record.Rows) (err error) {
			if !isBareThere {
				bare[i] = newBare(rows)
			}
			for _, j := range missing {
				if all[j][i], err = s.readers[j].take(bare[i].(Run), rows); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if isKept && !isBareThere {
		s.kept.put(from.Digest, bareReader(), bare)
	}
	for _, j := range missing {
		if isKept {
			s.kept.put(from.Digest, s.readers[j], all[j])
		}
	}
	runs := make([]Run, n)
	for i := range runs {
		runs[i] = bare[i].(Run)
		runs[i].SettingsJSON = unique.Make(runs[i].SettingsJSON).Value() // one copy for each condition
		for j := range s.readers {
			runs[i].add(all[j][i])
		}
	}
	return runs, nil
}

// readRows reads the collaborations of a dataset: what bare runs need, or all that readers do.
func (s source) readRows(d lake.Dataset, forReaders bool, take func(i int, rows record.Rows) error) error {
	if forReaders {
		for table, columns := range Unread() {
			d = d.Without(table, columns...)
		}
	} else {
		d = lake.Reading[record.Round](d, "decision_key", "score")
		d = lake.Reading[record.Turn](d, "entry", "kind", "agent", "status", "invalid_reason", "answer_hash")
		d = lake.Reading[record.Call](d, "model_asked", "model_answered", "status", "cached", "input_tokens",
			"output_tokens", "reasoning_tokens", "cost_usd", "price_usd", "finish_reason")
	}
	through, ctx := errgroup.WithContext(s.ctx)
	through.SetLimit(atOnce)
	i := 0
	for rows, err := range lake.Collaborations(ctx, s.store, d, s.tables...) {
		at := i
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
			return take(at, rows)
		})
	}
	return through.Wait()
}

// Correct replaces the worst-case costs of c's settled calls by what they were billed.
func Correct(c *record.Collaboration, settled lake.Settled) {
	if len(settled) == 0 || c.CostUSD == nil || c.WorstUSD == nil {
		return
	}
	cost, worst := settled.Correct(lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)},
		*c.CostUSD, *c.WorstUSD)
	c.CostUSD, c.WorstUSD = &cost, &worst
}
