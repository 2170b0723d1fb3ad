// Package predictions estimates what a campaign will take (calls, tokens, money and time) by a rehearsal in
// memory, or by a pilot of some of its cells.
package predictions

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"roundtable/activities/asking"
	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/labels"
	"roundtable/activities/scoring"
	analysis "roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
	"roundtable/workflows/until"
)

// Prediction is a forecast for a campaign, with its assumptions.
type Prediction struct {
	Forecast
	Basis string `json:"basis"`           // what it rests on
	Bound string `json:"bound,omitempty"` // what Estimate.Most assumes
	Early string `json:"early,omitempty"` // what is counted of protocols that may end early
	// Paid is what part of the likely cost or tokens the caps of the file pay for, at most 1;
	// nil without a cap, or if the cost is not known.
	Paid *float64 `json:"paid_share,omitempty"`
	// Unpriced are the models without a price, for which the cost is not known.
	Unpriced []string `json:"unpriced,omitempty"`
	// Labels are what labelling takes besides that, by a guess; nil if nobody labels.
	Labels *Forecast `json:"labels,omitempty"`
	// Conditions is what is likely for each condition of the plan, in its order, without labels and checks.
	Conditions []Likely `json:"conditions"`
	live       float64  // likely calls of models that take time
	// Usable is how many turns of a pilot had a usable answer; nil without one.
	Usable []Usability `json:"usable,omitempty"`
	// Until is how many of the cells its question takes; nil if it has none.
	Until *Question `json:"until,omitempty"`
}

// Likely is what all cells of one condition are likely to take.
type Likely struct {
	Condition string   `json:"condition"` // its ID
	Calls     float64  `json:"calls"`
	Tokens    float64  `json:"tokens"`             // of input and output
	CostUSD   *float64 `json:"cost_usd,omitempty"` // nil if some price is not known
}

func likelyOf(c plan.Condition, f Forecast) Likely {
	l := Likely{Condition: c.ID(), Calls: f.Calls.Mean, Tokens: f.InputTokens.Mean + f.OutputTokens.Mean}
	if f.CostUSD != nil {
		l.CostUSD = &f.CostUSD.Mean
	}
	return l
}

// TokensAndCost returns both for people.
func (l Likely) TokensAndCost() (tokens, cost string) {
	if cost = "not known"; l.CostUSD != nil {
		cost = wording.Dollars(*l.CostUSD)
	}
	return cli.Abbreviate(int64(math.Ceil(l.Tokens))), cost
}

// AsksModels reports whether any model takes part that is not simulated.
func (p Prediction) AsksModels() bool { return p.live > 0 }

// Guess predicts before any model was called: scripted agents play one collaboration of each condition in
// memory, and answers get the lengths of recorded ones. most is the largest number of calls per collaboration,
// by condition.
func Guess(plugins catalogue.Catalogue, p campaign.Plan, m campaign.Manifest, s store.Store,
	most []int) (Prediction, error) {
	var sum Forecast
	var conditions []Likely
	b, sources, played := bounds{byModel: map[string]Forecast{}}, providers.Sources(s, p), 0.
	for i, c := range p.Campaign.Conditions {
		rehearsed, _, err := collaboration.Rehearse(p, i, "", plugins, sources, providers.New(s).Build)
		if err != nil {
			return Prediction{}, err
		}
		judge, _ := c.Judge()
		turns, cells, mostCalls := b.boundTurns(rehearsed, c, m), p.Campaign.CellsOf(i), most[i]+judge.Samples
		f := guessCalls(cells, mostCalls, turns, turns)
		played += float64(cells * mostCalls)
		b.addModels(cells, mostCalls, turns)
		conditions = append(conditions, likelyOf(c, f))
		if i == 0 {
			sum = f
		} else {
			sum = sum.Add(f)
		}
	}
	sum = sum.Add(b.checkForecast(p, m))
	sum.LimitSeconds = b.atLimits(m.Limits)
	live := 0.
	for name, f := range b.byModel {
		if !runs.IsFree(name) {
			live += f.Calls.Mean
		}
	}
	again := againAtMost(p, m)
	return Prediction{Forecast: sum, Basis: b.basisText(), Bound: b.boundText(again),
		Unpriced: slices.Sorted(maps.Keys(b.unpriced)), Conditions: conditions, live: live,
		Early: earlyText(sum.Calls.Mean, played)}, nil
}

// statedBound is how many tokens an answer has at most where neither
// generate.max_tokens nor the price table says it.
const statedBound = 16384

// bounds notes what a guess rests on: what the longest answers are taken from,
// and which models have no price.
type bounds struct {
	real, set, own, stated bool
	tier                   plan.Tier // in which some are asked more cheaply; empty if none is
	unpriced               map[string]bool
	byModel                map[string]Forecast // what each takes
}

// addModels adds what each model of a condition takes.
func (b *bounds) addModels(cells, mostCalls int, turns []Turns) {
	all := 0
	for _, t := range turns {
		all += t.Calls
	}
	for _, t := range turns {
		of := mostCalls * t.Calls / max(1, all) // its part of the calls that there can be
		f := guessCalls(cells, of, []Turns{t}, turns)
		if before, known := b.byModel[t.Model]; known {
			f = f.Add(before)
		}
		b.byModel[t.Model] = f
	}
}

// atLimits returns how long the campaign takes at the limits a minute of its models, which
// run side by side; nil if there are none.
func (b *bounds) atLimits(limits plan.Limits) *Estimate {
	longest := func(a, of Estimate, perMinute int) Estimate {
		if perMinute <= 0 {
			return a
		}
		of = of.multipliedBy(60 / float64(perMinute))
		return Estimate{max(a.Low, of.Low), max(a.Mean, of.Mean), max(a.High, of.High), max(a.Most, of.Most)}
	}
	var took Estimate
	for name, l := range limits.Models {
		f := b.byModel[name]
		took = longest(took, f.Calls, l.RequestsPerMinute)
		took = longest(took, f.InputTokens.Add(f.OutputTokens), l.TokensPerMinute)
	}
	if took == (Estimate{}) {
		return nil
	}
	return &took
}

// earlyText says how many of the calls that there can be a guess counts as likely; "" if all.
func earlyText(likely, most float64) string {
	if likely >= most {
		return ""
	}
	return fmt.Sprintf("The protocols may end early: low and likely count the %.0f calls of the rounds that scripted "+
		"agents need, high all %.0f that there can be.", likely, most)
}

// boundTurns puts bounds and prices on what was rehearsed.
func (b *bounds) boundTurns(rehearsed []collaboration.Rehearsed, c plan.Condition, m campaign.Manifest) []Turns {
	var all []Turns
	for _, r := range rehearsed {
		t := Turns{Model: r.Model, Format: r.Format, Calls: r.Calls, Shown: r.Shown, Fixed: r.Fixed, Said: r.Said,
			Repeats: r.Repeats, Reasks: c.Reasks, Exact: runs.IsFree(r.Model)}
		longest := c.Generate.MaxTokens
		if j, ok := c.Judge(); ok && r.Format == scoring.Role {
			t.Reasks, longest = j.Reasks, j.Generate.MaxTokens
		}
		if a, ok := c.Annotator(); ok && (r.Format == transcript.FormatActs || r.Format == transcript.FormatDistance) {
			t.Reasks, longest = a.Reasks, a.Generate.MaxTokens
		}
		if t.Exact {
			t.Rate = &Rate{}
			all = append(all, t)
			continue
		}
		t.Rate, t.Longest = b.priceOf(r.Model, longest, m)
		all = append(all, t)
	}
	return all
}

// priceOf returns what a model costs, nil if that is not known, and the most
// tokens of one of its answers.
func (b *bounds) priceOf(model string, maxTokens int, m campaign.Manifest) (rate *Rate, longest int) {
	price, ok := m.Prices[model]
	if ok {
		rate = &Rate{Input: price.Input, Output: price.Output}
		rate.setCache(price, m.Limits.Tier)
		if flex := price.In(m.Limits.Tier); flex.Input != price.Input || flex.Output != price.Output {
			rate = &Rate{Input: flex.Input, Output: flex.Output, Standard: rate}
			rate.setCache(flex, m.Limits.Tier)
			b.tier = m.Limits.Tier
		}
	} else {
		if b.unpriced == nil {
			b.unpriced = map[string]bool{}
		}
		b.unpriced[model] = true
	}
	b.real = true
	switch {
	case maxTokens > 0:
		b.set = true
		return rate, maxTokens
	case price.MaxOutput > 0:
		b.own = true
		return rate, price.MaxOutput
	}
	b.stated = true
	return rate, statedBound
}

// setCache notes what a price says of input that was read before: nothing in batches, whose requests
// are hours apart.
func (r *Rate) setCache(p campaign.Price, tier plan.Tier) {
	if tier == plan.Batch {
		return
	}
	if p.CachedInput != nil {
		r.Read = *p.CachedInput
	}
	if p.CacheWrite != nil {
		r.Written = *p.CacheWrite
	}
}

// checkForecast returns what the call that checks each model takes at most. Nothing is
// in from and about: it is one small call, and --no-check leaves it out.
func (b *bounds) checkForecast(p campaign.Plan, m campaign.Manifest) Forecast {
	sum := Forecast{CostUSD: new(Estimate)}
	asked := map[string]bool{}
	for _, c := range p.Campaign.Conditions {
		for _, model := range c.AllModels() {
			key := fmt.Sprintf("%s %s", model.Name, model.Params)
			if !runs.IsChecked(model.Name) || asked[key] {
				continue
			}
			asked[key] = true
			t := Turns{Calls: 1, Shown: calls.CheckBytes(), Fixed: calls.CheckBytes()}
			t.Rate, t.Longest = b.priceOf(model.Name, c.GenerateFor(model).MaxTokens, m)
			alone := []Turns{t}
			f := guessCalls(1, 1, alone, alone)
			sum = sum.Add(f.keepBounds())
		}
	}
	return sum
}

// againAtMost says how often answers are asked for again at most; "" if never.
func againAtMost(p campaign.Plan, m campaign.Manifest) string {
	most := 0
	for _, c := range p.Campaign.Conditions {
		most = max(most, c.Reasks)
	}
	text := ""
	if most > 0 {
		text = ", every answer asked again " + wording.Count(most, "time")
	}
	if l := m.Labels; l != nil && l.Labeller.Name != labels.Rules && l.Reasks > 0 {
		text += ", every label asked again " + wording.Count(l.Reasks, "time")
	}
	return text
}

// basisText says what the columns of a guess are.
func (b *bounds) basisText() string {
	if !b.real {
		return "a rehearsal with the scripted agents. Low and high: 6 and 3 bytes a token; high: every round is " +
			"played, one answer in ten is asked again"
	}
	tier := ""
	if b.tier != "" {
		tier = "; prices of the tier " + string(b.tier) + ", and for what it costs at most the standard ones"
	}
	return "a guess" + tier + ". Low: answers as short as the scripted agents'. Likely: as long as recorded ones of " +
		"real models, 130 to 135 tokens of words each (docs/guides/operating.md has the sources); a model that " +
		"thinks first takes more. High: every round is played, answers are three times as long, one in ten is asked " +
		"again, 3 bytes a token. --pilot 0.02 measures instead"
}

// boundText says what the most of a guess assumes; "" if no model is asked that costs something.
func (b *bounds) boundText(again string) string {
	if !b.real {
		return ""
	}
	var longest []string
	for _, of := range []struct {
		used bool
		text string
	}{
		{b.set, "generate.max_tokens"},
		{b.own, "the model's own maximum (set generate.max_tokens to lower it)"},
		{b.stated, fmt.Sprintf("%d tokens, as neither generate.max_tokens nor the price table bounds it (set "+
			"generate.max_tokens to lower it)", statedBound)},
	} {
		if of.used {
			longest = append(longest, of.text)
		}
	}
	return "every answer of the greatest length, which is " + wording.Or(longest) + again +
		", and the check call of each model"
}

// guessLabels predicts what the labeller of the file takes; nil if it names none.
func guessLabels(plugins catalogue.Catalogue, p campaign.Plan, m campaign.Manifest, s store.Store,
	most []int) (*Forecast, error) {
	l := m.Labels
	if l == nil {
		return nil, nil
	}
	sum := Forecast{CostUSD: new(Estimate)}
	if l.Labeller.Name == labels.Rules { // it asks nobody
		return &sum, nil
	}
	sources := providers.Sources(s, p)
	for i, c := range p.Campaign.Conditions {
		rehearsed, labelled, err := collaboration.Rehearse(p, i, l.Words, plugins, sources, providers.New(s).Build)
		if err != nil {
			return nil, err
		}
		heard := new(bounds).boundTurns(rehearsed, c, m)
		labels := plan.Condition{Generate: l.Generate, Reasks: l.Reasks}
		asked := new(bounds).boundTurns(labelled, labels, m)
		calls := 0
		for n := range asked {
			calls += asked[n].Calls
			if asked[n].Rate = nil; l.Price != nil {
				asked[n].Rate = &Rate{Input: l.Price.Input, Output: l.Price.Output}
			}
		}
		turns := 0
		for _, t := range heard {
			turns += t.Calls
		}
		sum = sum.Add(guessCalls(p.Campaign.CellsOf(i), calls*most[i]/max(1, turns), asked, heard))
	}
	return &sum, nil
}

// leastPilot is how many cells of each condition a pilot runs at least. Talks that end early
// or late are a few times as cheap or dear: where one cell in four is of another kind, a pilot
// of five has none of them in one case of four, and an interval that knows nothing of it; of
// ten, in one of eighteen.
const leastPilot = 10

// runPilot runs the first cells of a campaign for real and predicts the whole from
// them. They are part of the campaign: run goes on after them.
func runPilot(ctx context.Context, o *cli.Options, s store.Store, p campaign.Plan, m campaign.Manifest, share float64,
	again string) (Prediction, error) {
	first := pilotSize(share, p.Campaign.Size(), len(p.Campaign.Conditions))
	r := runs.Options{Options: o, Until: first}
	if _, err := r.Work(ctx, s, p, m, again); err != nil {
		return Prediction{}, err
	}
	d, err := endedOf(ctx, s, p, first)
	if err != nil {
		return Prediction{}, err
	}
	var pilot []record.Collaboration
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return Prediction{}, err
		}
		pilot = append(pilot, row)
	}
	cells, envs := map[string]int{}, map[string]string{}
	for i, c := range p.Campaign.Conditions {
		cells[c.ID()], envs[c.ID()] = p.Campaign.CellsOf(i), c.Env.Name
	}
	usable, err := countUsable(lake.Scan[record.Turn](ctx, s, d), envs)
	if err != nil {
		return Prediction{}, err
	}
	f, ok := forecastPilot(pilot, cells)
	if !ok {
		return Prediction{}, cli.IncompleteError(fmt.Errorf("the pilot of %s is too small or failed: no condition "+
			"may be without a cell that succeeded; `roundtable status %s` says more", wording.Count(first, "cell"),
			p.Campaign.Name))
	}
	return Prediction{Forecast: f, Conditions: byCondition(pilot, p.Campaign), Usable: usable,
		Basis: fmt.Sprintf("a pilot of %d of %s, with 95 %% intervals, which end at what there can be at most", first,
			wording.Count(p.Campaign.Size(), "cell"))}, nil
}

// byCondition extrapolates from a pilot for each condition by itself.
func byCondition(pilot []record.Collaboration, c plan.Campaign) (all []Likely) {
	for i, condition := range c.Conditions {
		f, _ := forecastPilot(pilot, map[string]int{condition.ID(): c.CellsOf(i)})
		all = append(all, likelyOf(condition, f))
	}
	return all
}

// pilotSize returns the number of cells of a pilot: a share of all, as many of each condition, and not too few.
func pilotSize(share float64, cells, conditions int) int {
	first := int(math.Ceil(share * float64(cells)))
	return min(cells, max(leastPilot*conditions, (first+conditions-1)/conditions*conditions))
}

// endedOf returns the first cells of a plan, as far as they have ended.
func endedOf(ctx context.Context, s store.Store, p campaign.Plan, first int) (lake.Dataset, error) {
	wanted := map[string]bool{}
	order := p.Campaign.Order()
	for n := range first {
		wanted[p.Campaign.CollaborationID(order.Cell(n))] = true
	}
	d, err := lake.ReadDataset(ctx, s, p.Campaign.Name)
	return d.Only(func(m lake.Member) bool { return wanted[m.Collaboration] }), err
}

// atOnce returns how many of the cells run at once, each with a call under way.
func atOnce(l plan.Limits, cells int) int {
	n := min(cells, cmp.Or(l.Collaborations, workflows.DefaultWindow))
	if l.Calls > 0 {
		n = min(n, l.Calls)
	}
	return max(1, n)
}

// Print prints the prediction as a table on standard output; cells is the campaign's size.
func (p Prediction) Print(limits plan.Limits, cells int) {
	fmt.Printf("\nEstimate for the full campaign, by %s:\n", p.Basis)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"", "low", "likely", "high"})
	row := func(name string, i Estimate, show func(float64) string) {
		t.AppendRow(table.Row{name, show(i.Low), show(i.Mean), show(i.High)})
	}
	count := func(v float64) string {
		if math.IsInf(v, 0) {
			return "?"
		}
		return cli.Abbreviate(int64(math.Ceil(v)))
	}
	usd := func(v float64) string {
		if math.IsInf(v, 0) {
			return "?"
		}
		return wording.Dollars(v)
	}
	row("calls", p.Calls, count)
	row("input tokens", p.InputTokens, count)
	if p.ReadTokens > 0 {
		t.AppendRow(table.Row{"of them read from a cache", "",
			fmt.Sprintf("%s (%.0f %%)", count(p.ReadTokens), 100*p.ReadTokens/p.InputTokens.Mean), ""})
	}
	row("output tokens", p.OutputTokens, count)
	if p.CostUSD != nil {
		row("cost", *p.CostUSD, usd)
		if p.ReadTokens > 0 {
			t.AppendRow(table.Row{"cost with that cache", "", usd(p.CostUSD.Mean - p.ReadSavesUSD), ""})
		}
	} else {
		t.AppendRow(table.Row{"cost", "?", "not known", "?"})
	}
	if l := p.Labels; l != nil {
		row("labels: calls", l.Calls, count)
		row("labels: tokens", l.InputTokens.Add(l.OutputTokens), count)
		if l.CostUSD != nil {
			row("labels: cost", *l.CostUSD, usd)
		} else {
			t.AppendRow(table.Row{"labels: cost", "?", "not known", "?"})
		}
	}
	if p.Seconds != nil {
		n := atOnce(limits, cells)
		row(fmt.Sprintf("time, %d at once", n), p.Seconds.multipliedBy(1/float64(n)), secondsText)
	}
	if p.LimitSeconds != nil {
		row("time at the limits a minute", *p.LimitSeconds, secondsText)
	}
	fmt.Fprintln(os.Stdout, t.Render())
	p.printBounds()
	if p.Usable != nil {
		printUsability(p.Usable)
	}
	if p.Until != nil {
		p.Until.print()
	}
	if len(p.Unpriced) > 0 {
		fmt.Printf("The cost is not known: no price for %s; give it under prices:\n",
			wording.SafeLine(strings.Join(p.Unpriced, ", ")))
	}
}

// SecondsACall is the assumed duration of a call, in seconds, before any model was called.
const SecondsACall = 3

// TimeText returns in words how long the likely calls of a guess take under the limits; cells is the
// campaign's size.
func (p Prediction) TimeText(limits plan.Limits, cells int) string {
	if p.live == 0 {
		return "takes seconds, since no model is asked"
	}
	n := atOnce(limits, cells)
	took := p.live * SecondsACall / float64(n)
	if p.LimitSeconds != nil && p.LimitSeconds.Mean > took {
		return fmt.Sprintf("about %s at the limits a minute", secondsText(p.LimitSeconds.Mean))
	}
	return fmt.Sprintf("about %s if a call takes %d s and %d run at once", secondsText(took), SecondsACall, n)
}

func secondsText(v float64) string {
	if math.IsInf(v, 0) {
		return "?"
	}
	took := time.Duration(v * float64(time.Second))
	if took < 10*time.Second {
		return took.Round(100 * time.Millisecond).String()
	}
	return took.Round(time.Second).String()
}

// printBounds prints what the columns leave open: rounds that may not be played, what there
// can be at most, and what the caps pay for.
func (p Prediction) printBounds() {
	if p.Early != "" {
		fmt.Println(p.Early)
	}
	if p.Bound != "" && p.CostUSD != nil {
		fmt.Printf("It cannot cost more than %s: %s.\n", wording.DollarsAtMost(p.CostUSD.Most), p.Bound)
	}
	switch {
	case p.Paid == nil:
	case *p.Paid < 1:
		fmt.Printf("The cap of the file pays for about %.2g %% of the likely estimate; the campaign pauses there.\n", 100**p.Paid)
	default:
		fmt.Println("The cap of the file pays for the likely estimate.")
	}
}

// paidShare returns which part of what is likely the caps pay for; nil without a cap, or if
// the cost is not known.
func (p Prediction) paidShare(l plan.Limits) *float64 {
	tokens := p.InputTokens.Mean + p.OutputTokens.Mean
	var usd *Estimate
	if usd = p.CostUSD; p.Labels != nil {
		usd, tokens = sumIfKnown(usd, p.Labels.CostUSD), tokens+p.Labels.InputTokens.Mean+p.Labels.OutputTokens.Mean
	}
	var share *float64
	pay := func(cap, likely float64) {
		part := 1.
		if likely > cap {
			part = cap / likely
		}
		if share == nil || part < *share {
			share = &part
		}
	}
	if l.CostUSD != nil && usd != nil {
		pay(*l.CostUSD, usd.Mean)
	}
	if l.Tokens > 0 {
		pay(float64(l.Tokens), tokens)
	}
	return share
}

// Predict returns the Guess for a campaign with its labels and question; with share above 0 it first runs a
// pilot of that share of the cells and predicts from that. again is the command to run, for messages.
func Predict(ctx context.Context, o *cli.Options, s store.Store, p campaign.Plan, m campaign.Manifest, most []int,
	share float64, again string) (predicted Prediction, err error) {
	if predicted, err = Guess(o.Plugins, p, m, s, most); err == nil && share > 0 {
		can := predicted
		predicted, err = runPilot(ctx, o, s, p, m, share, again)
		predicted.Forecast, predicted.live = predicted.CappedBy(can.Forecast), can.live
	}
	if err == nil {
		predicted.Labels, err = guessLabels(o.Plugins, p, m, s, most)
		predicted.Paid = predicted.paidShare(m.Limits)
	}
	if err == nil && m.Until != nil {
		predicted.Until, err = predictQuestion(ctx, s, p, *m.Until)
	}
	return predicted, err
}

// Question says how many cells a campaign's question takes, estimated from simulated campaigns.
type Question struct {
	Basis string     `json:"basis"` // what they are drawn from
	Goal  string     `json:"goal"`
	Cells int        `json:"cells"` // of the plan
	Cases []caseThat `json:"cases,omitempty"`
}

// caseThat is what is predicted if something is so.
type caseThat struct {
	If string `json:"if"`
	until.Prediction
}

// enough complete units with a difference are drawn from again; of fewer there are too few
// different ones.
const enough = 8

// predictQuestion simulates campaigns. It draws from the units that the campaign has
// ended, as those of a pilot, or, without these, from the worst case.
func predictQuestion(ctx context.Context, s store.Store, p campaign.Plan, q until.Question) (*Question, error) {
	known, err := asking.NewReader(s).Complete(ctx, p.Campaign, q)
	if err != nil {
		return nil, err
	}
	d := until.NewDesign(q, p.Campaign.QuestionGrid())
	out := &Question{Goal: q.Goal(), Cells: p.Campaign.Size()}
	add := func(title string, draw until.Draw) error {
		predicted, err := d.Predict(draw, q.Seed)
		out.Cases = append(out.Cases, caseThat{title, predicted})
		return err
	}
	if isEnough(known) {
		out.Basis = fmt.Sprintf("%s of the campaign that have ended, drawn again", wording.Count(len(known), "unit"))
		return out, add("all units are as these", until.Resample(known))
	}
	if q.Method == until.Asymptotic && q.Width+q.Smallest > 0 {
		out.Basis = fmt.Sprintf("nothing: how %s spreads is not known, and it has no bounds; --pilot finds out", q.Measure)
		return out, nil
	}
	out.Basis = fmt.Sprintf("values at either bound of %s, independent of each other: the widest spread that there "+
		"can be, with a standard deviation of %.2f of the difference; --pilot draws from what it finds", q.Measure,
		(q.High-q.Low)/math.Sqrt2)
	if q.Method == until.Asymptotic {
		out.Basis = "normal differences"
	}
	if err := add("no level differs", q.Worst(0)); err != nil {
		return nil, err
	}
	return out, add(fmt.Sprintf("%s differs from each other level by half a standard deviation",
		q.Levels[q.Best()].Name), q.Worst(.5))
}

// isEnough reports whether each comparison has enough differences to draw from.
func isEnough(units [][]until.Observation) bool {
	var n []int
	for _, u := range units {
		if n == nil {
			n = make([]int, len(u))
		}
		for i, o := range u {
			if o.Difference != nil {
				n[i]++
			}
		}
	}
	return len(n) > 0 && slices.Min(n) >= enough
}

// print prints it on standard output.
func (q Question) print() {
	fmt.Printf("\nCells of %d until the question is answered (%s), in 95 %% of simulated campaigns, by %s:\n", q.Cells,
		q.Goal, q.Basis)
	if len(q.Cases) == 0 {
		return
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"if", "from", "about", "to", "answered"})
	for _, c := range q.Cases {
		t.AppendRow(table.Row{c.If, c.Low, fmt.Sprintf("%.0f", c.Mean), c.High, fmt.Sprintf("%.0f %%", 100*c.Answered)})
	}
	fmt.Fprintln(os.Stdout, t.Render())
}

// Usability counts the turns of a pilot with a usable answer, for one environment and answer format.
type Usability struct {
	Env    string `json:"env"`
	Format string `json:"format"` // of the answer, as in the table turns
	Turns  int    `json:"turns"`
	AtOnce int    `json:"usable_at_once"`
	Usable int    `json:"usable"` // after all asks
}

// isTooFew reports whether tables would say that this is not a result.
func (u Usability) isTooFew() bool {
	return float64(u.Turns-u.Usable) > analysis.UnusableShare*float64(u.Turns)
}

// countUsable counts asked turns by environment and form; envs are those of conditions by id.
func countUsable(turns iter.Seq2[record.Turn, error], envs map[string]string) ([]Usability, error) {
	var all []Usability
	for t, err := range turns {
		if err != nil {
			return nil, err
		}
		if t.Kind != "ask" {
			continue
		}
		at := slices.IndexFunc(all, func(u Usability) bool { return u.Env == envs[t.ConditionID] && u.Format == t.Format })
		if at < 0 {
			at, all = len(all), append(all, Usability{Env: envs[t.ConditionID], Format: t.Format})
		}
		all[at].Turns++
		if t.Status != "invalid" {
			all[at].Usable++
			if t.Asks <= 1 {
				all[at].AtOnce++
			}
		}
	}
	slices.SortFunc(all, func(a, b Usability) int {
		return cmp.Or(cmp.Compare(a.Env, b.Env), cmp.Compare(a.Format, b.Format))
	})
	return all, nil
}

// printUsability prints what share of a pilot's answers could be used, and where it is too small.
func printUsability(all []Usability) {
	fmt.Println("\nTurns of the pilot with a usable answer:")
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"env", "form", "turns", "at once", "after re-asks"})
	for _, u := range all {
		t.AppendRow(table.Row{u.Env, u.Format, u.Turns, percentText(u.AtOnce, u.Turns), percentText(u.Usable, u.Turns)})
	}
	fmt.Fprintln(os.Stdout, t.Render())
	for _, u := range all {
		if u.isTooFew() {
			fmt.Printf("%s: %s of the turns with a %s usable. Below %.0f %% the campaign mostly measures whether the model "+
				"can fill in the form, and its tables say that they are not results (docs/guides/providers.md, Small models).\n",
				u.Env, percentText(u.Usable, u.Turns), u.Format, 100*(1-analysis.UnusableShare))
		}
	}
}

func percentText(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of)) }
