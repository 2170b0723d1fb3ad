package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// fast is a service that answers almost without work, after a latency. Its
// processor time is not counted: it is another process than the program's.
type fast struct {
	*httptest.Server
	calls    atomic.Int64
	underWay atomic.Int64
	first    atomic.Int64 // ns, time of the first call
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
		f.underWay.Add(1)
		defer f.underWay.Add(-1)
		select {
		case <-time.After(latency):
		case <-r.Context().Done():
			return
		}
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

// await waits until so many calls are under way.
func (f *fast) await(b *testing.B, calls int64) {
	b.Helper()
	for began := time.Now(); f.underWay.Load() < calls; time.Sleep(time.Millisecond) {
		if time.Since(began) > 3*time.Minute {
			b.Fatalf("%d calls are under way after 3 minutes, want %d", f.underWay.Load(), calls)
		}
	}
}

// measured is a run of the program and what it took.
type measured struct {
	wall, cpu time.Duration
	peakMB    float64
}

func measure(b *testing.B, dir string) measured {
	b.Helper()
	began := time.Now()
	cmd, out := begin(b, dir, "--no-check=false")
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	peak := float64(usage.Maxrss) / 1024 // kB on Linux
	if runtime.GOOS == "darwin" {
		peak /= 1024
	}
	return measured{time.Since(began), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peak}
}

// beginUnchecked is begin without the check: nobody waits for its answer.
func beginUnchecked(b *testing.B, dir string) (*exec.Cmd, *bytes.Buffer) {
	return begin(b, dir, "--no-check")
}

// begin starts the program on the campaign of a folder.
func begin(b *testing.B, dir string, flags ...string) (*exec.Cmd, *bytes.Buffer) {
	b.Helper()
	cmd, out := program(b, dir, append([]string{"run", "campaign.yaml"}, flags...)...), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, out
}

// benchFile makes a campaign in a folder that stays until all benchmarks are over: for
// a minute after thousands of files were deleted, ext4 takes longer to make new ones.
func benchFile(b *testing.B, model string, replicates, collaborations, calls int) string {
	b.Helper()
	dir, err := os.MkdirTemp("", "roundtable-bench")
	if err != nil {
		b.Fatal(err)
	}
	kept = append(kept, dir)
	text := fmt.Sprintf("name: bench\nreplicates: %d\nenv: exchange\nprotocol: roundtable\nrule: plurality\nmodel: %s\nlimits: {collaborations: %d, calls: %d}\n",
		replicates, model, collaborations, calls)
	if err := os.WriteFile(filepath.Join(dir, "campaign.yaml"), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return dir
}

// benchModel names a service as the model of a benchFile.
func benchModel(f *fast) string {
	return "{name: openai/fast, base_url: " + f.URL + "/v1}\ncost: unknown"
}

// BenchmarkMakespan: 90 calls a collaboration in 30 phases, all collaborations at
// once. Ideal are 31 answers one after the other: that to the check, and the phases'.
func BenchmarkMakespan(b *testing.B) {
	for _, x := range []struct {
		latency        time.Duration
		collaborations int
	}{{time.Second, 100}, {10 * time.Second, 100}, {30 * time.Second, 1000}} {
		b.Run(fmt.Sprintf("answers=%s/collaborations=%d", x.latency, x.collaborations), func(b *testing.B) {
			for range b.N {
				f := newFast(b, x.latency)
				m := measure(b, benchFile(b, benchModel(f), x.collaborations, x.collaborations, 4*x.collaborations))
				b.ReportMetric(m.wall.Seconds()/(31*x.latency).Seconds(), "makespan/ideal")
				b.ReportMetric(float64(m.cpu.Microseconds())/float64(f.calls.Load())/1000, "cpu-ms/call")
				b.ReportMetric(m.peakMB, "peak-MB")
			}
		})
	}
}

// BenchmarkSaturated: the same with 20 ms answers: how many paid calls a second, at what price.
func BenchmarkSaturated(b *testing.B) {
	for range b.N {
		f := newFast(b, 20*time.Millisecond)
		m := measure(b, benchFile(b, benchModel(f), 100, 100, 400))
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

// BenchmarkThousands: memory and database of 1,000 collaborations, with -limits of
// 10,000 as well, 100 at once, 20 ms answers; and how long `status` takes meanwhile.
func BenchmarkThousands(b *testing.B) {
	for _, collaborations := range []int{1000, 10_000} {
		b.Run(strconv.Itoa(collaborations), func(b *testing.B) {
			if collaborations > 1000 && !*statedLimits {
				b.Skip("runs with -limits")
			}
			for range b.N {
				f := newFast(b, 20*time.Millisecond)
				dir := benchFile(b, benchModel(f), collaborations, 100, 400)
				ended := make(chan struct{})
				worst := worstStatus(b, dir, ended)
				m := measure(b, dir)
				close(ended)
				b.ReportMetric(float64((<-worst).Milliseconds()), "worst-status-ms")
				b.ReportMetric(m.peakMB, "peak-MB")
				b.ReportMetric(float64(f.calls.Load())/m.wall.Seconds(), "calls/s")
				_, state := sizeOf(b, filepath.Join(dir, ".roundtable"))
				_, lake := sizeOf(b, filepath.Join(dir, "lake"))
				b.ReportMetric(state, "state-MB")
				b.ReportMetric(lake, "lake-MB")
			}
		})
	}
}

// worstStatus asks for the status every five seconds until the end, and sends the longest answer.
func worstStatus(b *testing.B, dir string, ended <-chan struct{}) <-chan time.Duration {
	b.Helper()
	result := make(chan time.Duration, 1)
	go func() {
		worst := time.Duration(0)
		for {
			select {
			case <-ended:
				result <- worst
				return
			case <-time.After(5 * time.Second):
			}
			began := time.Now()
			if out, err := program(b, dir, "status").CombinedOutput(); err != nil {
				b.Errorf("%v\n%s", err, out)
			}
			worst = max(worst, time.Since(began))
		}
	}()
	return result
}

// sizeOf returns the number of a folder's files, and of their megabytes.
func sizeOf(b testing.TB, dir string) (files int, mb float64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, mb = files+1, mb+float64(info.Size())/1e6
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, mb
}

// BenchmarkWaiting: 1,000 collaborations whose 3,000 calls are all under way: the
// processor's share over N times 20 s, and how long `status` takes then. Heartbeats
// come every eight minutes: -benchtime 24x.
func BenchmarkWaiting(b *testing.B) {
	f := newFast(b, 10*time.Minute)
	dir := benchFile(b, benchModel(f), 1000, 1000, 3000)
	cmd, _ := beginUnchecked(b, dir)
	f.await(b, 3000)
	time.Sleep(5 * time.Second)
	before := ticks(b, cmd.Process.Pid)
	for range b.N {
		time.Sleep(20 * time.Second)
	}
	b.ReportMetric(float64(ticks(b, cmd.Process.Pid)-before)/(20*float64(b.N)), "%-of-a-core")
	var took []float64
	for range 10 {
		began := time.Now()
		if out, err := program(b, dir, "status").CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		took = append(took, float64(time.Since(began).Milliseconds()))
	}
	b.ReportMetric(slices.Max(took), "worst-status-ms")
}

// ticks returns the processor time of a process in hundredths of a second (Linux).
func ticks(b *testing.B, pid int) (sum int) {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')'):]))
	for _, field := range fields[12:14] { // user, system
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		sum += n
	}
	return sum
}

// BenchmarkRestart: kill -9 while 1,000 collaborations have 3,000 calls under way:
// from the next start to the first call, and to the last. -benchtime 100x for a hundred kills.
func BenchmarkRestart(b *testing.B) {
	f := newFast(b, 10*time.Minute)
	dir := benchFile(b, benchModel(f), 1000, 1000, 3000)
	cmd, _ := beginUnchecked(b, dir)
	f.await(b, 3000)
	var first, last []float64
	for range b.N {
		if err := cmd.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		_ = cmd.Wait()
		for f.underWay.Load() > 0 {
			time.Sleep(time.Millisecond)
		}
		f.first.Store(0)
		began := time.Now()
		cmd, _ = beginUnchecked(b, dir)
		f.await(b, 3000)
		last = append(last, time.Since(began).Seconds())
		first = append(first, time.Unix(0, f.first.Load()).Sub(began).Seconds())
	}
	slices.Sort(first)
	slices.Sort(last)
	b.ReportMetric(1000*first[len(first)/2], "median-ms-to-first-call")
	b.ReportMetric(1000*first[len(first)-1], "worst-ms-to-first-call")
	b.ReportMetric(last[len(last)/2], "median-s-to-last-call")
}

// BenchmarkStart: from the program's start to its first call.
func BenchmarkStart(b *testing.B) {
	for range b.N {
		f := newFast(b, 0)
		dir := benchFile(b, benchModel(f), 1, 1, 4)
		began := time.Now()
		measure(b, dir)
		b.ReportMetric(time.Unix(0, f.first.Load()).Sub(began).Seconds()*1000, "ms-to-first-call")
	}
}
