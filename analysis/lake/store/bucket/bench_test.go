package bucket_test

import (
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
)

// together does n things, 64 at once.
func together(b *testing.B, n int, do func(i int) error) {
	b.Helper()
	var g errgroup.Group
	g.SetLimit(64)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	must(b, g.Wait())
}

func benchStore(b *testing.B, objects int) *bucket.S3 {
	b.Helper()
	s := openS3(b, storetest.S3Server(b), "bench", 0)
	putMany(b, s, objects)
	b.ResetTimer() // for those that do not loop by b.Loop
	return s
}

// BenchmarkS3Put stores objects of 4 kB: one operation is one object.
func BenchmarkS3Put(b *testing.B) {
	s, data := benchStore(b, 0), make([]byte, 4<<10)
	together(b, b.N, func(i int) error { return s.PutIfAbsent(ctx, many(i), data) })
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
}

func BenchmarkS3Get(b *testing.B) {
	s := benchStore(b, 1000)
	together(b, b.N, func(i int) error {
		_, err := s.Get(ctx, many(i%1000))
		return err
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "gets/s")
}

// BenchmarkS3List lists 10,000 objects: one operation is the whole list.
func BenchmarkS3List(b *testing.B) {
	s := benchStore(b, 10_000)
	for b.Loop() {
		objects, err := s.List(ctx, "")
		must(b, err)
		if len(objects) != 10_000 {
			b.Fatalf("%d objects", len(objects))
		}
	}
}

// BenchmarkS3Sync lists and reads 2,000 small objects, as a cold cache of a campaign does.
func BenchmarkS3Sync(b *testing.B) {
	s := benchStore(b, 2000)
	var read atomic.Int64
	for b.Loop() {
		objects, err := s.List(ctx, "")
		must(b, err)
		together(b, len(objects), func(i int) error {
			data, err := s.Get(ctx, objects[i].Key)
			read.Add(int64(len(data)))
			return err
		})
	}
	b.SetBytes(read.Load() / int64(b.N))
}
