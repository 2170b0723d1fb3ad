package lake_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// counted counts lists, and has no other abilities.
type counted struct {
	store.Store
	lists []string
}

func (c *counted) List(ctx context.Context, prefix string) ([]store.Object, error) {
	c.lists = append(c.lists, prefix)
	return c.Store.List(ctx, prefix)
}

// Who looks at the commits of a campaign twice lists them once, and sees new ones a second later.
func TestRecent(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	must(t, err)
	defer s.Close()
	must(t, laketest.Play(ctx, s, fmt.Sprintf(removed, "listed"), 0))
	c := &counted{Store: s}
	read := lake.Recent(c, "listed")
	ended, err := lake.Ended(ctx, read, "listed")
	must(t, err)
	d, err := lake.ReadDataset(ctx, read, "listed")
	must(t, err)
	times := 0
	for _, prefix := range c.lists {
		if prefix == "raw/_commits/campaign=listed/" {
			times++
		}
	}
	if times != 1 || len(ended) != len(d.Members) || len(ended) == 0 {
		t.Errorf("listed %d times: %d and %d collaborations", times, len(ended), len(d.Members))
	}
	must(t, laketest.Play(ctx, s, strings.Replace(fmt.Sprintf(removed, "listed"), "replicates: 2", "replicates: 3", 1), 0))
	time.Sleep(1100 * time.Millisecond)
	if ended, err = lake.Ended(ctx, read, "listed"); err != nil || len(ended) != len(d.Members)+2 {
		t.Errorf("later there are %d: %v", len(ended), err)
	}
}
