package integrity

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/envs/hostiletest"
	"roundtable/workflows/catalogue"
)

var long = flag.Bool("long", false, "run the long tests as well")

// Lakes of strangers: one to three objects are changed, in sealed ones also what is under the seal.
// Each lake is read whole within 5 s and 300 MB, and nothing stops the program.
func TestHostileLakes(t *testing.T) {
	lakes := 15
	if *long {
		lakes = 1000
	}
	whole := strangersLake(t)
	names := slices.Sorted(maps.Keys(whole))
	sealed := 0
	for seed := range lakes {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		objects, what := maps.Clone(whole), fmt.Sprintf("lake %d:", seed)
		for range 1 + r.IntN(3) {
			key := names[r.IntN(len(names))]
			changed, resealed := changeObject(t, r.Int(), key, objects[key])
			if objects[key] = changed; resealed {
				sealed++
			}
			what += " " + key
		}
		hostiletest.ReadBounded(t, []byte(what), func([]byte) { readLake(t, what, objects) })
	}
	if sealed < lakes/10 {
		t.Errorf("of %d lakes only %d objects were changed under their seal", lakes, sealed)
	}
}

// strangersLake returns the objects of a lake with rows and, beside them, objects of most other kinds.
func strangersLake(t *testing.T) map[string]string {
	objects := map[string]string{}
	folder := os.DirFS("../../../analysis/lake/testdata/schema-1")
	must(t, fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		objects[path] = string(data)
		return err
	}))
	ctx, s := t.Context(), storetest.NewMemory(objects)
	stored := answers.NewAnswers(s)
	for _, name := range []string{"plurality-483b62e2-i0-r1", "check-ab", "labels-x-1"} {
		run := answers.RunKey{Campaign: "golden", Collaboration: name}
		for entry := range 3 {
			_, err := stored.Intend(ctx, run, answers.Intent{Entry: entry, Provider: "openai", Model: "m", WorstUSD: new(0.5), WorstTokens: 9})
			must(t, err)
		}
		_, err := stored.Put(ctx, run, answers.Turn{Entry: 1, Done: true, Text: "yes", Asks: []answers.Answer{{Raw: []byte("yes"), Provider: "openai", ModelAsked: "m"}}})
		must(t, err)
	}
	_, _, err := ledger.UnknownCalls(ctx, s, "golden")
	must(t, err)
	settled := lake.CallKey{Run: lake.Run{Collaboration: "check-ab"}, Entry: 2}
	must(t, lake.WriteSettlement(ctx, s, "golden", lake.Settlement{Evidence: "x", Calls: []lake.SettledCall{{CallKey: settled, USD: 0.1, WorstUSD: new(0.5), WorstTokens: 9}}}))
	must(t, campaign.WriteHalt(ctx, s, "golden", campaign.Halt{Reason: "lunch"}))
	must(t, campaign.RequestRerun(ctx, s, "golden"))
	must(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "golden", Revision: "0123456789ab"}))
	must(t, s.PutIfAbsent(ctx, campaign.PlanKey("golden", "0123456789ab"), []byte(`{"campaign":{"name":"golden","conditions":[{"rule":{"name":"plurality"}}],"instances":[0]},"agents":[3],"rounds":[2],"packs":{},"pack":["x"]}`)))
	must(t, commits.WriteCard(ctx, s, "golden"))
	return s.Objects
}

// changeObject changes an object, or what is under its seal.
func changeObject(t *testing.T, seed int, key, data string) (changed string, resealed bool) {
	var body json.RawMessage
	if seed%4 > 0 && lake.Unseal(key, []byte(data), &body) == nil {
		for try := range 20 {
			if other := hostiletest.Corrupt(seed+try, []string{string(body)}); json.Valid(other) {
				sealed, err := lake.Seal(key, json.RawMessage(other))
				must(t, err)
				return string(sealed), true
			}
		}
	}
	return string(hostiletest.Corrupt(seed, []string{data})), false
}

// readLake reads all of a lake, as verify, status, cost and the tables do. Errors are right.
func readLake(t *testing.T, what string, objects map[string]string) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", what, p)
		}
	}()
	ctx, s := t.Context(), storetest.NewMemory(objects)
	_, _ = Check(ctx, s, catalogue.Builtin(), "golden")
	_, _ = lake.Progress(ctx, s, "golden")
	_, _ = ledger.ReadSpent(ctx, s, "golden")
	d, err := lake.ReadDataset(ctx, s, "golden")
	if err != nil {
		return
	}
	for _, err := range lake.Collaborations(ctx, s, d, record.Collaborations, record.Turns, record.Ballots, record.Rounds, record.Calls) {
		if err != nil {
			return
		}
	}
}
