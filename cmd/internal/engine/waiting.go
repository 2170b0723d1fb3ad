package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"roundtable/activities/calls"
	"roundtable/activities/throttle"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// WaitReason is what turns of a running campaign wait for, and how many of those
// that were looked at.
type WaitReason struct {
	For   string `json:"for"` // provider, budget, concurrency, workers, requests per minute, …; answer if nothing binds
	Turns int    `json:"turns"`
}

// BeginWaits begins to read what the turns of a running campaign wait for. The function
// that it returns waits for the answer: the program of an embedded server gives it, and
// on a cluster the heartbeats of some running collaborations, whichever worker they are
// on. What is to be tried again the server knows; it is asked at once where the program
// has written which collaborations are running, and else when they are given.
func BeginWaits(ctx context.Context, o *cli.Options, c client.Client, campaign string) func(running []string) ([]WaitReason, error) {
	written := readProgress(o, campaign)
	var status workflows.Status
	if written == nil || json.Unmarshal(written.Status, &status) != nil {
		return func(running []string) ([]WaitReason, error) { return readWaits(ctx, c, written, running) }
	}
	var all []WaitReason
	var err error
	var reading sync.WaitGroup
	reading.Go(func() { all, err = readWaits(ctx, c, written, status.Sample) })
	return func([]string) ([]WaitReason, error) {
		reading.Wait()
		return all, err
	}
}

func readWaits(ctx context.Context, c client.Client, written *progress, sample []string) ([]WaitReason, error) {
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	if written != nil {
		maps.Copy(count, written.Waits)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerSoon) // for what is to be tried again only
		defer cancel()
	}
	for _, d := range describeAll(ctx, c, sample) {
		for _, p := range d.GetPendingActivities() {
			switch p.GetState() {
			case enumspb.PENDING_ACTIVITY_STATE_SCHEDULED:
				count[waitOf(p, keys)]++
			case enumspb.PENDING_ACTIVITY_STATE_STARTED:
				if written == nil { // else they are in the file
					addStage(count, p.GetHeartbeatDetails(), keys.DataConverter())
				}
			}
		}
	}
	var all []WaitReason
	for _, what := range slices.Sorted(maps.Keys(count)) {
		all = append(all, WaitReason{what, count[what]})
	}
	slices.SortStableFunc(all, func(a, b WaitReason) int { return cmp.Compare(b.Turns, a.Turns) })
	return all, nil
}

// describeAll describes workflows at once, since a busy server takes its time for each.
// One that has ended meanwhile, or is not described in time, has nothing pending.
func describeAll(ctx context.Context, c client.Client, ids []string) []*workflowservice.DescribeWorkflowExecutionResponse {
	all := make([]*workflowservice.DescribeWorkflowExecutionResponse, len(ids))
	var describing sync.WaitGroup
	for i, id := range ids {
		describing.Go(func() { all[i], _ = c.DescribeWorkflowExecution(ctx, id, "") })
	}
	describing.Wait()
	return all
}

// waitOf returns what keeps an activity from being started.
func waitOf(p *workflowpb.PendingActivityInfo, keys codec.Keys) string {
	if p.GetAttempt() > 1 && time.Until(p.GetNextAttemptScheduleTime().AsTime()) > 0 {
		return calls.TriesAgain + cli.OneLine(keys.FailureConverter().FailureToError(p.GetLastFailure()).Error())
	}
	if queue := p.GetActivityOptions().GetTaskQueue().GetName(); task.IsModelQueue(queue) {
		return string(throttle.Requests)
	}
	return "workers"
}

// addStage adds what the turns of an activity wait for, as its heartbeat says; it has
// none if it has only just begun.
func addStage(count map[string]int, heartbeat *commonpb.Payloads, c converter.DataConverter) {
	var text string
	var waits map[string]int
	if len(heartbeat.GetPayloads()) == 0 || c.FromPayloads(heartbeat, &text, &waits) != nil {
		return
	}
	for what, n := range waits {
		count[what] += n
	}
}

// A campaign that has not moved for stallAfter says on its progress line why.
const stallAfter = 4 * time.Second

// DescribeStall says what keeps the campaigns of this process from going on, if nothing of
// it has moved for a while; "" if that is not known.
func (e *Engine) DescribeStall(still time.Duration) string {
	if text := e.lake.Stalled(stallAfter); text != "" || still < stallAfter {
		return text
	}
	var all []WaitReason
	for what, n := range e.Activities.Waits() {
		all = append(all, WaitReason{what, n})
	}
	if len(all) == 0 {
		return ""
	}
	slices.SortFunc(all, func(a, b WaitReason) int { return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.For, b.For)) })
	return DescribeWaits(all)
}

// DescribeWaits returns a sentence that says what keeps a campaign from going faster.
func DescribeWaits(all []WaitReason) string {
	if len(all) == 0 {
		return "no calls are throttled"
	}
	if all[0].For == calls.WaitsAnswer {
		return "no calls are throttled: turns wait for their models' answers"
	}
	var parts []string
	for _, b := range all {
		parts = append(parts, fmt.Sprintf("%s (%s)", b.For, wording.Count(b.Turns, "turn")))
	}
	return "turns wait for " + strings.Join(parts, ", ")
}
