package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/api/serviceerror"

	"roundtable/cmd/internal/campaigns"
)

// An engine that answers late is waited for, in words; other errors end it.
func TestLateEngineIsWaitedFor(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, last := range []error{nil, broken} {
		answers := []error{fmt.Errorf("start: %w", context.DeadlineExceeded), serviceerror.NewDeadlineExceeded("late"), last}
		var said bytes.Buffer
		err := campaigns.RetryWhileLate(t.Context(), &said, "start of the campaign", func() error {
			next := answers[0]
			answers = answers[1:]
			return next
		})
		if !errors.Is(err, last) || len(answers) != 0 {
			t.Errorf("%v, %d answers are left", err, len(answers))
		}
		if n := strings.Count(said.String(), "the engine has not answered for 0s (start of the campaign); "); n != 2 {
			t.Errorf("said:\n%s", &said)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := campaigns.RetryWhileLate(ended, &bytes.Buffer{}, "x", func() error { return context.DeadlineExceeded }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := campaigns.NameLate("start of the worker", context.DeadlineExceeded); !strings.Contains(err.Error(), "(start of the worker)") || campaigns.NameLate("x", broken).Error() != broken.Error() {
		t.Error(err)
	}
}
