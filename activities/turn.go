package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/prompt"
	"roundtable/analysis/storage"
	"roundtable/envs"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// TakeTurn makes one entry of a collaboration with a model that takes time or
// money: the stored answer if there is one, else an intent, the call, the
// answer stored, and only then the report.
func (a *Activities) TakeTurn(ctx context.Context, in task.Turn) (transcript.Act, error) {
	return retryWithFreshState(a, in.Ref, func() (transcript.Act, error) { return a.takeEntry(ctx, in) })
}

func (a *Activities) takeEntry(ctx context.Context, in task.Turn) (transcript.Act, error) {
	c, err := a.open(ctx, in.Ref)
	if err != nil {
		return transcript.Act{}, err
	}
	q, done, err := c.ask(in.Entry)
	if err != nil || done != nil {
		return act(done), err
	}
	t, err := a.takeTurnOnce(ctx, q)
	if err != nil {
		return transcript.Act{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.Act, c.record(withoutRawAnswers(t))
}

// withoutRawAnswers is a turn without its raw answers, which only its rows need.
func withoutRawAnswers(t answers.Turn) answers.Turn {
	t.Asks = nil
	return t
}

func act(t *answers.Turn) transcript.Act {
	if t == nil {
		return transcript.Act{}
	}
	return t.Act
}

// question is all that is needed to take one turn without looking at the
// collaboration again.
type question struct {
	run      answers.RunKey
	entry    int
	speaker  string // an agent's name, or a role
	provider Provider
	price    *money.Price // of the provider; nil if it is that of the campaign's manifest
	messages []model.Message
	hash     string // of these
	longest  int    // answer in tokens; 0 if the request sets no limit
	wordless bool   // its answer has no tokens
	reasks   int
	request  func(before []answers.Answer) model.Request // the question after answers that could not be used
	read     func(raw []byte, t *answers.Turn) error     // fills the turn; an error tells the model what to fix
	cacheKey func(model.Request, int) (string, error)    // of an ask
}

var errNotPending = errors.New("is not pending: answers before it are missing from the store")

// ask renders the question of a pending entry, or returns the turn if it is finished.
func (c *collaboration) ask(entry int) (question, *answers.Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.turns[entry]; ok {
		return question{}, &t, nil
	}
	step, ok := c.pendingStep(entry)
	if !ok || step.Kind == transcript.Env {
		return question{}, nil, c.missingEntry(entry)
	}
	q, err := c.question(entry, step)
	return q, nil, err
}

// question renders. The caller holds mu.
func (c *collaboration) question(entry int, step transcript.Step) (question, error) {
	if step.Kind != transcript.Ask {
		return question{}, failure.Fail(fmt.Errorf("entry %d: this version has nobody who takes %s steps of %q", entry, step.Kind, step.Speaker.Role))
	}
	source := c.source()
	q := question{run: c.run, entry: entry, longest: c.condition.Generate.MaxTokens, reasks: c.condition.Reasks}
	system, err := c.systemPrompt(step.Speaker)
	if err != nil {
		return question{}, failure.Fail(err)
	}
	if q.messages, err = c.condition.templates.Render(source, system, step); err != nil {
		return question{}, failure.Fail(err)
	}
	q.hash = prompt.Hash(q.messages)
	names := prompt.Names(c.instance.Agents())
	if q.speaker = step.Speaker.Role; q.speaker == "" {
		q.speaker = names[step.Speaker.Index]
	}
	q.provider = c.condition.asked(q.speaker)
	scene := source.Scene(step, nil)
	at := func(ask int) *model.Scene {
		s := *scene
		// The condition is left out: two rules are compared on the same draws.
		s.Situation.Rand = envs.Stream(c.campaign.Campaign.Seed, "agent",
			c.ref.Cell.Instance, c.ref.Cell.Replicate, step.Speaker.Role, step.Speaker.Index, step.Round, step.Phase, entry, ask)
		s.Campaign, s.Condition, s.Collaboration = c.ref.Campaign, c.condition.id, c.run.Collaboration
		s.Instance, s.Replicate, s.Entry, s.Ask = c.ref.Cell.Instance, c.ref.Cell.Replicate, entry, ask
		return &s
	}
	q.request = func(before []answers.Answer) model.Request {
		r := q.after(before, model.Parameters(c.condition.Generate), prompt.Schema(step, names), string(step.Payload.Format))
		r.Scene = at(len(before))
		return r
	}
	q.read = func(raw []byte, t *answers.Turn) error {
		parsed, fault := prompt.Parse(raw, step, c.instance)
		if t.Text = parsed.Text; fault == nil { // a text without a usable answer can still be shown
			t.Act, t.Reason, t.Proposal = parsed.Act, parsed.Reason, string(parsed.Proposal)
		}
		return fault
	}
	q.cacheKey = func(r model.Request, ask int) (string, error) { return c.cacheKey(q.provider, step.Speaker, r, ask) }
	return q, nil
}

// systemPrompt renders once what an agent is system in every turn. The caller holds mu.
func (c *collaboration) systemPrompt(s transcript.Speaker) (prompt.SystemPrompt, error) {
	if s.Role != "" {
		return c.condition.templates.RenderRoleSystem(c.instance.Observe(0))
	}
	if c.systems[s.Index] == nil {
		system, err := c.condition.templates.RenderSystem(c.instance.Observe(s.Index))
		if err != nil {
			return prompt.SystemPrompt{}, err
		}
		c.systems[s.Index] = &system
	}
	return *c.systems[s.Index], nil
}

// takeTurnOnce is take, unless an attempt that was given up for dead is still waiting
// for its answer: then it waits for that one.
func (a *Activities) takeTurnOnce(ctx context.Context, q question) (answers.Turn, error) {
	joined, err, _ := a.taking.Do(fmt.Sprintf("%s/%d", q.run, q.entry), func() (any, error) { return a.takeTurn(ctx, q) })
	if err != nil {
		return answers.Turn{}, err
	}
	return joined.(answers.Turn), nil
}

// takeTurn asks until an answer is usable or no re-ask is left, storing every
// answer before anything else happens with it.
func (a *Activities) takeTurn(ctx context.Context, q question) (t answers.Turn, err error) {
	for err == nil && !t.Done {
		t, err = a.advanceTurn(ctx, q)
	}
	return t, err
}

// advanceTurn takes a turn on by at most one answer.
func (a *Activities) advanceTurn(ctx context.Context, q question) (answers.Turn, error) {
	pass, err := a.permit(ctx, q)
	if err != nil {
		return answers.Turn{}, err
	}
	defer pass.Leave()
	t, err := a.answers.Turn(ctx, q.run, q.entry) // now, not before the wait for a permit
	if err != nil || t.Done {
		return t, err
	}
	var got paidAnswer
	fault := q.evaluateAnswer(&t)
	if fault != nil {
		return t, fault
	}
	if !t.Done {
		if got, err = a.cachedOrCall(ctx, q, t.Asks, pass); err != nil {
			return t, err
		}
		t.Asks = append(t.Asks, got.answer)
		fault = q.evaluateAnswer(&t) // after the answer is stored
	}
	defer got.hold.Keep()              // if it cannot be stored, the ledger will say that the call's outcome is not known
	kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not
	if t, err = a.storeTurn(kept, q.run, t); err != nil {
		return t, err
	}
	got.hold.Settle(got.charge)
	if got.key != "" {
		err = a.answers.PutCached(kept, got.key, t.Asks[len(t.Asks)-1])
	}
	return t, cmp.Or(fault, err)
}

// paidAnswer is an answer that is still to be stored.
type paidAnswer struct {
	answer answers.Answer
	key    string       // where it is to be cached; empty if it was found there
	hold   *money.Hold  // what was reserved for it
	charge money.Amount // what it has cost
}

// keepFor is how long a paid answer is held while the store fails: shorter than
// a worker that stops waits for its activities.
const keepFor = 90 * time.Second

// storeTurn stores a turn.
func (a *Activities) storeTurn(ctx context.Context, run answers.RunKey, t answers.Turn) (stored answers.Turn, err error) {
	err = a.storeWithRetry(func() error {
		stored, err = a.answers.Put(ctx, run, t)
		return err
	})
	return stored, err
}

// storeWithRetry stores what is paid for and in hand: a store that fails for a while is
// tried again here.
func (a *Activities) storeWithRetry(store func() error) error {
	began := time.Now()
	for pause := 100 * time.Millisecond; ; pause = min(4*pause, 10*time.Second) {
		err := store()
		if err == nil {
			a.meter.recovered()
		}
		if err == nil || errors.Is(err, storage.ErrCorrupt) || time.Since(began) > keepFor {
			return err
		}
		a.meter.failed(err)
		time.Sleep(pause)
	}
}

// evaluateAnswer reads the last answer; the turn is done if it is usable, or if it was
// the last that may be asked for. Only a panic of the environment is an error.
func (q question) evaluateAnswer(t *answers.Turn) (err error) {
	defer failure.Recover(&err)
	if len(t.Asks) == 0 {
		return nil
	}
	last := &t.Asks[len(t.Asks)-1]
	fault := q.read(last.Raw, t)
	switch {
	case fault == nil:
	case len(t.Asks) <= q.reasks && !slices.Contains(outcomes, last.FinishReason):
		last.Fault, t.Text = fault.Error(), ""
		return nil
	default:
		last.Fault = fault.Error()
		t.Act = transcript.Act{Status: transcript.Invalid}
		t.InvalidReason = fault.Error()
		if slices.Contains(outcomes, last.FinishReason) {
			t.InvalidReason = last.FinishReason
		}
	}
	t.Done, t.PromptHash = true, q.hash
	return nil
}

// outcomes are ends of an answer that are results of the experiment: they are
// recorded, not asked again.
var outcomes = []string{"refusal", "content_filter"}

// after is the question as a model gets it, after the answers before it.
func (q question) after(before []answers.Answer, p model.Parameters, schema json.RawMessage, name string) model.Request {
	r := model.Request{
		Messages: q.messages, Parameters: p, Schema: schema, Name: name,
		IdempotencyKey: fmt.Sprintf("%s/%d/%d", q.run, q.entry, len(before)),
	}
	for _, b := range before {
		r.Messages = prompt.Reask(r.Messages, transcript.Format(name), b.Raw, errors.New(b.Fault))
	}
	return r
}

// cachedOrCall makes one call, or finds the same question answered elsewhere.
func (a *Activities) cachedOrCall(ctx context.Context, q question, before []answers.Answer, pass callPermit) (paidAnswer, error) {
	request := q.request(before)
	key := ""
	if !q.provider.Simulated {
		var err error
		if key, err = q.cacheKey(request, len(before)); err != nil {
			return paidAnswer{}, err
		}
	}
	if key != "" && !a.config.NoCache {
		asked := time.Now() // the times are of this turn, not of the one that paid
		found, ok, err := a.answers.Cached(ctx, key)
		found.Ask, found.StartedAt, found.LatencyMS = len(before), asked.UnixMicro(), time.Since(asked).Milliseconds()
		if ok && err == nil {
			a.meter.cached.Add(1)
		}
		if ok || err != nil {
			return paidAnswer{answer: found}, err
		}
	}
	got, err := a.call(ctx, q, len(before), request, pass)
	got.key = key
	return got, err
}

func (c *collaboration) cacheKey(p Provider, speaker transcript.Speaker, r model.Request, ask int) (string, error) {
	camp := c.campaign.Campaign
	scope, err := answers.Scope(camp.CacheScope, camp.Name, c.condition.id)
	if err != nil {
		return "", failure.Fail(err)
	}
	return answers.CacheKey(answers.Question{
		Provider: p.Endpoint, Model: p.Name,
		Parameters: r.Parameters, Messages: r.Messages, Schema: r.Schema,
		Seed: int64(camp.Seed), Instance: c.ref.Cell.Instance, Replicate: c.ref.Cell.Replicate,
		Speaker: speaker, Ask: ask, Scope: scope,
	})
}
