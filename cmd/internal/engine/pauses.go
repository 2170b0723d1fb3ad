package engine

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/money"
	"roundtable/workflows/task"
)

// signPauses adds to the reason of a pause which worker it comes from: of several only one may
// lack a key or a data set. Reasons are in the lake, so it is a random name, which the worker's
// log and its identity at the server have too.
type signPauses struct {
	interceptor.WorkerInterceptorBase
	name string
}

func (s *signPauses) InterceptActivity(_ context.Context,
	next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &signedPauses{interceptor.ActivityInboundInterceptorBase{Next: next}, s.name}
}

type signedPauses struct {
	interceptor.ActivityInboundInterceptorBase
	name string
}

func (s *signedPauses) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := s.Next.ExecuteActivity(ctx, in)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != task.ErrPause || money.IsSpent(app.Message()) { // a used up budget is the campaign's
		return out, err
	}
	return out, temporal.NewApplicationErrorWithOptions(fmt.Sprintf("%s (worker %s)", app.Message(), s.name),
		task.ErrPause,
		temporal.ApplicationErrorOptions{NonRetryable: true, Category: app.Category()})
}
