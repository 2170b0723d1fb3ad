package calls

import (
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
)

// beyond is how many times more than a request can use a service may say that it
// has: some think beyond the limit that they were set.
const beyond = 10

// unlimited is the most that an answer without a limit may have used, in tokens.
const unlimited = 100_000_000

// isCredible reports whether a call can have used what its service says. It cannot if
// it says nothing, or nothing of an answer that has a text, less than nothing, or far
// more than the request's worst case, which is 0 if nothing bounds it.
func (q Order) isCredible(r model.Response, worst int64) bool {
	u := r.Usage
	most := int64(unlimited)
	if worst > 0 {
		most = beyond * worst
	}
	switch {
	case q.Provider.Endpoint == "": // simulated or recorded
		return true
	case u.Input+u.Output == 0, !q.Wordless && u.Output == 0 && len(r.Text) > 0:
		return false
	case min(u.Input, u.CachedInput, u.CacheWrite, u.Output, u.Reasoning) < 0,
		max(u.CachedInput, u.CacheWrite) > u.Input:
		return false
	}
	return u.Input <= most && u.Output <= most
}

// chargeWorst charges a call of unknown usage at the most that it can have cost: taken
// for nothing, no budget would ever end. What nothing bounds has at most a token a byte.
func (q Order) chargeWorst(got *Paid, price *campaign.Price, r model.Request, worst money.Amount, bounded bool) {
	if !bounded {
		worst, _ = money.Worst(*orFree(price), ByteSize(r.Messages)+len(r.Schema), len(r.Messages),
			len(got.Answer.Raw)+1)
	}
	if worst.Tokens == 0 {
		return
	}
	if told := got.Answer.Usage; told != (model.Usage{}) {
		got.Answer.Told, got.Answer.Usage = &told, model.Usage{}
	}
	got.Charge, got.Answer.WorstTokens = worst, worst.Tokens
	if price != nil {
		usd := worst.USD()
		got.Answer.WorstUSD = &usd
	}
	if worst.NanoUSD > 0 {
		got.Answer.CostUSD, got.Answer.SavedUSD, got.Answer.FeeUSD = nil, nil, 0
	}
}
