package runs

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// What is restored is the halt that reached no workflow, also for who was interrupted.
func TestRestoreHalt(t *testing.T) {
	at := time.Now().UTC()
	halt := campaign.Halt{Reason: task.Cancelled, At: at, Holds: true, ByHand: true}
	lunch := campaign.Halt{Reason: "lunch", At: at.Add(-time.Hour)}
	since := campaign.Halt{Reason: "paused by hand", At: at.Add(time.Second), Holds: true, ByHand: true}
	for name, c := range map[string]struct {
		known        campaign.Halt
		before, want *campaign.Halt
	}{
		"none before":   {known: halt},
		"one before":    {known: halt, before: &lunch, want: &lunch},
		"one was since": {known: since, before: &lunch, want: &since},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewMemory(map[string]string{})
			if err := campaign.WriteHalt(t.Context(), s, "n", c.known); err != nil {
				t.Fatal(err)
			}
			ctx, interrupt := context.WithCancel(t.Context())
			interrupt()
			err := restoreHalt(ctx, s, "n", halt, c.before)
			got, read := campaign.ReadHalt(t.Context(), s, "n")
			if err != nil || read != nil || (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("got %+v, want %+v (%v, %v)", got, c.want, err, read)
			}
		})
	}
}

// runningClient is of an engine that runs a campaign with a status.
type runningClient struct {
	client.Client
	status   workflows.Status
	signaled map[string]bool
}

func (c runningClient) QueryWorkflow(context.Context, string, string, string, ...any) (converter.EncodedValue, error) {
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(c.status)
	return client.NewValue(payloads), err
}

func (c runningClient) SignalWorkflow(_ context.Context, _, _, signal string, _ any) error {
	c.signaled[signal] = true
	return nil
}

func (runningClient) GetWorkflow(context.Context, string, string) client.WorkflowRun { return nil }

// Who joins a campaign lifts a halt unless the workflow has heard of a cancel, or if it extends it, and
// resumes it unless somebody has paused it since.
func TestAttachLiftsHalt(t *testing.T) {
	for _, c := range []struct{ cancelled, again, held, lifted bool }{
		{false, false, false, true}, {true, false, false, false}, {true, true, false, true}, {false, true, false, true},
		{false, false, true, true}, {false, true, true, true},
	} {
		lifted := false
		at := runningClient{status: workflows.Status{Cancelled: c.cancelled}, signaled: map[string]bool{}}
		_, err := attach(t.Context(), at, "id", workflows.CampaignInput{}, c.again, func() (bool, error) {
			lifted = true
			return c.held, nil
		})
		if err != nil || lifted != c.lifted || at.signaled[workflows.SignalResume] == c.held || !at.signaled[workflows.SignalTune] {
			t.Errorf("%+v: lifted %v, signals %v, %v", c, lifted, at.signaled, err)
		}
	}
}
