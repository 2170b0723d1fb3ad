package infra

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
)

const workflowService = "/temporal.api.workflowservice.v1.WorkflowService/"

// What changes something in a server of its own process outlives the SDK's patience, also where a process
// that was stopped goes on after it; what asks keeps its own.
func TestCallPatiently(t *testing.T) {
	call := callPatiently(make(chan struct{}, 1))
	for method, atLeast := range map[string]time.Duration{
		"RespondActivityTaskCompleted":     ownServerPatience - time.Minute,
		"RespondWorkflowTaskCompleted":     ownServerPatience - time.Minute,
		"StartWorkflowExecution":           ownServerPatience - time.Minute,
		"SignalWithStartWorkflowExecution": ownServerPatience - time.Minute,
		"DescribeNamespace":                ownServerPatience - time.Minute,
		"GetSystemInfo":                    ownServerPatience - time.Minute,
		"QueryWorkflow":                    -time.Minute,
	} {
		late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			deadline, _ := ctx.Deadline()
			if left := time.Until(deadline); left < atLeast || atLeast < 0 && left > 0 {
				t.Errorf("%s: %s are left, want %s", method, left, atLeast)
			}
			return nil
		}
		for range 2 { // the first lets the second in
			if err := call(late, workflowService+method, nil, nil, nil, invoke); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Who is interrupted does not wait for a start; what was done is reported all the same.
func TestCallPatientlyEnds(t *testing.T) {
	call := callPatiently(make(chan struct{}, 1))
	for method, want := range map[string]error{
		"StartWorkflowExecution": context.Canceled, "RespondActivityTaskCompleted": nil,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		invoke := func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			cancel()
			if want != nil {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		if err := call(ctx, workflowService+method, nil, nil, nil, invoke); !errors.Is(err, want) {
			t.Errorf("%s ends with %v, want %v", method, err, want)
		}
	}
}
