package money

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"roundtable/analysis/lake/campaign"
)

// Amount is money and tokens, in whole numbers so that sums are exact.
type Amount struct {
	NanoUSD int64 `json:"nano_usd"` // 1e-9 US dollars
	Tokens  int64 `json:"tokens"`   // input and output
}

// Add returns a + b.
func (a Amount) Add(b Amount) Amount { return Amount{a.NanoUSD + b.NanoUSD, a.Tokens + b.Tokens} }

// Sub returns a - b.
func (a Amount) Sub(b Amount) Amount { return Amount{a.NanoUSD - b.NanoUSD, a.Tokens - b.Tokens} }

// USD returns the money in US dollars.
func (a Amount) USD() float64 { return float64(a.NanoUSD) / 1e9 }

// String returns the amount for people, in dollars and tokens.
func (a Amount) String() string {
	return fmt.Sprintf("$%s and %d tokens", formatDollars(a.NanoUSD), a.Tokens)
}

// formatDollars writes an exact sum with at least two decimals.
func formatDollars(nano int64) string {
	s := fmt.Sprintf("%d.%09d", nano/1e9, max(nano%1e9, -(nano%1e9)))
	if nano < 0 && nano > -1e9 {
		s = "-" + s
	}
	whole := strings.TrimRight(s, "0")
	return s[:max(len(whole), len(s)-7)]
}

func atMost(a, b Amount) Amount   { return Amount{min(a.NanoUSD, b.NanoUSD), min(a.Tokens, b.Tokens)} }
func largerOf(a, b Amount) Amount { return Amount{max(a.NanoUSD, b.NanoUSD), max(a.Tokens, b.Tokens)} }

// isWithin reports whether both money and tokens are no more than those of b.
func (a Amount) isWithin(b Amount) bool { return a.NanoUSD <= b.NanoUSD && a.Tokens <= b.Tokens }

func (a Amount) isNegative() bool { return a.NanoUSD < 0 || a.Tokens < 0 }

// isSane reports whether an amount can be added to many others without overflow.
func (a Amount) isSane() bool { return !a.isNegative() && a.isWithin(unlimited) }

const maxAmount = 1 << 56 // 72 million dollars

// unlimited stands for a cap that is absent. It leaves room for sums.
var unlimited = Amount{1 << 60, 1 << 60}

// Caps are what a campaign may spend in all; nil is no cap.
type Caps struct {
	NanoUSD *int64 `json:"nano_usd,omitempty"`
	Tokens  *int64 `json:"tokens,omitempty"`
}

// NewCaps returns caps of usd, rounded down to nano-dollars, and tokens. A nil usd and 0 tokens
// mean no cap, as in campaign files.
func NewCaps(usd *float64, tokens int64) Caps {
	var c Caps
	if usd != nil {
		nano := int64(max(0, min(*usd*1e9+1e-3, maxAmount))) // 0.29 * 1e9 is a hair below 290000000
		c.NanoUSD = &nano
	}
	if tokens > 0 {
		c.Tokens = &tokens
	}
	return c
}

func (c Caps) asAmount() Amount {
	a := unlimited
	if c.NanoUSD != nil {
		a.NanoUSD = min(a.NanoUSD, *c.NanoUSD)
	}
	if c.Tokens != nil {
		a.Tokens = min(a.Tokens, *c.Tokens)
	}
	return a
}

// cappedPart leaves out what has no cap: grants of it mean nothing.
func (c Caps) cappedPart(a Amount) Amount {
	if c.NanoUSD == nil {
		a.NanoUSD = 0
	}
	if c.Tokens == nil {
		a.Tokens = 0
	}
	return a
}

// shareOf returns the part of what is left that one process takes at once. Where there
// is no cap it is as much as many calls need, and a quarter of what it has used:
// should a cap come, the rest that other processes still hold must not be all of it.
func (c Caps) shareOf(room, worst, used Amount) Amount {
	s := Amount{room.NanoUSD / 32, room.Tokens / 32}
	if c.NanoUSD == nil {
		s.NanoUSD = max(64*worst.NanoUSD, used.NanoUSD/4, 1e8)
	}
	if c.Tokens == nil {
		s.Tokens = max(64*worst.Tokens, used.Tokens/4, 1e5)
	}
	return atMost(s, room)
}

// show returns an amount for people, in what is capped.
func (c Caps) show(a Amount) string {
	var parts []string
	if c.NanoUSD != nil {
		parts = append(parts, fmt.Sprintf("$%.4f", float64(a.NanoUSD)/1e9))
	}
	if c.Tokens != nil {
		parts = append(parts, strconv.FormatInt(a.Tokens, 10)+" tokens")
	}
	return strings.Join(parts, " and ")
}

// String returns the caps for people.
func (c Caps) String() string {
	var parts []string
	if c.NanoUSD != nil {
		parts = append(parts, "$"+formatDollars(*c.NanoUSD))
	}
	if c.Tokens != nil {
		parts = append(parts, strconv.FormatInt(*c.Tokens, 10)+" tokens")
	}
	if parts == nil {
		return "no cap"
	}
	return strings.Join(parts, " and ")
}

// ErrUnbounded says that the cost of a call has no known bound.
var ErrUnbounded = errors.New("what one answer can cost is not bounded: set max_tokens in the campaign's generate " +
	"section, or max_output in the model's price")

// perMessage are the tokens that a chat format adds to a message at most, and
// perRequest those around the whole of it.
const perMessage, perRequest = 16, 64

// Worst bounds what one call can cost. A token is at least a byte of what is
// sent (requestBytes: messages, schema and tools as they go over the wire), and
// an answer has at most maxOutput tokens, reasoning included; 0 is the model's own
// maximum. Every token is priced at the most that its kind can cost.
func Worst(p campaign.Price, requestBytes, messages, maxOutput int) (Amount, error) {
	if maxOutput == 0 {
		maxOutput = p.MaxOutput
	}
	if maxOutput <= 0 {
		return Amount{}, ErrUnbounded
	}
	return worstCase(p, requestBytes, messages, maxOutput)
}

// WorstInput bounds the cost of a call whose answer has no tokens: embeddings of this many texts,
// requestBytes long together.
func WorstInput(p campaign.Price, requestBytes, texts int) (Amount, error) {
	return worstCase(p, requestBytes, texts, 0)
}

func worstCase(p campaign.Price, requestBytes, messages, maxOutput int) (Amount, error) {
	if err := p.Validate(); err != nil {
		return Amount{}, err
	}
	if requestBytes < 0 || messages < 0 || max(requestBytes, messages, maxOutput) > campaign.MaxTokens/32 {
		return Amount{}, fmt.Errorf("a request of %d bytes in %d messages for %d tokens cannot be bounded",
			requestBytes, messages, maxOutput)
	}
	input := int64(requestBytes) + int64(messages)*perMessage + perRequest
	in, out := highestRates(p, input)
	var sum wide
	sum.addTokens(input, in)
	sum.addTokens(int64(maxOutput), out)
	return Amount{NanoUSD: sum.nanoUSD(), Tokens: input + int64(maxOutput)}, nil
}

// wide is a sum of femto-dollars in 128 bits. A price for a million tokens is a
// whole number of femto-dollars for a token down to its ninth decimal.
type wide struct{ hi, lo uint64 }

func (w *wide) addTokens(tokens int64, usd float64) {
	rate := math.Ceil(usd*1e9 - 1e-3) // decimals that binary fractions miss by a hair are not rounded up
	hi, lo := bits.Mul64(uint64(tokens), uint64(max(0, rate)))
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi += hi + carry
}

// nanoUSD returns the sum in whole nano-dollars, rounded up.
func (w wide) nanoUSD() int64 {
	const femto = 1e6
	if w.hi >= femto {
		return maxAmount
	}
	q, r := bits.Div64(w.hi, w.lo, femto)
	if r > 0 {
		q++
	}
	return int64(min(q, maxAmount))
}
