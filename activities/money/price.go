// Package money says what model calls cost and keeps campaigns under their
// caps. A Price turns tokens into money; a Table knows the prices of common
// models; Worst bounds a call before it is made; an Account reserves that bound
// from a campaign's cap, so that no reserve takes the campaign over it, whatever
// dies, and however many processes share the campaign. Sums are whole
// nano-dollars, so they are exact.
package money

import (
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// Cost returns what usage u costs at price p, in US dollars.
func Cost(p campaign.Price, u model.Usage) float64 {
	usd := 0.0
	for _, part := range splitUsage(p, u) {
		usd += float64(part.tokens) * part.usd
	}
	return usd / 1e6
}

// Charge returns the Cost and the tokens of usage u, rounded up, as an Amount.
func Charge(p campaign.Price, u model.Usage) Amount {
	var sum wide
	var tokens int64
	for _, part := range splitUsage(p, u) {
		sum.addTokens(part.tokens, part.usd)
		tokens += part.tokens
	}
	return Amount{NanoUSD: sum.nanoUSD(), Tokens: tokens}
}

// part is a share of a usage that has a price of its own.
type part struct {
	tokens int64
	usd    float64 // a million
}

// splitUsage shares a usage out. Counts that contradict each other are clamped: no
// part is negative, and the parts of Input are no more than Input.
func splitUsage(p campaign.Price, u model.Usage) [5]part {
	in, out := clampTokens(u.Input, campaign.MaxTokens), clampTokens(u.Output, campaign.MaxTokens)
	cached := clampTokens(u.CachedInput, in)
	written := clampTokens(u.CacheWrite, in-cached)
	reasoning := clampTokens(u.Reasoning, out)
	if p.Long != nil && in > int64(p.Long.Above) {
		p = longRequest(*p.Long)
	}
	return [5]part{
		{in - cached - written, p.Input},
		{cached, valueOr(p.CachedInput, p.Input)},
		{written, valueOr(p.CacheWrite, p.Input)},
		{out - reasoning, p.Output},
		{reasoning, valueOr(p.Reasoning, p.Output)},
	}
}

// longRequest returns the price of a long request.
func longRequest(l campaign.LongPrice) campaign.Price {
	return campaign.Price{Input: l.Input, Output: l.Output, CachedInput: l.CachedInput, CacheWrite: l.CacheWrite}
}

func clampTokens(tokens, most int64) int64 { return max(0, min(tokens, most)) }

func valueOr(usd *float64, other float64) float64 {
	if usd == nil {
		return other
	}
	return *usd
}

// highestRates returns the highest prices of a token in a request of up to so many tokens,
// in whichever tier it is billed.
func highestRates(p campaign.Price, tokens int64) (input, output float64) {
	for _, tier := range []plan.Tier{plan.Flex, plan.Batch} {
		if p.HasTier(tier) {
			i, o := highestRates(p.In(tier), tokens)
			input, output = max(input, i), max(output, o)
		}
	}
	i, o := standardRates(p, tokens)
	return max(input, i), max(output, o)
}

func standardRates(p campaign.Price, tokens int64) (input, output float64) {
	input = max(p.Input, valueOr(p.CachedInput, 0), valueOr(p.CacheWrite, 0))
	output = max(p.Output, valueOr(p.Reasoning, 0))
	if p.Long != nil && tokens > int64(p.Long.Above) {
		i, o := standardRates(longRequest(*p.Long), 0)
		input, output = max(input, i), max(output, o)
	}
	return input, output
}
