package infra

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
)

// What a worker reports to a server of its own process outlives the SDK's patience;
// what asks keeps its own.
func TestReportPatiently(t *testing.T) {
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	report := reportPatiently(make(chan struct{}, 1))
	for method, atLeast := range map[string]time.Duration{
		"/temporal.api.workflowservice.v1.WorkflowService/RespondActivityTaskCompleted": reportPatience - time.Minute,
		"/temporal.api.workflowservice.v1.WorkflowService/RespondWorkflowTaskCompleted": reportPatience - time.Minute,
		"/temporal.api.workflowservice.v1.WorkflowService/QueryWorkflow":                0,
	} {
		invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			deadline, _ := ctx.Deadline()
			if left := time.Until(deadline); left < atLeast || atLeast == 0 && left > time.Second {
				t.Errorf("%s: %s are left, want %s", method, left, atLeast)
			}
			return nil
		}
		for range 2 { // the first lets the second in
			if err := report(short, method, nil, nil, nil, invoke); err != nil {
				t.Fatal(err)
			}
		}
	}
}
