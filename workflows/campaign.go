package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/envs/wording"
	"roundtable/workflows/task"
)

// QueryStatus asks a campaign for its Status.
const QueryStatus = "status"

// Bounds of one run of the campaign's workflow. A child costs 5.6 events.
const (
	pageSize      = 500
	defaultLength = 500
	maxSweeps     = 3
	sampled       = 20 // of the running collaborations, shown by the status
)

// DefaultWindow is how many collaborations of a campaign run at once, unless its limits say
// otherwise.
const DefaultWindow = 64

// Campaign is the workflow that runs every cell that has not ended, a bounded number at once, and
// returns how they ended. The lake's markers say which have ended, so the workflow can be
// terminated and started anew at any time.
func Campaign(ctx workflow.Context, in CampaignInput) (Status, error) {
	c := campaign{in: in, running: map[string]bool{}}
	ctx = withHeartbeat(ctx, in.Heartbeat)
	err := workflow.SetQueryHandler(ctx, QueryStatus, func() (Status, error) { return c.statusNow(), nil })
	if err != nil {
		return Status{}, err
	}
	return c.run(ctx)
}

type campaign struct {
	in        CampaignInput
	running   map[string]bool // looked up, never ranged over
	order     []string        // the running ones, in order of their start
	started   int
	begun     map[string]workflow.Future // by collaboration: it has begun; looked up only
	batches   int                        // of cells that are played through
	unsettled []workflow.Future          // signals and batches that may be under way still
	sweeps    int                        // how often the whole plan was gone through
	surveyed  bool                       // From has reached the end of the plan, or the question needs no cell any more
	asked     bool                       // what the question needs is known, and no cell has ended since
	starts    map[string]int             // how often a cell was to start for the question; looked up only
	selector  workflow.Selector
	compacted workflow.Future  // nil in the first run: there is little yet
	children  workflow.Context // cancelled when the campaign is
	cancel    workflow.CancelFunc
	notifying int  // notices that are being sent
	holding   bool // word of a pause or its end is on its way to those who make calls
}

func (c *campaign) statusNow() Status {
	s := c.in.Status
	s.Notifying = c.notifying > 0
	s.Revision, s.Until, s.Running, s.Cancelled = c.in.Revision, c.in.Until, len(c.order)+c.batches, c.in.Ended
	s.Question = c.in.Question
	for _, id := range c.order[:min(len(c.order), sampled)] {
		s.Sample = append(s.Sample, c.childID(id))
	}
	return s
}

func (c *campaign) run(ctx workflow.Context) (Status, error) {
	c.selector = workflow.NewSelector(ctx)
	c.begun, c.starts = map[string]workflow.Future{}, map[string]int{}
	c.children, c.cancel = workflow.WithCancel(ctx)
	c.receiveSignals(ctx)
	workflow.Go(ctx, c.holdCalls)
	if workflow.GetInfo(ctx).ContinuedExecutionRunID != "" && c.in.Labeller == "" { // not its first run
		lasting, _ := workflow.NewDisconnectedContext(ctx)
		c.compacted = executeActivity(lasting, task.Compact, "makes large files of small ones", c.in.Name)
	}
	for _, id := range c.in.Running {
		c.awaitRunning(ctx, id)
		if c.in.Ended { // what the run before asked for in its last moment was not sent
			c.cancelOther(ctx, id)
		}
	}
	c.in.Running = nil
	if c.in.Ended {
		c.cancel()
	}
	for {
		if err := c.fillWindow(ctx); err != nil {
			return c.statusNow(), err
		}
		if c.isAtEnd() {
			done, err := c.sealCampaign(ctx)
			if done && err == nil {
				done = c.drainSignals(ctx) && c.notifyEnd(ctx)
			}
			if done || err != nil {
				return c.statusNow(), err
			}
			continue
		}
		if c.started >= c.runLength() || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return Status{}, c.carryOver(ctx)
		}
		c.selector.Select(ctx)
	}
}

// isAtEnd reports whether no cell is under way or left to start.
func (c *campaign) isAtEnd() bool {
	return c.surveyed && len(c.in.Queue) == 0 && len(c.order)+c.batches == 0
}

// drainSignals takes in what was signalled while the campaign was sealed, and reports
// whether it is still at its end: it may have been extended.
func (c *campaign) drainSignals(ctx workflow.Context) bool {
	for c.selector.HasPending() {
		c.selector.Select(ctx)
	}
	return c.surveyed
}

// runLength returns how many collaborations this run of the workflow starts. Those that
// are under way at its end are awaited by the next, which costs more than a child.
func (c *campaign) runLength() int {
	return cmp.Or(c.in.Length, max(defaultLength, 2*c.windowSize()))
}

// windowSize returns how many collaborations run at once.
func (c *campaign) windowSize() int { return cmp.Or(c.in.Limits.Collaborations, DefaultWindow) }

// fillWindow starts collaborations until the window is full.
func (c *campaign) fillWindow(ctx workflow.Context) error {
	for c.in.Ended || !c.in.Status.Paused && len(c.order)+c.batches < c.windowSize() && c.started < c.runLength() {
		if len(c.in.Queue) == 0 && !c.surveyed {
			if c.isAsking() && c.asked {
				return nil // until a cell has ended
			}
			if err := c.nextPage(ctx); err != nil {
				return err
			}
		}
		if len(c.in.Queue) == 0 {
			if c.surveyed {
				return nil
			}
			continue
		}
		if c.in.Ended {
			if err := c.stopUnstarted(ctx); err != nil {
				return err
			}
			continue
		}
		switch next := c.in.Queue[0]; {
		case c.running[next.ID]:
			c.in.Queue = c.in.Queue[1:]
		case !next.Instant:
			c.in.Queue = c.in.Queue[1:]
			c.startCollaboration(ctx, next)
		case c.batches < maxBatches:
			c.startBatch(ctx)
		default:
			return nil
		}
	}
	return nil
}

func (c *campaign) startCollaboration(ctx workflow.Context, o task.Outstanding) {
	c.started++
	in := CollaborationInput{Ref: c.batchOf(nil).Ref(o), Paused: c.in.Status.Paused, Epoch: c.in.Epoch,
		Heartbeat: c.in.Heartbeat, Visibility: c.in.Visibility}
	options := workflow.ChildWorkflowOptions{
		WorkflowID:            c.childID(o.ID),
		TaskQueue:             workflow.GetInfo(ctx).TaskQueueName,
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON, // it outlives a new run of this workflow
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WaitForCancellation:   true,
		WorkflowTaskTimeout:   TaskTimeout,
	}
	c.in.Visibility.show(&options, o.ID, in.Ref)
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(c.children, options),
		task.CollaborationWorkflow, in)
	c.begun[o.ID] = child.GetChildWorkflowExecution()
	c.watchEnd(ctx, o.ID, child)
}

// awaitRunning watches a collaboration that is not this run's child. Cancelling the
// campaign cancels the collaboration, never the waiting for its end.
func (c *campaign) awaitRunning(ctx workflow.Context, id string) {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	c.watchEnd(ctx, id, executeActivity(lasting, task.Await, "awaits "+id, c.childID(id)))
}

// watchEnd counts the collaboration when it ends.
func (c *campaign) watchEnd(ctx workflow.Context, id string, ended workflow.Future) {
	c.running[id] = true
	c.order = append(c.order, id)
	c.selector.AddFuture(ended, func(f workflow.Future) {
		var result task.Result
		err := f.Get(ctx, &result)
		if _, ok := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); ok {
			c.forget(id)
			c.awaitRunning(ctx, id)
			return
		}
		if failed, ok := task.ResultIn(err); ok {
			result = failed
		} else if err != nil { // only a terminated workflow gets here: everything else commits its rows
			result = task.Result{Status: task.Failed, Failure: messageOf(err)}
		}
		c.forget(id)
		c.countResult(result, 1)
	})
}

func (c *campaign) forget(id string) {
	c.asked = false
	delete(c.running, id)
	delete(c.begun, id)
	for i, x := range c.order {
		if x == id {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
		}
	}
}

func (c *campaign) countResult(r task.Result, n int) {
	s := &c.in.Status
	switch r.Status {
	case task.Succeeded:
		s.Succeeded += n
	case task.Failed:
		s.Failed += n
		s.Failure = cmp.Or(s.Failure, r.Failure)
	case task.Stopped:
		if s.Stopped += n; r.Failure == task.Answered {
			s.Answered += n
		}
	}
	s.Spent.Add(r)
}

func (c *campaign) countSums(s task.Sums) {
	for i, r := range s.Ended {
		c.countResult(r, s.Count[i])
	}
}

// executeOrPause runs one of the campaign's own activities. An error that the operator can
// fix pauses the campaign until it is resumed or cancelled; then the activity runs
// again with what the campaign is by then.
func (c *campaign) executeOrPause(ctx workflow.Context, name, summary string, input func() any, result any) error {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	for {
		err := executeActivity(lasting, name, summary, input()).Get(lasting, result)
		if !isFixable(err) {
			return err
		}
		ended := c.in.Ended
		for c.pauseAll(ctx, Pause{Reason: messageOf(err)}); c.in.Status.Paused && c.in.Ended == ended; {
			c.selector.Select(ctx)
		}
	}
}

// nextPage fetches the next cells that have not ended.
func (c *campaign) nextPage(ctx workflow.Context) error {
	if c.isAsking() {
		return c.askNext(ctx)
	}
	c.surveyAll()
	var p task.Surveyed
	err := c.executeOrPause(ctx, task.Survey,
		fmt.Sprintf("looks for cells that are left, from cell %d on", c.in.From), func() any {
			return task.Page{Campaign: c.in.Name, Revision: c.in.Revision, Labeller: c.in.Labeller, From: c.in.From,
				Limit: pageSize, Until: c.in.Until}
		}, &p)
	if err != nil {
		return err
	}
	p.Cells = append(c.in.Queue, p.Cells...) // what a batch has left meanwhile
	c.in.From, c.in.Queue, c.in.Status.Cells = p.Next, p.Cells, p.Total
	c.surveyed = p.Next >= p.Total
	c.countSums(p.Sums)
	return nil
}

// stopUnstarted ends cells that will not be started.
func (c *campaign) stopUnstarted(ctx workflow.Context) error {
	var refs []task.Ref
	for _, o := range c.in.Queue {
		if !c.running[o.ID] {
			refs = append(refs, c.batchOf(nil).Ref(o))
		}
	}
	c.in.Queue = nil
	if err := c.executeOrPause(ctx, task.StopUnstarted, wording.Count(len(refs), "cell")+" that never started",
		func() any { return refs }, nil); err != nil {
		return err
	}
	c.countResult(task.Result{Status: task.Stopped}, len(refs))
	return nil
}

// sealCampaign seals the campaign. If the lake misses a cell that should have ended,
// the plan is gone through again; a cell that never can be committed is left to
// the status, which then has fewer ended cells than cells. Labels are sealed by nobody.
func (c *campaign) sealCampaign(ctx workflow.Context) (done bool, err error) {
	if c.in.Until > 0 || c.in.Labeller != "" {
		return true, nil
	}
	if c.isAsking() {
		if answered, err := c.stopAnswered(ctx); err != nil || !answered {
			return false, err
		}
	}
	var p task.Surveyed
	err = c.executeOrPause(ctx, task.Seal, "counts what has ended and seals it",
		func() any { return task.Sealing{Campaign: c.in.Name, Revision: c.in.Revision} }, &p)
	if err != nil {
		return false, err
	}
	c.replaceSums(p) // the markers have the last word
	c.sweeps++
	if c.in.Status.Done() == p.Total || c.sweeps == maxSweeps {
		return true, nil
	}
	c.resetCounts()
	return false, nil
}

// replaceSums replaces the sums by those of the ended cells.
func (c *campaign) replaceSums(p task.Surveyed) {
	c.in.Status = Status{Cells: p.Total, Paused: c.in.Status.Paused, PauseReason: c.in.Status.PauseReason}
	c.countSums(p.Sums)
}

// carryOver goes on in a new run; collaborations under way are awaited there.
// A child that has not begun yet would be lost with this run.
func (c *campaign) carryOver(ctx workflow.Context) error {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	// signals and notices die with this run, also those that came meanwhile
	for c.settleRun(ctx); c.notifying > 0 || c.holding || c.selector.HasPending(); c.settleRun(ctx) {
		_ = workflow.Await(lasting, func() bool { return !c.holding || c.selector.HasPending() })
		if c.notifying > 0 || c.selector.HasPending() {
			c.selector.Select(ctx)
		}
	}
	in := c.in
	in.Running = c.order
	return workflow.NewContinueAsNewError(ctx, task.CampaignWorkflow, in)
}

// settleRun waits for everything that would be lost with this run. A compaction
// may take minutes.
func (c *campaign) settleRun(ctx workflow.Context) {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	for _, id := range c.order {
		if begun := c.begun[id]; begun != nil {
			_ = begun.Get(lasting, nil) // one that could not begin is running already, and is awaited too
		}
	}
	for _, settled := range c.unsettled {
		_ = settled.Get(lasting, nil) // whom a signal does not reach has ended
	}
	c.unsettled = nil
	if c.compacted != nil {
		_ = c.compacted.Get(lasting, nil) // a failure comes again at the end
	}
}

// childID returns the workflow ID of a collaboration with its generation, or of its labels.
func (c *campaign) childID(id string) string {
	if c.in.Labeller != "" {
		return LabelsID(c.in.Name, c.in.Labeller) + "/" + id
	}
	return CampaignID(c.in.Name) + "/" + id
}

// CampaignID returns the workflow ID of a campaign.
func CampaignID(name string) string { return "campaign/" + strings.ToLower(name) }

// LabelsID returns the workflow ID of the labelling of a campaign by labeller, its id.
func LabelsID(campaign, labeller string) string {
	return "labels/" + strings.ToLower(campaign) + "/" + labeller
}
