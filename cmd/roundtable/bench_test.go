package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// fast is a service that answers almost without work, after a latency. Its
// processor time is not counted: it is another process than the program's.
type fast struct {
	*httptest.Server
	calls atomic.Int64
	first atomic.Int64 // ns, time of the first call
}

func newFast(b *testing.B, latency time.Duration) *fast {
	f := &fast{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		n := f.calls.Add(1)
		f.first.CompareAndSwap(0, time.Now().UnixNano())
		time.Sleep(latency)
		text := fmt.Sprintf(`{\"reason_for_decision\": \"I like it\", \"decision\": %d}`, 1+n%2)
		switch {
		case bytes.Contains(body, []byte("this is the message phase")):
			text = `{\"target\": [], \"message\": \"I would take more of the first good and leave the others, if that suits you. What do you need most?\"}`
		case bytes.Contains(body, []byte("this is the proposal phase")):
			a, c := 30+n%20, 20+n%30
			share := func(x, y int64) string {
				return fmt.Sprintf(`{\"apples\": %d, \"bread\": %d, \"cloth\": %d}`, x, y, y)
			}
			text = fmt.Sprintf(`{\"reason_for_decision\": \"A fair share for each of us, seen from here.\", \"proposal\": {\"Alex\": %s, \"Blake\": %s, \"Casey\": %s}}`,
				share(a, c), share(c, a), share(100-a-c, 100-a-c))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"r","object":"chat.completion","created":1,"model":"fast","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"%s"}}],"usage":{"prompt_tokens":2900,"completion_tokens":40,"total_tokens":2940}}`, text)
	}))
	b.Cleanup(f.Close)
	return f
}

// measured is a run of the program and what it took.
type measured struct {
	wall, cpu time.Duration
	peakMB    float64
}

func measure(b *testing.B, dir string) measured {
	b.Helper()
	path, err := buildProgram()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, "run", "campaign.yaml")
	cmd.Dir = dir
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := float64(usage.Maxrss) / 1024 // kB on Linux
	if runtime.GOOS == "darwin" {
		peak /= 1024
	}
	return measured{time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak}
}

func benchFile(b *testing.B, model string, replicates, collaborations, calls int) string {
	b.Helper()
	dir := b.TempDir()
	text := fmt.Sprintf("name: bench\nreplicates: %d\nenv: exchange\nprotocol: roundtable\nrule: plurality\nmodel: %s\nlimits: {collaborations: %d, calls: %d}\n",
		replicates, model, collaborations, calls)
	if err := os.WriteFile(filepath.Join(dir, "campaign.yaml"), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkMakespan: 100 collaborations at once, 90 calls each in 30 phases, 1 s
// answers. Ideal is 30 s.
func BenchmarkMakespan(b *testing.B) {
	for range b.N {
		f := newFast(b, time.Second)
		m := measure(b, benchFile(b, "{name: openai/fast, base_url: "+f.URL+"/v1}\ncost: unknown", 100, 100, 400))
		b.ReportMetric(m.wall.Seconds()/30, "makespan/ideal")
		b.ReportMetric(float64(m.cpu.Microseconds())/float64(f.calls.Load())/1000, "cpu-ms/call")
		b.ReportMetric(m.peakMB, "peak-MB")
	}
}

// BenchmarkSaturated: the same with 20 ms answers: how many paid calls a second, at what price.
func BenchmarkSaturated(b *testing.B) {
	for range b.N {
		f := newFast(b, 20*time.Millisecond)
		m := measure(b, benchFile(b, "{name: openai/fast, base_url: "+f.URL+"/v1}\ncost: unknown", 100, 100, 400))
		b.ReportMetric(float64(f.calls.Load())/m.wall.Seconds(), "calls/s")
		b.ReportMetric(float64(m.cpu.Microseconds())/float64(f.calls.Load())/1000, "cpu-ms/call")
		b.ReportMetric(m.peakMB, "peak-MB")
	}
}

// BenchmarkScripted: scripted agents, played in batches.
func BenchmarkScripted(b *testing.B) {
	for range b.N {
		m := measure(b, benchFile(b, "scripted/trader", 600, 100, 400))
		b.ReportMetric(600*90/m.wall.Seconds(), "calls/s")
		b.ReportMetric(float64(m.cpu.Microseconds())/(600*90)/1000, "cpu-ms/call")
	}
}

// BenchmarkConsensus: paper 5's Monte Carlo experiment as examples/consensus.yaml
// has it: 2,400 runs of 2 to 8 scripted agents, 108,000 answers.
func BenchmarkConsensus(b *testing.B) {
	text, err := os.ReadFile("../../examples/consensus.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "campaign.yaml"), text, 0o600); err != nil {
			b.Fatal(err)
		}
		m := measure(b, dir)
		b.ReportMetric(m.wall.Seconds(), "s")
		b.ReportMetric(m.cpu.Seconds(), "cpu-s")
		b.ReportMetric(108_000/m.wall.Seconds(), "calls/s")
	}
}

// BenchmarkThousand: the memory of 1,000 collaborations, 100 at once, 100 ms answers.
func BenchmarkThousand(b *testing.B) {
	for range b.N {
		f := newFast(b, 100*time.Millisecond)
		m := measure(b, benchFile(b, "{name: openai/fast, base_url: "+f.URL+"/v1}\ncost: unknown", 1000, 100, 400))
		b.ReportMetric(m.peakMB, "peak-MB")
		b.ReportMetric(float64(f.calls.Load())/m.wall.Seconds(), "calls/s")
	}
}

// BenchmarkStart: from the program's start to its first call.
func BenchmarkStart(b *testing.B) {
	for range b.N {
		f := newFast(b, 0)
		dir := benchFile(b, "{name: openai/fast, base_url: "+f.URL+"/v1}\ncost: unknown", 1, 1, 4)
		began := time.Now()
		measure(b, dir)
		b.ReportMetric(time.Unix(0, f.first.Load()).Sub(began).Seconds()*1000, "ms-to-first-call")
	}
}
