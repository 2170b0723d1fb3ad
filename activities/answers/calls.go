package answers

import (
	"cmp"
	"slices"

	"roundtable/analysis/lake/record"
)

// Calls returns the rows of the calls that stored answers name, by entry, ask and
// attempt: those that were answered, and those of unknown outcome, perhaps billed.
func (s Stored) Calls(key record.Key) []record.Call {
	var calls []record.Call
	for _, t := range s.Turns {
		for _, a := range t.Asks {
			calls = append(calls, a.callRow(key, t.Entry))
		}
	}
	for _, i := range s.Unknown {
		calls = append(calls, record.Call{
			Key: key, Entry: int32(i.Entry), Ask: int32(i.Ask), Attempt: int32(i.Attempt),
			Provider: i.Provider, ModelAsked: i.Model, Status: "unknown", StartedAt: i.StartedAt,
			WorstUSD: i.WorstUSD, WorstTokens: &i.WorstTokens,
		})
	}
	slices.SortStableFunc(calls, func(a, b record.Call) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Ask, b.Ask), cmp.Compare(a.Attempt, b.Attempt))
	})
	return calls
}

func (a Answer) callRow(key record.Key, entry int) record.Call {
	row := record.Call{
		Key: key, Entry: int32(entry), Ask: int32(a.Ask), Attempt: int32(a.Attempt),
		Provider: a.Provider, ModelAsked: a.ModelAsked, ModelAnswered: a.ModelAnswered,
		Status: "answered", Cached: a.Cached, CostUSD: a.CostUSD, PriceUSD: cmp.Or(a.CostUSD, a.PriceUSD),
		InputTokens: &a.Usage.Input, CachedInputTokens: &a.Usage.CachedInput, CacheWriteTokens: &a.Usage.CacheWrite,
		OutputTokens: &a.Usage.Output, ReasoningTokens: &a.Usage.Reasoning, LatencyMS: &a.LatencyMS,
		ReasoningAsked: record.Optional(a.ReasoningAsked), Tier: record.Optional(a.Tier), SavedUSD: a.SavedUSD,
		FinishReason: a.FinishReason, RequestID: a.RequestID, StartedAt: a.StartedAt, Simulated: a.Simulated,
		ForkedFrom: record.Optional(a.From),
	}
	if a.WorstTokens > 0 { // the service did not say what it has used
		row.WorstUSD, row.WorstTokens = a.WorstUSD, &a.WorstTokens
	}
	return row
}

// Spent is what calls have cost; those that the cache served were paid elsewhere.
type Spent struct {
	Calls        int32
	InputTokens  int64
	OutputTokens int64
	CostUSD      *float64 // of answered calls; nil if a price is not known
	WorstUSD     *float64 // at most, of calls of unknown outcome or usage; nil if that is not known
}

// Sum adds calls up.
func Sum(calls []record.Call) Spent {
	cost, worst := 0., 0.
	s := Spent{CostUSD: &cost, WorstUSD: &worst}
	for _, c := range calls {
		if c.Cached {
			continue
		}
		s.Calls++
		if c.WorstTokens != nil {
			s.WorstUSD = addKnown(s.WorstUSD, c.WorstUSD)
		}
		if c.Status == "answered" {
			s.InputTokens, s.OutputTokens, s.CostUSD = s.InputTokens+*c.InputTokens, s.OutputTokens+*c.OutputTokens,
				addKnown(s.CostUSD, c.CostUSD)
		}
	}
	return s
}

// addKnown adds what may not be known.
func addKnown(sum, more *float64) *float64 {
	if sum == nil || more == nil {
		return nil
	}
	total := *sum + *more
	return &total
}
