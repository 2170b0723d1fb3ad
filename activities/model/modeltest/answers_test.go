package modeltest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"roundtable/activities/model"
)

// flawed answers every question in one way, whatever the server says.
type flawed struct {
	text string
	err  error
}

func (f flawed) Complete(context.Context, model.Request) (model.Response, error) {
	return model.Response{Text: []byte(f.text)}, f.err
}

// fails reports whether a check finds an error in a provider.
func fails(t *testing.T, check func(suite, testing.TB), m model.Model) bool {
	r, done := &flawRecorder{TB: t}, make(chan struct{})
	s := suite{build: func(testing.TB, string, Case) model.Model { return m }, before: `{"text":"`, after: `"}`}
	go func() { defer close(done); check(s, r) }()
	<-done
	return r.failed
}

// flawRecorder is a test that may fail.
type flawRecorder struct {
	testing.TB
	failed bool
}

func (r *flawRecorder) Helper()               {}
func (r *flawRecorder) Errorf(string, ...any) { r.failed = true }
func (r *flawRecorder) Fatalf(string, ...any) { r.failed = true; runtime.Goexit() }

func TestChecksFindFlaws(t *testing.T) {
	for name, c := range map[string]struct {
		check func(suite, testing.TB)
		model flawed
	}{
		"status taken for an answer": {suite.checkStatuses, flawed{text: "hello"}},
		"error without a class":      {suite.checkStatuses, flawed{err: errors.New("no")}},
		"everything is retried":      {suite.checkStatuses, flawed{err: &model.Error{Class: model.Retry, Unbilled: true}}},
		"empty body is an answer":    {suite.checkUseless, flawed{}},
		"useless answer is unbilled": {suite.checkUseless, flawed{err: &model.Error{Class: model.Retry, Unbilled: true}}},
		"key in the error":           {suite.checkUseless, flawed{err: &model.Error{Class: model.Retry, Message: Canary}}},
		"error of megabytes":         {suite.checkUseless, flawed{err: &model.Error{Class: model.Retry, Message: strings.Repeat("x", 1<<20)}}},
		"usage that is not read":     {func(s suite, t testing.TB) { s.checkUsage(t, model.Usage{Input: 12, Output: 3}) }, flawed{text: Text}},
		"bytes replaced":             {suite.checkBytes, flawed{text: "a\uFFFD\uFFFDb"}},
	} {
		if !fails(t, c.check, c.model) {
			t.Errorf("the suite passes a flawed provider: %s", name)
		}
	}
	if fails(t, suite.checkBytes, flawed{text: "a\xff\xfeb"}) || fails(t, suite.checkUseless, flawed{err: &model.Error{Class: model.Retry}}) {
		t.Error("the suite finds an error in a provider without one")
	}
}
