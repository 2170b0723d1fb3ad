package workflows

import (
	"go.temporal.io/sdk/workflow"

	"roundtable/envs/wording"
	"roundtable/workflows/task"
)

// Cells whose models take no time are played through in batches: a workflow for
// each would cost as much as all its answers. What each cell has come to is
// committed at once, so a batch that is lost costs a second.

// Bounds of the batches under way. One has more cells than it has time for, unless they are short.
const (
	batchCells = 50
	maxBatches = 16
)

// startBatch takes cells from the front of the queue that can be played through.
func (c *campaign) startBatch(ctx workflow.Context) {
	batch := c.batchOf(nil)
	for len(c.in.Queue) > 0 && c.in.Queue[0].Instant && len(batch.Cells) < batchCells {
		next := c.in.Queue[0]
		c.in.Queue = c.in.Queue[1:]
		if !c.running[next.ID] {
			c.running[next.ID] = true
			batch.Cells = append(batch.Cells, next)
		}
	}
	c.batches++
	lasting, _ := workflow.NewDisconnectedContext(ctx) // it ends soon; what it leaves is stopped as any other
	ended, end := workflow.NewFuture(ctx)
	workflow.Go(lasting, func(ctx workflow.Context) {
		var played task.Played
		err := executeActivity(ctx, task.PlayThrough, wording.Count(len(batch.Cells), "cell")+" played through",
			batch).Get(ctx, &played)
		if err != nil { // the workflow of each cell will tell more
			played = task.Played{Left: batch.Cells}
			for i := range played.Left {
				played.Left[i].Instant = false
			}
		}
		c.endBatch(batch, played)
		end.SetValue(nil)
	})
	c.unsettled = append(c.unsettled, ended)
	c.selector.AddFuture(ended, func(workflow.Future) {}) // there is room for another
}

// batchOf returns cells of this campaign.
func (c *campaign) batchOf(cells []task.Outstanding) task.Batch {
	return task.Batch{Campaign: c.in.Name, Revision: c.in.Revision, Labeller: c.in.Labeller, Cells: cells}
}

// endBatch counts the cells of a batch that have ended and puts the others back.
func (c *campaign) endBatch(batch task.Batch, played task.Played) {
	c.batches--
	c.asked = false
	for _, cell := range batch.Cells {
		delete(c.running, cell.ID)
	}
	c.started += len(batch.Cells) - len(played.Left)
	c.countSums(played.Sums)
	c.in.Queue = append(played.Left, c.in.Queue...)
}
