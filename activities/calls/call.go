package calls

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/batch"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// defaultTimeout of a call whose model sets none.
const defaultTimeout = 10 * time.Minute

// Order is everything needed to make the calls of one entry of the ledger.
type Order struct {
	Run      answers.RunKey
	Entry    int
	Provider model.Provider
	Price    *campaign.Price // of the provider; nil if it is that of the campaign's manifest
	Messages []model.Message
	Longest  int  // greatest length of the answer, in tokens; 0 if the request sets no limit
	Wordless bool // its answer has no tokens
}

// ByteSize returns the length of messages in bytes, as a bound of their tokens is counted from.
func ByteSize(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Role) + len(m.Content)
	}
	return n
}

// Paid is an answer that is still to be stored.
type Paid struct {
	Answer answers.Answer
	Key    string       // under which it is to be cached; empty if it came from the cache
	Hold   *money.Hold  // what was reserved for it
	Charge money.Amount // what it has cost

	mode    string        // in which it was asked for
	request model.Request // empty if it was found in the cache
}

// Call reserves the most that a call can cost, writes its intent, and makes it; ask is its number
// in the entry. pass comes from Permit. The error of a failed call says what is to be done about it
// (model.Treatments).
func (c *Caller) Call(ctx context.Context, q Order, ask int, r model.Request, pass Permit) (Paid, error) {
	got, err := c.call(ctx, q, ask, r, pass)
	failed, ok := errors.AsType[*attempted](err)
	if !ok {
		return got, err
	}
	if failed.suspect {
		err = c.compareOthers(ctx, q, ask, r, failed.err) // the permit is given back and the budget settled
	} else {
		err = failed.err
	}
	c.Meter.noteFailure(err)
	c.tellFailure(q, r, failed.intent, err)
	return got, err
}

// attempted is the error of a call that was made.
type attempted struct {
	err     error
	intent  answers.Intent
	suspect bool // it is to be found out whether other prompts are answered
}

func (a *attempted) Error() string { return a.err.Error() }
func (a *attempted) Unwrap() error { return a.err }

// call reserves, announces and makes a call. The error of one that was made is an *attempted.
func (c *Caller) call(ctx context.Context, q Order, ask int, r model.Request, pass Permit) (got Paid, err error) {
	if err := ctx.Err(); err != nil {
		return got, err
	}
	if err := c.awaitRoom(ctx); err != nil {
		return got, err
	}
	m, err := c.Manifest(ctx, q.Run.Campaign, false)
	if err != nil {
		return got, err
	}
	if held := c.Manifests.HoldReason(q.Run.Campaign); held != "" && ctx.Value(steered{}) != nil {
		return got, failure.NewHeld(held)
	}
	if m.Run != "" { // a gateway that remembers keys must not give another run's answer
		r.IdempotencyKey = m.Run + "/" + r.IdempotencyKey
	}
	price := q.priceOf(m)
	r.Tier = c.tiers.pickTier(q, ask, m.Limits, price)
	service, found, err := c.inBatch(ctx, m, q, ask, r.Tier)
	if err != nil {
		return got, err
	}
	i := answers.Intent{Entry: q.Entry, Ask: ask, Provider: q.Provider.Name, Model: q.Provider.Name}
	worst, bounded := q.worstCase(price, r)
	if bounded {
		if worst.NanoUSD, err = c.withFee(ctx, m, q, worst.NanoUSD); err != nil {
			return got, err
		}
		i.WorstTokens = worst.Tokens
		if price != nil {
			usd := worst.USD()
			i.WorstUSD = &usd
		}
	}
	n := need{worst, price != nil, bounded, q.Provider.Endpoint == ""}
	if found != nil { // what was reserved for it is in the ledger
		i = found.Intent
	} else if got.Hold, err = c.reserveFor(ctx, m, q, ask, n, pass.given); err != nil {
		return got, err
	}
	looked := pass.given // a further permit is not followed by a look at the store
	response, err := model.Response{}, batch.ErrFew
	if service != nil {
		pass.Leave()
		response, err = c.callInBatch(ctx, m, q, &i, r, service, found, got.Hold)
	}
	if _, failed := errors.AsType[*model.Error](err); !failed && isKept(err) {
		got.Hold.Keep()
		return got, err
	}
	if errors.As(err, new(batch.Unannounced)) {
		got.Hold.Release()
		return got, err
	}
	if errors.Is(err, batch.ErrFew) {
		w := Wait{For: WaitsAnswer}
		if r.Tier == plan.Batch {
			r.Tier, w.Ends = "", "outside of batches: "+err.Error()
			got.Hold.Release() // who has a permit may wait for the budget, so nobody waits the other way round
			if pass, err = c.Permit(ctx, q); err != nil {
				return got, err
			}
			defer pass.Leave()
			if got.Hold, err = c.reserveFor(ctx, m, q, ask, n, looked); err != nil {
				return got, err
			}
		}
		// From here on money is spent: the answer is waited for.
		making, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout(m, q.Provider))
		defer cancel()
		response, err = c.callAnnounced(making, q, &i, r, w, got.Hold)
	}
	unbilled, answered := isUnbilled(err), !isKept(err) && !errors.As(err, new(unmade))
	response, err = c.judgeOutcome(q, i, r, m.Limits, pass, response, err)
	if err != nil {
		defer got.Hold.Keep()
		ctx := context.WithoutCancel(ctx)
		if unbilled {
			if left := c.answers.Release(ctx, q.Run, i, c.alone); left != nil {
				return got, errors.Join(err, left)
			}
			got.Hold.Release()
		} else if i.Batch != "" && answered {
			if left := c.takeOutOfBatch(ctx, q, i); left != nil {
				return got, errors.Join(err, left)
			}
		}
		return got, err
	}
	if u := response.Usage.Output; response.FinishReason == model.FinishLength && u > 0 &&
		u < int64(r.Parameters.MaxTokens) {
		response.FinishReason = model.FinishContext
	}
	got.Answer = NewAnswerRecord(q.Provider, price, response, time.UnixMicro(i.StartedAt))
	got.Answer.Ask, got.Answer.Attempt, got.request, got.mode = ask, i.Attempt, r, response.Mode
	got.Answer.ReasoningAsked = r.Parameters.ReasoningAsked()
	got.Charge = costOf(price, response)
	if !q.isCredible(response, worst.Tokens) {
		q.chargeWorst(&got, price, r, worst, bounded)
	}
	c.fees.note(q.Run.Campaign, got.Answer)
	c.Meter.Answered(got.Answer)
	return got, nil
}

// callAnnounced writes the intent and makes the call.
func (c *Caller) callAnnounced(ctx context.Context, q Order, i *answers.Intent, r model.Request, w Wait,
	hold *money.Hold) (model.Response, error) {
	if err := c.announce(ctx, q, i, hold); err != nil {
		return model.Response{}, unmade{err}
	}
	setWaiting(ctx, w)
	defer setIdle(ctx)
	c.Meter.underWay.Add(1)
	defer c.Meter.underWay.Add(-1)
	return q.Provider.Complete(ctx, r)
}

// unmade wraps the error of a call that was not made.
type unmade struct{ error }

func (u unmade) Unwrap() error { return u.error }

// announce writes the intent of a call that is about to be made. If that takes long, as when the store is
// out of reach, other processes may have given this attempt up and made the call. The intent then stays:
// rows may have been made from it.
func (c *Caller) announce(ctx context.Context, q Order, i *answers.Intent, hold *money.Hold) (err error) {
	began := time.Now()
	i.StartedAt = began.UnixMicro()
	if i.Attempt, err = c.answers.Intend(ctx, q.Run, *i); err != nil {
		return err
	}
	if hold.IsLate() { // another process may have counted the ledger without this call
		return errLate
	}
	if c.alone || time.Since(began) < time.Second {
		return nil
	}
	if err := c.checkUnanswered(ctx, q, i.Ask); err != nil {
		return err
	}
	return c.giveWay(ctx, q, *i)
}

// judgeOutcome tells the account's throttle how a call went, and returns its error as it is to
// be taken; that of one that was made is an *attempted.
func (c *Caller) judgeOutcome(q Order, i answers.Intent, r model.Request, l plan.Limits, pass Permit,
	response model.Response, err error) (model.Response, error) {
	if not, ok := errors.AsType[unmade](err); ok {
		return response, not.error
	}
	if err == nil {
		c.faults.countAnswer(q, i.Ask)
		c.tiers.forget(q, i.Ask)
		used := response.Usage
		if !q.isCredible(response, i.WorstTokens) {
			used = model.Usage{}
		}
		pass.Answered(used, response.Limits)
		if err = rejectTruncatedPrompt(q.Provider, response); err != nil {
			err = &attempted{err: err, intent: i}
		}
		return response, err
	}
	if r.Tier != "" {
		if refused := c.tiers.note(q, i.Ask, l, err); refused != nil {
			return response, &attempted{err: refused, intent: i}
		}
	}
	err, suspect := c.treatFailure(q, i.Ask, err)
	pass.Failed(err)
	return response, &attempted{err, i, suspect}
}

// rejectTruncatedPrompt returns an error for the answer to a prompt that its server has cut: every further
// one would be cut as well, and the operator can raise the length.
func rejectTruncatedPrompt(p model.Provider, r model.Response) error {
	if r.FinishReason != model.TruncatedPrompt {
		return nil
	}
	return &model.Error{Class: model.Pause, Provider: p.Name, Code: r.FinishReason,
		Message: "the server counted fewer prompt tokens than the prompt has words, so it has dropped a part of it; " +
			"raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH) and resume. If it only counts wrongly, set " +
			"check_prompt_tokens: false for the model"}
}

// ErrAnswered says that the call was not made, because another process stored its answer while this
// one waited for the budget or the store.
var ErrAnswered = errors.New("the answer has been stored meanwhile")

// reserveFor reserves for a call, and checks after a long wait that nobody has made it meanwhile: on a
// cluster the wait may be ten minutes. The store was last asked for the answer at looked.
func (c *Caller) reserveFor(ctx context.Context, m campaign.Manifest, q Order, ask int, n need,
	looked time.Time) (*money.Hold, error) {
	hold, err := c.reserve(ctx, m, n)
	if err != nil || time.Since(looked) < time.Second {
		return hold, err
	}
	if err = c.checkUnanswered(ctx, q, ask); err != nil {
		hold.Release()
	}
	return hold, err
}

// checkUnanswered returns ErrAnswered if the answer is stored.
func (c *Caller) checkUnanswered(ctx context.Context, q Order, ask int) error {
	known, err := c.answers.IsStored(ctx, q.Run, q.Entry, ask)
	if err == nil && known {
		return ErrAnswered
	}
	return err
}

// errLate is a call that was announced too late to be counted by others, and not made.
var errLate = errors.New("the grant of the budget ran out before the call; it is asked for again")

// isUnbilled reports whether a call that failed has certainly cost nothing.
func isUnbilled(err error) bool {
	call, ok := errors.AsType[*model.Error](err)
	return ok && call.Unbilled && !isKept(err) || errors.Is(err, errLate) || errors.Is(err, errElsewhere) ||
		errors.As(err, new(batch.Unsent))
}

func callTimeout(m campaign.Manifest, p model.Provider) time.Duration {
	if d, err := time.ParseDuration(m.Limits.Models[p.Name].Timeout); err == nil {
		return d
	}
	if m.Limits.Tier == plan.Flex {
		return flexTimeout
	}
	return defaultTimeout
}

// NewAnswerRecord returns the record of response r of model p to a call that began at started; nil
// is an unknown price.
func NewAnswerRecord(p model.Provider, price *campaign.Price, r model.Response, started time.Time) answers.Answer {
	answer := answers.Answer{
		Raw: r.Text, Thinking: r.Thinking, Provider: p.Name, ModelAsked: p.Name, ModelAnswered: r.Model,
		FinishReason: r.FinishReason, Elsewhere: r.Elsewhere, Waived: r.Waived, RequestID: r.RequestID, Usage: r.Usage,
		Tier: string(r.Tier), Logprob: r.Logprob,
		StartedAt: started.UnixMicro(), LatencyMS: time.Since(started).Milliseconds(), Simulated: p.Simulated,
	}
	if price != nil {
		charge := costOf(price, r)
		cost := charge.USD()
		answer.CostUSD = &cost
		answer.FeeUSD = charge.Sub(money.Charge(price.In(r.Tier), r.Usage)).USD()
		// fees beside tokens can be more than what is saved
		if saved := max(0, money.Charge(*price, r.Usage).USD()-cost); r.Tier != "" {
			answer.SavedUSD = &saved
		}
	}
	return answer
}

// priceOf returns the price of the question's model: what was said of it alone counts first.
func (q Order) priceOf(m campaign.Manifest) *campaign.Price {
	if q.Price != nil && q.Provider.Endpoint != "" {
		return q.Price
	}
	return priceOf(m, q.Provider)
}

// priceOf a model; nil if it is not known. What is simulated or recorded is free.
func priceOf(m campaign.Manifest, p model.Provider) *campaign.Price {
	if p.Endpoint == "" {
		return &campaign.Price{}
	}
	if price, ok := m.Prices[p.Name]; ok {
		return &price
	}
	return nil
}

// costOf a response, in the tier in which the service says that it has answered.
func costOf(price *campaign.Price, r model.Response) money.Amount {
	cost := money.Charge(orFree(price).In(r.Tier), r.Usage)
	if price != nil {
		cost.NanoUSD = max(cost.NanoUSD, int64(math.Ceil(r.BilledUSD*1e9-1e-3)))
	}
	return cost
}

// orFree takes a price that is not known for nothing.
func orFree(price *campaign.Price) *campaign.Price { return cmp.Or(price, &campaign.Price{}) }

// worstCase returns what a request can cost at most, or false if nothing bounds its
// answer. One that is simulated or recorded costs no money: without max_tokens, its
// tokens are counted once it is there.
func (q Order) worstCase(price *campaign.Price, r model.Request) (money.Amount, bool) {
	p, sent := *orFree(price), ByteSize(r.Messages)+len(r.Schema)
	if q.Wordless || q.Provider.Endpoint == "" && r.Parameters.MaxTokens == 0 {
		worst, err := money.WorstInput(p, sent, len(r.Messages))
		return worst, err == nil
	}
	worst, err := money.Worst(p, sent, len(r.Messages), r.Parameters.MaxTokens)
	return worst, err == nil
}
