package failure_test

import (
	"errors"
	"testing"
	"time"

	"roundtable/activities/failure"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	for attempt, ceiling := range map[int32]time.Duration{
		0: 500 * time.Millisecond, 1: 500 * time.Millisecond, 2: time.Second, 4: 4 * time.Second,
		6: 16 * time.Second, 7: 30 * time.Second, 100: 30 * time.Second, 1 << 30: 30 * time.Second,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 500 {
			d, _ := failure.NextTry(failure.ForHistory(t.Context(), errors.New("lost"), attempt))
			least, most = min(least, d), max(most, d)
		}
		if least < 50*time.Millisecond || most > 50*time.Millisecond+ceiling {
			t.Errorf("attempt %d: pauses from %v to %v; the ceiling is %v", attempt, least, most, ceiling)
		}
		if most < ceiling/2 || least > ceiling/2 { // each of them once in 2^500
			t.Errorf("attempt %d: pauses from %v to %v have no jitter", attempt, least, most)
		}
	}
}
