package engine

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
)

// lookAroundEvery is how often a worker looks at what else runs in its namespace.
const lookAroundEvery = 30 * time.Second

// Neighbours looks at the campaigns that run in the namespace of a shared server, and
// goes on until ctx ends: it says which this process works for and which it does not,
// and why not. It returns the error of a campaign of this lake that this process must
// not work for, since it cannot read what it is asked.
func (e *Engine) Neighbours(ctx context.Context, w io.Writer) error {
	said := map[string]bool{}
	tick := time.NewTicker(lookAroundEvery)
	defer tick.Stop()
	for {
		if err := e.lookAround(ctx, w, said); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// lookAround looks once; said are the runs that were spoken of already.
func (e *Engine) lookAround(ctx context.Context, w io.Writer, said map[string]bool) error {
	all, err := e.shared.ListRunning(ctx, e.Client)
	if err != nil {
		return nil //nolint:nilerr // watchServer says that the server does not answer
	}
	for _, r := range all {
		if said[r.WorkflowID+r.Queue] {
			continue
		}
		said[r.WorkflowID+r.Queue] = true // its later runs are the same campaign
		if r.Queue != e.Queue {
			fmt.Fprintf(w, "campaign %s runs here %s: this process takes no part in it\n", r.Name(),
				e.shared.DescribeForeign(r.Queue))
			continue
		}
		if err := e.shared.CheckReadable(ctx, e.Client, r); err != nil {
			return err
		}
		fmt.Fprintf(w, "campaign %s: this process takes part in it\n", r.Name())
	}
	if len(said) == 0 {
		said[""] = true
		fmt.Fprintf(w, "no campaign runs in the namespace %s yet\n", e.shared.Namespace)
	}
	return nil
}

// CheckReadable returns an error if a campaign of this lake runs whose histories this
// process cannot read: its worker would get tasks that it can only fail.
func (e *Engine) CheckReadable(ctx context.Context) error {
	if e.shared == nil {
		return nil
	}
	all, err := e.shared.ListRunning(ctx, e.Client)
	if err != nil {
		return fmt.Errorf("the Temporal server at %s: %w", e.shared.Address, err)
	}
	for _, r := range all {
		if r.Queue == e.Queue {
			if err := e.shared.CheckReadable(ctx, e.Client, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Describe says what a shared engine works on.
func (e *Engine) Describe() string {
	_, lake, _ := strings.Cut(e.Queue, "@")
	return fmt.Sprintf("worker %s, lake %s (%s), Temporal at %s, namespace %s, task queue %s", e.name, e.shared.Lake,
		lake, e.shared.Address, e.shared.Namespace, e.Queue)
}

// share finds out which of a server's campaigns are this lake's.
func (e *Engine) share(ctx context.Context, o *cli.Options, s store.Store) error {
	known, err := lake.Identify(ctx, s)
	if err != nil {
		return fmt.Errorf("the lake %s: %w", o.LakeName(), err)
	}
	e.shared, err = campaigns.NewSharedServer(o, known.ID)
	if err == nil {
		e.Queue = e.shared.Queue
	}
	return err
}

// RefuseForeign returns an error of type Foreign if a workflow of this name runs for
// another lake or by another engine: it would be taken for this lake's.
func (e *Engine) RefuseForeign(ctx context.Context, workflowID string) error {
	if e.shared == nil {
		return nil
	}
	return e.shared.RefuseForeign(ctx, e.Client, workflowID)
}
