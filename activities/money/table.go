package money

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"roundtable/analysis/lake/campaign"
)

//go:embed prices.json
var prices []byte

// Entry is the price of one model.
type Entry struct {
	Key      string // in the table
	Provider string // as LiteLLM names it: openai, bedrock_converse, …
	Source   string // URL, if the table has one
	Price    campaign.Price
}

// Table holds the prices of models.
type Table struct {
	entries   map[string]Entry
	bare      map[string][]string // keys, by the name without its provider
	providers map[string]bool
}

// metadata is the key of a price file that is not a model.
const metadata = "sample_spec"

// Default returns the built-in table and the day when its prices were looked up. Each entry names
// its source, which may be older.
func Default() (t Table, asOf string) {
	t, err := Read(bytes.NewReader(prices))
	var file struct {
		Metadata struct {
			AsOf string `json:"as_of"`
		} `json:"sample_spec"`
	}
	if err := errors.Join(err, json.Unmarshal(prices, &file)); err != nil {
		panic("money: the built-in prices: " + err.Error()) // a test reads them
	}
	return t, file.Metadata.AsOf
}

// maxFile bounds a price file; LiteLLM's has less than 2 MiB.
const maxFile = 16 << 20

// Read reads a table in the format of LiteLLM's
// model_prices_and_context_window.json. Entries without prices for tokens in
// and out, or that are for neither text nor embeddings, are left out, as are entries whose
// price is 0 (which stands for unknown as often as for free). Where prices rise
// with the length of a request in several steps, the highest price counts from
// the first step on, so that a cap holds. Prices of what is never asked for (priority, a
// cache of one hour) are not read.
func Read(r io.Reader) (Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return Table{}, fmt.Errorf("price table: %w", err)
	}
	if len(data) > maxFile {
		return Table{}, fmt.Errorf("price table: more than %d MiB", maxFile>>20)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return Table{}, fmt.Errorf("price table: a JSON object of models is expected: %w", err)
	}
	t := Table{entries: map[string]Entry{}, bare: map[string][]string{}, providers: map[string]bool{}}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		var fields map[string]any
		if key == metadata || json.Unmarshal(file[key], &fields) != nil {
			continue
		}
		if price, ok := priceOf(fields); ok {
			provider, _ := fields["litellm_provider"].(string)
			source, _ := fields["source"].(string)
			t.addEntry(Entry{Key: key, Provider: provider, Source: source, Price: price})
		}
	}
	if len(t.entries) == 0 {
		return Table{}, errors.New("price table: no model has prices for its tokens; the format is that of LiteLLM's " +
			"model_prices_and_context_window.json")
	}
	return t, nil
}

// Keys returns the keys of all models, sorted.
func (t Table) Keys() []string { return slices.Sorted(maps.Keys(t.entries)) }

func (t Table) addEntry(e Entry) {
	t.entries[e.Key] = e
	family := familyOf(e.Provider)
	t.providers[family] = true
	name := strings.TrimPrefix(e.Key, family+"/")
	t.bare[name] = append(t.bare[name], e.Key)
}

// priceOf makes a price of the fields of a model.
func priceOf(fields map[string]any) (campaign.Price, bool) {
	switch mode, _ := fields["mode"].(string); mode {
	case "", "chat", "completion", "responses":
	case "embedding": // its answer has no tokens
		fields["output_cost_per_token"] = 0.
	default:
		return campaign.Price{}, false
	}
	long := longOf(fields)
	in, out := perMillion(fields["input_cost_per_token"]), perMillion(fields["output_cost_per_token"])
	if in == nil || out == nil || *in == 0 && *out == 0 {
		return campaign.Price{}, false
	}
	p := campaign.Price{
		Input: *in, Output: *out,
		CachedInput: perMillion(fields["cache_read_input_token_cost"]),
		CacheWrite:  perMillion(fields["cache_creation_input_token_cost"]),
		Reasoning:   perMillion(fields["output_cost_per_reasoning_token"]),
		Flex:        tierOf(fields, "_flex"),
		Batch:       tierOf(fields, "_batches"),
		Long:        long,
	}
	if day, _ := fields["looked_up"].(string); day != "" {
		if _, err := time.Parse(time.DateOnly, day); err == nil { // a price with another day is a price
			p.AsOf = day
		}
	}
	if tokens, ok := parseNumber(fields["max_output_tokens"]); ok && tokens >= 0 && tokens <= campaign.MaxTokens {
		p.MaxOutput = int(tokens)
	}
	if long != nil { // a step that does not name a price keeps it
		long.Input, long.Output = max(long.Input, *in), max(long.Output, *out)
	}
	return p, p.Validate() == nil
}

// tierOf returns the price in a tier, whose keys end so; nil if the model is not sold there.
func tierOf(fields map[string]any, end string) *campaign.TierPrice {
	in, out := perMillion(fields["input_cost_per_token"+end]), perMillion(fields["output_cost_per_token"+end])
	if in == nil || out == nil || *in == 0 || *out == 0 {
		return nil
	}
	return &campaign.TierPrice{
		Input: *in, Output: *out,
		CachedInput: perMillion(fields["cache_read_input_token_cost"+end]),
		CacheWrite:  perMillion(fields["cache_creation_input_token_cost"+end]),
	}
}

// longOf returns the price above the first step, at the highest of all steps; nil
// without steps. A step that begins at 0 fills in prices that the fields lack.
func longOf(fields map[string]any) *campaign.LongPrice {
	long := &campaign.LongPrice{Above: math.MaxInt}
	step := func(above float64, key string, value any) {
		usd := perMillion(value)
		if usd == nil || !(above >= 0 && above <= campaign.MaxTokens) {
			return
		}
		if above == 0 {
			if fields[key] == nil {
				fields[key] = value
			}
			return
		}
		switch key {
		case "input_cost_per_token":
			long.Input = max(long.Input, *usd)
		case "output_cost_per_token", "output_cost_per_reasoning_token":
			long.Output = max(long.Output, *usd)
		case "cache_read_input_token_cost":
			long.CachedInput = highestOf(long.CachedInput, usd)
		case "cache_creation_input_token_cost":
			long.CacheWrite = highestOf(long.CacheWrite, usd)
		default:
			return
		}
		long.Above = min(long.Above, int(above))
	}
	for key, value := range fields {
		base, rest, _ := strings.Cut(key, "_above_")
		if k, ok := strings.CutSuffix(rest, "k_tokens"); ok {
			if above, err := strconv.ParseFloat(k, 64); err == nil {
				step(above*1000, base, value)
			}
		}
	}
	steps, _ := fields["tiered_pricing"].([]any)
	for _, s := range steps {
		fields, _ := s.(map[string]any)
		bounds, _ := fields["range"].([]any)
		if len(bounds) > 0 {
			if above, ok := parseNumber(bounds[0]); ok {
				for key, value := range fields {
					step(above, key, value)
				}
			}
		}
	}
	if long.Above == math.MaxInt {
		return nil
	}
	return long
}

func highestOf(a, b *float64) *float64 {
	if a == nil || *b > *a {
		return b
	}
	return a
}

// perMillion returns the price of a million tokens, of that of one.
func perMillion(value any) *float64 {
	usd, ok := parseNumber(value)
	if !ok {
		return nil
	}
	usd = math.Round(usd*1e15) / 1e9 // 2.5e-07 is 0.25, not a hair beside it
	return &usd
}

// parseNumber reads a number, or a text that is one.
func parseNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return 0, false
}
