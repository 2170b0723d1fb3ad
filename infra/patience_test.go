package infra

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
)

// What a worker reports to a server of its own process, and what a client asks when it connects, outlives
// the SDK's patience, also where a process that was stopped goes on after it; all else keeps its own.
func TestCallPatiently(t *testing.T) {
	const service = "/temporal.api.workflowservice.v1.WorkflowService/"
	call := callPatiently(make(chan struct{}, 1))
	for method, least := range map[string]time.Duration{
		"RespondActivityTaskCompleted": reportPatience - time.Minute,
		"RespondWorkflowTaskCompleted": reportPatience - time.Minute,
		"DescribeNamespace":            connectPatience - 10*time.Second,
		"GetSystemInfo":                connectPatience - 10*time.Second,
		"StartWorkflowExecution":       -time.Minute,
		"QueryWorkflow":                -time.Minute,
	} {
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			deadline, _ := ctx.Deadline()
			if left := time.Until(deadline); left < least || least < 0 && left > 0 {
				t.Errorf("%s: %s are left, want %s", method, left, least)
			}
			return nil
		}
		for range 2 { // the first lets the second in
			if err := call(late, service+method, nil, nil, nil, invoke); err != nil {
				t.Fatal(err)
			}
		}
	}
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	if err := call(interrupted, service+"GetSystemInfo", nil, nil, nil, invoke); !errors.Is(err, context.Canceled) {
		t.Errorf("who was interrupted connects: %v", err)
	}
}
