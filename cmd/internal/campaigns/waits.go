package campaigns

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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
	"roundtable/infra"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// beginWaits begins to read what the turns of a running campaign wait for. The function
// that it returns waits for the answer: the program of an embedded server gives it, and
// on a cluster the heartbeats of some running collaborations, whichever worker they are
// on. What is to be tried again the server knows; it is asked at once where the program
// has written which collaborations are running, and else when they are given.
func beginWaits(ctx context.Context, o *cli.Options, c client.Client,
	campaign string) func(running []string) (calls.Waits, error) {
	written := readProgress(o, campaign)
	var status workflows.Status
	if written == nil || json.Unmarshal(written.Status, &status) != nil {
		return func(running []string) (calls.Waits, error) { return readWaits(ctx, c, written, running) }
	}
	var all calls.Waits
	var err error
	var reading sync.WaitGroup
	reading.Go(func() { all, err = readWaits(ctx, c, written, status.Sample) })
	return func([]string) (calls.Waits, error) {
		reading.Wait()
		return all, err
	}
}

func readWaits(ctx context.Context, c client.Client, written *Progress, sample []string) (calls.Waits, error) {
	keys, err := codec.KeysFromEnv()
	if err != nil {
		return nil, err
	}
	var all calls.Waits
	if written != nil {
		all = slices.Clone(written.Waits)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerSoon) // for what is to be tried again only
		defer cancel()
	}
	for _, d := range describeAll(ctx, c, sample) {
		for _, p := range d.GetPendingActivities() {
			switch p.GetState() {
			case enumspb.PENDING_ACTIVITY_STATE_SCHEDULED:
				if w := waitOf(p, keys); written == nil || w.Until.IsZero() { // else it is in the file
					all = all.Add(w)
				}
			case enumspb.PENDING_ACTIVITY_STATE_STARTED:
				if written == nil { // else they are in the file
					all = addStage(all, p.GetHeartbeatDetails(), keys.DataConverter())
				}
			}
		}
	}
	return SortWaits(all), nil
}

// describeAll describes workflows at once, since a busy server takes its time for each.
// One that has ended meanwhile, or is not described in time, has nothing pending.
func describeAll(ctx context.Context, c client.Client,
	ids []string) []*workflowservice.DescribeWorkflowExecutionResponse {
	all := make([]*workflowservice.DescribeWorkflowExecutionResponse, len(ids))
	var describing sync.WaitGroup
	for i, id := range ids {
		describing.Go(func() { all[i], _ = c.DescribeWorkflowExecution(ctx, id, "") })
	}
	describing.Wait()
	return all
}

// SortWaits sorts all in place, waits of most turns first, and returns it.
func SortWaits(all calls.Waits) calls.Waits {
	slices.SortFunc(all, func(a, b calls.Wait) int {
		return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.For, b.For), cmp.Compare(a.Ends, b.Ends))
	})
	return all
}

// waitOf returns what keeps an activity from being started.
func waitOf(p *workflowpb.PendingActivityInfo, keys codec.Keys) calls.Wait {
	if next := p.GetNextAttemptScheduleTime().AsTime(); p.GetAttempt() > 1 && time.Until(next) > 0 {
		w := calls.Wait{For: calls.TriesAgain +
			cli.OneLine(keys.FailureConverter().FailureToError(p.GetLastFailure()).Error()), Turns: 1,
			Until: next.Truncate(time.Second), Ends: calls.ResumeTries}
		if failed := p.GetLastAttemptCompleteTime(); failed != nil {
			w.Since = failed.AsTime().Truncate(time.Second)
		}
		return w
	}
	if queue := p.GetActivityOptions().GetTaskQueue().GetName(); task.IsModelQueue(queue) {
		return calls.Wait{For: string(throttle.Requests), Turns: 1, Ends: "the minute's limit frees it"}
	}
	return calls.Wait{For: "workers", Turns: 1, Ends: "a worker takes it"}
}

// addStage adds what the turns of an activity wait for, as its heartbeat says; it has
// none if it has only just begun.
func addStage(all calls.Waits, heartbeat *commonpb.Payloads, c converter.DataConverter) calls.Waits {
	var text string
	var waits calls.Waits
	if len(heartbeat.GetPayloads()) == 0 || c.FromPayloads(heartbeat, &text, &waits) != nil {
		return all
	}
	for _, w := range waits {
		all = all.Add(w)
	}
	return all
}

// DescribeWaits returns a sentence that says what the turns of a campaign wait for.
func DescribeWaits(all calls.Waits) string {
	if len(all) == 0 {
		return "not throttled"
	}
	isClosed := func(w calls.Wait) bool { return !w.Until.IsZero() }
	if all[0].For == calls.WaitsAnswer && !slices.ContainsFunc(all, isClosed) {
		return "not throttled; waiting for the model"
	}
	var parts []string
	for _, w := range all {
		parts = append(parts, w.DescribeTurns())
	}
	return strings.Join(parts, "; ")
}

// ProgressFile is the file in which a program with an embedded server writes the Progress of its workflow
// every second.
const ProgressFile = "progress.json"

// A workflow that does not answer in this time is as its program has last heard, unless
// that is too long ago; idle, it takes 5 ms.
const (
	answerSoon = 150 * time.Millisecond
	recent     = 15 * time.Second
)

// Progress is the state of a workflow as its program last wrote it to ProgressFile.
type Progress struct {
	Waits  calls.Waits     `json:"waits"` // what turns wait for
	Status json.RawMessage `json:"status,omitempty"`
	At     time.Time       `json:"at"` // of the status
}

// readProgress returns what the program of a campaign's embedded server says; nil if
// there is none.
func readProgress(o *cli.Options, campaign string) *Progress {
	if infra.TargetFromEnv(o.Temporal).HostPort != "" {
		return nil
	}
	var p *Progress
	text, err := os.ReadFile(filepath.Join(o.State, o.CampaignFolder(campaign), ProgressFile))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return nil
	}
	return p
}

// AskStatus returns the status of the workflow id of a campaign, and at, when it was read. If a busy worker
// does not answer soon, it is the status that the worker's program last wrote to ProgressFile.
func AskStatus[S any](ctx context.Context, o *cli.Options, c client.Client, campaign, id string) (status S,
	at time.Time, err error) {
	soon, cancel := context.WithTimeout(ctx, answerSoon)
	defer cancel()
	if status, err = QueryStatus[S](soon, c, id); err == nil || soon.Err() == nil && !IsLate(err) {
		return status, time.Now(), err
	}
	if p := readProgress(o, campaign); p != nil && time.Since(p.At) < recent &&
		json.Unmarshal(p.Status, &status) == nil {
		return status, p.At, nil
	}
	status, err = QueryStatus[S](ctx, c, id)
	return status, time.Now(), err
}
