package runs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"roundtable/cmd/internal/cli"
	"roundtable/workflows/plan"
)

// Tuning are limits as flags; those that are not given stay.
type Tuning struct {
	calls, collaborations, requests, tokensPerMinute int
	costUSD                                          string
	tokens                                           int64
	model, timeout                                   string
}

// Flags defines a flag for each limit.
func (t *Tuning) Flags(f *pflag.FlagSet) {
	f.IntVar(&t.calls, "calls", 0, "live calls at once (limits.calls); with --model, of that model")
	f.IntVar(&t.collaborations, "collaborations", 0, "collaborations at once")
	f.StringVar(&t.costUSD, "cost-usd", "", "US dollars in all; none takes the cap away")
	f.Int64Var(&t.tokens, "tokens", 0, "tokens in all; 0 takes the cap away")
	f.StringVar(&t.model, "model", "", "the model (provider/model) that the flags below and --calls are for")
	f.IntVar(&t.requests, "requests-per-minute", 0, "calls a minute of --model; 0 means no limit")
	f.IntVar(&t.tokensPerMinute, "tokens-per-minute", 0, "tokens a minute of --model; 0 means no limit")
	f.StringVar(&t.timeout, "timeout", "", "deadline of one call of --model, as 90s or 10m")
}

// Apply changes the limits as the flags say.
func (t *Tuning) Apply(f *pflag.FlagSet, l *plan.Limits) error {
	given := f.Changed
	if given("collaborations") {
		l.Collaborations = t.collaborations
	}
	if given("tokens") {
		l.Tokens = t.tokens
	}
	if given("cost-usd") {
		if err := setCost(l, t.costUSD); err != nil {
			return cli.UsageError(err)
		}
	}
	if given("calls") && t.model == "" {
		l.Calls = t.calls
	}
	if t.model != "" {
		t.applyModel(given, l)
	} else if given("requests-per-minute") || given("tokens-per-minute") || given("timeout") {
		return cli.UsageError(errors.New("limits a minute and deadlines are a model's: name it with --model provider/model"))
	}
	errs := l.Check()
	for _, key := range slices.Sorted(maps.Keys(errs)) {
		return cli.UsageError(fmt.Errorf("limits.%s %w", key, errs[key]))
	}
	return nil
}

func setCost(l *plan.Limits, text string) error {
	if text == "none" {
		l.CostUSD = nil
		return nil
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil {
		return fmt.Errorf("limits.cost_usd is %q; expected a number of US dollars or none", text)
	}
	l.CostUSD = &usd
	return nil
}

func (t *Tuning) applyModel(given func(string) bool, l *plan.Limits) {
	models := maps.Clone(l.Models)
	if models == nil {
		models = map[string]plan.ModelLimits{}
	}
	m := models[t.model]
	if given("calls") {
		m.Calls = t.calls
	}
	if given("requests-per-minute") {
		m.RequestsPerMinute = t.requests
	}
	if given("tokens-per-minute") {
		m.TokensPerMinute = t.tokensPerMinute
	}
	if given("timeout") {
		m.Timeout = t.timeout
	}
	models[t.model] = m
	l.Models = models
}
