package campaigns

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"roundtable/activities/calls"
	"roundtable/workflows"
	"roundtable/workflows/plan"
)

// Limit is one limit of a campaign, named as in its file: calls, or models.NAME.calls.
type Limit struct {
	Name  string `json:"name"`
	Value string `json:"value"` // in words
}

// ListLimits returns a campaign's limits, defaults included.
func ListLimits(l plan.Limits) []Limit {
	orNone := func(n int64) string {
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}
	cost := "none"
	if l.CostUSD != nil {
		cost = fmt.Sprintf("$%v", *l.CostUSD)
	}
	all := []Limit{
		{"collaborations", fmt.Sprint(cmp.Or(l.Collaborations, workflows.DefaultWindow))},
		{"calls", fmt.Sprint(cmp.Or(l.Calls, calls.DefaultCalls))},
		{"cost_usd", cost}, {"tokens", orNone(l.Tokens)},
	}
	if l.Tier != "" {
		wait := plan.NeverStandard
		if d, falls := l.WaitForTier(); falls {
			wait = d.String()
		}
		all = append(all, Limit{"tier", string(l.Tier)}, Limit{"tier_wait", wait})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m, of := l.Models[name], "models."+name+"."
		for _, one := range []Limit{
			{of + "calls", orNone(int64(m.Calls))}, {of + "requests_per_minute", orNone(int64(m.RequestsPerMinute))},
			{of + "tokens_per_minute", orNone(int64(m.TokensPerMinute))}, {of + "timeout", cmp.Or(m.Timeout, "none")},
		} {
			if one.Value != "none" {
				all = append(all, one)
			}
		}
	}
	return all
}

// Change is a limit that was tuned.
type Change struct {
	Limit string `json:"limit"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// ChangedLimits returns the limits that differ.
func ChangedLimits(before, after plan.Limits) []Change {
	was, is := map[string]string{}, map[string]string{}
	var names []string
	for _, l := range ListLimits(before) {
		names, was[l.Name] = append(names, l.Name), l.Value
	}
	for _, l := range ListLimits(after) {
		if is[l.Name] = l.Value; was[l.Name] == "" {
			names = append(names, l.Name)
		}
	}
	var changed []Change
	for _, name := range names {
		if was[name] != is[name] {
			changed = append(changed, Change{name, cmp.Or(was[name], "none"), cmp.Or(is[name], "none")})
		}
	}
	return changed
}
