package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"roundtable/envs"
	"roundtable/workflows/plan"
)

// Price is what a service bills, in US dollars for a million tokens. A price
// that is nil is that of Input (CachedInput, CacheWrite) or of Output (Reasoning).
type Price struct {
	Input       float64    `json:"input"`
	Output      float64    `json:"output"`
	CachedInput *float64   `json:"cached_input,omitempty"` // read from the service's cache
	CacheWrite  *float64   `json:"cache_write,omitempty"`  // written to it
	Reasoning   *float64   `json:"reasoning,omitempty"`
	Flex        *TierPrice `json:"flex,omitempty"`       // nil if the service does not sell the model in that tier
	Batch       *TierPrice `json:"batch,omitempty"`      // in the service's batches
	Long        *LongPrice `json:"long,omitempty"`       // nil if long requests cost the same
	MaxOutput   int        `json:"max_output,omitempty"` // tokens that one answer has at most; 0 if not known
	// the day of a table's price, as 2026-11-27; empty for one of the file
	AsOf string `json:"as_of,omitempty"`
}

// TierPrice is the price of a call in another tier, or of a long one. A nil price of the cache is
// that of the standard tier; for a long request, it is Input.
type TierPrice struct {
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input,omitempty"`
	CacheWrite  *float64 `json:"cache_write,omitempty"`
}

// LongPrice is the price of a whole request whose input has more than Above tokens.
type LongPrice struct {
	Above int `json:"above"`
	TierPrice
}

// In returns the price of a call in a tier; without a price of its own, the standard tier's. Long
// requests cost more by the same factor as in the standard tier, as OpenAI's and Google's pages
// say.
func (p Price) In(tier plan.Tier) Price {
	t := p.ofTier(tier)
	if t == nil {
		return p
	}
	in := Price{
		Input: t.Input, Output: t.Output, CachedInput: cmp.Or(t.CachedInput, p.CachedInput),
		CacheWrite: cmp.Or(t.CacheWrite, p.CacheWrite),
		Reasoning:  scaleOptional(p.Reasoning, &t.Output, &p.Output), MaxOutput: p.MaxOutput, AsOf: p.AsOf,
	}
	if l := p.Long; l != nil {
		in.Long = &LongPrice{l.Above, TierPrice{
			Input: scale(l.Input, t.Input, p.Input), Output: scale(l.Output, t.Output, p.Output),
			CachedInput: scaleOptional(l.CachedInput, t.CachedInput, p.CachedInput),
			CacheWrite:  scaleOptional(l.CacheWrite, t.CacheWrite, p.CacheWrite),
		}}
	}
	return in
}

// HasTier reports whether the price for a tier is known.
func (p Price) HasTier(tier plan.Tier) bool { return p.ofTier(tier) != nil }

func (p Price) ofTier(tier plan.Tier) *TierPrice {
	switch tier {
	case plan.Flex:
		return p.Flex
	case plan.Batch:
		return p.Batch
	}
	return nil
}

// scale returns a price of the standard tier that is not given for another: as many times more
// or less as what is given there. It is the standard one where that is free.
func scale(price, tier, standard float64) float64 {
	if standard == 0 {
		return price
	}
	return min(price*tier/standard, maxPrice)
}

func scaleOptional(price, tier, standard *float64) *float64 {
	if price == nil || tier == nil || standard == nil {
		return price
	}
	usd := scale(*price, *tier, *standard)
	return &usd
}

const (
	// maxPrice is a dollar for a token: more is a slip of units.
	maxPrice = 1e6
	// MaxTokens bounds the tokens of one call; no usage beyond it is true.
	MaxTokens = 1 << 40
)

// UnmarshalJSON decodes a price. Missing input or output, unknown fields and invalid prices are
// errors.
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

// Validate returns an error, naming the key, if a price is impossible.
func (p Price) Validate() error {
	var errs []error
	check := func(key string, usd *float64) {
		if usd != nil && !(*usd >= 0 && *usd <= maxPrice) { // NaN is neither
			errs = append(errs, fmt.Errorf("%s: a price is US dollars for a million tokens, from 0 to 1e6, not %v", key, *usd))
		}
	}
	tokens := func(key string, n int) {
		if n < 0 || n > MaxTokens {
			errs = append(errs, fmt.Errorf("%s: a number of tokens is from 0 to %d, not %d", key, MaxTokens, n))
		}
	}
	check("input", &p.Input)
	check("output", &p.Output)
	check("cached_input", p.CachedInput)
	check("cache_write", p.CacheWrite)
	check("reasoning", p.Reasoning)
	tier := func(key string, t *TierPrice) {
		switch {
		case t == nil:
			return
		case t.Input == 0 && p.Input > 0, t.Output == 0 && p.Output > 0:
			errs = append(errs, fmt.Errorf("%s: input and output must be given, in US dollars for a million tokens", key))
		}
		check(key+".input", &t.Input)
		check(key+".output", &t.Output)
		check(key+".cached_input", t.CachedInput)
		check(key+".cache_write", t.CacheWrite)
	}
	tier("flex", p.Flex)
	tier("batch", p.Batch)
	tokens("max_output", p.MaxOutput)
	if _, err := time.Parse(time.DateOnly, p.AsOf); p.AsOf != "" && err != nil {
		errs = append(errs, fmt.Errorf("as_of: %q is not a day as 2026-11-27", p.AsOf))
	}
	if l := p.Long; l != nil {
		tier("long", &l.TierPrice)
		tokens("long.above", l.Above)
	}
	return errors.Join(errs...)
}
