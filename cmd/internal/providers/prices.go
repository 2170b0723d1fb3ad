package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/activities/model/openai"
	"roundtable/activities/model/wire"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/workflows/plan"
)

// PriceList holds the prices of a campaign's models.
type PriceList struct {
	own map[string]campaign.Price // of the campaign's file, by provider/model
	// where others are looked up: the file that the campaign names, then the built-in one
	tables  []money.Table
	unknown bool // a model without a known price may be asked
	limits  plan.Limits
	known   map[string]campaign.Price // of the required models, by provider/model
	from    FileFolder                // the campaign's file
}

// NewPriceList returns an empty list for a file in the folder from; Open reads the prices.
func NewPriceList(from FileFolder) *PriceList {
	return &PriceList{known: map[string]campaign.Price{}, from: from}
}

// All returns the prices of the models that were required so far, and of all that the file lists.
func (l *PriceList) All() map[string]campaign.Price {
	maps.Copy(l.known, l.own)
	return l.known
}

// Open reads the value of prices in a campaign file: nothing, the path of a price file in LiteLLM's format, or
// a mapping of models to prices. unknown allows models without a price.
func (l *PriceList) Open(prices json.RawMessage, unknown bool, limits plan.Limits) error {
	l.unknown, l.limits = unknown, limits
	builtIn, _ := money.Default()
	l.own, l.tables = map[string]campaign.Price{}, []money.Table{builtIn}
	if prices == nil {
		return nil
	}
	var path string
	if json.Unmarshal(prices, &path) == nil {
		return l.read(path)
	}
	var listed map[string]json.RawMessage
	if err := json.Unmarshal(prices, &listed); err != nil {
		return errors.New("is neither the path of a price file nor a mapping of models to prices")
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		var p campaign.Price
		if err := envs.DecodeStrict(listed[name])(&p); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s; a price is written {input: 2.5, output: 10}, in US dollars for a "+
				"million tokens, also with cached_input, cache_write, reasoning, flex and batch", name,
				misreadPrice(listed[name], err)))
		} else if err := p.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		} else if strings.HasPrefix(name, "scripted/") {
			errs = append(errs, fmt.Errorf("%s: scripted agents cost nothing, whatever their price; leave it out", name))
		}
		l.own[name] = p
	}
	return errors.Join(errs...)
}

// misreadPrice returns what is wrong with a price that cannot be decoded.
func misreadPrice(value json.RawMessage, err error) string {
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Sprintf("%.40s is not a price", value)
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "price: "), "json: ")
}

func (l *PriceList) read(name string) error {
	path, err := l.from.Path(name)
	if err != nil {
		return err
	}
	file, err := store.OpenFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	table, err := money.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	l.tables = slices.Insert(l.tables, 0, table)
	return nil
}

// listedAs returns the name of a model in price tables; "" if no price of them is
// that of its endpoint.
func listedAs(p model.Provider) string {
	model, compatible := strings.CutPrefix(p.Name, "openai/")
	if !compatible {
		return p.Name
	}
	seller, known := openai.Seller(p.Endpoint)
	if !known {
		return ""
	}
	return seller + "/" + model
}

// require notes the price of a model that is to be asked, or refuses it: unknown
// costs must be allowed, and a budget cannot hold without prices.
func (l *PriceList) require(p model.Provider, maxTokens int) error {
	if p.Endpoint == "" { // simulated or recorded
		return nil
	}
	price, ok := l.find(p)
	switch {
	case ok:
		l.known[p.Name] = price
	case l.limits.CostUSD != nil:
		return fmt.Errorf("the price of %s is not known, so limits.cost_usd could not hold; give it: prices: {%s: "+
			"{input: …, output: …}} in US dollars for a million tokens", p.Name, p.Name)
	case !l.unknown:
		return fmt.Errorf("the price of %s is not known; give it: prices: {%s: {input: …, output: …}} in US dollars "+
			"for a million tokens, or say cost: unknown", p.Name, p.Name)
	}
	if maxTokens == 0 && price.MaxOutput == 0 && (l.limits.CostUSD != nil || l.limits.Tokens > 0) {
		return fmt.Errorf("how long an answer of %s can be is not known, so a budget could not hold; set "+
			"generate.max_tokens", p.Name)
	}
	return nil
}

// Suggest sets the price of a model unless the file lists one.
func (l *PriceList) Suggest(model string, price campaign.Price) {
	if _, listed := l.own[model]; !listed && l.own != nil {
		l.own[model] = price
	}
}

// Of returns the price of a required model; nil if it is not known.
func (l *PriceList) Of(name string) *campaign.Price {
	if price, ok := l.known[name]; ok {
		return &price
	}
	return nil
}

// find looks the price of a model up.
func (l *PriceList) find(p model.Provider) (campaign.Price, bool) {
	price, ok := l.own[p.Name]
	if listed := listedAs(p); listed != "" && !ok {
		for i := 0; i < len(l.tables) && !ok; i++ {
			var entry money.Entry
			entry, ok = l.tables[i].Find(listed)
			price = entry.Price
		}
	}
	if !ok && !l.unknown && IsFree(p) {
		return campaign.Price{}, true
	}
	return price, ok
}

// IsFree reports whether a model's endpoint is on this machine, so that it costs nothing unless a price is
// given.
func IsFree(p model.Provider) bool {
	u, err := url.Parse(p.Endpoint)
	return err == nil && wire.IsLoopback(u.Hostname())
}

// StatedPrice returns the price that stated, the value of --price, gives, or else PriceFor.
func StatedPrice(ctx context.Context, s store.Store, name string, p model.Provider, stated string,
	unknown bool) (*campaign.Price, error) {
	if stated != "" {
		var price campaign.Price
		if err := envs.DecodeStrict([]byte(stated))(&price); err != nil {
			return nil, fmt.Errorf("--price: %w", err)
		}
		return &price, price.Validate()
	}
	if p.Endpoint == "" { // it costs nothing
		return nil, nil
	}
	return PriceFor(ctx, s, name, p, unknown, `{"input": …, "output": …}`)
}

// PriceFor returns the price of a model that is called about campaign name after it has run: from the
// campaign's file, else from the built-in table, which alone counts if name is "". If there is none, it
// returns nil if unknown is true and the campaign has no cap in dollars, else an error. form is an example of
// --price for it.
func PriceFor(ctx context.Context, s store.Store, name string, p model.Provider, unknown bool,
	form string) (*campaign.Price, error) {
	var m campaign.Manifest
	if name != "" {
		var err error
		if _, m, err = campaign.ReadRecorded(ctx, s, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	list := PriceList{}
	if err := list.Open(nil, unknown, m.Limits); err != nil {
		return nil, err
	}
	if m.Prices != nil {
		list.own = m.Prices
	}
	if price, ok := list.find(p); ok {
		return &price, nil
	}
	if unknown && m.Limits.CostUSD == nil {
		return nil, nil
	}
	return nil, fmt.Errorf("the price of %s is not known; give it: --price '%s' in US dollars for a million tokens, "+
		"or say --cost-unknown if the campaign has no budget in dollars", p.Name, form)
}
