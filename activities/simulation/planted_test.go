package simulation

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var planted = flag.Int("planted", 0, "plant each fault of planted, and look for it with so many seeds")

// plant is a change of one place in the program's source that breaks a promise.
type plant struct{ what, file, is, becomes string }

// Every fault that is planted must be found, and where it is planted must exist: a
// place that has changed is a fault that is no longer looked for.
func TestPlanted(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plants {
		t.Run(p.what, func(t *testing.T) {
			source, err := os.ReadFile(filepath.Join(root, p.file))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(source, []byte(p.is)); n != 1 {
				t.Fatalf("%d places in %s are %q, want 1", n, p.file, p.is)
			}
			if *planted > 0 {
				p.find(t, root, bytes.Replace(source, []byte(p.is), []byte(p.becomes), 1))
			}
		})
	}
}

// find builds the simulation with the fault in it and runs it until it is found.
func (p plant) find(t *testing.T, root string, source []byte) {
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	replaced := map[string]map[string]string{"Replace": {filepath.Join(root, p.file): changed}}
	for file, data := range map[string][]byte{changed: source, overlay: asJSON(t, replaced)} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-overlay", overlay, "-run", "TestSimulation", "roundtable/activities/simulation",
		"-v", "-timeout", "20m", "-shrink=false", "-seeds", string(asJSON(t, *planted))).CombinedOutput()
	found := regexp.MustCompile(`(?:seed (\d+): \["|without faults: )([^"\n]*)`).FindSubmatch(out)
	if err == nil || found == nil {
		t.Errorf("not found with %d seeds (%v)\n%s", *planted, err, tail(out))
		return
	}
	t.Logf("| %s | %s | %s |", p.what, found[1], strings.ReplaceAll(string(found[2][:min(110, len(found[2]))]), "|", "/"))
}

func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var plants = []plant{
	{"an answer is reported before it is stored", "activities/calls/taker.go",
		"if t, err = k.caller.StoreTurn(kept, q.Run, t, got.Key); err != nil {\n\t\treturn t, err\n\t}",
		"go func(t answers.Turn) { _, _ = k.caller.StoreTurn(kept, q.Run, t, got.Key) }(t)"},
	{"a paid answer is not stored once its turn is interrupted", "activities/calls/taker.go",
		"kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not", "kept := ctx"},
	{"a stored answer is not looked for", "activities/calls/taker.go",
		"t, err := k.answers.Turn(ctx, q.Run, q.Entry) // now, not before the wait for a permit",
		"t, err := answers.Turn{Entry: q.Entry}, error(nil)"},
	{"an answer is not looked for again after the wait for the budget", "activities/calls/call.go",
		"if err != nil || time.Since(looked) < time.Second {", "if err != nil || time.Since(looked) >= 0 {"},
	{"a store that fails once loses a paid answer", "activities/calls/store.go",
		"time.Since(began) > keepFor", "time.Since(began) >= 0"},
	{"settled before it is stored, at nothing", "activities/calls/taker.go",
		"k.caller.Settle(q.Order, got)", "got.Hold.Release()"},
	{"no intent before a call", "activities/calls/call.go",
		"if i.Attempt, err = c.answers.Intend(ctx, q.Run, *i); err != nil {", "if _ = c.answers; ctx.Err() != nil {"},
	{"an intent is taken back although the call may have been billed", "activities/calls/call.go",
		"return ok && call.Unbilled && !isKept(err) ||", "return ok && call.Class == model.Retry ||"},
	{"less than the worst case is reserved", "activities/calls/call.go",
		"need{worst, price != nil, bounded, q.Provider.Endpoint == \"\"}", "need{money.Amount{}, price != nil, bounded, q.Provider.Endpoint == \"\"}"},
	{"what a service does not tell costs nothing", "activities/calls/call.go",
		"if !q.isCredible(response, worst.Tokens) {\n\t\tq.chargeWorst", "if false {\n\t\tq.chargeWorst"},
	{"the grants of others are not counted", "activities/money/log.go",
		"f.used, f.open = f.used.Add(e.Used), f.open.Add(e.Open)", "f.used = f.used.Add(e.Used)"},
	{"what others have used is not counted", "activities/money/log.go",
		"f.used, f.open = f.used.Add(e.Used), f.open.Add(e.Open)", "f.open = f.open.Add(e.Open)"},
	{"a lost place in the budget's log is taken for won", "activities/money/log.go",
		"case errors.Is(err, store.ErrExists):\n\t\treturn b.readNew(ctx)", "case errors.Is(err, store.ErrExists):\n\t\tb.applyEntry(e)\n\t\treturn nil"},
	{"calls of unknown outcome are not in the ledger", "analysis/lake/charge.go",
		"if c.Cached {", "if c.Cached || c.Status == \"unknown\" {"},
	{"a new process counts nothing of what was spent", "activities/calls/reserve.go",
		"{ return ledger.ReadSpent(ctx, c.store, m.Campaign) }", "{ _, err := ledger.ReadSpent(ctx, c.store, m.Campaign); return money.Amount{}, err }"},
	{"what cannot be read is taken for corrupt", "activities/answers/load.go",
		"err := l.addObject(ctx, o.Key, strings.TrimPrefix(o.Key, prefix))", "err := l.addObject(ctx, o.Key, strings.TrimPrefix(o.Key, prefix))\n\t\tif err != nil {\n\t\t\terr = fmt.Errorf(\"%w %w\", err, store.ErrCorrupt)\n\t\t}"},
	{"a marker names a file that was not written", "activities/commits/commit.go",
		"err = w.store.PutIfAbsent(w.ctx, key, data)", "_ = w.store.PutIfAbsent(w.ctx, key, data)"},
	{"another answer than the first one wins", "activities/answers/answers.go",
		"stored, err := s.Get(ctx, key)\n\tif err != nil {\n\t\treturn body, err\n\t}", "stored, err := s.Get(ctx, key)\n\tif err != nil {\n\t\treturn body, err\n\t}\n\tif err := s.Replace(ctx, key, data, \"\"); err == nil {\n\t\treturn body, nil\n\t}"},
	{"a batch leaves a collaboration out", "activities/commits/compact.go",
		"c.conditions[last] = append(c.conditions[last], m)", "if i == 0 || i < len(markers)-1 {\n\t\t\tc.conditions[last] = append(c.conditions[last], m)\n\t\t}"},
	{"a disk acknowledges an answer a second before it is there", "activities/simulation/store_test.go",
		"return v.do(ctx, \"put\", key, func() error {", "return v.do(ctx, \"put\", key, func() error {\n\t\tif strings.HasPrefix(key, \"answers/\") && strings.HasSuffix(key, \".0.json\") {\n\t\t\tv.world.background.Go(func() {\n\t\t\t\tif v.await(context.Background(), time.Second, \"a sync\") == nil {\n\t\t\t\t\t_ = v.world.disk.PutIfAbsent(context.Background(), key, data)\n\t\t\t\t}\n\t\t\t})\n\t\t\treturn nil\n\t\t}"},
	{"one who waits for the budget is never woken", "activities/money/reserve.go",
		"case <-a.config.Wait(a.config.Poll):", "case <-a.config.Wait(100 * time.Hour):"},
	{"a grant never expires", "activities/money/log.go",
		"t.After(f.until) {\n\t\t\tf.until = t\n", "t.After(f.until) {\n\t\t\tf.until = t.Add(100 * time.Hour)\n"},
}
