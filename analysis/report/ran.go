package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
)

// Ran says what ran, and what went wrong.
type Ran struct {
	Simulated  string // what rests on scripted agents; "" if nothing does
	Facts      []fact
	Conditions []condition
	Models     []campaign.ModelSnapshot
	Warnings   []string
	Failures   []failure
	To         func(collaboration string) string // where its transcript is
}

// Link returns the link to a collaboration's transcript.
func (r Ran) Link(collaboration string) string { return r.To(collaboration) }

func (t *Tally) ranOf(s Source) Ran {
	return Ran{
		Simulated: t.simulatedText(), Facts: t.countedFacts(s), Conditions: t.sortedConditions(),
		Models: s.Cost.Snapshots, Warnings: s.Cost.Changed(), Failures: t.sortedFailures(),
	}
}

// fact is something that all collaborations have, with how many have which value.
type fact struct{ Name, Value string }

// condition is one with all its settings, as they were recorded.
type condition struct {
	ID, Settings string
	N            int // collaborations that are in
}

func (t *Tally) countValue(name, value string) {
	if t.seen[name] == nil {
		t.seen[name] = map[string]int{}
		t.order = append(t.order, name)
	}
	t.seen[name][value]++
}

// countedFacts returns what was counted: a value that all share stands alone.
func (t *Tally) countedFacts(s Source) []fact {
	var list []fact
	for _, name := range t.order {
		values := slices.Sorted(maps.Keys(t.seen[name]))
		if len(values) > 1 {
			for i, v := range values {
				values[i] = fmt.Sprintf("%s (%d)", v, t.seen[name][v])
			}
		}
		list = append(list, fact{name, strings.Join(values, " · ")})
	}
	if t.started > 0 {
		const second = "2006-01-02 15:04:05"
		list = append(list, fact{"asked", time.UnixMicro(t.started).UTC().Format(second) + " to " +
			time.UnixMicro(t.ended).UTC().Format(second) + " UTC"})
	}
	if said := totalCost(s.Cost.Total); said != "" {
		list = append(list, fact{"cost", said})
	}
	if s.Digest != "" {
		list = append(list, fact{"digest of the rows", s.Digest})
	}
	return list
}

// totalCost says what all calls have cost; empty if there were none.
func totalCost(all campaign.SpendingGroup) string {
	if all.Billed+all.Unknown == 0 {
		return ""
	}
	said := wording.Dollars(all.USD)
	var more []string
	if all.Unpriced > 0 {
		more = append(more, "no price is known of "+wording.Count(all.Unpriced, "call"))
	}
	if all.Silent > 0 {
		more = append(more, fmt.Sprintf("of %s the service did not report the usage",
			wording.Count(all.Silent, "call")))
	}
	if more != nil {
		said = fmt.Sprintf("at least %s: %s", said, strings.Join(more, ", "))
	}
	switch {
	case all.Silent > 0 && all.Unbounded == 0:
		said += fmt.Sprintf(", and at most %s for these and %s of unknown outcome", wording.DollarsAtMost(all.WorstUSD),
			wording.Count(all.Unknown, "call"))
	case all.Unbounded > 0:
		said += fmt.Sprintf(", and what %s of unknown outcome may have cost", wording.Count(all.Unknown, "call"))
	case all.Unknown > 0:
		said += fmt.Sprintf(", and at most %s for %s of unknown outcome", wording.DollarsAtMost(all.WorstUSD),
			wording.Count(all.Unknown, "call"))
	}
	return fmt.Sprintf("%s; %s, %s in, %d out", said, wording.Count(all.Billed, "call"),
		wording.Count(all.Input, "token"), all.Output)
}

// sortedConditions that have collaborations, in the order of their ids.
func (t *Tally) sortedConditions() []condition {
	var list []condition
	for _, id := range slices.Sorted(maps.Keys(t.ran)) {
		list = append(list, *t.ran[id])
	}
	return list
}
