package infra

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"go.temporal.io/sdk/worker"
)

// A server of this process answers late, after a burst of work, but it cannot be
// gone: what a worker reports to it is waited for this long. The SDK gives up after
// 10 s, and an activity whose result was given up is not tried again before it has
// been silent for too long.
const reportPatience = 5 * time.Minute

// reportsAtOnce bounds the reports under way: they are written one after the other,
// and those that wait here do not grow old in the server.
const reportsAtOnce = 64

// patientOptions are those of a client of our own server.
func patientOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(reportPatiently(make(chan struct{}, reportsAtOnce))),
		// Pings tell that another machine is gone. Here they would tell that both are busy.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Hour, Timeout: reportPatience}),
	}
}

// reportPatiently gives what a worker reports more time than its context does.
func reportPatiently(underWay chan struct{}) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		options ...grpc.CallOption) error {
		if !strings.Contains(method, "/Respond") {
			return invoke(ctx, method, request, reply, cc, options...)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportPatience)
		defer cancel()
		underWay <- struct{}{}
		defer func() { <-underWay }()
		return invoke(ctx, method, request, reply, cc, options...)
	}
}

// WaitForOwnServer changes the settings of a worker whose server is in its process.
func WaitForOwnServer(o *worker.Options) {
	// A task that waits for its turn has not begun; one that has begun and is late is
	// given to another, which plays the whole history again.
	o.MaxConcurrentWorkflowTaskExecutionSize = reportsAtOnce
	o.StickyScheduleToStartTimeout = stickyPatience
}

// stickyPatience is how long a workflow's task waits for the worker that has it in
// memory. Longer than the SDK's 5 s, since a task that is given up is played again from
// its history by the same busy worker; but what a process leaves behind when it is killed
// waits this long for one that is gone, before the next takes it.
const stickyPatience = 30 * time.Second
