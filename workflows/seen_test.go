package workflows_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"

	"roundtable/activities/model"
	"roundtable/infra"
	"roundtable/workflows"
)

// dialAsTool connects as Temporal's command line does, by the file in the server's folder.
func dialAsTool(t *testing.T) client.Client {
	t.Helper()
	dir, err := stateFolder()
	if err != nil {
		t.Fatal(err)
	}
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{ConfigFilePath: filepath.Join(dir, infra.ClientFile), ConfigFileStrict: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.DialContext(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// search lists workflows by a query; the server knows of a change a moment later.
func search(t *testing.T, c client.Client, query string) []*workflowpb.WorkflowExecutionInfo {
	t.Helper()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return list.GetExecutions()
}

// Temporal's own tools list the collaborations of a campaign that runs by its name and
// by condition, and show what each has done.
func TestToolsSeeCampaign(t *testing.T) {
	answers := make(chan struct{})
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			select {
			case <-answers:
			case <-ctx.Done():
			}
			return m.Complete(ctx, r)
		})
	})
	run := e.start(e.plan(campaign("seen", "majority, plurality", 2, 3, 2)), func(in *workflows.CampaignInput) { in.Heartbeat, in.Searchable = 10*time.Minute, true })
	tool := dialAsTool(t)
	const majority = `RoundtableCampaign = "seen" AND RoundtableCondition STARTS_WITH "majority"`
	e.until("both collaborations of the condition are listed", func() bool {
		return len(search(t, tool, majority+` AND ExecutionStatus = "Running"`)) == 2
	})
	for _, w := range search(t, tool, majority) {
		if id := w.GetExecution().GetWorkflowId(); !strings.HasPrefix(id, "campaign/seen/majority-") {
			t.Errorf("%s is listed", id)
		}
	}

	close(answers)
	if got := e.wait(run); got.Succeeded != 4 {
		t.Fatalf("%+v", got)
	}
	e.until("how they ended is known", func() bool {
		return len(search(t, tool, majority+` AND RoundtableReplicate = 1 AND RoundtableStatus = "succeeded"`)) == 1
	})
	ended := search(t, tool, majority+` AND RoundtableReplicate = 1`)[0].GetExecution()
	about, err := tool.DescribeWorkflowExecution(t.Context(), ended.GetWorkflowId(), ended.GetRunId())
	if err != nil {
		t.Fatal(err)
	}
	var title string
	if err := converter.GetDefaultDataConverter().FromPayload(about.GetExecutionConfig().GetUserMetadata().GetSummary(), &title); err != nil || !strings.HasSuffix(title, ", instance 0, replicate 1") {
		t.Errorf("it is called %q: %v", title, err)
	}
	activities := 0
	history := tool.GetWorkflowHistory(t.Context(), ended.GetWorkflowId(), ended.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		if what := event.GetActivityTaskScheduledEventAttributes(); what != nil {
			activities++
			var summary string
			if err := converter.GetDefaultDataConverter().FromPayload(event.GetUserMetadata().GetSummary(), &summary); err != nil || summary == "" {
				t.Errorf("%s has the summary %q: %v", what.GetActivityType().GetName(), summary, err)
			}
		}
	}
	if activities == 0 {
		t.Error("its history has no activity")
	}
}

// limited is a service that has no room for calls until it is mended.
func limited(mended *atomic.Bool) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if mended.Load() {
				return m.Complete(ctx, r)
			}
			return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 429, Code: "rate_limit_exceeded",
				Message: "Rate limit reached for requests", RetryAfter: 100 * time.Millisecond, Unbilled: true}
		})
	}
}

// Temporal's own tools show which attempt a round is at, and why the last one failed, in
// the service's words.
func TestToolsSeeFailedAttempts(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	e := newEngine(t, true, limited(&mended))
	run := e.start(e.plan(campaign("seen-429", "majority", 1, 3, 2)), func(in *workflows.CampaignInput) { in.Searchable = true })
	tool := dialAsTool(t)
	const running = `RoundtableCampaign = "seen-429" AND WorkflowType = "Collaboration" AND ExecutionStatus = "Running"`
	e.until("the collaboration is listed", func() bool { return len(search(t, tool, running)) == 1 })
	id := search(t, tool, running)[0].GetExecution().GetWorkflowId()
	e.until("a fourth attempt after a 429", func() bool {
		about, err := tool.DescribeWorkflowExecution(t.Context(), id, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range about.GetPendingActivities() {
			if a.GetAttempt() >= 4 && strings.Contains(a.GetLastFailure().String(), "status 429 rate_limit_exceeded: Rate limit reached for requests") {
				return true
			}
		}
		return false
	})
	mended.Store(true)
	if got := e.wait(run); got.Succeeded != 1 {
		t.Errorf("%+v", got)
	}
}
