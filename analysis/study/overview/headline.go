package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/worth"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// level is that of a significant difference, after Holm's correction.
const level = 0.05

// Headline is the main result of a campaign in one environment, in words.
type Headline struct {
	Environment, Caveat string // the environment's name; that agents are scripted, "" if none are
	NoResult            string // what makes the claim no result; "" if nothing
	Unfinished          string // what is still to come or has failed; "" if nothing
	Failed              string // how many have failed; "" if none
	IsOpen              bool   // collaborations are pending; the claim is preliminary
	Claim               string // which condition leads, or that none does; without a full stop
	Figures             string // numbers for the claim; without a full stop, "" if the claim has them
	Talk                string // a sentence: how talk changed the score of the first answers; "" if unknown
	Limits              string // a sentence of what speaks against the claim; "" if nothing does
	Others              Others
}

// Others is a sentence of what one agent alone, self-consistency and the controls score; empty if there are none.
type Others struct {
	Lead   string   // whose score is held against theirs
	Scores []string // each with its punctuation
	Note   string   // on their intervals; "" if none is needed
}

func (h Headline) String() string {
	said := h.Environment
	if caveat := joinTexts(h.Caveat, h.NoResult, h.Unfinished); caveat != "" {
		said += " (" + caveat + ")"
	}
	said += ": " + h.Claim
	if h.Figures != "" {
		said += ": " + h.Figures
	}
	sentences := slices.Concat([]string{said + ".", h.Limits, h.Talk, h.Others.Lead}, h.Others.Scores, []string{h.Others.Note})
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

// Headlines returns, for each environment, at most three sentences: which condition leads, by how much and
// with which certainty, or that none differ significantly; what limits that claim (chance, groups without a
// decision, the scores of the others, a single instance); and what one agent alone, self-consistency for the
// same money and the controls reach. What makes it no result, or not yet, comes before the claim: scripted
// agents, answers that could not be used, unfinished cells. Conditions have the names, and numbers the values,
// of the tables outcomes, comparisons, floor and baselines.
func Headlines(c campaign.Campaign) []Headline {
	v := c.View("")
	against, gains := worth.AgainstAlone(c), worth.GainsByTalk(c)
	var all []Headline
	for _, environment := range v.Environments() {
		ranked := rankOutcomes(v, environment)
		if len(ranked) == 0 {
			continue
		}
		h, chance := headlineOf(v, environment, ranked)
		caveats := joinTexts(undecidedText(v, environment, ranked), oneInstanceText(ranked))
		if chance != "" && caveats != "" {
			caveats = chance + "; but " + caveats
		} else if caveats != "" {
			caveats = "But " + caveats
		} else {
			caveats = chance
		}
		h.Environment = environment
		h.Caveat, h.NoResult = simulatedText(v, environment), unusableText(v, environment)
		h.addUnfinished(v)
		if caveats != "" {
			h.Limits = caveats + "."
		}
		h.Others = listOthers(v, ranked, against)
		h.Talk = talkText(gains, environment)
		all = append(all, h)
	}
	return all
}

// simulatedText says that scripted agents answered in an environment, or in some of it.
func simulatedText(v campaign.View, environment string) string {
	v.Groups = slices.DeleteFunc(slices.Clone(v.Groups),
		func(g campaign.Group) bool { return g.Settings["env"] != environment })
	some, all := v.Simulated()
	switch some {
	case 0:
		return ""
	case all:
		return "simulated: no language model answered"
	}
	return fmt.Sprintf("simulated in %d of %s", some, campaign.Collaborations(all))
}

// joinTexts joins those that say something.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// chanceText says whether the highest two differ by more than a condition does from itself,
// without a full stop, and reports whether they do. Where one of them was not run again that is
// not known, unless isTold: pairs over instances have told it, or there is no difference.
func chanceText(v campaign.View, environment string, ranked []outcome, isTold bool) (text string, isBeyond bool) {
	floors := floorRows(v, environment)
	floor := func(name string) *itself {
		i := slices.IndexFunc(floors, func(x itself) bool { return x.name == name })
		if i < 0 {
			return nil
		}
		return &floors[i]
	}
	if a, b := floor(ranked[0].name), floor(ranked[1].name); a != nil && b != nil {
		if text, isBeyond = floorText(*a, *b); text != "" {
			text = "The difference is " + text
		}
		return text, isBeyond
	}
	known := false
	for _, o := range ranked { // one of the two is a baseline, which has no control of its own, or has not run as far
		x := floor(o.name)
		known = known || x != nil
		if x == nil || x.variance == 0 {
			continue
		}
		var once []string
		for _, o := range ranked[:2] {
			if floor(o.name) == nil {
				once = append(once, o.name)
			}
		}
		twice := fmt.Sprintf("two runs of %s differ by up to %s in 95 of 100 cases%s", x.name,
			shortNumber(x.differenceFromItself()), apartFromItself([]itself{*x}))
		if isTold {
			return "By chance alone, " + twice, false
		}
		return fmt.Sprintf("Whether the difference is more than chance makes is not known without a second run of %s"+
			" (replicates: 2 tells): %s", wording.And(once), twice), false
	}
	if known { // replicates repeat each other
		return "", false
	}
	return "How much two runs of one condition differ by chance alone is not known from one replicate of each instance" +
		" (replicates: 2 tells)", false
}

// talkText states how talk changed the first answers in an environment: in its only condition with talk, or else
// in those whose interval excludes 0.
func talkText(gains []worth.TalkGain, environment string) string {
	all := slices.DeleteFunc(slices.Clone(gains), func(g worth.TalkGain) bool { return g.Environment != environment })
	moved := slices.DeleteFunc(slices.Clone(all), func(g worth.TalkGain) bool { return !g.IsBeyondChance() })
	if len(moved) == 0 && len(all) != 1 || len(moved) > mostNamed {
		return ""
	}
	var parts []string
	for _, g := range moved {
		did := "gained"
		if g.Points < 0 {
			did = "cost"
		}
		parts = append(parts, fmt.Sprintf("%s %s points in %s%s", did, table.FormatNumber(math.Abs(g.Points), 1), g.Name,
			pointsText(g)))
	}
	if parts == nil {
		parts = append(parts, fmt.Sprintf("changed %s points in %s%s, which can be chance",
			table.FormatNumber(all[0].Points, 1), all[0].Name, pointsText(all[0])))
	}
	if len(all) > 1 {
		parts = append(parts, "not corrected for the number of conditions")
	}
	return "Against the majority of the first answers, talk " + strings.Join(parts, "; ") + "."
}

// pointsText returns the interval of a gain in brackets; "" if there is none.
func pointsText(g worth.TalkGain) string {
	if g.Interval[0].Value == nil {
		return ""
	}
	return fmt.Sprintf(" (95 %% CI %s to %s)", g.Interval[0], g.Interval[1])
}

// listOthers says what one agent alone, self-consistency for the same money (or tokens, where
// nobody was paid) and the controls that hear nobody or strangers reach, next to the highest
// condition that has these, is not a control, and in which agents hear each other.
func listOthers(v campaign.View, ranked []outcome, against map[string]worth.Against) (said Others) {
	for i, o := range ranked {
		if o.group.Settings[campaign.Control] != "" {
			continue
		}
		parts := append(againstText(v, o, against[o.group.ID]), controlsText(v, o)...)
		if len(parts) == 0 {
			continue
		}
		if strings.Count(strings.Join(parts, ""), " CI ") > 1 { // p in the first sentence is corrected
			said.Note = "these intervals are not corrected for their number."
		}
		which := ""
		if slices.ContainsFunc(ranked[:i], func(above outcome) bool {
			return above.group.Settings[campaign.Control] == "" && !worth.IsAskedOnce(above.group)
		}) {
			which = ", the highest with a baseline or a control,"
		} else if i > 0 {
			which = ", the highest in which agents hear each other,"
		}
		said.Lead = fmt.Sprintf("%s%s scores %s, against", o.name, which, shortNumber(o.mean))
		for i, part := range parts {
			end := ";"
			if i == len(parts)-1 && said.Note == "" {
				end = "."
			}
			said.Scores = append(said.Scores, part+end)
		}
		return said
	}
	return said
}

// againstText says what the baselines of a condition reach.
func againstText(v campaign.View, o outcome, a worth.Against) (parts []string) {
	add := func(gain *worth.Gain, what string) {
		if gain != nil {
			parts = append(parts, besideText(gain.Baseline, v.Title(gain.Of), what, gain.Difference,
				campaign.IntervalCells(gain.Within, 4, 1)))
		}
	}
	add(a.Single, "one agent alone")
	if a.Budget != nil && a.Budget.TooFew {
		add(a.Budget, "one agent with as long an answer as there is, less than the group's budget")
	} else {
		add(a.Budget, "one agent with the group's budget")
	}
	budget, samples := "money", a.ForMoney
	if samples == nil { // nobody was paid, or it is not known how much
		budget, samples = "tokens", a.SelfConsistency
	}
	if samples != nil {
		what := "for the same " + budget
		if samples.TooFew {
			what = map[string]string{"money": "for less money", "tokens": "for fewer tokens"}[budget]
		}
		if samples.Whole {
			parts = append(parts, pairedText(v, o, samples.Of, what))
		} else {
			add(samples, fmt.Sprintf("%s of its answers on average, %s", table.FormatNumber(samples.Samples, 1), what))
		}
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}

// controlsText says what the controls of a condition reach in which agents do not hear each other.
func controlsText(v campaign.View, o outcome) (parts []string) {
	controls := v.ControlsOf(o.group)
	for _, x := range []struct{ control, what string }{{campaign.Alone, "nobody is heard"},
		{campaign.Strangers, "texts about other instances are heard"}} {
		if text := pairedText(v, o, controls[x.control], x.what); text != "" {
			parts = append(parts, text)
		}
	}
	return parts
}

// pairedText says what another condition scores, and how much more a condition does in pairs; "" without one.
func pairedText(v campaign.View, o outcome, other campaign.Group, what string) string {
	theirs := other.Succeeded()
	m := campaign.MeanOver(theirs, campaign.Run.Outcome)
	more := campaign.PairedBy(o.group.Succeeded(), theirs, campaign.Run.Outcome).Values()
	if m == nil || len(more) == 0 {
		return ""
	}
	difference, within := statistics.MeanInterval(more)
	interval := campaign.IntervalCells(within, 4, o.group.MostDifference())
	return besideText(m.Value, v.Title(other), what, difference, interval)
}

// besideText says what another condition scores, and how much more a condition does.
func besideText(score float64, name, what string, difference float64, interval []table.Cell) string {
	said := fmt.Sprintf("%s for %s (%s; difference %s", shortNumber(score), name, what, shortNumber(difference))
	if within := limitsText(interval); within != "" {
		said += ", " + within
	}
	return said + ")"
}

// outcome is a condition with its mean outcome.
type outcome struct {
	name  string
	mean  float64
	group campaign.Group
}

// rankOutcomes returns the conditions of an environment that have an outcome, the highest
// first, without those that are others again.
func rankOutcomes(v campaign.View, environment string) []outcome {
	var ranked []outcome
	for _, g := range v.WithoutSame() {
		if g.Settings["env"] != environment {
			continue
		}
		if m := campaign.MeanOver(g.Succeeded(), campaign.Run.Outcome); m != nil {
			ranked = append(ranked, outcome{v.Title(g), m.Value, g})
		}
	}
	slices.SortStableFunc(ranked, func(a, b outcome) int { return cmp.Compare(b.mean, a.mean) })
	return ranked
}

// headlineOf says which condition leads and, if it says how much the highest two differ by, what chance makes.
func headlineOf(v campaign.View, environment string, ranked []outcome) (h Headline, chance string) {
	if len(ranked) == 1 {
		h.Claim = fmt.Sprintf("%s is %s%s", campaign.ScoreIs(ranked[0].group), shortNumber(ranked[0].mean),
			intervalText(outcomeInterval(ranked[0].group)))
		return h, ""
	}
	list, _, err := compareConditions(v, environment, 0)
	if err != nil || len(list) == 0 {
		h.Claim = fmt.Sprintf("%s has the highest mean, %s; no two conditions can be compared in pairs",
			ranked[0].name, shortNumber(ranked[0].mean))
		return h, ""
	}
	decided, known := whereBothDecided(v, environment, ranked)
	byDeciding := known && undecidedShare(ranked[1].group) > undecidedShare(ranked[0].group) &&
		!(isSignificant(decided) && *decided.Difference > 0)
	h, isAbout := verdictOf(ranked, list, countConditions(v, environment), byDeciding)
	if !isAbout {
		return h, ""
	}
	between, _ := differenceBetween(list, ranked[0].name, ranked[1].name)
	isTold := isSignificant(between) || between.Difference != nil && *between.Difference == 0
	chance, isBeyond := chanceText(v, environment, ranked, isTold)
	if isBeyond && !isSignificant(between) && oneInstanceText(ranked) == "" {
		chance += " on these instances, and on others there may be none"
	}
	return h, chance
}

// verdictOf says who leads, after all comparisons of an environment with that many conditions;
// byDeciding, that it does so only because the next comes to no decision more often. It reports
// whether what it says is about the difference of the highest two, over all that they have.
func verdictOf(ranked []outcome, list []statistics.Comparison, conditions int, byDeciding bool) (h Headline,
	isAbout bool) {
	if tied := tiedFirst(ranked, list); tied > 1 {
		claim, next := tieText(ranked, tied, conditions)
		return Headline{Claim: claim, Figures: next + countDiffering(list)}, false
	}
	first, next := ranked[0], ranked[1]
	between, known := differenceBetween(list, first.name, next.name)
	means := fmt.Sprintf("%s against %s for %s (%s)", shortNumber(first.mean), shortNumber(next.mean), next.name,
		campaign.ScoreIs(first.group))
	by := ", with no pair in common"
	if known {
		where := ","
		if between.Difference != nil && math.Abs(first.mean-next.mean-*between.Difference) > 1e-9 {
			where = ", in the pairs they have in common"
		}
		by = where + " a difference of " + differenceText(between, first.group.MostDifference())
	}
	isHigher := known && isSignificant(between) && *between.Difference > 0
	switch {
	case isHigher && byDeciding:
		return Headline{Claim: fmt.Sprintf("%s leads, but only because %s comes to no decision more often", first.name,
			next.name), Figures: means + by}, true
	case isHigher:
		return Headline{Claim: first.name + " leads", Figures: means + by}, true
	case known && isSignificant(between): // over what both have
		return Headline{Claim: fmt.Sprintf("%s has the highest mean, but is significantly lower than %s in the pairs "+
			"they have in common", first.name, next.name),
			Figures: means + ", there a difference of " + differenceText(between, first.group.MostDifference())}, false
	case !slices.ContainsFunc(list, isSignificant):
		figures := fmt.Sprintf("the highest are %s with %s and %s with %s (%s)", first.name, shortNumber(first.mean),
			next.name, shortNumber(next.mean), campaign.ScoreIs(first.group))
		return Headline{Claim: noneDiffers(conditions, len(ranked), len(list)),
			Figures: figures + by + outOfReachText(list)}, known
	case !known:
		return Headline{Claim: first.name + " has the highest mean, but no pair in common with the next",
			Figures: fmt.Sprintf("%s; %s", means, countDiffering(list))}, false
	}
	return Headline{Claim: first.name + " is highest, but not significantly above the next",
		Figures: means + by + "; " + countDiffering(list)}, true
}

// noneDiffers says that no pair of conditions differs significantly, of those that can be
// compared. Conditions are counted as plan does, with those that repeat others and are not compared.
func noneDiffers(conditions, ranked, compared int) string {
	if compared < ranked*(ranked-1)/2 || conditions > ranked {
		return fmt.Sprintf("of the %d conditions, no two that can be compared differ significantly", conditions)
	}
	return fmt.Sprintf("no two of the %d conditions differ significantly", conditions)
}

// outOfReachText says that no difference could have been significant, if none could: the
// smallest p of signs exchanged over n pairs is 2/2ⁿ, before Holm's correction.
func outOfReachText(list []statistics.Comparison) string {
	pairs := 0
	for _, c := range list {
		pairs = max(pairs, c.N)
	}
	least := math.Ldexp(2, -pairs) * float64(len(list))
	if pairs == 0 || least < level {
		return ""
	}
	return fmt.Sprintf("; none could be significant: with %s and %s of conditions, p cannot be below %s (ask more, "+
		"or compare fewer conditions)",
		wording.Count(pairs, "pair"), wording.Count(len(list), "comparison"), shortNumber(min(1, least)))
}

// tiedFirst returns how many of the ranked conditions have the highest mean and, but for
// rounding, no pair that differs from the first.
func tiedFirst(ranked []outcome, list []statistics.Comparison) int {
	first, n := ranked[0], 1
	none := func(v *float64) bool { return v != nil && math.Abs(*v) <= 1e-12*max(1, math.Abs(first.mean)) }
	for ; n < len(ranked); n++ {
		c, known := differenceBetween(list, first.name, ranked[n].name)
		if !known || !none(new(first.mean-ranked[n].mean)) || !none(c.Difference) || c.SE != nil {
			break
		}
	}
	return n
}

// mostNamed is how many conditions or pairs a sentence names.
const mostNamed = 4

// tieText says which conditions share the highest mean, and what comes next.
func tieText(ranked []outcome, tied, conditions int) (claim, next string) {
	who := fmt.Sprintf("%d of the %d conditions", tied, conditions)
	if tied <= mostNamed {
		var names []string
		for _, o := range ranked[:tied] {
			names = append(names, o.name)
		}
		who = strings.Join(names[:tied-1], ", ") + " and " + names[tied-1]
	} else if tied == conditions {
		who = fmt.Sprintf("all %d conditions", tied)
	} else if tied == len(ranked) { // the others repeat these
		who = fmt.Sprintf("all %d conditions that are compared", tied)
	}
	if tied < len(ranked) {
		next = fmt.Sprintf("next is %s with %s; ", ranked[tied].name, shortNumber(ranked[tied].mean))
	}
	return fmt.Sprintf("%s tie at the top with %s (%s)", who, shortNumber(ranked[0].mean),
		campaign.ScoreIs(ranked[0].group)), next
}

// countDiffering says how many pairs of conditions differ significantly.
func countDiffering(list []statistics.Comparison) string {
	differing := 0
	for _, c := range list {
		if isSignificant(c) {
			differing++
		}
	}
	return fmt.Sprintf("%d of %s of conditions differ significantly (table comparisons)", differing,
		wording.Count(len(list), "pair"))
}

// isSignificant reports whether a difference is known and significant.
func isSignificant(c statistics.Comparison) bool {
	return c.Difference != nil && c.Holm != nil && *c.Holm < level
}

// differenceBetween returns the comparison of two conditions, the first minus the second.
func differenceBetween(list []statistics.Comparison, a, b string) (statistics.Comparison, bool) {
	for _, c := range list {
		switch {
		case c.A == a && c.B == b:
			return c, true
		case c.A == b && c.B == a:
			return turnAround(c), true
		}
	}
	return statistics.Comparison{}, false
}

// turnAround returns a comparison with its two conditions in the other order.
func turnAround(c statistics.Comparison) statistics.Comparison {
	c.A, c.B = c.B, c.A
	if c.Difference != nil {
		c.Difference = new(-*c.Difference)
	}
	if c.Student != nil {
		c.Student = &statistics.Interval{Low: -c.Student.High, High: -c.Student.Low}
	}
	return c
}

// differenceText says how much two conditions differ; most is the greatest difference there can be.
func differenceText(c statistics.Comparison, most float64) string {
	if c.Difference == nil {
		return "unknown size"
	}
	said := fmt.Sprintf("%s over %s%s", shortNumber(*c.Difference), wording.Count(c.N, "pair"),
		intervalText(campaign.IntervalCells(c.Student, 4, most)))
	switch {
	case c.Holm == nil:
	case c.SignFlip != nil && *c.SignFlip != *c.Holm: // the interval is of this difference alone
		said += ", p " + pText(*c.Holm) + " corrected for all comparisons"
	default:
		said += ", p " + pText(*c.Holm)
	}
	return said
}

// intervalText returns an interval in brackets; "" if there is none.
func intervalText(ends []table.Cell) string {
	if limits := limitsText(ends); limits != "" {
		return " (" + limits + ")"
	}
	return ""
}

func limitsText(ends []table.Cell) string {
	if len(ends) != 2 || ends[0].Value == nil || ends[1].Value == nil {
		return ""
	}
	return fmt.Sprintf("95 %% CI %s to %s", shortNumber(*ends[0].Value), shortNumber(*ends[1].Value))
}

func pText(p float64) string {
	s := table.PValue(&p).String()
	if s[0] == '<' {
		return "< " + s[1:]
	}
	return "= " + s
}

// shortNumber returns a figure with three decimals.
func shortNumber(v float64) string { return table.FormatNumber(v, 3) }

// countConditions returns how many conditions an environment has, as plan counts them.
func countConditions(v campaign.View, environment string) (n int) {
	for _, g := range v.Groups {
		if g.Settings["env"] == environment {
			n++
		}
	}
	return n
}
