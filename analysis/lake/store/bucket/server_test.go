package bucket_test

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
)

var ctx = context.Background()

func openS3(t testing.TB, endpoint, prefix string, stall time.Duration) *bucket.S3 {
	t.Helper()
	s, err := bucket.OpenStalling(context.Background(), storetest.At(endpoint, prefix), cmp.Or(stall, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stores opens empty stores of one server, each below a prefix of its own.
func stores(endpoint string, stall time.Duration) func(*testing.T) func() store.Store {
	var count atomic.Int64
	return func(t *testing.T) func() store.Store {
		prefix := fmt.Sprintf("test-%d/lake", count.Add(1))
		return func() store.Store { return openS3(t, endpoint, prefix, stall) }
	}
}
