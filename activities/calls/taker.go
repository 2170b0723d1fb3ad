package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Question is everything needed to take one turn without the collaboration.
type Question struct {
	Order
	Speaker  string // an agent's name, or a role
	Hash     string // of the messages
	Reasks   int
	Reask    plan.Reask
	Form     prompt.Form                                 // of its answer
	Request  func(before []answers.Answer) model.Request // returns the request after these unusable answers
	Read     func(raw []byte, t *answers.Turn) error     // fills the turn; its error tells the model what to fix
	CacheKey func(r model.Request, mode string, ask int) (string, error)
}

// Taker takes turns: it asks until an answer is usable, and stores every answer
// before anything else happens with it.
type Taker struct {
	answers *answers.Answers
	caller  *Caller
	noCache bool               // do not take answers from other turns; resuming is not affected
	taking  singleflight.Group // turns under way, by collaboration and entry
	asking  sync.Map           // questions under way, each with a channel, by CacheKey
}

// underWay says that the same question is asked for another turn of the same scope, whose
// answer this turn shares: which turns share an answer must not depend on the speed of a
// service.
type underWay struct{ answered <-chan struct{} }

func (underWay) Error() string { return "the same question is under way" }

// await waits for the other turn's answer, or its failure.
func (u underWay) await(ctx context.Context) error {
	setWaiting(ctx, Wait{For: waitsSame})
	defer setIdle(ctx)
	select {
	case <-u.answered:
		return nil
	case <-WorkerStops(ctx):
		return throttle.ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}

// waitsSame is what a turn waits for while another turn is asking the same question.
const waitsSame = "the same prompt's answer"

// NewTaker returns a taker. With noCache it takes no answers from other turns.
func NewTaker(a *answers.Answers, c *Caller, noCache bool) *Taker {
	return &Taker{answers: a, caller: c, noCache: noCache}
}

// TakeTurnOnce takes the turn q asks for. If an earlier attempt at it, taken for dead, is still
// waiting for its answer in this process, it waits for that one instead.
func (k *Taker) TakeTurnOnce(ctx context.Context, q Question) (answers.Turn, error) {
	joined, err, _ := k.taking.Do(fmt.Sprintf("%s/%d", q.Run, q.Entry),
		func() (any, error) { return k.takeTurn(ctx, q) })
	if err != nil {
		return answers.Turn{}, err
	}
	return joined.(answers.Turn), nil
}

// takeTurn asks until an answer is usable or no re-ask is left, storing every
// answer before anything else happens with it.
func (k *Taker) takeTurn(ctx context.Context, q Question) (t answers.Turn, err error) {
	for first := true; err == nil && !t.Done; first = false {
		if !first && isRationed(ctx) {
			return t, failure.AskAgain()
		}
		t, err = k.advanceTurn(ctx, q)
		if other, is := errors.AsType[underWay](err); is {
			err = other.await(ctx)
		} else if errors.Is(err, ErrAnswered) {
			err = nil
		}
	}
	return t, err
}

// isRationed reports whether the server gives out the requests of a model with a limit a
// minute: another one than that of this attempt has to be given out, too.
func isRationed(ctx context.Context) bool {
	host, ok := failure.HostOf(ctx)
	return ok && task.IsModelQueue(host.TaskQueue)
}

// advanceTurn takes a turn on by at most one answer.
func (k *Taker) advanceTurn(ctx context.Context, q Question) (answers.Turn, error) {
	if err := k.await(ctx, q); err != nil {
		return answers.Turn{}, err
	}
	pass, err := k.caller.Permit(ctx, q.Order)
	if err != nil {
		return answers.Turn{}, err
	}
	defer pass.Leave()
	t, err := k.answers.Turn(ctx, q.Run, q.Entry) // now, not before the wait for a permit
	if err != nil || t.Done {
		return t, err
	}
	var got Paid
	panicked := q.evaluateAnswer(&t)
	if panicked != nil {
		return t, panicked
	}
	if !t.Done {
		var leave func()
		got, leave, err = k.cachedOrCall(ctx, q, t.Asks, pass)
		defer leave() // once the answer can be found
		if err != nil {
			return t, err
		}
		t.Asks = append(t.Asks, got.Answer)
		panicked = q.evaluateAnswer(&t) // after the answer is stored
		k.caller.tellAnswer(q.Order, got, t.Asks[len(t.Asks)-1].Fault)
	}
	// if it cannot be stored, the ledger will say that the call's outcome is not known
	defer got.Hold.Keep()
	kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not
	if t, err = k.caller.StoreTurn(kept, q.Run, t, got.Key); err != nil {
		return t, err
	}
	k.caller.Settle(q.Order, got)
	if got.Key != "" {
		err = k.answers.Cache(kept, got.Key, q.Run, t)
	}
	return t, cmp.Or(panicked, err)
}

// await waits for a model whose answers come when they come; others are ready.
func (k *Taker) await(ctx context.Context, q Question) error {
	awaited, ok := q.Provider.Model.(model.Awaited)
	if !ok {
		return nil
	}
	t, err := k.answers.Turn(ctx, q.Run, q.Entry)
	if err != nil || t.Done {
		return err
	}
	return k.caller.Await(ctx, awaited, q.Request(t.Asks))
}

// evaluateAnswer reads the last answer; the turn is done if it is usable, or if it was
// the last that may be asked for. Only a panic of the environment is an error.
func (q Question) evaluateAnswer(t *answers.Turn) (err error) {
	defer failure.Recover(&err)
	if len(t.Asks) == 0 {
		return nil
	}
	last := &t.Asks[len(t.Asks)-1]
	fault, final := "", false
	switch end := model.EndOf(last.FinishReason); {
	case end == model.Withheld: // a result of the experiment: it is recorded, not asked again
		fault, final = last.FinishReason, true
	case end == model.Failed:
		fault = fmt.Sprintf("the service broke it off (%s)", last.FinishReason)
	default:
		if invalid := q.Read(last.Raw, t); invalid != nil {
			if cut := cutOff(*last); cut != nil {
				invalid = cut
			}
			fault = invalid.Error()
			if last.Elsewhere != "" {
				fault += fmt.Sprintf("; there is a text in %s", last.Elsewhere)
			}
		} else if last.Logprob != nil {
			t.Act.Weigh(decision.WeightOf(last.Logprob.Mean))
		}
	}
	if fault != "" {
		last.Fault = fault
		if len(t.Asks) <= q.Reasks && !final {
			t.Text = ""
			return nil
		}
		t.Act, t.InvalidReason = transcript.Act{Status: transcript.Invalid}, fault
	}
	t.Done, t.PromptHash = true, q.Hash
	return nil
}

// cutOff returns what is wrong with an answer that did not come to its end; nil if it did.
func cutOff(a answers.Answer) error {
	length := "in the middle"
	if a.Usage.Output > 0 {
		length = fmt.Sprintf("after %d tokens", a.Usage.Output)
	}
	switch a.FinishReason {
	case model.FinishLength:
		return fmt.Errorf("it was cut off %s; answer more briefly", length)
	case model.FinishContext:
		return fmt.Errorf("it was cut off %s, where the model's context was full; answer much more briefly", length)
	}
	return nil
}

// After returns the request that asks q again after the unusable answers before it; with none, the
// first request. name names the schema.
func (q Question) After(before []answers.Answer, p model.Parameters, name string) model.Request {
	unusable := make([]prompt.Unusable, len(before))
	for i, b := range before {
		unusable[i] = prompt.Unusable{Raw: b.Raw, Fault: b.Fault}
	}
	return model.Request{
		Messages: prompt.Reask(q.Messages, q.Reask, q.Form, unusable), Parameters: p, Schema: q.Form.Schema, Name: name,
		IdempotencyKey: fmt.Sprintf("%s/%d/%d", q.Run, q.Entry, len(before)),
	}
}

// cachedOrCall makes one call, or finds the same question answered elsewhere. Until leave
// is called, the question is under way.
func (k *Taker) cachedOrCall(ctx context.Context, q Question, before []answers.Answer, pass Permit) (got Paid,
	leave func(), err error) {
	leave = func() {}
	request := q.Request(before)
	key, mode := "", q.Provider.ModeOf(request)
	// What a person was asked and has answered is not replaced by another turn's answer.
	if _, person := q.Provider.Model.(model.Awaited); !person && !q.Provider.Simulated {
		if key, err = q.CacheKey(request, mode, len(before)); err != nil {
			return Paid{}, leave, err
		}
	}
	if key != "" && !k.noCache {
		answered := make(chan struct{})
		if other, is := k.asking.LoadOrStore(key, answered); is {
			return Paid{}, leave, underWay{other.(chan struct{})}
		}
		leave = func() {
			k.asking.Delete(key)
			close(answered)
		}
		asked := time.Now() // the times are of this turn, not of the one that paid
		found, ok, err := k.answers.Cached(ctx, key)
		found.Ask, found.StartedAt, found.LatencyMS = len(before), asked.UnixMicro(), time.Since(asked).Milliseconds()
		if ok && err == nil {
			k.caller.Meter.Cached.Add(1)
		}
		if ok || err != nil {
			return Paid{Answer: found}, leave, err
		}
	}
	got, err = k.caller.Call(ctx, q.Order, len(before), request, pass)
	if got.Key = key; key != "" && err == nil && got.mode != mode { // the service refused the schema meanwhile
		got.Key, err = q.CacheKey(request, got.mode, len(before))
	}
	return got, leave, err
}

// Instant takes a turn with a model that takes no time and costs nothing, without storing it.
func Instant(ctx context.Context, q Question, meter *Meter) (answers.Turn, error) {
	t := answers.Turn{Entry: q.Entry}
	for !t.Done {
		started := time.Now()
		response, err := q.Provider.Complete(ctx, q.Request(t.Asks))
		if err != nil {
			return t, err
		}
		answer := NewAnswerRecord(q.Provider, &campaign.Price{}, response, started)
		answer.Ask = len(t.Asks)
		t.Asks = append(t.Asks, answer)
		err = q.evaluateAnswer(&t)
		meter.countAnsweredAtOnce(q.Order, t.Asks[answer.Ask])
		if err != nil {
			return t, err
		}
	}
	return t, nil
}
