package main

import (
	"bytes"
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

// TestBatchKills kills a campaign whose calls go into batches with -9 at random moments, and now and then
// when its service hears of one, before or after it has an effect, and starts it again until it ends: no
// request is answered twice, no batch is lost, and the ledger has what the service has.
func TestBatchKills(t *testing.T) {
	want := *kills
	if *long {
		want = max(want, 6)
	}
	if want == 0 {
		t.Skip("runs with -long or -kills N")
	}
	for _, model := range []string{"openai/m, base_url: URL/v1", "anthropic/m, base_url: URL", "google/m, base_url: URL"} {
		name, _, _ := strings.Cut(model, "/")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(*killSeed, uint64(len(name))))
			_, lasts := killBatched(t, rng, model, 0)
			var all batchFigures
			for all.atMoments < (want+2)/3 {
				one, _ := killBatched(t, rng, model, lasts)
				all.add(one)
			}
			t.Logf("%+v", all)
		})
	}
}

// batchFigures are what kills in batches came to.
type batchFigures struct {
	atMoments, atRequests  int // kills
	batches, inBatch, live int // that the service has worked on
	unknown                int // calls in the ledger
}

func (f *batchFigures) add(g batchFigures) {
	f.atMoments, f.atRequests = f.atMoments+g.atMoments, f.atRequests+g.atRequests
	f.batches, f.inBatch, f.live, f.unknown = f.batches+g.batches, f.inBatch+g.inBatch, f.live+g.live, f.unknown+g.unknown
}

// killBatched runs one campaign that lasts so long undisturbed, with up to six kills; without any if that is 0.
func killBatched(t *testing.T, rng *rand.Rand, model string, lasts time.Duration) (f batchFigures, took time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var running *exec.Cmd
	left := -1 // requests of the interface until the process is killed; -1 for no kill
	var log []string
	service := &modeltest.Batches{Takes: 500 * time.Millisecond, Say: func([]byte) string { return `{"target":[],"message":"hi"}` }}
	service.On = func(event string) (lose bool) {
		mu.Lock()
		defer mu.Unlock()
		if left--; left != 0 || running == nil {
			return false
		}
		log = append(log, event)
		_ = running.Process.Kill()
		f.atRequests++
		return true
	}
	server := httptest.NewServer(service)
	defer server.Close()
	dir := t.TempDir()
	model = strings.ReplaceAll(model, "URL", server.URL)
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
		kill, moment := lasts > 0 && lives < 6, time.Duration(0)
		mu.Lock()
		if left = -1; kill && rng.IntN(4) == 0 {
			left = 1 + rng.IntN(12)
		} else if kill {
			moment = 1 + time.Duration(rng.Int64N(int64(lasts)))
		}
		began := time.Now()
		noError(t, cmd.Start())
		running = cmd
		mu.Unlock()
		var timer *time.Timer
		if moment > 0 {
			timer = time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
		}
		err := cmd.Wait()
		took = time.Since(began)
		if timer != nil && !timer.Stop() && err != nil {
			f.atMoments++
			log = append(log, moment.Round(time.Millisecond).String())
		}
		if err == nil {
			break
		}
		if lives > 6 {
			t.Fatalf("%s does not end: %v\n%s", name, err, said.String())
		}
	}
	got := command(t, dir, nil, "query", `SELECT count(*) FILTER (tier = 'batch') AS batch, count(*) FILTER (status = 'unknown') AS unknown,
		count(*) FILTER (status <> 'unknown') AS answered FROM calls`, "--format", "csv")
	counts := service.Counts()
	var batch, answered int
	_, err := fmt.Sscanf(strings.TrimSpace(got.out), "batch,unknown,answered\n%d,%d,%d", &batch, &f.unknown, &answered)
	alone := answered - batch
	// A call alone may be under way at a kill: it is made again, and the ledger has both.
	if err != nil || batch != counts.Billed || alone > counts.Live || counts.Live > alone+f.unknown ||
		counts.Live == 0 && f.unknown > 0 {
		t.Errorf("%s, killed at %v: the lake has\n%s%s\nthe service %+v", name, log, got.out, got.err, counts)
	}
	if open := service.Open(); open > 0 {
		t.Errorf("%s, killed at %v: %d batches are left behind", name, log, open)
	}
	f.batches, f.inBatch, f.live = counts.Batches, counts.Billed, counts.Live
	return f, took
}
