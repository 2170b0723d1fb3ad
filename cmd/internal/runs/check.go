package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/people"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// check asks each model of a campaign once before anything else is asked: a
// wrong key or name would fail every cell. Models that have answered in this
// campaign are not asked again, nor are simulated and recorded ones. What passes
// by itself (a limit, a service that is down) does not keep a campaign from starting.
func (r Options) check(ctx context.Context, e *engine.Engine, s store.Store, p campaign.Plan, again string) error {
	name := p.Campaign.Name
	checks, others, err := ledger.EarlyAnswers(ctx, s, name)
	if err != nil {
		return err
	}
	answered := map[string]bool{}
	for _, answer := range slices.Concat(checks, others) {
		answered[answer.ModelAsked] = true
	}
	build, asked := e.Models.Build, map[string]bool{}
	for _, c := range p.Campaign.Conditions {
		for _, m := range c.AllModels() {
			if !IsChecked(m.Name) || answered[m.Name] {
				continue
			}
			provider, err := build(m, c, nil)
			if err != nil {
				return err
			}
			if asked[provider.Account] {
				continue
			}
			asked[provider.Account] = true
			reason, err := checkModel(ctx, e, name, provider, c.GenerateFor(m))
			if err != nil {
				return err
			}
			if reason != "" {
				return haltBefore(ctx, e, s, p, reason, again)
			}
		}
	}
	return nil
}

// IsChecked reports whether a model is asked once before a campaign begins.
func IsChecked(model string) bool {
	return !IsFree(model) && !strings.HasPrefix(model, "retrieval/") && !people.IsPerson(model)
}

// checkModel asks one model and says what that cost. The reason is why it
// cannot be asked; empty if it can, or if what failed passes by itself.
func checkModel(ctx context.Context, e *engine.Engine, campaign string, p model.Provider,
	g plan.Generate) (reason string, err error) {
	defer tellWaiting(ctx, e.Notices(), p.Name)()
	answer, err := e.Activities.Check(ctx, campaign, p, calls.CheckOptions{Parameters: model.Parameters(g)})
	var call *model.Error
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		cost := "at a price that is not known"
		if answer.CostUSD != nil {
			cost = fmt.Sprintf("$%.6f", *answer.CostUSD)
		}
		fmt.Fprintf(e.Notices(), "checked %s: it answers%s (%d tokens, %s)\n", p.Name, describeAnswer(answer),
			answer.Usage.Input+answer.Usage.Output, cost)
		for _, waived := range answer.Waived {
			fmt.Fprintf(e.Notices(), "  it takes %s\n", waived)
		}
		return "", nil
	case ctx.Err() != nil:
		return "", cli.InterruptedError(errors.New("interrupted"))
	case errors.As(err, &call) && isPassing(call):
		fmt.Fprintf(e.Notices(), "checked %s: %v; it will be tried again\n", p.Name, err)
		return "", nil
	case errors.As(err, &call):
		return fmt.Sprintf("%s cannot be asked: %v", p.Name, err), nil
	case errors.As(err, &app) && app.Type() == task.ErrPause:
		return app.Message(), nil
	}
	return "", err
}

// isPassing reports whether the failure of a check is of a service that is down, slow or busy.
func isPassing(e *model.Error) bool {
	return e.Class == model.Retry && e.Fault != model.Useless && e.Fault != model.Refused
}

// describeAnswer says of an answer to the check what makes others of its kind useless.
func describeAnswer(a answers.Answer) string {
	if len(strings.TrimSpace(string(a.Raw))) > 0 {
		return ""
	}
	said := ", with an empty text"
	if a.Elsewhere != "" {
		said += "; there is one in " + a.Elsewhere
	}
	if a.FinishReason != "" && a.FinishReason != "stop" {
		said += "; it ended with " + a.FinishReason
	}
	return said
}

// tellWaiting says every ten seconds, from the first two on, that a model has not answered
// yet, and once that an interrupt waits for its answer too, until the function that it returns is called.
func tellWaiting(ctx context.Context, out io.Writer, model string) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began, next := time.Now(), time.After(2*time.Second)
		interrupted := ctx.Done()
		for {
			select {
			case <-done:
				return
			case <-interrupted:
				interrupted = nil
				fmt.Fprintf(out, "interrupted: waiting for the answer of %s, which may be billed; a second Ctrl-C or SIGTERM ends at once\n", model)
			case <-next:
				fmt.Fprintf(out, "checking %s: waiting for its answer for %v\n", model,
					time.Since(began).Round(time.Second))
				next = time.After(cli.PlainEvery)
			}
		}
	}()
	return func() { close(done); <-ended }
}

// haltBefore pauses a campaign before its first call.
func haltBefore(ctx context.Context, e *engine.Engine, s store.Store, p campaign.Plan, reason, again string) error {
	name, at := p.Campaign.Name, time.Now().UTC()
	if err := campaign.NoteHalt(ctx, s, name, campaign.Halt{Reason: reason, At: at}); err != nil {
		return err
	}
	if strings.Contains(reason, "roundtable resume") { // it says how
		fmt.Fprintf(e.Notices(), "%s is paused: %s\n", name, reason)
	} else {
		fmt.Fprintf(e.Notices(), "%s is paused: %s\nresume with: %s\n", name, reason, again)
	}
	// No workflow runs yet that would send it.
	notice := task.Notice{Campaign: name, Revision: p.Campaign.Revision(), Event: plan.NotifyPause, Reason: reason,
		At: at, Key: at.Format(time.RFC3339Nano), Cells: p.Campaign.Size()}
	if _, err := e.Activities.Notify(ctx, notice); err != nil {
		return err
	}
	return cli.IncompleteError(fmt.Errorf("%s is paused before its first call; --no-check starts it without asking", name))
}

// IsFree reports whether a model is simulated, recorded or an embedder that is computed here.
func IsFree(model string) bool {
	return strings.HasPrefix(model, "scripted/") || strings.HasPrefix(model, "replay/") ||
		strings.HasPrefix(model, plan.EmbedderPrefix)
}
