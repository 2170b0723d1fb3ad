package forks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study/forks"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// MostPairs is the default for Attribution.Pairs: the most pairs of orders per instance.
const MostPairs = 20

// Attribution asks how much each part of a campaign's collaborations contributes to their outcome (Shapley
// values).
type Attribution struct {
	Campaign   string
	Of         string // agents, rounds or messages
	Name       string // of the fork; "" for the campaign's with -by-agents
	Conditions []string
	Pairs      int     // of orders, at most
	CostUSD    float64 // cap; 0 is none
}

// ForkName returns the name of the campaign that holds the attribution's forks.
func (a Attribution) ForkName() string {
	if a.Name != "" {
		return a.Name
	}
	return a.Campaign + "-by-" + a.Of
}

// Work is an attribution under way: its forks grow step by step.
type Work struct {
	Attribution
	players
	store    store.Store
	plan     recorded.Plan
	manifest recorded.Manifest
	begun    int // pairs of orders that the lake's forks were made for; 0 without any
}

// Open finds the parts in the campaign with plan p and manifest m, and the forks that the lake already has.
func (a Attribution) Open(ctx context.Context, s store.Store, p recorded.Plan, m recorded.Manifest) (*Work, error) {
	known, err := campaigns.ReadPlannedCampaign(ctx, s, a.ForkName())
	if err != nil {
		return nil, err
	}
	found, err := newPlayers(ctx, s, a.Of, p.Campaign, known, a.Conditions)
	if err != nil {
		return nil, err
	}
	begun, ok := found.pairsOf(known)
	if !ok {
		return nil, cli.UsageError(fmt.Errorf("%s is in the lake, and is not what contributions of the %s of %s are "+
			"found from; give --name NAME", a.ForkName(), a.Of, a.Campaign))
	}
	a.Pairs = max(a.Pairs, begun) // what was bought is shown
	return &Work{a, found, s, p, m, begun}, nil
}

// IsPaid reports whether some model of the campaign costs money, or may because its price is unknown.
func (w *Work) IsPaid() bool {
	f := Begin(w.Campaign, w.plan, w.manifest)
	return len(f.Prices) > 0 || f.Cost != ""
}

// File returns the campaign file of the forks for this number of pairs of orders.
func (w *Work) File(pairs int) File {
	f := Begin(w.Campaign, w.plan, w.manifest)
	f.Name, f.Fork.Conditions = w.ForkName(), w.Conditions
	if w.CostUSD > 0 {
		f.Limits.CostUSD = &w.CostUSD
	}
	all, instances := w.coalitionsNeeded(pairs)
	for _, c := range all {
		f.Fork.Changes = append(f.Fork.Changes, w.changeWithout(c, slices.Sorted(slices.Values(instances[c]))))
	}
	return f
}

// Begun returns for how many pairs of orders the lake has forks; 0 if it has none.
func (w *Work) Begun() int { return w.begun }

// Next returns the number of pairs for the next step, after done pairs that cost spent dollars: twice as many,
// or as many as the rest of the budget is likely to pay for. It returns done if the attribution is complete or
// no money for another pair is left.
func (w *Work) Next(done int, spent float64) int {
	if done >= w.Pairs || w.isExact(done) {
		return done
	}
	next := min(2*done, w.Pairs)
	perCell := spent / float64(max(w.countCells(done), 1))
	for w.CostUSD > 0 && next > done && spent+perCell*float64(w.countCells(next)-w.countCells(done)) > w.CostUSD {
		next--
	}
	return next
}

// CheckBudget returns an error if the budget is not likely to pay for the first pair of orders, judged by what
// the original cost: the attribution would have no result.
func (w *Work) CheckBudget(ctx context.Context) error {
	if w.CostUSD == 0 {
		return nil
	}
	c, err := campaign.Load(ctx, w.store, w.Campaign)
	if err != nil {
		return err
	}
	usd := 0.0
	for _, r := range c.Runs {
		usd += r.Asked.USD / float64(len(c.Runs))
	}
	all, instances := w.coalitionsNeeded(1)
	shares := 0.0
	for _, coalition := range all {
		share := 1.0
		if w.Of == Agents {
			share -= float64(len(coalition.Absent(len(w.list)))) / float64(len(w.list))
		}
		for _, i := range instances[coalition] {
			shares += share * float64(w.players.begun[i])
		}
	}
	if likely := usd * shares; likely > w.CostUSD {
		return cli.UsageError(fmt.Errorf("the first pair of orders is %s, which are likely to cost about $%.4f by "+
			"what %s has cost; a budget of $%.4f would not pay for one, and nothing was started",
			wording.Count(w.countCells(1), "fork"), likely, w.Campaign, w.CostUSD))
	}
	return nil
}

// ReadSpent returns what the forks have cost so far, in US dollars.
func (w *Work) ReadSpent(ctx context.Context) (usd float64, err error) {
	c, err := campaign.Load(ctx, w.store, w.ForkName())
	for _, r := range c.Runs {
		usd += r.Asked.USD
	}
	return usd, err
}

// row is a part of the collaborations of one condition.
type row struct {
	condition, name string
	share           forks.Share
	found           forks.Attribution
	calls           int64
	usd             *float64 // nil if a price is not known
}

// Table returns the contribution of each part, from the forks that have ended.
func (w *Work) Table(ctx context.Context) (table.Table, error) {
	c, err := analyze.ReadCampaign(ctx, w.store, w.ForkName(), campaign.Kept{})
	if err != nil {
		return table.Table{}, err
	}
	if c.Original == nil {
		return table.Table{}, cli.UsageError(fmt.Errorf("%s is not a fork of a campaign in the lake", w.ForkName()))
	}
	games := w.gamesOf(c)
	t := table.Table{Name: "attribution",
		Title: fmt.Sprintf("What each of the %s of %s contributes to the outcome", w.Of, w.Campaign)}
	var rows []row
	for _, condition := range slices.Sorted(maps.Keys(games)) {
		found, ok := forks.Attribute(len(w.list), games[condition])
		if !ok {
			continue
		}
		calls, usd := costOf(c, condition)
		for i, share := range found.Shares {
			rows = append(rows, row{condition, w.list[i].name, share, found, 0, nil})
		}
		rows = append(rows, row{condition, "all together", found.Total, found, calls, usd})
	}
	if len(rows) == 0 {
		return t, cli.IncompleteError(fmt.Errorf("%s: no order of the %s is complete yet; give more --cost-usd",
			w.ForkName(), w.Of))
	}
	w.fill(&t, rows, c)
	return t, nil
}

func (w *Work) fill(t *table.Table, rows []row, c campaign.Campaign) {
	most := map[string]float64{} // by condition
	for _, g := range c.Original.Groups() {
		most[g.ID] = g.MostDifference()
	}
	ends := func(r row) []table.Cell {
		return campaign.IntervalCells(r.share.Within, 3, most[r.condition])
	}
	last := func(of func(row) table.Cell) func(row) table.Cell {
		return func(r row) table.Cell {
			if r.name != "all together" {
				return table.Cell{}
			}
			return of(r)
		}
	}
	table.Fill(t, rows,
		table.Column("condition", func(r row) table.Cell { return table.Word(r.condition) }),
		table.Column(strings.TrimSuffix(w.Of, "s"), func(r row) table.Cell { return table.Word(r.name) }),
		table.Column("contributes", func(r row) table.Cell { return table.Number(r.share.Mean, 3) }),
		table.Columns[row]{Headers: []string{"low", "high"}, Cells: ends},
		table.Column("n", func(r row) table.Cell { return table.Count(r.found.Games) }),
		table.Column("exact", func(r row) table.Cell { return table.Count(r.found.Exact) }),
		table.Column("calls", last(func(r row) table.Cell { return table.Count(r.calls) })),
		table.Column("cost USD", last(func(r row) table.Cell { return table.NumberOrEmpty(r.usd, 4) })))
	if v := c.View(""); len(v.Groups) > 0 {
		if some, all := v.Simulated(); some == all && some > 0 {
			t.Notes = append(t.Notes, table.Simulated+".")
		}
		t.Notes = append(t.Notes, v.ScoreNote())
	}
	without := "their messages are seen by nobody; from the first of them on the rest is run again"
	if w.Of == Agents {
		without = "they take no part: nobody asks them, and their votes are abstentions"
	}
	t.Notes = append(t.Notes,
		"Contributes: Shapley's value, the mean over the orders in which the "+w.Of+
			" can join of what the outcome gains when one joins. The value of some of them is the outcome without "+
			"the others ("+without+"); of all of them it is the original's. Contributions add up to that of all "+
			"together: the outcome as it was minus the outcome with none.",
		"Intervals: 95 %, Student's t over "+c.CountedUnits()+
			", cut at what two outcomes can differ by. n: collaborations with a complete order; exact: those in "+
			"which every coalition was run, the others rest on orders that were drawn for each instance, each with "+
			"its reverse. Cost: of all forks, each coalition of an instance run once.")
	if w.without > 0 {
		t.Notes = append(t.Notes, wording.Count(w.without, "collaboration")+" of "+w.Campaign+
			" did not succeed; nothing is attributed in them.")
	}
	if len(w.instances) == 1 && rows[0].found.Exact < rows[0].found.Games {
		t.Notes = append(t.Notes, "There is one instance, so all collaborations rest on the same orders: intervals "+
			"do not tell how far others would have differed.")
	}
}

// gamesOf returns the outcomes of coalitions by condition of the original.
func (w *Work) gamesOf(c campaign.Campaign) map[string][]forks.Game {
	type beginning struct {
		condition string
		campaign.Pair
	}
	values := map[beginning]map[forks.Coalition]float64{}
	var order []beginning
	units := map[beginning]int32{}
	put := func(at beginning, of forks.Coalition, y float64) {
		if values[at] == nil {
			values[at] = map[forks.Coalition]float64{}
			order = append(order, at)
		}
		values[at][of] = y
	}
	for _, g := range c.Groups() {
		for _, r := range g.Succeeded() {
			f, of, ok := w.forkOf(r)
			y, known := r.Outcome()
			if !ok || !known {
				continue
			}
			at := beginning{f.Condition, campaign.PairOf(r.Collaboration)}
			at.Replicate = int32(f.Origin(int(r.Replicate)))
			put(at, of, y)
			units[at] = r.Unit
		}
	}
	instances := map[beginning]int{} // as the plan numbers them, by which orders are drawn
	for _, r := range c.Original.Runs {
		at := beginning{r.ConditionID, campaign.PairOf(r.Collaboration)}
		instances[at] = int(r.Instance)
		if y, known := r.Outcome(); known && r.Status == record.Succeeded && values[at] != nil {
			values[at][forks.Everyone(len(w.list))] = y
		}
	}
	games := map[string][]forks.Game{}
	for _, at := range order {
		games[at.condition] = append(games[at.condition], forks.Game{
			Unit: units[at], Orders: w.drawOrders(instances[at], w.Pairs), Values: values[at],
		})
	}
	return games
}

// forkOf returns what a run continues, and the coalition that it leaves; false if it is
// no fork of this kind.
func (w *Work) forkOf(r campaign.Run) (*plan.Fork, forks.Coalition, bool) {
	var settings struct{ Fork *plan.Fork }
	if err := json.Unmarshal([]byte(r.SettingsJSON), &settings); err != nil {
		return nil, 0, false
	}
	of, ok := w.coalitionOf(settings.Fork)
	return settings.Fork, of, ok
}

// costOf returns what the forks of one condition took.
func costOf(c campaign.Campaign, condition string) (calls int64, usd *float64) {
	var of []campaign.Run
	for _, r := range c.Runs {
		if f := campaign.ForkOf(r.SettingsJSON); f != nil && f.Condition == condition {
			of, calls = append(of, r), calls+int64(r.Calls)
		}
	}
	return calls, campaign.SumUSD(of, func(r campaign.Run) campaign.Asked { return r.Asked })
}

// Summary returns a line on the extent of the forks for this number of pairs: pairs, instances and forks.
func (w *Work) Summary(pairs int) string {
	how := fmt.Sprintf("%s of orders in %s", wording.Count(pairs, "pair"), wording.Count(len(w.instances), "instance"))
	if w.isExact(pairs) {
		how = "every coalition"
	}
	return fmt.Sprintf("%s: %s, %s", w.ForkName(), how, wording.Count(w.countCells(pairs), "fork"))
}
