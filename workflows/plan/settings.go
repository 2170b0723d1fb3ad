package plan

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// Check returns the errors of invalid limits, by key.
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
		if d, err := time.ParseDuration(m.Timeout); m.Timeout != "" &&
			(err != nil || d < time.Second || d > 24*time.Hour) {
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

// Labels say who labels the messages of a campaign, and how. They are not part
// of its identity: labels are made of collaborations that have ended.
type Labels struct {
	Model    Choice
	Generate Generate
	Reasks   int // further questions after an answer that cannot be read
}

// Events that a campaign reports; see Notify.
const (
	NotifyEnd    = "end"    // every cell has ended, whatever its status
	NotifyPause  = "pause"  // it is paused, for any reason
	NotifyBudget = "budget" // 80 % of a limit is spent, or it is paused because no further call fits
)

// Notify says where a campaign's end, pauses and budget are reported. It is not part of the
// campaign's identity: it may change while the campaign runs.
type Notify struct {
	Command []string `json:"command,omitempty"` // gets the notice on its standard input
	Webhook string   `json:"webhook,omitempty"` // address that the notice is posted to
	// environment variable that holds the address, which may be secret
	WebhookEnv string   `json:"webhook_env,omitempty"`
	On         []string `json:"on,omitempty"` // events; empty is all
}

// Wants reports whether any of these events is to be reported.
func (n Notify) Wants(events ...string) bool {
	return len(n.On) == 0 || slices.ContainsFunc(events, func(e string) bool { return slices.Contains(n.On, e) })
}

// Card holds what only the owner can state about a campaign's data set. It is not part of the
// campaign's identity: it may change at any time.
type Card struct {
	License  string `json:"license,omitempty"`  // SPDX identifier or address
	Citation string `json:"citation,omitempty"` // how to cite it
	Version  string `json:"version,omitempty"`  // MAJOR.MINOR.PATCH
	Date     string `json:"date,omitempty"`     // of publication: YYYY-MM-DD
}

var spdxIdentifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+-]*$`)

// LicenseAddress returns the address of the licence: SPDX's page of an identifier; "" if none is stated.
func (c Card) LicenseAddress() string {
	if c.License == "" || !spdxIdentifier.MatchString(c.License) {
		return c.License
	}
	return "https://spdx.org/licenses/" + c.License + ".html"
}

// IsLicense reports whether a text is an SPDX identifier or an address.
func IsLicense(text string) bool {
	u, err := url.Parse(text)
	return spdxIdentifier.MatchString(text) || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}
