package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/model/modeltest"
)

var batchKills = flag.Int("batch-kills", 0, "kill the program so often while its calls are in batches")

// TestBatchKills kills a campaign whose calls go into batches with -9 when its service hears of one,
// before or after it has an effect, and starts it again until it ends: no request is answered twice,
// no batch is lost, and the ledger has what the service has.
func TestBatchKills(t *testing.T) {
	want := *batchKills
	if *long {
		want = max(want, 4)
	}
	if want == 0 {
		t.Skip("runs with -long or -batch-kills N")
	}
	models := []string{"openai/m, base_url: URL/v1", "anthropic/m, base_url: URL", "google/m, base_url: URL"}
	killed := 0
	for n := 0; killed < want; n++ {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		var mu sync.Mutex
		var running *exec.Cmd
		left := -1 // requests of the interface until the process is killed; -1 for no kill
		service := &modeltest.Batches{Takes: 500 * time.Millisecond, Say: func([]byte) string { return `{"target":[],"message":"hi"}` }}
		service.On = func(event string) (lose bool) {
			mu.Lock()
			defer mu.Unlock()
			if left--; left != 0 || running == nil {
				return false
			}
			t.Logf("killed at %s", event)
			_ = running.Process.Kill()
			killed++
			return true
		}
		server := httptest.NewServer(service)
		dir := t.TempDir()
		model := strings.ReplaceAll(models[n%len(models)], "URL", server.URL)
		name, _, _ := strings.Cut(model, ",")
		save(t, dir, "batched.yaml", fmt.Sprintf(`name: batched
replicates: 8
env: exchange
protocol: {name: roundtable, rounds: 2}
rule: majority
model: {name: %s, json: plain}
generate: {max_tokens: 200}
reasks: 0
limits: {cost_usd: 5, tier: batch, tier_wait: 60s}
prices: {%s: {input: 1, output: 2, batch: {input: 0.5, output: 1}}}
`, model, name))
		for lives := 0; ; lives++ {
			var said bytes.Buffer
			cmd := program(t, dir, "run", "batched.yaml", "--no-cache")
			cmd.Stdout, cmd.Stderr = &said, &said
			mu.Lock()
			if left = -1; lives < 4 {
				left = 1 + rng.IntN(12)
			}
			noError(t, cmd.Start())
			running = cmd
			mu.Unlock()
			err := cmd.Wait()
			if err == nil {
				break
			}
			if lives > 4 {
				t.Fatalf("%s does not end: %v\n%s", name, err, said.String())
			}
		}
		got := command(t, dir, nil, "query", `SELECT count(*) FILTER (tier = 'batch') AS batch, count(*) FILTER (status = 'unknown') AS unknown,
			count(*) FILTER (status <> 'unknown') AS answered FROM calls`, "--format", "csv")
		counts := service.Counts()
		var batch, unknown, answered int
		_, err := fmt.Sscanf(strings.TrimSpace(got.out), "batch,unknown,answered\n%d,%d,%d", &batch, &unknown, &answered)
		alone := answered - batch
		if err != nil || batch != counts.Billed || alone > counts.Live || counts.Live == 0 && unknown > 0 { // a call alone may be under way at a kill
			t.Errorf("%s: the lake has\n%s%s\nthe service %+v", name, got.out, got.err, counts)
		}
		if open := service.Open(); open > 0 {
			t.Errorf("%d batches are left behind", open)
		}
		server.Close()
	}
}
