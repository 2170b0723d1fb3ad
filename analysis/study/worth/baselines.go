package worth

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// compared is a group and what it is compared to: the conditions with its questions,
// model and sampling in which agents answer once, alone.
type compared struct {
	campaign.Group
	single  lone // one agent
	budget  lone // one agent whose answer may be as long as several of the group's
	turns   int  // of the group that these have the tokens of
	samples lone // the most agents
}

// lone is a condition in which agents answer once, alone, with its runs by pair; nil if there is none.
type lone struct {
	campaign.Group
	runs map[campaign.Pair]campaign.Run
}

// runOf returns the run that is paired with a group's.
func (l lone) runOf(r campaign.Run) (campaign.Run, bool) {
	paired, ok := l.runs[campaign.PairOf(r.Collaboration)]
	return paired, ok
}

// talkOf returns what was answered in the run that is paired with a group's.
func (l lone) talkOf(r campaign.Run) Talk { return talkOf(l.runs[campaign.PairOf(r.Collaboration)]) }

// Baselines returns the outcome of groups compared with that of one agent alone, and of the most frequent of
// as many single answers as the group's tokens pay for.
func Baselines(c campaign.Campaign) (table.Table, bool) {
	v := view{View: c.View("")}
	v.Whole = true // to decide early is not to be cut off
	rows := compare(&v)
	t := table.Table{Title: "Groups against one agent alone and against self-consistency at equal tokens"}
	mean := func(header string, decimals int, of func(compared, campaign.Run) (float64, bool)) table.Columns[compared] {
		return table.Column(header, func(g compared) table.Cell {
			return campaign.MeanCell(g.Succeeded(), decimals, func(r campaign.Run) (float64, bool) { return of(g, r) })
		})
	}
	gain := func(header string, of func(compared, campaign.Run) (float64, bool)) table.Columns[compared] {
		return pointsColumns(header, campaign.MostOfPercent, func(g compared) points {
			return meanChange(g.Succeeded(), func(r campaign.Run) (float64, bool) {
				alone, ok := of(g, r)
				own, decided := r.Outcome()
				return own - alone, ok && decided
			})
		})
	}
	percent := func(of func(compared, campaign.Run) (float64, bool)) func(compared, campaign.Run) (float64, bool) {
		return func(g compared, r campaign.Run) (float64, bool) { v, ok := of(g, r); return 100 * v, ok }
	}
	// taken are the columns of what a group or a baseline took, as far as somebody took some of it.
	taken := func(whose string, of func(compared, campaign.Run) (campaign.Asked, bool)) table.Columns[compared] {
		var columns []table.Columns[compared]
		for _, x := range takings {
			each := func(g compared, r campaign.Run) (float64, bool) {
				asked, ok := of(g, r)
				v, known := x.of(asked)
				return v, ok && known
			}
			if slices.ContainsFunc(rows, func(g compared) bool {
				return slices.ContainsFunc(g.Runs,
					func(r campaign.Run) bool { v, ok := each(g, r); return ok && v > 0 })
			}) {
				columns = append(columns, mean(whose+x.name, x.decimals, each))
			}
		}
		return table.Join(columns...)
	}
	// where are the columns of what some group has.
	where := func(has func(compared) bool, columns ...table.Columns[compared]) table.Columns[compared] {
		if !slices.ContainsFunc(rows, has) {
			columns = nil
		}
		return table.Join(columns...)
	}
	single := func(g compared, r campaign.Run) (float64, bool) { return g.single.outcomeOf(r) }
	budget := func(g compared, r campaign.Run) (float64, bool) { return g.budget.outcomeOf(r) }
	isSampled := func(g compared) bool { return g.samples.runs != nil }
	table.Fill(&t, rows, table.Columns[compared]{Headers: v.Names(),
		Cells: func(g compared) []table.Cell { return v.Label(g.Group) }},
		mean("group, %", 1, percent(func(_ compared, r campaign.Run) (float64, bool) { return r.Outcome() })),
		where(func(g compared) bool { return g.single.runs != nil },
			mean("single, %", 1, percent(single)), gain("over single", single)),
		where(func(g compared) bool { return g.budget.runs != nil },
			mean("single with budget, %", 1, percent(budget)), gain("over single with budget", budget),
			table.Column("turns", func(g compared) table.Cell { return table.Count(mostTurns(g.Group)) }),
			table.Column("turns in budget", func(g compared) table.Cell {
				if g.budget.runs == nil {
					return table.Cell{}
				}
				return table.Count(g.turns)
			})),
		where(isSampled, mean("self-consistency, %", 1, percent(compared.majorityWorth)),
			gain("over self-consistency", compared.majorityWorth)),
		where(func(g compared) bool { return g.gainOver(g.samples, g.majorityForMoney) != nil },
			mean("self-consistency for the same USD, %", 1, percent(compared.majorityForMoney)),
			gain("over self-consistency for the same USD", compared.majorityForMoney),
			mean("samples for the same USD", 1, func(g compared, r campaign.Run) (float64, bool) {
				affords, _, ok := g.affordableSamples(r, inMoney)
				return float64(affords), ok
			})),
		taken("", func(_ compared, r campaign.Run) (campaign.Asked, bool) { return r.Asked, true }),
		taken("single ", func(g compared, r campaign.Run) (campaign.Asked, bool) { return g.single.askedOf(r) }),
		taken("single with budget ", func(g compared, r campaign.Run) (campaign.Asked, bool) { return g.budget.askedOf(r) }),
		where(isSampled,
			mean("samples", 1, func(g compared, r campaign.Run) (float64, bool) {
				affords, _, ok := g.affordableSamples(r, inTokens)
				return float64(affords), ok
			}),
			taken("their ", func(g compared, r campaign.Run) (campaign.Asked, bool) {
				_, spent, ok := g.affordableSamples(r, inTokens)
				return spent, ok
			}),
			mean("too few, %", 1, func(g compared, r campaign.Run) (float64, bool) {
				affords, _, ok := g.affordableSamples(r, inTokens)
				return table.HundredIf(ok && affords == len(g.samples.talkOf(r).Spent)), ok
			})),
		v.endedOf())
	t.Notes = []string{
		"Group: the decision. " + v.ScoreNote() +
			" Single: one agent that is asked once. Self-consistency: the most frequent of the first answers of " +
			"agents asked alone, as many of them as take no more tokens (read and written, re-asks included) than " +
			"the group took, and at least one; for the same USD, as many as cost no more. Of tied answers the share " +
			"that is right counts, as in the table worth.",
		"Over: group minus baseline in percentage points, paired by instance and replicate, the mean over " +
			c.CountedUnits() + ", with its 95 % t interval and Student's p, not corrected for the number of rows. " +
			campaign.CutNote,
		"Tokens, thinking tokens (among the tokens, where the service says how many) and USD: of the group, a " +
			"collaboration, and of each baseline. USD is what the answers cost, those from the cache at what they " +
			"cost when they were bought. Single with budget: one agent whose one answer may have as many tokens, and " +
			"think for as many, as that many turns of the group together (turns in budget). Where these are fewer " +
			"than the turns that a group took at most (turns), the model takes no longer answers, or nobody asked " +
			"for them, as with strangers, whose turns count: there the comparison favours the group. A " +
			"reasoning_effort is the group's, and no number of tokens: compare thinking tokens. Samples, their tokens: that self-consistency got for the group's. Too few: pairs in which the group's tokens would have paid for every recorded sample, so perhaps for more; ask for more with baselines: [{self_consistency: {samples: …}}]. Reading and writing have different prices, so the same tokens are not the same USD.",
	}
	if slices.ContainsFunc(rows, compared.isGraded) {
		t.Notes = append(t.Notes, "Without self-consistency: conditions whose answers are better or worse, or scored "+
			"from outside, and not right or wrong. Its own row in the table outcomes counts all of its samples.")
	}
	t.Notes = append(t.Notes, v.notes...)
	v.AddNotes(&t)
	return t, len(rows) > 0
}

// takings are what a group and its baselines are compared in.
var takings = []struct {
	name     string
	decimals int
	of       func(campaign.Asked) (float64, bool)
}{
	{"tokens", 0, inTokens},
	{"thinking tokens", 0, func(a campaign.Asked) (float64, bool) { return float64(a.Thinking), a.Thought > 0 }},
	{"USD", 6, func(a campaign.Asked) (float64, bool) { return a.USD, a.Unpriced == 0 }},
}

// askedOf returns what the run took that is paired with a group's.
func (l lone) askedOf(r campaign.Run) (campaign.Asked, bool) {
	paired, ok := l.runOf(r)
	return paired.Asked, ok
}

// outcomeOf returns what the answer is worth of the run that is paired with a group's.
func (l lone) outcomeOf(r campaign.Run) (float64, bool) {
	paired, ok := l.runOf(r)
	if !ok {
		return 0, false
	}
	return paired.Outcome()
}

// Gain is a group's outcome minus that of a baseline, as shares, over the units that both have.
type Gain struct {
	Of         campaign.Group // the baseline
	Samples    float64        // of self-consistency: the mean number of its answers that are counted
	Whole      bool           // all of its answers are counted everywhere, as in the baseline's own decision, ties aside
	Baseline   float64        // mean of the baseline
	Difference float64
	Within     *statistics.Interval // 95 %; nil for one pair, and without spread
	Pairs      int                  // units: instances, or replicates of the only one
	// the baseline had less than the group's budget: too few samples, or too short an answer
	TooFew bool
}

// Against compares a group with one agent alone, with one that has the group's budget, and with as many single
// answers as the group's tokens (SelfConsistency) or money (ForMoney) pay for; nil if the campaign has no such
// baseline, or no prices.
type Against struct{ Single, Budget, SelfConsistency, ForMoney *Gain }

// AgainstAlone returns the numbers of the table baselines, by condition.
func AgainstAlone(c campaign.Campaign) map[string]Against {
	v := view{View: c.View("")}
	all := map[string]Against{}
	for _, g := range compare(&v) {
		all[g.ID] = Against{g.gainOver(g.single, g.single.outcomeOf), g.overBudget(),
			g.overSamples(g.majorityWorth, inTokens), g.overSamples(g.majorityForMoney, inMoney)}
	}
	return all
}

// gainOver returns the gain over a baseline; nil without a pair.
func (g compared) gainOver(of lone, baseline func(campaign.Run) (float64, bool)) *Gain {
	both := func(r campaign.Run) (own, alone float64, ok bool) {
		own, decided := r.Outcome()
		alone, ok = baseline(r)
		return own, alone, ok && decided
	}
	differences := campaign.ByUnit(g.Succeeded(),
		func(r campaign.Run) (float64, bool) { own, alone, ok := both(r); return own - alone, ok }).Values()
	if len(differences) == 0 {
		return nil
	}
	alone := campaign.MeanOver(g.Succeeded(),
		func(r campaign.Run) (float64, bool) { _, alone, ok := both(r); return alone, ok })
	gain := Gain{Of: of.Group, Baseline: alone.Value, Pairs: len(differences)}
	gain.Difference, gain.Within = statistics.MeanInterval(differences)
	return &gain
}

// overSamples is over self-consistency, and says whether it had too few samples for the budget:
// in more than a tenth of the pairs all of them took less than nine tenths of it.
func (g compared) overSamples(baseline func(campaign.Run) (float64, bool),
	budget func(campaign.Asked) (float64, bool)) *Gain {
	gain := g.gainOver(g.samples, baseline)
	if gain == nil {
		return nil
	}
	pairs, few, answers, all := 0, 0, 0, 0
	for _, r := range g.Succeeded() {
		n, spent, ok := g.affordableSamples(r, budget)
		if !ok {
			continue
		}
		most, _ := budget(r.Asked)
		has := len(g.samples.talkOf(r).Spent)
		pairs, answers, all = pairs+1, answers+n, all+has
		if took, _ := budget(spent); n == has && took < 0.9*most {
			few++
		}
	}
	gain.Samples, gain.Whole, gain.TooFew = float64(answers)/float64(pairs), answers == all, 10*few > pairs
	return gain
}

// overBudget is over the single agent with a budget, and says whether it was less than the group's.
func (g compared) overBudget() *Gain {
	gain := g.gainOver(g.budget, g.budget.outcomeOf)
	if gain != nil {
		gain.TooFew = g.turns < mostTurns(g.Group)
	}
	return gain
}

// endedOf returns the columns on how the group's runs ended.
func (v view) endedOf() table.Columns[compared] {
	ended := v.EndedColumns()
	return table.Columns[compared]{Headers: ended.Headers,
		Cells: func(g compared) []table.Cell { return ended.Cells(g.Group) }}
}

// compare returns the groups that have a baseline, and leaves only these in the view.
func compare(v *view) []compared {
	var rows []compared
	var alone, groups []campaign.Group
	for _, g := range v.Groups {
		switch {
		case IsAskedOnce(g):
			alone = append(alone, g)
		case g.Measure() != record.Error:
			groups = append(groups, g)
		}
	}
	left, elsewhere := 0, 0
	v.Groups = nil
	for _, g := range groups {
		own := slices.DeleteFunc(slices.Clone(alone), func(b campaign.Group) bool {
			return b.Settings[campaign.JoinedBy] != g.Settings[campaign.JoinedBy]
		})
		row := compareTo(own, g, groups)
		if !row.hasBaseline() && len(own) < len(alone) {
			if row = compareTo(alone, g, groups); row.hasBaseline() {
				elsewhere++
			}
		}
		if !row.hasBaseline() {
			left++
			continue
		}
		rows, v.Groups = append(rows, row), append(v.Groups, g)
	}
	if left > 0 && len(rows) > 0 {
		v.notes = append(v.notes, fmt.Sprintf("Left out: %s without a baseline that has its questions, model and sampling.", wording.Count(left, "condition")))
	}
	if elsewhere > 0 {
		v.notes = append(v.notes, fmt.Sprintf(
			"%s without a baseline in their own campaign: compared with that of another one.",
			wording.Count(elsewhere, "condition")))
	}
	if v.Labels = v.Varying(); len(v.Labels) == 0 {
		v.Labels = []string{"protocol"}
	}
	return rows
}

// compareTo finds the baselines of a group among conditions in which agents answer once, alone.
func compareTo(alone []campaign.Group, g campaign.Group, groups []campaign.Group) compared {
	row := compared{Group: g}
	most, turns := 1, mostTurns(g)
	for _, b := range alone {
		switch n := agentsOf(b); {
		case n == 1 && askedSettings(b, budgets) == askedSettings(g, budgets) && budgetOf(b) > budgetOf(g) &&
			!isSingleOf(groups, b):
			times := budgetOf(b) / max(1, budgetOf(g))
			if enough := row.turns >= turns; !enough && times > row.turns || enough && times >= turns &&
				times < row.turns {
				row.budget, row.turns = loneOf(b), times
			}
		case askedSettings(b, nil) != askedSettings(g, nil):
		case n == 1:
			row.single = loneOf(b)
		case n > most:
			row.samples, most = loneOf(b), n
		}
	}
	return row
}

func (g compared) hasBaseline() bool {
	return g.single.runs != nil || g.samples.runs != nil || g.budget.runs != nil
}

// isSingleOf reports whether some group's agents are asked like a single one, with its limits.
func isSingleOf(groups []campaign.Group, single campaign.Group) bool {
	return slices.ContainsFunc(groups, func(g campaign.Group) bool { return askedSettings(g, nil) == askedSettings(single, nil) })
}

// IsAskedOnce reports whether the agents of a condition answer only once, without seeing each other's answers.
func IsAskedOnce(g campaign.Group) bool {
	return g.Settings["protocol"] == "debate" && g.Settings["protocol.rounds"] == "0"
}

// budgets are settings that limit the tokens of an answer or of the thinking before it, as the
// baseline single with a budget has more of: whole, or their last words.
var budgets = []string{"generate.max_tokens", "generate.thinking", "budget_tokens", "thinking_budget", "thinkingBudget"}

// budgetOf returns how many tokens an answer may have; 0 if the campaign does not say.
func budgetOf(g campaign.Group) int { return campaign.WholeNumber(g.Settings["generate.max_tokens"]) }

// mostTurns returns the most turns that a run of a group took.
func mostTurns(g campaign.Group) int {
	most := 0
	for _, r := range g.Runs {
		most = max(most, r.Usable.Turns)
	}
	return most
}

// askedSettings returns what the agents of a condition are asked, and who answers, but for some
// settings.
func askedSettings(g campaign.Group, but []string) string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(g.Settings)) {
		if slices.Contains(but, key) || slices.Contains(but, key[strings.LastIndex(key, ".")+1:]) {
			continue
		}
		// the campaign is compared apart, chain_of_thought has a default, below
		if campaign.IsShared(key) && !slices.Contains([]string{campaign.JoinedBy, "env.agents",
			"protocol.chain_of_thought"}, key) {
			fmt.Fprintf(&text, "%s %s\n", key, g.Settings[key])
		}
	}
	fmt.Fprintf(&text, "thinks first %s\n", cmp.Or(g.Settings["protocol.chain_of_thought"], "true"))
	return text.String()
}

func agentsOf(g campaign.Group) int {
	if len(g.Runs) == 0 {
		return 0
	}
	return len(talkOf(g.Runs[0]).Spent)
}

func loneOf(g campaign.Group) lone {
	l := lone{g, map[campaign.Pair]campaign.Run{}}
	for _, r := range g.Succeeded() {
		l.runs[campaign.PairOf(r.Collaboration)] = r
	}
	return l
}

// isGraded reports whether there are samples that are neither right nor wrong.
func (g compared) isGraded() bool {
	for _, r := range g.samples.runs {
		if talkOf(r).Graded {
			return true
		}
	}
	return false
}

// majorityWorth returns what the most frequent of the answers is worth that the group's tokens pay for.
func (g compared) majorityWorth(r campaign.Run) (float64, bool) { return g.mostFrequent(r, inTokens) }

// majorityForMoney is majority for the group's money.
func (g compared) majorityForMoney(r campaign.Run) (float64, bool) { return g.mostFrequent(r, inMoney) }

func (g compared) mostFrequent(r campaign.Run, budget func(campaign.Asked) (float64, bool)) (float64, bool) {
	n, _, ok := g.affordableSamples(r, budget)
	talk := g.samples.talkOf(r)
	if !ok || talk.Graded {
		return 0, false
	}
	var answers statistics.Replies
	if len(talk.Steps) > 0 {
		answers = talk.Steps[0][:min(n, len(talk.Steps[0]))]
	}
	return answers.Plurality(), true
}

// affordableSamples returns how many samples take no more of a budget than the group's run, at
// least one, and what they take; false if there are none, or it is not known.
func (g compared) affordableSamples(r campaign.Run, budget func(campaign.Asked) (float64, bool)) (n int,
	spent campaign.Asked, ok bool) {
	most, known := budget(r.Asked)
	for _, more := range g.samples.talkOf(r).Spent {
		takes, priced := budget(spent.Plus(more))
		known = known && priced
		if n > 0 && takes > most*(1+1e-9) { // sums of prices are rounded
			break
		}
		n, spent = n+1, spent.Plus(more)
	}
	return n, spent, known && n > 0
}

// inTokens and inMoney are what self-consistency is given as much of as the group took.
// Scripted agents take no money.
func inTokens(a campaign.Asked) (float64, bool) { return float64(a.Tokens()), true }

func inMoney(a campaign.Asked) (float64, bool) { return a.USD, a.Unpriced == 0 && a.USD > 0 }
