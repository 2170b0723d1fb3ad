package calls_test

import (
	"context"
	"testing"

	"roundtable/activities/calls"
)

// A round says how far it is, and what its calls wait for.
func TestDescribeStage(t *testing.T) {
	t.Parallel()
	expect := func(s *calls.Stage, want string) {
		t.Helper()
		if text, _ := s.Describe(); text != want {
			t.Errorf("says %q, want %q", text, want)
		}
	}
	ctx, round := calls.WithStage(context.Background())
	expect(round, "")
	calls.Expect(ctx, 3)
	var parts []*calls.Stage
	for _, what := range []string{"answer", "calls at once (2)", "answer"} {
		_, part := calls.WithStage(ctx)
		part.Set(func() calls.Wait { return calls.Wait{For: what} })
		parts = append(parts, part)
	}
	expect(round, "0 of 3 calls answered; 2 waiting for answer; 1 waiting for calls at once (2)")
	parts[1].MarkAnswered()
	parts[1].Leave()
	parts[2].Set(nil)
	expect(round, "1 of 3 calls answered; 1 waiting for answer")
	parts[0].Leave() // it has failed
	expect(round, "1 of 3 calls answered")
	parts[2].Leave()
	calls.Expect(ctx, 2) // of the next phase
	expect(round, "0 of 2 calls answered")
}
