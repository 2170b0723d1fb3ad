// Package money says what model calls cost and keeps campaigns under their
// caps. A Price turns tokens into money; a Table knows the prices of common
// models; Worst bounds a call before it is made; an Account reserves that bound
// from a campaign's cap, so that no reserve takes the campaign over it, whatever
// dies, and however many processes share the campaign. Sums are whole
// nano-dollars, so they are exact.
package money

import (
	"errors"
	"fmt"

	"roundtable/activities/model"
	"roundtable/envs"
)

// Price is what a service bills, in US dollars for a million tokens. A price
// that is nil is that of Input (CachedInput, CacheWrite, BatchInput) or of
// Output (Reasoning, BatchOutput).
type Price struct {
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input,omitempty"` // read from the service's cache
	CacheWrite  *float64 `json:"cache_write,omitempty"`  // written to it
	Reasoning   *float64 `json:"reasoning,omitempty"`
	BatchInput  *float64 `json:"batch_input,omitempty"` // in the service's batches
	BatchOutput *float64 `json:"batch_output,omitempty"`
	Long        *Long    `json:"long,omitempty"`       // nil if long requests cost the same
	MaxOutput   int      `json:"max_output,omitempty"` // tokens that one answer has at most; 0 if not known
}

// Long is the price of a whole request whose input has more than Above tokens.
type Long struct {
	Above       int      `json:"above"`
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input,omitempty"`
	CacheWrite  *float64 `json:"cache_write,omitempty"`
}

// maxPrice is a dollar for a token: more is a slip of units.
const maxPrice = 1e6

// UnmarshalJSON is strict: input and output must be there, nothing unknown may
// be, and the price must be valid.
func (p *Price) UnmarshalJSON(data []byte) error {
	type plain Price
	in := struct {
		*plain
		Input  *float64 `json:"input"`
		Output *float64 `json:"output"`
	}{plain: (*plain)(p)}
	if err := envs.DecodeStrict(data)(&in); err != nil {
		return fmt.Errorf("price: %w", err)
	}
	if in.Input == nil || in.Output == nil {
		return errors.New("price: input and output must be given, in US dollars for a million tokens")
	}
	p.Input, p.Output = *in.Input, *in.Output
	if err := p.Validate(); err != nil {
		return fmt.Errorf("price: %w", err)
	}
	return nil
}

// Validate refuses prices that cannot be meant, naming the key.
func (p Price) Validate() error {
	var errs []error
	check := func(key string, usd *float64) {
		if usd != nil && !(*usd >= 0 && *usd <= maxPrice) { // NaN is neither
			errs = append(errs, fmt.Errorf("%s: a price is US dollars for a million tokens, from 0 to 1e6, not %v", key, *usd))
		}
	}
	tokens := func(key string, n int) {
		if n < 0 || n > maxTokens {
			errs = append(errs, fmt.Errorf("%s: a number of tokens is from 0 to %d, not %d", key, maxTokens, n))
		}
	}
	check("input", &p.Input)
	check("output", &p.Output)
	check("cached_input", p.CachedInput)
	check("cache_write", p.CacheWrite)
	check("reasoning", p.Reasoning)
	check("batch_input", p.BatchInput)
	check("batch_output", p.BatchOutput)
	tokens("max_output", p.MaxOutput)
	if l := p.Long; l != nil {
		check("long.input", &l.Input)
		check("long.output", &l.Output)
		check("long.cached_input", l.CachedInput)
		check("long.cache_write", l.CacheWrite)
		tokens("long.above", l.Above)
	}
	return errors.Join(errs...)
}

// Cost of a usage in US dollars.
func (p Price) Cost(u model.Usage) float64 {
	usd := 0.0
	for _, part := range p.splitUsage(u) {
		usd += float64(part.tokens) * part.usd
	}
	return usd / 1e6
}

// Charge returns Cost and the tokens, in the units of an Account, rounded up.
func (p Price) Charge(u model.Usage) Amount {
	var sum wide
	var tokens int64
	for _, part := range p.splitUsage(u) {
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

// splitUsage share a usage out. Counts that contradict each other are clamped: no
// part is negative, and the parts of Input are no more than Input.
func (p Price) splitUsage(u model.Usage) [5]part {
	in, out := clampTokens(u.Input, maxTokens), clampTokens(u.Output, maxTokens)
	cached := clampTokens(u.CachedInput, in)
	written := clampTokens(u.CacheWrite, in-cached)
	reasoning := clampTokens(u.Reasoning, out)
	if p.Long != nil && in > int64(p.Long.Above) {
		p = p.longRequest()
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
func (p Price) longRequest() Price {
	return Price{Input: p.Long.Input, Output: p.Long.Output, CachedInput: p.Long.CachedInput, CacheWrite: p.Long.CacheWrite}
}

func clampTokens(tokens, most int64) int64 { return max(0, min(tokens, most)) }

func valueOr(usd *float64, other float64) float64 {
	if usd == nil {
		return other
	}
	return *usd
}

// highestRates prices of a token in a request of up to n tokens.
func (p Price) highestRates(tokens int64) (input, output float64) {
	input = max(p.Input, valueOr(p.CachedInput, 0), valueOr(p.CacheWrite, 0))
	output = max(p.Output, valueOr(p.Reasoning, 0))
	if p.Long != nil && tokens > int64(p.Long.Above) {
		i, o := p.longRequest().highestRates(0)
		input, output = max(input, i), max(output, o)
	}
	return input, output
}
