package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"roundtable/activities/calls"
	"roundtable/activities/throttle"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/infra"
	"roundtable/workflows/task"
)

// WaitReason is what turns of a running campaign wait for, and how many of those
// that were looked at.
type WaitReason struct {
	For   string `json:"for"` // provider, budget, concurrency, workers, requests per minute, …; answer if nothing binds
	Turns int    `json:"turns"`
}

// ReadWaits asks the server what the turns of some running collaborations wait
// for. Their heartbeats say so, whichever worker they are on.
func ReadWaits(ctx context.Context, c client.Client, sample []string) ([]WaitReason, error) {
	keys, err := infra.KeysFromEnv()
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, id := range sample {
		d, err := c.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			continue // it has ended meanwhile
		}
		for _, p := range d.GetPendingActivities() {
			if what := waitOf(p, keys); what != "" {
				count[what]++
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

// waitOf returns what keeps one activity; empty if it has only just begun.
func waitOf(p *workflowpb.PendingActivityInfo, keys infra.Keys) string {
	switch {
	case p.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED:
		return stageOf(p.GetHeartbeatDetails(), keys.DataConverter())
	case p.GetAttempt() > 1 && time.Until(p.GetNextAttemptScheduleTime().AsTime()) > 0:
		return "provider: trying again after " + cli.FirstLine(keys.FailureConverter().FailureToError(p.GetLastFailure()).Error())
	}
	if queue := p.GetActivityOptions().GetTaskQueue().GetName(); queue != "" && queue != task.Queue {
		return string(throttle.Requests) // it is the queue of a model with such a limit
	}
	return "workers"
}

func stageOf(details *commonpb.Payloads, c converter.DataConverter) string {
	if details == nil || len(details.Payloads) == 0 {
		return ""
	}
	var what string
	if c.FromPayloads(details, &what) != nil {
		return ""
	}
	return what
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
