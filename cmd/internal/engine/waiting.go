package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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

// waitsFile is where the program of an embedded server says every second what its
// turns wait for.
const waitsFile = "waits.json"

// waitsRoom is what the file takes from the start and is written over in place, so that
// it can still be written on a disk that is full.
const waitsRoom = 4096

// tellWaits keeps that file.
func (e *Engine) tellWaits(ctx context.Context) {
	file, err := os.OpenFile(e.waits, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return // status does without it
	}
	defer file.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for told := ""; ; {
		waits, err := json.Marshal(e.Activities.Waits())
		size := max(waitsRoom, len(told), len(waits))
		waits = append(waits, bytes.Repeat([]byte(" "), size-len(waits))...)
		if err == nil && string(waits) != told {
			if _, err = file.WriteAt(waits, 0); err == nil {
				told = string(waits)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ReadWaits returns what the turns of a running campaign wait for: the program of an
// embedded server says so, and on a cluster the heartbeats of some running
// collaborations, whichever worker they are on. What is to be tried again the server knows.
func ReadWaits(ctx context.Context, o *cli.Options, c client.Client, campaign string, sample []string) ([]WaitReason, error) {
	keys, err := infra.KeysFromEnv()
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	embedded := false
	if infra.TargetFromEnv(o.Temporal).HostPort == "" {
		written, err := os.ReadFile(filepath.Join(o.State, CampaignFolder(o, campaign), waitsFile))
		embedded = err == nil && json.Unmarshal(written, &count) == nil && count != nil
	}
	if count == nil {
		count = map[string]int{}
	}
	for _, id := range sample {
		d, err := c.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			continue // it has ended meanwhile
		}
		for _, p := range d.GetPendingActivities() {
			switch p.GetState() {
			case enumspb.PENDING_ACTIVITY_STATE_SCHEDULED:
				count[waitOf(p, keys)]++
			case enumspb.PENDING_ACTIVITY_STATE_STARTED:
				if !embedded { // else they are in the file
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

// waitOf returns what keeps an activity from being started.
func waitOf(p *workflowpb.PendingActivityInfo, keys infra.Keys) string {
	if p.GetAttempt() > 1 && time.Until(p.GetNextAttemptScheduleTime().AsTime()) > 0 {
		return calls.TriesAgain + cli.FirstLine(keys.FailureConverter().FailureToError(p.GetLastFailure()).Error())
	}
	if queue := p.GetActivityOptions().GetTaskQueue().GetName(); queue != "" && queue != task.Queue {
		return string(throttle.Requests) // it is the queue of a model with such a limit
	}
	return "workers"
}

// addStage adds what the turns of an activity wait for, as its heartbeat says; it has
// none if it has only just begun.
func addStage(count map[string]int, heartbeat *commonpb.Payloads, c converter.DataConverter) {
	var waits map[string]int
	if len(heartbeat.GetPayloads()) == 0 || c.FromPayloads(heartbeat, &waits) != nil {
		return
	}
	for what, n := range waits {
		count[what] += n
	}
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
