package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"roundtable/activities"
	store "roundtable/analysis/lake"
	"roundtable/workflows"
)

// settle records what a campaign's calls of unknown outcome were billed, as
// the operator or the service's export says. What they had reserved is free
// again when the campaign goes on.
func (o *options) settle(ctx context.Context, w io.Writer, s store.Store, campaign, how string) error {
	lock, err := o.lockCampaign(campaign)
	if err != nil {
		return fmt.Errorf("a running campaign cannot be settled: %w", err)
	}
	if lock != nil {
		defer lock.Close()
	}
	if err := o.idle(ctx, campaign); err != nil {
		return err
	}
	ledger, err := activities.ReadLedger(ctx, s, campaign)
	if err != nil {
		return err
	}
	if len(ledger.Unknown) == 0 {
		fmt.Fprintln(w, "no call of unknown outcome is left to settle")
		return nil
	}
	made, err := settlement(ledger, how)
	if err != nil {
		return exit{exitUsage, err}
	}
	if err := store.WriteSettlement(ctx, s, campaign, made); err != nil {
		return err
	}
	sum := 0.
	for _, c := range made.Calls {
		sum += c.USD
	}
	fmt.Fprintf(w, "settled %d of %d calls of unknown outcome: $%.4f (%s)\n", len(made.Calls), len(ledger.Unknown), sum, made.Evidence)
	return nil
}

// idle refuses a campaign whose calls may be under way.
func (o *options) idle(ctx context.Context, campaign string) error {
	c, err := o.connect(ctx, campaign)
	if errors.Is(err, errNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	if isRunning(ctx, c, workflows.CampaignID(campaign)) {
		return errors.New("a running campaign cannot be settled: wait for its end, or stop it")
	}
	return nil
}

// settlement returns what the calls were billed: nothing, an amount, or what a file says.
func settlement(ledger activities.LedgerCalls, how string) (store.Settlement, error) {
	made := store.Settlement{At: time.Now().UTC()}
	if how == "unbilled" {
		made.Evidence, made.Calls = "the operator says that they were not billed", divideAmount(ledger.Unknown, 0)
		return made, nil
	}
	if usd, err := strconv.ParseFloat(strings.TrimPrefix(how, "$"), 64); err == nil {
		if !(usd >= 0 && usd < 1e9) {
			return made, fmt.Errorf("--settle %s: an amount of 0 or more US dollars is accepted", how)
		}
		made.Evidence, made.Calls = fmt.Sprintf("the operator says that they were billed $%v in all", usd), divideAmount(ledger.Unknown, usd)
		return made, nil
	}
	data, err := os.ReadFile(how)
	if err != nil {
		return made, fmt.Errorf("--settle is unbilled, an amount in US dollars, or a file: %w", err)
	}
	bills, err := readExport(how, data)
	if err != nil {
		return made, fmt.Errorf("%s: %w", how, err)
	}
	if made.Calls, err = matchBills(ledger, bills); err != nil {
		return made, fmt.Errorf("%s: %w", how, err)
	}
	made.Evidence = fmt.Sprintf("usage export %s, SHA-256 %x", filepath.Base(how), sha256.Sum256(data))
	return made, nil
}

// divideAmount divides an amount among calls by what each can have cost.
func divideAmount(calls []activities.UnknownCall, usd float64) []store.SettledCall {
	worst := 0.
	for _, u := range calls {
		worst += dollarsOf(u)
	}
	var all []store.SettledCall
	for _, u := range calls {
		share := 1 / float64(len(calls))
		if worst > 0 {
			share = dollarsOf(u) / worst
		}
		tokens := int64(0)
		if usd > 0 { // an amount says nothing of tokens: the worst case stays
			tokens = u.WorstTokens
		}
		all = append(all, u.Settle(usd*share, tokens, ""))
	}
	return all
}

func dollarsOf(u activities.UnknownCall) float64 {
	if u.WorstUSD == nil {
		return 0
	}
	return *u.WorstUSD
}
