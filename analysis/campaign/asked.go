package campaign

import (
	"cmp"

	"roundtable/analysis/lake/record"
)

// Asked is what questions took, no matter who paid for the answers: those that the cache
// gave count too, at what they cost when they were bought, so that conditions that share
// answers are not cheaper for it. What was paid is the run's CostUSD.
type Asked struct {
	Calls, Input, Output int64
	Thinking             int64 // of Output, as far as services say
	Thought              int64 // calls of which a service says how many
	USD                  float64
	Unpriced             int64 // calls whose price is not known
}

// Tokens returns input and output tokens together.
func (a Asked) Tokens() int64 { return a.Input + a.Output }

// Thinking returns how many tokens the run's models used to think; false if no service says.
func (r Run) Thinking() (float64, bool) { return float64(r.Asked.Thinking), r.Asked.Thought > 0 }

// Plus returns a + b.
func (a Asked) Plus(b Asked) Asked {
	return Asked{
		Calls: a.Calls + b.Calls, Input: a.Input + b.Input, Output: a.Output + b.Output,
		Thinking: a.Thinking + b.Thinking, Thought: a.Thought + b.Thought, USD: a.USD + b.USD,
		Unpriced: a.Unpriced + b.Unpriced,
	}
}

// Price returns what the run's answers cost in US dollars, whoever paid; false if a price is not
// known.
func (r Run) Price() (float64, bool) {
	return r.Asked.USD, r.Asked.Unpriced == 0 && r.Protocol != record.Imported
}

// SumUSD returns the cost of what of selects of each run, in US dollars; nil if a price is not
// known.
func SumUSD(runs []Run, of func(Run) Asked) *float64 {
	sum := 0.0
	for _, r := range runs {
		a := of(r)
		if a.Unpriced > 0 || r.Protocol == record.Imported {
			return nil
		}
		sum += a.USD
	}
	return &sum
}

// CountAsked sums the answered calls.
func CountAsked(calls []record.Call) Asked {
	var a Asked
	for _, c := range calls {
		if c.Status != "answered" {
			continue
		}
		a.Calls++
		if c.InputTokens != nil && c.OutputTokens != nil {
			a.Input, a.Output = a.Input+*c.InputTokens, a.Output+*c.OutputTokens
		}
		if c.ReasoningTokens != nil {
			a.Thinking, a.Thought = a.Thinking+*c.ReasoningTokens, a.Thought+1
		}
		if price := cmp.Or(c.PriceUSD, c.CostUSD); price != nil {
			a.USD += *price
		} else {
			a.Unpriced++
		}
	}
	return a
}
