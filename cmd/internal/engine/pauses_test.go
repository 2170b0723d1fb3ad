package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities"
	"roundtable/activities/money"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/task"
)

type failing struct {
	interceptor.ActivityInboundInterceptorBase
	err error
}

func (f *failing) ExecuteActivity(context.Context, *interceptor.ExecuteActivityInput) (any, error) {
	return 5, f.err
}

// A pause says which of several workers it comes from, unless it is the campaign's; other errors stay.
func TestPausesAreSigned(t *testing.T) {
	app := func(text, kind string) error {
		return temporal.NewApplicationErrorWithOptions(text, kind, temporal.ApplicationErrorOptions{})
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""}, {errors.New("lost"), "lost"}, {app("no key", task.ErrPause), "no key (worker w)"}, {app("no key", "other"), "no key"},
		{app(money.ErrSpent.Error()+" of $1", task.ErrPause), money.ErrSpent.Error() + " of $1"},
	} {
		signing := (&signPauses{name: "w"}).InterceptActivity(t.Context(), &failing{err: c.err})
		out, err := signing.ExecuteActivity(t.Context(), nil)
		said := ""
		if err != nil {
			said, _, _ = strings.Cut(err.Error(), " (type:")
		}
		if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
			if said = app.Message(); !strings.HasPrefix(c.err.Error(), said+" (type:") && !app.NonRetryable() {
				t.Errorf("a pause of %v is tried again", c.err)
			}
		}
		if out != 5 || said != c.want {
			t.Errorf("%v becomes %q with %v, want %q", c.err, said, out, c.want)
		}
	}
}

// silent is a store that does not answer.
type silent struct{ store.Store }

func (silent) Get(ctx context.Context, _ string) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() }

// A request to the lake that waits for long is why nothing advances, whatever else moves.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Engine{lake: store.Watch(silent{storetest.NewMemory(nil)}), Activities: activities.New(activities.Config{})}
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		ended := make(chan struct{})
		go func() { defer close(ended); _, _ = e.lake.Get(ctx, "k") }()
		for _, still := range []time.Duration{0, time.Hour} {
			if got := e.DescribeStall(still); got != "" {
				t.Errorf("at once: %s", got)
			}
		}
		time.Sleep(2 * stallAfter)
		for _, still := range []time.Duration{0, time.Hour} {
			if got := e.DescribeStall(still); !strings.HasPrefix(got, "waiting for the lake for 8s: ") {
				t.Errorf("still for %v: %q", still, got)
			}
		}
		<-ended
	})
}
