package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/task"
)

// A campaign with a question (CampaignInput.Question) runs the cells that the question
// needs, unit by unit, in place of all cells in the order of the plan. An activity says
// which these are. It is asked when everything that it said has begun and a collaboration
// has ended since, so as seldom as can be.

// askNext fetches the next cells that the question needs.
func (c *campaign) askNext(ctx workflow.Context) error {
	c.asked = true
	var a task.Asked
	if err := c.executeOrPause(ctx, task.Ask, "which cells the question needs", c.askingOf, &a); err != nil {
		return err
	}
	c.in.Status.Cells = a.Total
	if c.in.From == 0 { // what had ended before; the others are counted as they end
		c.in.From = 1
		c.countSums(a.Sums)
	}
	if c.in.Ended { // meanwhile: what cancel has stopped is not to start again
		return nil
	}
	c.surveyed = a.Done
	for _, cell := range a.Cells {
		switch {
		case c.running[cell.ID] || slices.Contains(c.in.Lost, cell.ID):
		case c.starts[cell.ID] == maxSweeps: // it ends and leaves nothing
			c.in.Lost, c.asked = append(c.in.Lost, cell.ID), false
		default:
			c.starts[cell.ID]++
			c.in.Queue = append(c.in.Queue, cell)
		}
	}
	return nil
}

func (c *campaign) askingOf() any {
	return task.Asking{Campaign: c.in.Name, Revision: c.in.Revision, Lost: c.in.Lost}
}

// isAsking reports whether the question says which cells are run: a cancelled campaign stops all.
func (c *campaign) isAsking() bool { return c.in.Question && !c.in.Ended }

// stopAnswered ends the cells that the question does not need, and reports whether that
// was so still: the question may have become harder.
func (c *campaign) stopAnswered(ctx workflow.Context) (bool, error) {
	var a task.Asked
	if err := c.executeOrPause(ctx, task.StopAnswered, "ends what the question does not need", c.askingOf,
		&a); err != nil {
		return false, err
	}
	c.surveyed = a.Done
	c.asked = a.Done
	c.countResult(task.Result{Status: task.Stopped, Failure: task.Answered}, a.Stopped)
	return a.Done, nil
}

// surveyAll begins to go through the whole plan: a campaign with a question was cancelled.
func (c *campaign) surveyAll() {
	if c.in.Question && !c.in.Surveying {
		c.in.Surveying = true
		c.resetCounts()
	}
}

// resetCounts begins to count from the first cell on.
func (c *campaign) resetCounts() {
	s := &c.in.Status
	s.Succeeded, s.Failed, s.Stopped, s.Answered, s.Spent = 0, 0, 0, 0, task.Result{}
	c.in.From, c.surveyed, c.asked = 0, false, false
}
