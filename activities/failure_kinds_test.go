package activities_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
	"roundtable/workflows/task"
)

// What ends a collaboration, what pauses the campaign, and what is tried again.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err     error
		kind    string // "" of what is tried again
		machine bool
	}{
		{errors.New("connection lost"), "", true},
		{fmt.Errorf("reading: %w", store.ErrCorrupt), task.ErrFail, false},
		{failure.Unusable{Err: errors.New("no number")}, task.ErrFail, false},
		{fs.ErrPermission, task.ErrPause, false},
		{failure.NeedsOperator{Err: errors.New("no key")}, task.ErrPause, false},
		{&model.Error{Class: model.Pause, Provider: "p", Code: "no_credit"}, task.ErrPause, false},
		{&model.Error{Class: model.Fail, Provider: "p", Code: "too_long"}, task.ErrFail, false},
		{crashed(), task.ErrFail, false}, // outside an activity there is no log
	} {
		err := failure.ForHistory(t.Context(), c.err, 1)
		app, ok := errors.AsType[*failure.Failure](err)
		if final := failure.Final(err) != nil; final != (c.kind == task.ErrFail) {
			t.Errorf("%v: final is %t", c.err, final)
		}
		if !ok || app.Final != (c.kind != "") || c.kind != "" && app.Type != c.kind || failure.IsOfMachine(err) != c.machine {
			t.Errorf("%v becomes %v", c.err, err)
		}
	}
	if held := failure.NewHeld("paused"); !failure.IsHeld(held) || failure.IsOfMachine(held) || failure.IsHeld(failure.AskAgain()) || failure.IsHeld(errors.New("held")) || failure.IsOfMachine(errors.New("io")) {
		t.Error("what is held back is not told from other errors")
	}
	if err := failure.ForHistory(t.Context(), nil, 1); err != nil {
		t.Error(err)
	}
	if err := failure.Final(fmt.Errorf("reading: %w", store.ErrCorrupt)); err == nil {
		t.Error("what is corrupt is tried again")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := failure.ForHistory(cancelled, errors.New("connection lost"), 1); !errors.Is(err, failure.ErrCancelled) {
		t.Errorf("an error after a cancel becomes %v", err)
	}
	long, _ := errors.AsType[*failure.Failure](failure.Fail(errors.New(strings.Repeat("x", 10_000))))
	if n := len(long.Message); n > 2100 {
		t.Errorf("a text of %d bytes gets into the history", n)
	}
}

func crashed() (err error) {
	defer failure.Recover(&err)
	panic("a bug")
}

// A program that could not be asked is asked later; one that gave no answer is a result.
func TestIsUnasked(t *testing.T) {
	t.Parallel()
	failed := program.Failed{Err: errors.New("not started")}
	for err, want := range map[error]bool{failed: true, failure.Unusable{Err: failed}: false, errors.Join(failed, store.ErrCorrupt): false, errors.New("another"): false} {
		if failure.IsUnasked(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}
