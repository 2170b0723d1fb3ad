package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"roundtable/activities/commits"
	"roundtable/activities/ledger"
	"roundtable/activities/programs"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
)

// RecordBills records what a campaign's calls of unknown outcome were billed; how is the operator's answer.
// What was reserved for them is free again when the campaign continues. If none is left, it corrects the last
// settlement. A running campaign is an error.
func RecordBills(ctx context.Context, o *cli.Options, w io.Writer, s store.Store, campaign, how string) error {
	ctx, lock, err := o.LockCampaign(ctx, s, campaign, "")
	if err != nil {
		return fmt.Errorf("a running campaign cannot be settled: %w", err)
	}
	defer lock.Close()
	if err := refuseRunning(ctx, o, campaign); err != nil {
		return err
	}
	unknown, known, err := ledger.UnknownCalls(ctx, s, campaign)
	if err != nil {
		return err
	}
	said, last, err := lake.ReadSettlements(ctx, s, campaign)
	if err != nil {
		return err
	}
	again := len(unknown) == 0
	if again { // what was said last is corrected, and nothing before it
		unknown = slices.DeleteFunc(known, func(c ledger.UnknownCall) bool {
			return !slices.ContainsFunc(last.Calls, func(of lake.SettledCall) bool { return of.CallKey == c.Key })
		})
	}
	if len(unknown) == 0 {
		fmt.Fprintln(w, "no call of unknown outcome is left to settle")
		return nil
	}
	made, err := settlementOf(unknown, how)
	if err != nil {
		return cli.UsageError(err)
	}
	made.Again = again
	before := ""
	if again {
		sum, changed := 0., false
		for _, c := range made.Calls {
			sum += said[c.CallKey].USD
			changed = changed || said[c.CallKey].USD != c.USD
		}
		if !changed {
			fmt.Fprintln(w, "no call of unknown outcome is left to settle, and those that were settled last were "+
				"billed this")
			return nil
		}
		fmt.Fprintln(w, "no call of unknown outcome is left to settle: what was said last is corrected")
		before = fmt.Sprintf(" in place of $%.4f", sum)
	}
	if err := errors.Join(lake.WriteSettlement(ctx, s, campaign, made),
		commits.RefreshCard(ctx, s, campaign)); err != nil {
		return err
	}
	sum := 0.
	for _, c := range made.Calls {
		sum += c.USD
	}
	fmt.Fprintf(w, "settled %s of unknown outcome: $%.4f%s (%s)\n", wording.Count(len(made.Calls), "call"), sum, before,
		made.Evidence)
	return nil
}

// refuseRunning refuses a campaign whose calls may be under way.
func refuseRunning(ctx context.Context, o *cli.Options, campaign string) error {
	c, err := campaigns.Connect(ctx, o, campaign)
	if errors.Is(err, campaigns.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if campaigns.IsRunning(ctx, c, workflows.CampaignID(campaign)) {
		return errors.New("a running campaign cannot be settled: wait for its end, or stop it")
	}
	return nil
}

// settlementOf returns what the calls were billed: nothing, or an amount.
func settlementOf(unknown []ledger.UnknownCall, how string) (lake.Settlement, error) {
	made := lake.Settlement{At: time.Now().UTC()}
	if how == "unbilled" {
		made.Evidence, made.Calls = "the operator says that they were not billed", divideAmount(unknown, 0)
		return made, nil
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(how, "$"), 64)
	if err != nil {
		return made, fmt.Errorf("--settle is %q; expected unbilled or an amount in US dollars", how)
	}
	if usd, err = withinWorst(unknown, usd); err != nil {
		return made, fmt.Errorf("--settle %s: %w; give what was billed", how, err)
	}
	made.Evidence, made.Calls = fmt.Sprintf("the operator says that they were billed $%v in all", usd),
		divideAmount(unknown, usd)
	return made, nil
}

// withinWorst refuses an amount that the calls cannot have cost: it would take
// the difference from the budget for good. One that is above it by the rounding
// of a printed worst case is taken for the worst case.
func withinWorst(calls []ledger.UnknownCall, usd float64) (float64, error) {
	const rounding, limit = 0.00005, 1e9
	worst := 0.
	for _, u := range calls {
		if u.WorstUSD == nil { // a call without a price has no worst case
			worst = limit
		}
		worst += dollarsOf(u)
	}
	switch {
	case worst >= limit && !(usd >= 0 && usd < limit):
		return 0, fmt.Errorf("$%v is not an amount from 0 to below %.0f US dollars", usd, limit)
	case !(usd >= 0 && usd <= worst+rounding):
		which := "call"
		if n := len(calls); n > 1 {
			which = wording.Count(n, which)
		}
		return 0, fmt.Errorf("$%v is not what the %s of unknown outcome can have cost, which is $%.4f at most",
			usd, which, worst)
	}
	return min(usd, worst), nil
}

// divideAmount divides an amount among calls by what each can have cost.
func divideAmount(calls []ledger.UnknownCall, usd float64) []lake.SettledCall {
	worst := 0.
	for _, u := range calls {
		worst += dollarsOf(u)
	}
	var all []lake.SettledCall
	for _, u := range calls {
		share := 1 / float64(len(calls))
		if worst > 0 {
			share = dollarsOf(u) / worst
		}
		tokens := int64(0)
		if usd > 0 { // an amount says nothing of tokens: the worst case stays
			tokens = u.WorstTokens
		}
		all = append(all, u.Settle(usd*share, tokens))
	}
	return all
}

func dollarsOf(u ledger.UnknownCall) float64 {
	if u.WorstUSD == nil {
		return 0
	}
	return *u.WorstUSD
}

// SendEnd sends the notification that a sealed campaign has ended if it was not sent, because the process was
// killed after the last row.
func (r Options) SendEnd(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	if m.Notify == nil || !m.Notify.Wants(plan.NotifyEnd) {
		return nil
	}
	sealed, err := lake.ReadSuccess(ctx, s, m.Campaign)
	if err != nil {
		return err
	}
	books := ledger.Open(ctx, s, m.Campaign)
	status, _, err := campaigns.SummarizeEnded(ctx, s, p, books)
	if err != nil {
		return err
	}
	n := programs.Notice{
		ID: programs.EndNoticeID(m.Campaign, sealed), Event: plan.NotifyEnd, Campaign: m.Campaign,
		Succeeded: status.Succeeded, Failed: status.Failed, Stopped: status.Stopped,
	}
	unsent, err := programs.NewSender(s, r.LakeName()).Deliver(ctx, m, n, books.ReadSpent, plan.NotifyEnd)
	if unsent != nil {
		fmt.Fprintf(engine.Notices(r.Options), "notice of campaign %s (%s) was not sent: %s\n", n.Campaign, n.Event,
			wording.SafeLines(unsent.Error()))
	}
	return err
}
