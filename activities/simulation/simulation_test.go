package simulation_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/simulation"
)

var (
	seeds = flag.Int("seeds", 100, "how many seeds are run")
	from  = flag.Uint64("from", 1, "the first seed")
	show  = flag.Uint64("show", 0, "a seed whose run is written to standard output")
)

// Campaigns under all faults at once keep every invariant.
func TestSeeds(t *testing.T) {
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		var calls, awaits, kills int
		for seed := *from; seed < *from+uint64(*seeds); seed++ {
			s := simulation.Draw(seed)
			o, err := simulation.Run(s, nil)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			calls, awaits, kills = calls+o.Calls, awaits+o.Awaits, kills+len(s.Kills)
			if len(o.Broken) > 0 {
				t.Errorf("seed %d: %q\n%s", seed, o.Broken, asJSON(t, s))
			}
		}
		t.Logf("%d seeds: %d calls, %d awaits, %d kills", *seeds, calls, awaits, kills)
	})
	t.Log(time.Since(began).Round(time.Millisecond))
}

func TestShow(t *testing.T) {
	if *show == 0 {
		t.Skip("-show names a seed")
	}
	synctest.Test(t, func(t *testing.T) {
		o, err := simulation.Run(simulation.Draw(*show), os.Stdout)
		t.Logf("%+v %v", o, err)
	})
}

func asJSON(t *testing.T, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
