package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// UnknownCall is a call whose outcome, and so whether it was billed, is unknown.
type UnknownCall struct {
	Key lake.CallKey
	answers.Intent
}

// Settle returns the call as settled, billed at usd and tokens.
func (u UnknownCall) Settle(usd float64, tokens int64) lake.SettledCall {
	return lake.SettledCall{
		CallKey: u.Key, USD: usd, Tokens: tokens, WorstUSD: u.WorstUSD, WorstTokens: u.WorstTokens,
	}
}

// UnknownCalls returns a campaign's calls of unknown outcome, of agents, labellers and embedders,
// ended or not: in unknown those that are not settled, in known those that are.
func UnknownCalls(ctx context.Context, s store.Store, campaign string) (unknown, known []UnknownCall, err error) {
	settled, err := lake.ReadSettled(ctx, s, campaign)
	if err != nil {
		return nil, nil, err
	}
	err = eachRun(ctx, s, campaign, func(p answers.RunKey, stored answers.Stored) {
		for _, i := range stored.Unknown {
			key := callKey(p, i)
			if _, done := settled[key]; done {
				known = append(known, UnknownCall{key, i})
			} else {
				unknown = append(unknown, UnknownCall{key, i})
			}
		}
	})
	return unknown, known, err
}

func callKey(p answers.RunKey, i answers.Intent) lake.CallKey {
	run := lake.Run{Collaboration: p.Collaboration, Generation: p.Generation}
	return lake.CallKey{Run: run, Entry: i.Entry, Ask: i.Ask, Attempt: i.Attempt}
}

func eachRun(ctx context.Context, s store.Store, campaign string, visit func(answers.RunKey, answers.Stored)) error {
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return err
	}
	for _, p := range runs {
		stored, err := answers.Load(ctx, p)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			return err
		}
		visit(p, stored)
	}
	return nil
}

// CheckSettled returns how many settled calls a campaign has and what is wrong with them: each must
// be of a call of unknown outcome and have the worst case of its intent. A worker that was cut off
// may have released that intent later.
func CheckSettled(ctx context.Context, s store.Store, campaign string) (calls int, problems []string, err error) {
	settled, err := lake.ReadSettled(ctx, s, campaign)
	if err != nil || len(settled) == 0 {
		if errors.Is(err, store.ErrCorrupt) {
			return 0, []string{err.Error()}, nil
		}
		return 0, nil, err
	}
	whole := 0
	err = eachRun(ctx, s, campaign, func(p answers.RunKey, stored answers.Stored) {
		for _, i := range slices.Concat(stored.Unknown, stored.Released) {
			c, ok := settled[callKey(p, i)]
			switch {
			case !ok:
			case c.WorstTokens != i.WorstTokens || nanoUSD(c.WorstUSD) != nanoUSD(i.WorstUSD):
				problems = append(problems,
					fmt.Sprintf("the settlement of entry %d of %s holds another worst case than its intent", i.Entry, p))
				whole++
			case nanoUSD(&c.USD) < 0 || c.WorstUSD != nil && nanoUSD(&c.USD) > nanoUSD(c.WorstUSD):
				problems = append(problems,
					fmt.Sprintf("the settlement of entry %d of %s says $%v, which the call cannot have cost",
						i.Entry, p, c.USD))
				whole++
			default:
				whole++
			}
		}
	})
	if missing := len(settled) - whole; missing > 0 {
		problems = append(problems, fmt.Sprintf("%d settled calls are not in the ledger, or were answered", missing))
	}
	return len(settled), problems, err
}

// settledCorrection returns what settlements change in a ledger's sum.
func settledCorrection(settled lake.Settled) money.Amount {
	var sum money.Amount
	for _, c := range settled {
		sum = sum.Add(money.Amount{NanoUSD: nanoUSD(&c.USD) - nanoUSD(c.WorstUSD), Tokens: c.Tokens - c.WorstTokens})
	}
	return sum
}

func nanoUSD(usd *float64) int64 {
	if usd == nil {
		return 0
	}
	return int64(math.Round(*usd * 1e9))
}
