package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/planning"
	"roundtable/infra"
	"roundtable/infra/embedded"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/task"
)

var statedLimits = flag.Bool("limits", false, "run at the sizes of docs/reliability.md")

// maxPeakMB is what no process may take at any size that docs/reliability.md names.
const maxPeakMB = 2048

// limitsFile is a campaign of cells, a multiple of 100, whose scripted agents take no time.
func limitsFile(cells int) string {
	return fmt.Sprintf(`name: limits
instances: 10
replicates: %d
env: consensus
protocol: {name: consensus, rounds: 2, network: full}
model: scripted/average
grid: {env.agents: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}
`, cells/100)
}

// sized returns the small size, or with -limits the stated one.
func sized(small, stated int) int {
	if *statedLimits {
		return stated
	}
	return small
}

// TestPlanMillion: a campaign of 1,000,000 cells is planned, begun, interrupted and asked
// for its status. Of these 20,000 are run with -limits.
func TestPlanMillion(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	const cells = 1_000_000
	dir := write(t, limitsFile(cells))
	planned := starts(t, dir, nil, "plan", "campaign.yaml")
	go planned.watchMemory()
	began := time.Now()
	if code := planned.code(t); code != 0 {
		t.Fatalf("plan ends with code %d\n%s", code, &planned.said)
	}
	t.Logf("planned in %v, peak %.0f MB", time.Since(began).Round(time.Millisecond), peakMB(planned))

	b := starts(t, dir, nil, "run", "campaign.yaml")
	go b.watchMemory()
	w := watchStatus(t, b, dir, sized(100, 20_000))
	began = time.Now()
	noError(t, b.Process.Signal(os.Interrupt))
	<-b.ended
	t.Logf("interrupted after %d cells in %v, peak %.0f MB; status at worst %v", w.done, time.Since(began).Round(time.Millisecond), peakMB(b), w.worst)
	began = time.Now()
	st := statusBy(t, dir, "limits")
	t.Logf("status of the interrupted campaign: %v", time.Since(began).Round(time.Millisecond))
	if st.State != "interrupted" || st.Cells != cells || st.Done() < w.done {
		t.Errorf("it is %s with %d of %d cells", st.State, st.Done(), st.Cells)
	}
	checkPeak(t, b)
}

// TestManyCells: 100,000 cells (200 without -limits) run to their end.
func TestManyCells(t *testing.T) {
	if !*long && !*statedLimits {
		t.Skip("TestPlanMillion runs as many; -long")
	}
	cells := sized(200, 100_000)
	dir := write(t, limitsFile(cells))
	b := starts(t, dir, nil, "run", "campaign.yaml")
	go b.watchMemory()
	began := time.Now()
	w := watchStatus(t, b, dir, cells+1)
	if code := b.code(t); code != 0 {
		t.Fatalf("run ends with code %d\n%s", code, &b.said)
	}
	t.Logf("%d cells in %v, processor time %v, peak %.0f MB; status at worst %v of %d", cells, time.Since(began).Round(time.Second),
		(b.ProcessState.UserTime() + b.ProcessState.SystemTime()).Round(time.Second), peakMB(b), w.worst, w.asked)
	began = time.Now()
	st := statusBy(t, dir, "limits")
	t.Logf("status of the finished campaign: %v", time.Since(began).Round(time.Millisecond))
	if st.State != "done" || st.Succeeded != cells {
		t.Errorf("it is %s with %d cells", st.State, st.Succeeded)
	}
	for _, folder := range []string{"lake", ".roundtable"} {
		files, mb := sizeOf(t, filepath.Join(dir, folder))
		t.Logf("%s: %d files, %.0f MB", folder, files, mb)
	}
	checkPeak(t, b)
}

// TestManyCampaigns: one worker runs 64 campaigns (4 without -limits) of a Temporal server
// that are started at once, each with answers of 100 ms.
func TestManyCampaigns(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	const collaborations = 50
	n, replicates := sized(4, 64), sized(3, collaborations)
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	dir := t.TempDir()
	at := []string{"TEMPORAL_ADDRESS=" + server.Target().HostPort}
	startCampaigns(t, server, dir, n, replicates)
	b := starts(t, dir, at, "worker")
	go b.watchMemory()
	began, worst, asked, done := time.Now(), time.Duration(0), 0, 0
	for ; done < n*replicates && !b.over(); time.Sleep(time.Duration(sized(100, 3000)) * time.Millisecond) {
		asking := time.Now()
		var all []campaigns.Status
		if d := ends(t, 0, dir, at, "status", "--json"); json.Unmarshal([]byte(d.out), &all) != nil || len(all) != n {
			t.Fatalf("status of %d campaigns: %s", n, d.out)
		}
		worst, asked, done = max(worst, time.Since(asking)), asked+1, 0
		for _, st := range all {
			done += st.Succeeded
		}
		if time.Since(began) > 2*time.Hour || !*statedLimits && time.Since(began) > 5*time.Minute {
			t.Fatalf("%d of %d collaborations after %v\n%s", done, n*replicates, time.Since(began), &b.said)
		}
	}
	took := time.Since(began)
	noError(t, b.Process.Signal(os.Interrupt))
	<-b.ended
	t.Logf("%d campaigns of %d collaborations, 27 calls each, in %v; worker's processor time %v, peak %.0f MB; status of all at worst %v of %d", n, replicates, took.Round(time.Second),
		(b.ProcessState.UserTime() + b.ProcessState.SystemTime()).Round(time.Second), peakMB(b), worst.Round(time.Millisecond), asked)
	checkPeak(t, b)
}

// startCampaigns records and starts campaigns as run does on a cluster, without a worker.
func startCampaigns(t *testing.T, server *embedded.Server, dir string, n, replicates int) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	c, err := infra.Dial(t.Context(), server.Target())
	noError(t, err)
	defer c.Close()
	known, err := lake.Identify(t.Context(), s)
	noError(t, err)
	for i := range n {
		name := fmt.Sprintf("campaign-%d", i)
		save(t, dir, name+".yaml", fmt.Sprintf("name: %s\nreplicates: %d\nenv: exchange\nprotocol: {name: roundtable, rounds: 3}\nrule: plurality\nmodel: {name: scripted/trader, latency: 100ms}\n", name, replicates))
		p, m, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, name+".yaml"), s, false)
		if err == nil {
			err = planning.RecordPlan(t.Context(), s, p, m)
		}
		if err == nil {
			_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: workflows.CampaignID(name), TaskQueue: task.LakeQueue(known.ID), WorkflowTaskTimeout: workflows.TaskTimeout},
				task.CampaignWorkflow, workflows.CampaignInput{Name: name, Revision: p.Campaign.Revision(), Limits: m.Limits})
		}
		noError(t, err)
	}
}

// watched is what status said of a run, and how long it took.
type watched struct {
	worst time.Duration
	asked int
	done  int
}

// watchStatus asks for the status until that many cells are done or the program ends.
func watchStatus(t *testing.T, b *background, dir string, cells int) (w watched) {
	t.Helper()
	for !b.over() && w.done < cells {
		began := time.Now()
		d := command(t, dir, nil, "status", "limits", "--json")
		took := time.Since(began).Round(time.Millisecond)
		var all []campaigns.Status
		if d.code == 0 && json.Unmarshal([]byte(d.out), &all) == nil && len(all) == 1 { // it may not be there yet
			w.worst, w.asked, w.done = max(w.worst, took), w.asked+1, all[0].Done()
			if *statedLimits {
				t.Logf("%d cells, status %v", w.done, took)
			}
		}
		time.Sleep(time.Duration(sized(100, 10_000)) * time.Millisecond)
	}
	return w
}

// peakMB returns the most memory that a process that has ended has had.
func peakMB(b *background) float64 {
	if runtime.GOOS == "darwin" {
		return float64(b.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / (1 << 20)
	}
	return float64(b.peak.Load()) / 1024
}

// watchMemory notes the most memory of a process. At its end Linux tells no less than what the tests had when
// they started it.
func (b *background) watchMemory() {
	for ; !b.over(); time.Sleep(50 * time.Millisecond) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.Process.Pid))
		_, most, _ := strings.Cut(string(status), "VmHWM:")
		var kB int64
		if _, err := fmt.Sscan(most, &kB); err == nil {
			b.peak.Store(kB)
		}
	}
}

func checkPeak(t *testing.T, b *background) {
	t.Helper()
	if peak := peakMB(b); peak > maxPeakMB {
		t.Errorf("the process took %.0f MB; %d are allowed", peak, maxPeakMB)
	}
}
