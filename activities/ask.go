package activities

import (
	"context"
	"errors"

	"roundtable/activities/asking"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/setup"
	"roundtable/workflows/task"
)

// asked is how many cells Ask returns at most.
const asked = 500

// Ask returns which cells the campaign's stopping question (task.Asking) needs next.
func (a *Activities) Ask(ctx context.Context, in task.Asking) (task.Asked, error) {
	camp, state, err := a.ask(ctx, in)
	if err != nil {
		return task.Asked{}, err
	}
	return askedOf(camp, state), nil
}

func (a *Activities) ask(ctx context.Context, in task.Asking) (*setup.Campaign, asking.State, error) {
	camp, err := a.plans.Load(ctx, in.Campaign, in.Revision)
	if err != nil {
		return nil, asking.State{}, err
	}
	m, _, err := a.caller.Manifests.Read(ctx, in.Campaign, true)
	if err != nil {
		return nil, asking.State{}, err
	}
	if m.Until == nil {
		return nil, asking.State{}, failure.Pause(errors.New("its file no longer has a question that ends it; " +
			"`roundtable run FILE` runs every cell"))
	}
	state, err := a.asking.Read(ctx, camp.Campaign, *m.Until, in.Lost)
	return camp, state, err
}

func askedOf(camp *setup.Campaign, state asking.State) task.Asked {
	out := task.Asked{Done: state.IsDone(), Total: camp.Campaign.Size()}
	for _, need := range state.Needs[:min(asked, len(state.Needs))] {
		out.Cells = append(out.Cells, task.Outstanding{
			ID: need.Run.String(), Cell: need.Cell, Generation: need.Run.Generation,
			Instant: camp.Conditions[need.Cell.Condition].IsInstant(),
		})
	}
	for _, m := range state.Ended {
		out.Add(ledger.ResultOf(m.Outcome()))
	}
	return out
}

// StopAnswered stops the cells that the campaign's question does not need, once it needs no more:
// their rows say so. If it still needs cells, it returns these and stops none.
func (a *Activities) StopAnswered(ctx context.Context, in task.Asking) (task.Asked, error) {
	camp, state, err := a.ask(ctx, in)
	if err != nil || !state.IsDone() {
		return askedOf(camp, state), err
	}
	for _, stopped := range state.Stopped {
		end := task.Ending{Ref: task.Ref{Campaign: in.Campaign, Revision: in.Revision, Cell: stopped.Cell,
			Generation: stopped.Run.Generation}, Status: task.Stopped, Failure: task.Answered}
		if _, err := a.Record(ctx, end); err != nil {
			return task.Asked{}, err
		}
	}
	out := askedOf(camp, state)
	out.Stopped = len(state.Stopped)
	return out, nil
}
