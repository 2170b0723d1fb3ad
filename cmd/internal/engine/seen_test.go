package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"roundtable/workflows"
)

// A scrape asks campaigns at the same time, and leaves out those that do not answer in
// time, also if they have answered before.
func TestSeenCampaigns(t *testing.T) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprint("c", i))
	}
	silent := map[string]bool{}
	s := &seenCampaigns{names: func() []string { return names }, known: map[string]seenCampaign{}, ask: func(ctx context.Context, name string) (workflows.Status, error) {
		wait := 50 * time.Millisecond
		if silent[name] {
			wait = time.Hour
		}
		select {
		case <-ctx.Done():
			return workflows.Status{}, ctx.Err()
		case <-time.After(wait):
			return workflows.Status{Cells: 2, Succeeded: 1}, nil
		}
	}}
	scrape := func(most time.Duration) (map[string]workflows.Status, error) {
		for name, c := range s.known { // as if the last scrape were long ago
			c.at = time.Time{}
			s.known[name] = c
		}
		ctx, end := context.WithTimeout(t.Context(), most)
		defer end()
		all := s.allStatuses(ctx)
		return all, ctx.Err()
	}
	if all, err := scrape(400 * time.Millisecond); err != nil || len(all) != len(names) { // one after the other they take 600 ms
		t.Errorf("%d campaigns of %d: %v", len(all), len(names), err)
	}
	silent["c3"] = true
	all, err := scrape(300 * time.Millisecond)
	if _, shown := all["c3"]; shown || len(all) != len(names)-1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d campaigns of %d, the silent one shown: %v, %v", len(all), len(names), shown, err)
	}
	if again := s.allStatuses(t.Context()); len(again) != len(names)-1 { // within five seconds nobody is asked
		t.Errorf("%d campaigns", len(again))
	}
	if late, _ := scrape(0); len(late) != 0 {
		t.Errorf("%d campaigns of a scrape without time", len(late))
	}
}
