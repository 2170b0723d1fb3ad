package infra_test

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"roundtable/infra"
)

// The limit of memory follows what a program comes to need, and ends with what it was for:
// one that stays below what lives keeps the collector at work for good.
func TestTuneGC(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	const least, needed = 1 << 20, 256 << 20
	for range 2 { // a program may start a second engine
		end := infra.TuneGC(least)
		if percent := debug.SetGCPercent(400); percent != 400 {
			t.Errorf("while it works, GOGC is %d", percent)
		}
		held := make([]byte, needed)
		for began := time.Now(); debug.SetMemoryLimit(-1) < needed; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("the limit stays %d", debug.SetMemoryLimit(-1))
			}
		}
		runtime.KeepAlive(held)
		end()
		if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
			t.Errorf("a limit of %d stays", limit)
		}
		if percent := debug.SetGCPercent(100); percent != 50 {
			t.Errorf("GOGC is %d", percent)
		}
	}
}

// More of Go's processors than the machine has hide waits for the disk, unless the user has said how many.
func TestTuneProcessors(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(was)
	for _, x := range []struct {
		given     string
		has, want int
	}{{"", 2, 4}, {"", 20, 28}, {"", 8, 16}, {"2", 2, 2}} {
		t.Setenv("GOMAXPROCS", x.given)
		runtime.GOMAXPROCS(x.has)
		if infra.TuneProcessors(); runtime.GOMAXPROCS(0) != x.want {
			t.Errorf("of %d (GOMAXPROCS %q) it makes %d, want %d", x.has, x.given, runtime.GOMAXPROCS(0), x.want)
		}
	}
}
