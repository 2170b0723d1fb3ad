package infra_test

import (
	"math"
	"runtime/debug"
	"testing"

	"roundtable/infra"
)

// What follows in the same program has the collector as it was found, and a second start
// is tuned like the first.
func TestTuneGC(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	for range 2 {
		restore := infra.TuneGC(1 << 30)
		if limit := debug.SetMemoryLimit(-1); limit < 1<<30 || limit == math.MaxInt64 {
			t.Errorf("the limit is %d", limit)
		}
		restore()
		if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
			t.Errorf("a limit of %d stays", limit)
		}
		if percent := debug.SetGCPercent(100); percent != 100 {
			t.Errorf("GOGC stays %d", percent)
		}
	}
}
