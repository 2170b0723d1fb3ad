package activities

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/failure"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// PlayRound plays one round of a collaboration, or what is left of it: it asks the questions of
// each phase at once and stores each answer before anything else happens with it. The round of
// models that take no time is as many rounds as fit into a batch. A call that fails ends the phase
// once its siblings are in; then Temporal tries the round again, for which stored answers cost
// nothing. On its first call it also finds out what the workflow must know; a collaboration some of
// whose turns are taken elsewhere is not played before that.
func (a *Activities) PlayRound(ctx context.Context, in task.Round) (result task.RoundResult, err error) {
	a.beginEpoch(in.Campaign, in.Epoch)
	switch {
	case in.Labeller != "":
		return a.labelRound(ctx, in)
	case in.From == task.JudgeEntry:
		return result, a.judge(ctx, in.Ref)
	}
	if in.From == 0 {
		result, err = a.open(ctx, in.Ref)
		if err != nil || result.Committed != nil || len(result.Setting.Queues) > len(in.Elsewhere) {
			return result, err
		}
	}
	result.Acts, err = a.playRound(ctx, in)
	return result, err
}

// beginEpoch has what waits for the time of its next attempt tried at once if the campaign was
// resumed: those attempts are cancelled and made anew.
func (a *Activities) beginEpoch(campaign string, epoch int) {
	if a.caller.BeginEpoch(campaign, epoch) {
		a.retries.Clear()
	}
}

// open finds out how a collaboration ended, or what a workflow must know of it.
func (a *Activities) open(ctx context.Context, ref task.Ref) (task.RoundResult, error) {
	camp, err := a.plans.Load(ctx, ref.Campaign, ref.Revision)
	if err != nil {
		return task.RoundResult{}, err
	}
	if ended, err := a.endedResult(ctx, camp, ref); ended != nil || err != nil {
		return task.RoundResult{Committed: ended}, err
	}
	c, err := a.live.Open(ctx, ref)
	if err != nil {
		return task.RoundResult{}, err
	}
	m, err := a.caller.Manifest(ctx, ref.Campaign, false)
	if err != nil {
		return task.RoundResult{}, err
	}
	setting := c.Setting(ctx, m)
	return task.RoundResult{Setting: &setting, Acts: c.Acts(0)}, nil
}

// playRound plays on from the stored answers and returns the acts from in.From on.
func (a *Activities) playRound(ctx context.Context, in task.Round) ([]task.Act, error) {
	c, err := a.live.OpenAt(ctx, in.Ref, in.From)
	if err != nil {
		return nil, err
	}
	capped, err := a.isCapped(ctx, in.Ref.Campaign)
	if err != nil {
		return nil, err
	}
	if c.Condition.IsInstant() && !capped {
		return a.live.TakeMany(ctx, task.Turn{Ref: in.Ref, Entry: in.From}, &a.caller.Meter)
	}
	playing, stop, err := a.untilHeld(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	defer stop()
	for round := c.Round(); c.Round() == round; {
		entries, err := c.Askable(in.Elsewhere)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
		first, err := a.leading(playing, c, entries)
		if err != nil {
			return nil, err
		}
		for _, now := range [][]int{entries[:first], entries[first:]} {
			if len(now) == 0 {
				continue
			}
			if err := takeAll(playing, in.Ref, now, a.takeTurn); err != nil {
				return nil, a.orHeld(playing, err)
			}
		}
		if c, err = a.live.Open(ctx, in.Ref); err != nil { // another worker may have been first
			return nil, err
		}
	}
	return c.Acts(in.From), nil
}

// leading returns how many of the entries are asked before the others: one, where the model sells what it
// has read before at a lower price and all prompts begin with the same text, which then is read once.
func (a *Activities) leading(ctx context.Context, c *collaboration.Collaboration, entries []int) (int, error) {
	m, err := a.caller.Manifest(ctx, c.Ref.Campaign, false)
	cheaper := func(p campaign.Price) bool { return p.CachedInput != nil && *p.CachedInput < p.Input }
	worthIt := slices.ContainsFunc(slices.Collect(maps.Values(m.Prices)), cheaper)
	if err != nil || m.Limits.Tier == plan.Batch || len(entries) < 2 || !worthIt {
		return 0, err // before prompts are rendered to be compared
	}
	model, alike, err := c.BeginAlike(entries)
	if err != nil || !alike || !cheaper(m.Prices[model]) {
		return 0, err
	}
	return 1, nil
}

// labelRound labels the messages of a collaboration, unless their labels are taken from a
// queue: then it says which there are.
func (a *Activities) labelRound(ctx context.Context, in task.Round) (task.RoundResult, error) {
	setting, entries, err := a.labels.Open(ctx, in.Ref)
	if err != nil || setting.Queues != nil {
		return task.RoundResult{Setting: &setting}, err
	}
	return task.RoundResult{Setting: &setting}, takeAll(ctx, in.Ref, entries, a.labels.Take)
}

// takeAll takes turns at once and returns once all that have begun are in.
func takeAll[Out any](ctx context.Context, ref task.Ref, entries []int,
	take func(context.Context, task.Turn) (Out, error)) error {
	ctx, fail, end := calls.WithPatience(answers.WithExpectedIntents(ctx, len(entries)))
	defer end()
	calls.Expect(ctx, len(entries))
	failed, at := make([]error, len(entries)), make([]time.Time, len(entries))
	var all sync.WaitGroup
	for i, entry := range entries {
		all.Go(func() {
			ctx, stage := calls.WithStage(ctx)
			defer stage.Leave()
			_, err := recoverPanics(ctx, task.Turn{Ref: ref, Entry: entry}, take)
			if failed[i], at[i] = failure.ForHistory(ctx, err, attemptOf(ctx)), time.Now(); err != nil {
				fail(patienceFor(failed[i]))
				return
			}
			stage.MarkAnswered()
		})
	}
	all.Wait()
	for i, err := range failed {
		failed[i] = failure.Waited(err, time.Since(at[i])) // for the siblings
	}
	return mostPatient(failed)
}

// attemptOf returns the number of the attempt of an activity, from 1.
func attemptOf(ctx context.Context) int32 {
	if host, ok := failure.HostOf(ctx); ok {
		return host.Number
	}
	return 1
}

// mostPatient returns the error after which it takes longest until something is tried
// again: a pause, which lasts until the operator has acted, then what ends the collaboration.
func mostPatient(errs []error) (most error) {
	for _, err := range errs {
		if err != nil && (most == nil || patienceFor(err) > patienceFor(most)) {
			most = err
		}
	}
	return most
}

// patienceFor returns how long it takes until what has failed is tried again.
func patienceFor(err error) time.Duration {
	f, ok := errors.AsType[*failure.Failure](err)
	switch {
	case ok && f.Type == task.ErrPause:
		return math.MaxInt64
	case ok && f.Final:
		return math.MaxInt64 - 1
	case ok:
		return f.Delay
	}
	return 0
}

// TakeTurn makes one entry of a collaboration and returns its act. If no answer is stored, it
// writes an intent, makes the call and stores the answer before it returns.
func (a *Activities) TakeTurn(ctx context.Context, in task.Turn) (transcript.Act, error) {
	a.beginEpoch(in.Campaign, in.Epoch)
	switch {
	case in.Labeller != "":
		return a.labels.Take(ctx, in)
	case in.Entry == task.JudgeEntry:
		return transcript.Act{}, a.judge(ctx, in.Ref)
	}
	playing, stop, err := a.untilHeld(ctx, in.Ref)
	if err != nil {
		return transcript.Act{}, err
	}
	defer stop()
	act, err := a.takeTurn(playing, in)
	return act, a.orHeld(playing, err)
}

// followEvery is how often an activity that calls models looks whether its campaign
// holds calls back, or has other limits.
const followEvery = 500 * time.Millisecond

// untilHeld returns a context that ends when the campaign holds its calls back. Calls
// under way come in all the same. Until then the campaign's limits are followed: those of
// its models are known once its plan is.
func (a *Activities) untilHeld(ctx context.Context, ref task.Ref) (context.Context, context.CancelFunc, error) {
	if _, err := a.plans.Load(ctx, ref.Campaign, ref.Revision); err != nil {
		return ctx, nil, err
	}
	ctx, cancel := context.WithCancelCause(calls.WithHalts(ctx))
	follow := func() error {
		err := a.caller.CheckHeld(ctx, ref.Campaign)
		if failure.IsHeld(err) {
			cancel(err)
			return nil
		}
		return err
	}
	if err := follow(); err != nil { // whether calls are held back is not known
		cancel(err)
		return ctx, nil, err
	}
	go func() {
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = follow() // what is not known now is at the next tick
			}
		}
	}()
	return ctx, func() { cancel(nil) }, nil
}

// orHeld returns why ctx has ended in place of an error that trying again can help
// against, if its campaign holds calls back.
func (a *Activities) orHeld(ctx context.Context, err error) error {
	f, ok := errors.AsType[*failure.Failure](err)
	if held := context.Cause(ctx); err != nil && failure.IsHeld(held) && !(ok && f.Final) {
		return held
	}
	return err
}

// holdAgain is how long it takes until a word is tried again that the lake refused.
const holdAgain = 2 * time.Second

// Hold records that the calls of a campaign are held back, or no longer. Every process that calls
// its models reads it within a second or two. It is tried again until the lake can be written,
// which a paused campaign may have to wait for. The batches of a cancelled one are cancelled.
func (a *Activities) Hold(ctx context.Context, in task.Holding) (none struct{}, err error) {
	defer a.caller.Manifests.Expire()
	if in.Reason == "" {
		err = campaign.ClearHalt(ctx, a.config.Store, in.Campaign)
	} else {
		err = campaign.WriteHalt(ctx, a.config.Store, in.Campaign,
			campaign.Halt{Reason: in.Reason, At: time.Now().UTC(), Holds: true})
	}
	if err == nil && in.Reason == task.Cancelled {
		err = a.caller.CancelBatches(ctx, in.Campaign)
	}
	if err != nil {
		err = failure.OfMachine(err, holdAgain)
	}
	return none, err
}
