package simulation

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"testing/synctest"
)

var (
	seeds  = flag.Int("seeds", 15, "how many seeds are run")
	from   = flag.Uint64("from", 1, "the first seed; with 1, what testdata keeps is played, too")
	show   = flag.String("show", "", "a seed, or a file of testdata, whose run is written to standard output")
	shrink = flag.Bool("shrink", true, "shrink the first seed that fails, and keep it in testdata")
)

// Campaigns under all faults at once keep every invariant. All runs share a bubble:
// what the Parquet library keeps for the next use belongs to the first.
func TestSimulation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what comes at once comes in one order
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	synctest.Test(t, func(t *testing.T) {
		runner := NewRunner()
		if *show != "" {
			debug.SetGCPercent(-1)
			o, err := runner.Run(named(t, *show), os.Stdout)
			t.Logf("%+v %v", o, err)
			return
		}
		if *from == 1 {
			testKept(t, runner)
		}
		if testing.Short() { // with the race detector, whose scheduler is random
			*seeds = min(*seeds, 20)
		}
		played := testSeeds(t, runner)
		testRivals(t, runner)
		if *from == 1 && !testing.Short() && !t.Failed() {
			testSameRun(t, runner, played)
		}
	})
}

// testSeeds returns what came of the first seeds.
func testSeeds(t *testing.T, runner *Runner) (first []Outcome) {
	var calls, awaits, kills int
	broken := false // by a seed: what a kept scenario finds does not end the search for the first one
	for seed := *from; seed < *from+uint64(*seeds) && !broken; seed++ {
		s := Draw(seed)
		var log bytes.Buffer
		o := runLogged(t, runner, s, &log)
		if len(first) < 30 {
			first = append(first, o)
		}
		calls, awaits, kills = calls+o.Calls, awaits+o.Awaits, kills+len(s.Kills)
		if broken = len(o.Broken) > 0; broken {
			file := filepath.Join(os.TempDir(), fmt.Sprintf("seed-%d.txt", seed)) // it may not come again in all its events
			t.Errorf("seed %d: %q\n%s\nits events are in %s (%v)", seed, o.Broken, asJSON(t, s), file, os.WriteFile(file, log.Bytes(), 0o666))
			keep(t, runner, s, o)
		}
	}
	t.Logf("%d seeds: %d calls, %d awaits, %d kills", *seeds, calls, awaits, kills)
	return first
}

// What failed once is kept, as small as it could be made.
func testKept(t *testing.T, runner *Runner) {
	kept, err := filepath.Glob("testdata/*.json")
	if err != nil || len(kept) == 0 {
		t.Fatal(kept, err)
	}
	for _, file := range kept {
		if o := exactly(t, runner, named(t, file)); len(o.Broken) > 0 {
			t.Errorf("%s: %q", file, o.Broken)
		}
	}
}

// The same seed gives the same run, event by event and instant by instant. Now and then two
// goroutines that are ready at the same instant want the same thing, and the scheduler gives it to
// the other one because it took the processor from the first, all the more often on a busy machine:
// of a few runs two must be the same. Too many are in campaigns with batches, which are left out.
func testSameRun(t *testing.T, runner *Runner, played []Outcome) {
	again := 0
	for i, first := range played {
		s := Draw(uint64(i + 1))
		if s.Batched {
			continue
		}
		seen, next := map[uint64]bool{first.Trace: true}, exactly(t, runner, s)
		for ; !seen[next.Trace] && again < 10; again++ {
			seen[next.Trace] = true
			next = exactly(t, runner, s)
		}
		if !seen[next.Trace] {
			t.Errorf("seed %d: %+v, and then %+v", s.Seed, first, next)
		}
	}
	t.Logf("%d seeds were played twice, and %d times again", len(played), again)
}

// named returns the scenario of a seed or a file.
func named(t *testing.T, name string) (s Scenario) {
	t.Helper()
	if seed, err := strconv.ParseUint(name, 10, 64); err == nil {
		return Draw(seed)
	}
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(name, err)
	}
	return s
}

// exactly runs a scenario without the collector, which would now and then decide who of two goes first.
func exactly(t *testing.T, r *Runner, s Scenario) Outcome {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return run(t, r, s)
}

func run(t *testing.T, r *Runner, s Scenario) Outcome {
	t.Helper()
	return runLogged(t, r, s, nil)
}

func runLogged(t *testing.T, r *Runner, s Scenario, log io.Writer) Outcome {
	t.Helper()
	o, err := r.Run(s, log)
	if err != nil {
		t.Fatalf("%s: %v", asJSON(t, s), err)
	}
	return o
}

// keep writes the smallest scenario found that breaks the same invariant.
func keep(t *testing.T, r *Runner, s Scenario, o Outcome) {
	if !*shrink {
		return
	}
	invariant := o.Broken[0][:2]
	small := Shrink(s, func(s Scenario) bool {
		o := exactly(t, r, s)
		return len(o.Broken) > 0 && o.Broken[0][:2] == invariant
	})
	file := fmt.Sprintf("testdata/%s-%d.json", invariant, s.Seed)
	t.Logf("the smallest that breaks %s: %s, kept as %s (%v)", invariant, asJSON(t, small), file, os.WriteFile(file, append(asJSON(t, small), '\n'), 0o666))
}
