package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
)

// SpendingBy says by what the groups of a Spending are formed.
type SpendingBy string

const (
	ByCondition SpendingBy = "condition"
	ByModel     SpendingBy = "model" // as the campaign names it
	ByPhase     SpendingBy = "phase" // and role
	ByTier      SpendingBy = "tier"  // of the service
)

// SpendingBys returns all values of SpendingBy; the first is the default.
func SpendingBys() []SpendingBy { return []SpendingBy{ByCondition, ByModel, ByPhase, ByTier} }

// SpendingGroup sums the calls of one condition, model, phase or tier, or of one labeller, embedder
// or judge.
type SpendingGroup struct {
	Name           string // of the condition, model, phase or tier; "" for calls of a turn that was never finished
	Role           string // ByPhase only: "" for voting agents
	Collaborations int    // that made or were served a call, each generation counted
	Billed         int    // answered and not from the cache
	Cached         int    // from the cache: free
	Unknown        int    // of unknown outcome: perhaps billed
	Settled        int    // of unknown outcome, with what they were billed after all
	Input          int64  // tokens of billed calls, as are the next ones
	CachedInput    int64  // part of Input, from the provider's own cache
	Output         int64
	Reasoning      int64         // part of Output
	USD            float64       // of billed calls with a price, and of settled ones
	SettledUSD     float64       // part of USD
	SavedUSD       float64       // by calls in a cheaper tier, against the standard one
	Unpriced       int           // billed calls whose price is not known
	Silent         int           // billed calls whose usage the service did not state
	WorstUSD       float64       // worst case of silent calls and of those of unknown outcome
	Unbounded      int           // calls of unknown outcome without such a bound
	Latency        map[int64]int // how many billed calls took so many ms
	Summed         bool          // of a labeller: CachedInput, Reasoning and Latency are not known
	Shared         bool          // of an embedder or a judge: its calls are of no collaboration

	last record.Key // the collaboration that was counted last
}

// Spending is what the committed calls of a campaign have cost, in groups.
type Spending struct {
	Campaign   string
	By         SpendingBy
	Groups     []SpendingGroup // by name and role
	Total      SpendingGroup
	Earlier    int                 // generations that a later one replaced; they are in the sums
	Simulated  int                 // collaborations with a scripted agent
	Snapshots  []ModelSnapshot     // see Changed
	Addresses  map[string][]string // base_url by model, of all recorded plans, the present one last
	Planned    int                 // cells; 0 if the plan is not known
	InPlan     int                 // planned cells that are committed
	Ended      []lake.Run          // whose calls are in the sums, each generation
	settled    lake.Settled
	byName     map[[2]string]*SpendingGroup
	bySnapshot map[[2]string]*ModelSnapshot
}

// LoadSpending sums a campaign's committed calls, grouped as by says, one collaboration after the
// other.
func LoadSpending(ctx context.Context, store store.Store, campaign string, by SpendingBy) (Spending, error) {
	r := Spending{Campaign: campaign, By: by, byName: map[[2]string]*SpendingGroup{},
		bySnapshot: map[[2]string]*ModelSnapshot{}}
	if !slices.Contains(SpendingBys(), by) {
		return r, fmt.Errorf("costs by %q are not known; there is %s", by, wording.Or(SpendingBys()))
	}
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return r, err
	}
	if r.settled, err = lake.ReadSettled(ctx, store, campaign); err != nil {
		return r, err
	}
	r.InPlan = len(d.Members)
	if d, err = d.Generations(ctx, store); err != nil {
		return r, err
	}
	r.Earlier = len(d.Members) - r.InPlan
	d = d.Without(record.Calls, "provider", "cache_write_tokens", "price_usd", "worst_tokens", "finish_reason",
		"request_id", "reasoning_asked", "forked_from")
	for _, m := range d.Members {
		r.Ended = append(r.Ended, m.Run)
	}
	tables := []string{record.Collaborations, record.Calls}
	if r.By == ByPhase {
		tables = append(tables, record.Turns)
	}
	for rows, err := range lake.Collaborations(ctx, store, d, tables...) {
		if err != nil {
			return r, err
		}
		for _, c := range rows.Collaborations {
			if c.Simulated {
				r.Simulated++
			}
		}
		r.addCalls(rows.Calls, rows.Turns)
	}
	if err := r.addLabels(ctx, store); err != nil {
		return r, err
	}
	r.sortGroups()
	return r, nil
}

// LoadSpendingBeside returns what a campaign's labels have cost. Embedded, Judged and Checked add
// other calls outside of collaborations.
func LoadSpendingBeside(ctx context.Context, store store.Store, campaign string) (r Spending, err error) {
	r = Spending{Campaign: campaign, By: ByCondition, byName: map[[2]string]*SpendingGroup{}}
	if r.settled, err = lake.ReadSettled(ctx, store, campaign); err != nil {
		return r, err
	}
	if err := r.addLabels(ctx, store); err != nil {
		return r, err
	}
	r.sortGroups()
	return r, nil
}

// addCalls counts the calls of one collaboration.
func (r *Spending) addCalls(calls []record.Call, turns []record.Turn) {
	said := map[int32]record.Turn{}
	for _, t := range turns {
		said[t.Entry] = t
	}
	for _, c := range calls {
		r.groupOf(c, said[c.Entry]).addCall(c, r.settled)
		r.Total.addCall(c, r.settled)
		r.noteSnapshot(c)
	}
}

func (r *Spending) groupOf(c record.Call, t record.Turn) *SpendingGroup {
	var name [2]string
	switch r.By {
	case ByModel:
		name[0] = c.ModelAsked
	case ByPhase:
		name = [2]string{t.Phase, t.Role}
	case ByTier:
		name[0] = tierName(c)
	default:
		name[0] = c.ConditionID
	}
	if r.byName[name] == nil {
		r.byName[name] = &SpendingGroup{Name: name[0], Role: name[1]}
	}
	return r.byName[name]
}

// tierName returns the tier of a call; of one that was not billed, or perhaps not, why it has none.
func tierName(c record.Call) string {
	switch {
	case c.Cached:
		return "none: from the cache"
	case c.Status != "answered":
		return "not known: no answer"
	case c.Tier != nil:
		return *c.Tier
	}
	return "standard"
}

func (g *SpendingGroup) addCall(c record.Call, settled lake.Settled) {
	if g.last != c.Key { // calls come by collaboration
		g.last = c.Key
		g.Collaborations++
	}
	g.countCall(c, settled)
}

// countCall adds a call, of whatever kind.
func (g *SpendingGroup) countCall(c record.Call, settled lake.Settled) {
	billed, ok := settled[keyOf(c)]
	switch {
	case ok:
		g.Settled++
		g.USD, g.SettledUSD = g.USD+billed.USD, g.SettledUSD+billed.USD
	case c.Status != "answered":
		g.Unknown++
		if c.WorstUSD == nil {
			g.Unbounded++
		} else {
			g.WorstUSD += *c.WorstUSD
		}
	case c.Cached:
		g.Cached++
	default:
		g.billCall(c)
	}
}

func keyOf(c record.Call) lake.CallKey {
	run := lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)}
	return lake.CallKey{Run: run, Entry: int(c.Entry), Ask: int(c.Ask), Attempt: int(c.Attempt)}
}

func (g *SpendingGroup) billCall(c record.Call) {
	g.Billed++
	for _, part := range [...]struct{ sum, tokens *int64 }{
		{&g.Input, c.InputTokens}, {&g.CachedInput, c.CachedInputTokens}, {&g.Output, c.OutputTokens},
		{&g.Reasoning, c.ReasoningTokens},
	} {
		if part.tokens != nil {
			*part.sum += *part.tokens
		}
	}
	switch {
	case c.CostUSD != nil:
		g.USD += *c.CostUSD
		if c.SavedUSD != nil {
			g.SavedUSD += *c.SavedUSD
		}
	case c.WorstUSD != nil:
		g.Silent++
		g.WorstUSD += *c.WorstUSD
	default:
		g.Unpriced++
	}
	if c.LatencyMS != nil {
		if g.Latency == nil {
			g.Latency = map[int64]int{}
		}
		g.Latency[*c.LatencyMS]++
	}
}

// Quantile returns the quantile q of the latencies, in ms, by nearest rank: the smallest that at
// least a share q of them does not exceed. ok is false if there is none.
func (g SpendingGroup) Quantile(q float64) (ms int64, ok bool) {
	n := 0
	for _, calls := range g.Latency {
		n += calls
	}
	left := rankOf(q, n)
	for _, ms := range slices.Sorted(maps.Keys(g.Latency)) {
		if left -= g.Latency[ms]; left <= 0 {
			return ms, true
		}
	}
	return 0, false
}
