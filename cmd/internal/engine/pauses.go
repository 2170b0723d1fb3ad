package engine

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/money"
	"roundtable/workflows/task"
)

// signPauses adds to the reason of a pause which process it comes from: of several
// workers only one may lack a key or a data set.
type signPauses struct {
	interceptor.WorkerInterceptorBase
}

func (*signPauses) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &signedPauses{interceptor.ActivityInboundInterceptorBase{Next: next}}
}

type signedPauses struct {
	interceptor.ActivityInboundInterceptorBase
}

func (s *signedPauses) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := s.Next.ExecuteActivity(ctx, in)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != task.ErrPause || money.IsSpent(app.Message()) { // a used up budget is the campaign's
		return out, err
	}
	host, _ := os.Hostname()
	return out, temporal.NewApplicationErrorWithOptions(fmt.Sprintf("%s (process %d on %s)", app.Message(), os.Getpid(), host), task.ErrPause,
		temporal.ApplicationErrorOptions{NonRetryable: true, Category: app.Category()})
}
