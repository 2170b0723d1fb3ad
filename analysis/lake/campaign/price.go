package campaign

import (
	"errors"
	"fmt"

	"roundtable/envs"
)

// Price is what a service bills, in US dollars for a million tokens. A price
// that is nil is that of Input (CachedInput, CacheWrite, BatchInput) or of
// Output (Reasoning, BatchOutput).
type Price struct {
	Input       float64    `json:"input"`
	Output      float64    `json:"output"`
	CachedInput *float64   `json:"cached_input,omitempty"` // read from the service's cache
	CacheWrite  *float64   `json:"cache_write,omitempty"`  // written to it
	Reasoning   *float64   `json:"reasoning,omitempty"`
	BatchInput  *float64   `json:"batch_input,omitempty"` // in the service's batches
	BatchOutput *float64   `json:"batch_output,omitempty"`
	Long        *LongPrice `json:"long,omitempty"`       // nil if long requests cost the same
	MaxOutput   int        `json:"max_output,omitempty"` // tokens that one answer has at most; 0 if not known
}

// LongPrice is the price of a whole request whose input has more than Above tokens.
type LongPrice struct {
	Above       int      `json:"above"`
	Input       float64  `json:"input"`
	Output      float64  `json:"output"`
	CachedInput *float64 `json:"cached_input,omitempty"`
	CacheWrite  *float64 `json:"cache_write,omitempty"`
}

const (
	// maxPrice is a dollar for a token: more is a slip of units.
	maxPrice = 1e6
	// MaxTokens bounds the tokens of one call; no usage beyond it is true.
	MaxTokens = 1 << 40
)

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
		if n < 0 || n > MaxTokens {
			errs = append(errs, fmt.Errorf("%s: a number of tokens is from 0 to %d, not %d", key, MaxTokens, n))
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
