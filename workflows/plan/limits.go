package plan

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"
)

// Check says what of the limits cannot be, by key.
func (l Limits) Check() map[string]error {
	errs := map[string]error{}
	whole := func(key string, n, least, most int64, of string) {
		if n != 0 && (n < least || n > most) {
			errs[key] = fmt.Errorf("is %d%s; expected %d to %d", n, of, least, most)
		}
	}
	whole("collaborations", int64(l.Collaborations), 1, 1000, " at once")
	whole("calls", int64(l.Calls), 1, 20000, " at once")
	whole("tokens", l.Tokens, 1, math.MaxInt64, " in all")
	if usd := l.CostUSD; usd != nil && !(*usd >= 0 && *usd <= 1e9) {
		errs["cost_usd"] = fmt.Errorf("is %v; expected 0 to 1000000000 US dollars", *usd)
	}
	switch l.Tier {
	case "", Standard, Flex, Batch:
	default:
		errs["tier"] = fmt.Errorf("is %q; expected standard, flex or batch", l.Tier)
	}
	if err := l.checkTierWait(); err != nil {
		errs["tier_wait"] = err
	}
	for name, m := range l.Models {
		key := "models." + name + "."
		whole(key+"requests_per_minute", int64(m.RequestsPerMinute), 1, 1e9, "")
		whole(key+"tokens_per_minute", int64(m.TokensPerMinute), 1, 1e12, "")
		whole(key+"calls", int64(m.Calls), 1, 20000, " at once")
		if d, err := time.ParseDuration(m.Timeout); m.Timeout != "" && (err != nil || d < time.Second || d > 24*time.Hour) {
			errs[key+"timeout"] = fmt.Errorf("is %q; expected a time from 1s to 24h, as 90s or 10m", m.Timeout)
		}
	}
	return errs
}

// checkTierWait returns what is wrong with TierWait. A batch takes a while, and at most two days.
func (l Limits) checkTierWait() error {
	wait, err := time.ParseDuration(l.TierWait)
	least, most, example := time.Duration(0), 24*time.Hour, "0s to 24h, as 15m,"
	if l.Tier == Batch {
		least, most, example = 30*time.Second, 48*time.Hour, "30s to 48h, as 12h,"
	}
	switch {
	case l.TierWait == "":
		return nil
	case l.Tier != Flex && l.Tier != Batch:
		return errors.New("is set without tier: flex or batch; leave it out")
	case l.TierWait != NeverStandard && (err != nil || wait < least || wait > most):
		return fmt.Errorf("is %q; expected a time from %s or never", l.TierWait, example)
	}
	return nil
}

// checkLimits reports the errors of limits at their lines. A limit that is
// written as 0 is an error too: left out, it means the default.
func (p *parser) checkLimits(n *yaml.Node, l Limits) {
	for _, key := range []string{"collaborations", "calls", "tokens"} {
		if v := valueOf(n, key); v != nil && v.Value == "0" {
			p.errs.add(v, "limits."+key, "is 0; leave it out for the default")
		}
	}
	errs := l.Check()
	for _, key := range slices.Sorted(maps.Keys(errs)) {
		at := valueOf(n, key)
		if at == nil {
			at = valueOf(n, "models")
		}
		if !p.errs.isKnownAt("limits."+key, at.Line) {
			p.errs.add(at, "limits."+key, "%v", errs[key])
		}
	}
}
