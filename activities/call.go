package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Defaults of limits that a campaign does not set.
const (
	DefaultCalls   = 200 // at once
	defaultTimeout = 10 * time.Minute
)

// callPermit is the right to make a call: a pass of the model's account, and one of
// the campaign, whose limits.calls is for all its models together.
type callPermit struct{ account, campaign *throttle.Pass }

func (p callPermit) Answered(u model.Usage, l model.Limits) {
	p.account.Answered(u, l)
	p.campaign.Answered(model.Usage{}, model.Limits{})
}

// Failed says nothing to the campaign's gate: what one service cannot take, others can.
func (p callPermit) Failed(err error) {
	p.account.Failed(err)
	p.campaign.Leave()
}

func (p callPermit) Leave() {
	p.account.Leave()
	p.campaign.Leave()
}

// campaignGate names the throttle that the calls of all models of a campaign pass.
func campaignGate(campaign string) string { return "campaign " + campaign }

// permit waits for what the account, its service and the campaign allow, unless
// the turn is cancelled or the worker is stopping.
func (a *Activities) permit(ctx context.Context, q question) (p callPermit, err error) {
	if _, err := a.manifest(ctx, q.run.Campaign, false); err != nil { // it sets the ceilings
		return p, err
	}
	stopping := workerStops(ctx)
	defer setWaiting(ctx, nil)
	enter := func(name string, call throttle.Call) (*throttle.Pass, error) {
		t := a.throttles.Account(name)
		setWaiting(ctx, func() string { return waitReason(t.Waiting(q.run.Campaign)) })
		return t.Enter(ctx, stopping, call)
	}
	p.account, err = enter(q.provider.Account, throttle.Call{
		Campaign: q.run.Campaign, Bytes: byteSize(q.messages), MaxOutput: q.longest,
	})
	if err != nil {
		return p, err
	}
	if p.campaign, err = enter(campaignGate(q.run.Campaign), throttle.Call{Campaign: q.run.Campaign}); err != nil {
		p.account.Leave()
	}
	return p, err
}

// workerStops returns the channel that is closed when the activity's worker stops.
func workerStops(ctx context.Context) <-chan struct{} {
	if !activity.IsActivity(ctx) {
		return nil
	}
	return activity.GetWorkerStopChannel(ctx)
}

// waitReason is what waiting calls wait for, in a word or two.
func waitReason(w throttle.Wait) string {
	if w.Limit > 0 {
		return fmt.Sprintf("%s (%d)", w.For, w.Limit)
	}
	return string(w.For)
}

// byteSize of messages in bytes.
func byteSize(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Role) + len(m.Content)
	}
	return n
}

// ceilings passes the limits of a manifest on. Campaigns that share an account
// keep the tightest limit of all; limits.calls is the campaign's own. The
// caller holds mu.
func (a *Activities) ceilings(m Manifest, c *campaign) {
	a.campaignCeiling(m)
	for _, cond := range c.conditions {
		for _, p := range cond.all() {
			a.ceiling(m, p)
		}
	}
}

// campaignCeiling passes limits.calls on.
func (a *Activities) campaignCeiling(m Manifest) {
	a.throttles.Account(campaignGate(m.Campaign)).SetCampaignCeiling(m.Campaign, throttle.Ceiling{Concurrency: atOnce(m.Limits, "")})
}

// ceiling passes the limits of one model on. The caller holds mu.
func (a *Activities) ceiling(m Manifest, p Provider) {
	account := a.throttles.Account(p.Account)
	limits := m.Limits.Models[p.Name]
	account.SetCampaignCeiling(m.Campaign, throttle.Ceiling{
		Requests: int64(limits.RequestsPerMinute), Tokens: int64(limits.TokensPerMinute), Concurrency: atOnce(m.Limits, p.Name),
	})
	account.SetCeiling(a.tightest(p.Name))
}

func atOnce(l plan.Limits, name string) int {
	n := DefaultCalls
	if l.Calls > 0 {
		n = l.Calls
	}
	if own := l.Models[name].Calls; own > 0 {
		n = min(n, own)
	}
	return n
}

// tightest limits of a model over the campaigns of this process.
func (a *Activities) tightest(name string) throttle.Ceiling {
	var c throttle.Ceiling
	for _, m := range a.manifests {
		l := m.Limits.Models[name]
		c.Requests, c.Tokens = tighter(c.Requests, int64(l.RequestsPerMinute)), tighter(c.Tokens, int64(l.TokensPerMinute))
	}
	return c
}

func tighter(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// call reserves what a call can cost at most, announces it, and makes it.
func (a *Activities) call(ctx context.Context, q question, ask int, r model.Request, pass callPermit) (got paidAnswer, err error) {
	if err := ctx.Err(); err != nil {
		return got, err
	}
	if err := a.hasRoom(); err != nil {
		return got, err
	}
	m, err := a.manifest(ctx, q.run.Campaign, false)
	if err != nil {
		return got, err
	}
	price := q.priceOf(m)
	i := answers.Intent{Entry: q.entry, Ask: ask, Provider: q.provider.Name, Model: q.provider.Name}
	worst, bounded := q.worstCase(price, r)
	if q.provider.Endpoint == "" { // simulated or recorded: it costs nothing, however long it is
		worst, bounded = money.Amount{}, true
	}
	if bounded {
		i.WorstTokens = worst.Tokens
		if price != nil {
			usd := worst.USD()
			i.WorstUSD = &usd
		}
	}
	if got.hold, err = a.reserve(ctx, m, need{worst, price != nil, bounded, q.provider.Endpoint == ""}); err != nil {
		return got, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout(m, q.provider)) // from here on money is spent: the answer is waited for
	defer cancel()
	response, err := a.announced(ctx, q.run, &i, q.provider, r, pass, got.hold)
	if err != nil {
		defer got.hold.Keep()
		if isUnbilled(err) {
			if left := a.answers.Release(context.WithoutCancel(ctx), q.run, i.Entry, ask, i.Attempt); left != nil {
				return got, errors.Join(err, left)
			}
			got.hold.Release()
		}
		return got, err
	}
	got.answer = newAnswerRecord(q.provider, price, response, time.UnixMicro(i.StartedAt))
	got.answer.Ask, got.answer.Attempt = ask, i.Attempt
	got.charge = costOf(price, response.Usage)
	if bounded && worst.Tokens > 0 && response.Usage.Input+response.Usage.Output == 0 {
		// The service does not say what it has used. Taken for nothing, no budget would ever end.
		got.charge = worst
		got.answer.WorstUSD, got.answer.WorstTokens = i.WorstUSD, i.WorstTokens
		if worst.NanoUSD > 0 {
			got.answer.CostUSD = nil
		}
	}
	a.meter.answered(got.answer)
	return got, nil
}

// announced writes the intent and makes the call. It tells the account's
// throttle how it went.
func (a *Activities) announced(ctx context.Context, at answers.RunKey, i *answers.Intent, p Provider, r model.Request, pass callPermit, hold *money.Hold) (model.Response, error) {
	i.StartedAt = time.Now().UnixMicro()
	var err error
	if i.Attempt, err = a.answers.Intend(ctx, at, *i); err != nil {
		return model.Response{}, err
	}
	if hold.Late() { // another process may have counted the ledger without this call
		return model.Response{}, errLate
	}
	setWaiting(ctx, func() string { return WaitsAnswer })
	defer setWaiting(ctx, nil)
	a.meter.underWay.Add(1)
	defer a.meter.underWay.Add(-1)
	response, err := p.Complete(ctx, r)
	err = a.trials.judge(at.Campaign, p.Account, err)
	if err == nil {
		a.trials.answered(at.Campaign, p.Account)
		pass.Answered(response.Usage, response.Limits)
		return response, rejectTruncatedPrompt(p, response)
	}
	a.meter.failed(err)
	pass.Failed(err)
	return response, err
}

// rejectTruncatedPrompt refuses the answer to a prompt that its server has cut: every further
// one would be cut as well, and a person can raise the length.
func rejectTruncatedPrompt(p Provider, r model.Response) error {
	if r.FinishReason != model.TruncatedPrompt {
		return nil
	}
	return &model.Error{Class: model.Pause, Provider: p.Name, Code: r.FinishReason,
		Message: "the server counted fewer prompt tokens than the prompt has words, so it has dropped a part of it; raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH) and resume. If it only counts wrongly, set check_prompt_tokens: false for the model"}
}

// errLate is a call that was announced too late to be counted by others, and not made.
var errLate = errors.New("the grant of the budget ran out before the call; it is asked for again")

// isUnbilled says that a call that failed has certainly cost nothing.
func isUnbilled(err error) bool {
	call, ok := errors.AsType[*model.Error](err)
	return ok && call.Unbilled || errors.Is(err, errLate)
}

func callTimeout(m Manifest, p Provider) time.Duration {
	if d, err := time.ParseDuration(m.Limits.Models[p.Name].Timeout); err == nil {
		return d
	}
	return defaultTimeout
}

// newAnswerRecord is the record of a response.
func newAnswerRecord(p Provider, price *money.Price, r model.Response, started time.Time) answers.Answer {
	answer := answers.Answer{
		Raw: r.Text, Provider: p.Name, ModelAsked: p.Name, ModelAnswered: r.Model,
		FinishReason: r.FinishReason, RequestID: r.RequestID, Usage: r.Usage,
		StartedAt: started.UnixMicro(), LatencyMS: time.Since(started).Milliseconds(), Simulated: p.Simulated,
	}
	if price != nil {
		cost := costOf(price, r.Usage).USD()
		answer.CostUSD = &cost
	}
	return answer
}

// WaitsAnswer is what a turn waits for while its call is under way.
const WaitsAnswer = "answer"

// WaitsBudget is what it waits for while others' calls hold the rest of the budget.
const WaitsBudget = "budget"

// priceOf is the price of the question's model: what was said of it alone counts first.
func (q question) priceOf(m Manifest) *money.Price {
	if q.price != nil && q.provider.Endpoint != "" {
		return q.price
	}
	return priceOf(m, q.provider)
}

// priceOf a model; nil if it is not known. What is simulated or recorded is free.
func priceOf(m Manifest, p Provider) *money.Price {
	if p.Endpoint == "" {
		return &money.Price{}
	}
	if price, ok := m.Prices[p.Name]; ok {
		return &price
	}
	return nil
}

func costOf(price *money.Price, u model.Usage) money.Amount {
	return cmp.Or(price, &money.Price{}).Charge(u)
}

// worstCase is what a request can cost at most, or false if nothing bounds its answer.
func (q question) worstCase(price *money.Price, r model.Request) (money.Amount, bool) {
	p, sent := *cmp.Or(price, &money.Price{}), byteSize(r.Messages)+len(r.Schema)
	if q.wordless {
		worst, err := money.WorstInput(p, sent, len(r.Messages))
		return worst, err == nil
	}
	worst, err := money.Worst(p, sent, len(r.Messages), r.Parameters.MaxTokens)
	return worst, err == nil
}

// need is what a call takes from a budget.
type need struct {
	worst   money.Amount
	priced  bool // its price is known
	bounded bool // worst is
	free    bool // it is simulated or recorded
}

// reserve takes what a call can cost at most from the campaign's budget. When
// nothing is left, a person must raise it: the manifest is read once more first.
func (a *Activities) reserve(ctx context.Context, m Manifest, n need) (*money.Hold, error) {
	account, err := a.budget(ctx, m, n.free)
	if account == nil || err != nil {
		return nil, err
	}
	if m.Limits.CostUSD != nil && !n.priced {
		return nil, failure.Pause(fmt.Errorf("campaign %s has a budget in US dollars, and the price of a model that it asks is not known; give it under prices: in the campaign file", m.Campaign))
	}
	if capped := m.Limits.CostUSD != nil || m.Limits.Tokens > 0; capped && !n.bounded {
		return nil, failure.Pause(fmt.Errorf("campaign %s has a budget, and %w", m.Campaign, money.ErrUnbounded))
	}
	setWaiting(ctx, func() string { return WaitsBudget })
	defer setWaiting(ctx, nil)
	ctx, cancel := untilStopping(ctx)
	defer cancel(nil)
	hold, err := account.Reserve(ctx, n.worst)
	if errors.Is(err, money.ErrSpent) {
		if m, err = a.manifest(ctx, m.Campaign, true); err == nil {
			hold, err = account.Reserve(ctx, n.worst)
		}
	}
	if err != nil && errors.Is(context.Cause(ctx), throttle.ErrStopping) {
		return nil, throttle.ErrStopping
	}
	if spent, ok := errors.AsType[*money.SpentError](err); ok {
		return nil, failure.Pause(fmt.Errorf("%w; `roundtable resume %s --cost-usd N` (or --tokens N) goes on%s", spent, m.Campaign, a.unsettled(ctx, m.Campaign)))
	}
	return hold, err
}

// untilStopping returns a context that ends when the worker stops. Calls of other
// processes, for which a reservation may wait, can take longer than the worker has.
func untilStopping(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	stopping := workerStops(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	if stopping != nil {
		go func() {
			select {
			case <-stopping:
				cancel(throttle.ErrStopping)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// unsettled says what a campaign has reserved for calls of unknown outcome, and
// how that is released; nothing if there are none.
func (a *Activities) unsettled(ctx context.Context, campaign string) string {
	ledger, err := ReadLedger(ctx, a.config.Store, campaign)
	if err != nil || len(ledger.Unknown) == 0 {
		return ""
	}
	usd := 0.
	for _, u := range ledger.Unknown {
		if u.WorstUSD != nil {
			usd += *u.WorstUSD
		}
	}
	return fmt.Sprintf(". $%.4f of it is reserved for %s of unknown outcome: see `roundtable cost %s --settle`", usd, wording.Count(len(ledger.Unknown), "call"), campaign)
}

// minFree is the room below which no answer is bought: it could not be kept.
const minFree = 64 << 20

// hasRoom says whether an answer could be stored, where the store can tell.
func (a *Activities) hasRoom() error {
	s, ok := a.config.Store.(interface{ Free() (int64, error) })
	if !ok {
		return nil
	}
	free, err := s.Free()
	if err == nil && free < minFree {
		err = failure.Pause(fmt.Errorf("the disk of the lake has %d MB left; %d MB are wanted before another answer is bought", free>>20, minFree>>20))
	}
	return err
}
