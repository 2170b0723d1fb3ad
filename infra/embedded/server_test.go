package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/infra"
	"roundtable/infra/embedded"
	"roundtable/infra/lock"
)

// childDir, when set, makes this binary the process that a test kills.
const childDir = "INFRA_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Println("child:", err)
			os.Exit(1)
		}
		select {} // until killed
	}
	os.Exit(m.Run())
}

func start(t *testing.T, dir string) (*embedded.Server, client.Client) {
	t.Helper()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir, Notices: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	c, err := infra.Dial(t.Context(), s.Target())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s, c
}

// pair does two activities one after the other on the given queue.
func pair(ctx workflow.Context, queue string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Second,
	})
	var first, second string
	if err := workflow.ExecuteActivity(ctx, "step", 1).Get(ctx, &first); err != nil {
		return "", err
	}
	err := workflow.ExecuteActivity(ctx, "step", 2).Get(ctx, &second)
	return first + " " + second, err
}

func work(c client.Client, queue string, step func(context.Context, int) (string, error)) (worker.Worker, error) {
	w := worker.New(c, queue, infra.WorkerOptions())
	w.RegisterWorkflow(pair)
	w.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: "step"})
	return w, w.Start()
}

func stepBy(who string) func(context.Context, int) (string, error) {
	return func(_ context.Context, n int) (string, error) { return who + strconv.Itoa(n), nil }
}

func TestServerServesAndComesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b%20c?d#e") // names that a URI would read otherwise
	began := time.Now()
	s, c := start(t, dir)
	w, err := work(c, "main", stepBy("a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("first start to worker ready: %s", time.Since(began))
	checkPair(t, c, "one")
	checkPrivate(t, dir)
	if !strings.HasPrefix(s.Target().HostPort, "127.0.0.1:") {
		t.Errorf("serves on %s", s.Target().HostPort)
	}

	_, err = embedded.Start(t.Context(), embedded.Config{Dir: dir, Notices: io.Discard})
	if !errors.Is(err, lock.ErrInUse) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Errorf("a second server on one folder: %v", err)
	}

	w.Stop()
	c.Close()
	stopping := time.Now()
	if err := s.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("second stop: %v", err)
	}
	t.Logf("stop: %s", time.Since(stopping))
	checkPrivate(t, dir)

	began = time.Now()
	_, c = start(t, dir)
	w, err = work(c, "main", stepBy("a"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	t.Logf("second start to worker ready: %s", time.Since(began))
	var kept string
	if err := c.GetWorkflow(t.Context(), "one", "").Get(t.Context(), &kept); err != nil || kept != "a1 a2" {
		t.Errorf("result of the workflow before the restart: %q, %v", kept, err)
	}
	checkPair(t, c, "two")
	log, err := os.ReadFile(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		// Of a call that its client has cancelled, on a busy machine.
		if !strings.Contains(line, "unable to add metrics baggage to gRPC trailer") {
			t.Errorf("error of a quiet run: %s", line)
		}
	}
}

func checkPair(t *testing.T, c client.Client, id string) {
	t.Helper()
	var got string
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "main"}, pair, "main")
	if err == nil {
		err = run.Get(t.Context(), &got)
	}
	if err != nil || got != "a1 a2" {
		t.Errorf("workflow %s: %q, %v", id, got, err)
	}
}

// checkPrivate: the folder 0700, everything in it 0600.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil || files < 3 {
		t.Errorf("%d files in %s: %v", files, dir, err)
	}
}

// TestKillAndGoOn kills a process that runs server and worker with one activity
// in flight and another waiting for a worker, and sees both workflows end.
func TestKillAndGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "in flight\n" {
		cmd.Process.Kill()
		t.Fatalf("child said %q, %v", line, err)
	}
	if s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), strconv.Itoa(cmd.Process.Pid)) {
		if err == nil {
			s.Stop()
		}
		t.Errorf("the folder of a living process %d: %v", cmd.Process.Pid, err)
	}
	killed := time.Now()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()

	_, c := start(t, dir)
	t.Logf("kill -9 to server serving: %s", time.Since(killed))
	for _, queue := range []string{"main", "late"} {
		w, err := work(c, queue, stepBy("b"))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
	}
	t.Logf("kill -9 to workers ready: %s", time.Since(killed))
	for _, want := range []struct{ id, result string }{{"waiting", "b1 b2"}, {"in-flight", "a1 b2"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var got string
		if err := c.GetWorkflow(ctx, want.id, "").Get(ctx, &got); err != nil || got != want.result {
			t.Fatalf("workflow %s: %q, %v; want %q", want.id, got, err, want.result)
		}
		took := time.Since(killed)
		t.Logf("kill -9 to the end of workflow %q: %s", want.id, took)
		if took > time.Minute {
			t.Errorf("workflow %s took %s to come back", want.id, took)
		}
	}
}

// child says "in flight" when the second activity of one workflow has begun and
// never ends, and the first of another has nobody to do it.
func child(dir string) error {
	ctx := context.Background()
	s, err := embedded.Start(ctx, embedded.Config{Dir: dir})
	if err != nil {
		return err
	}
	c, err := infra.Dial(ctx, s.Target())
	if err != nil {
		return err
	}
	begun := make(chan bool)
	_, err = work(c, "main", func(ctx context.Context, n int) (string, error) {
		if n == 1 {
			return "a1", nil
		}
		begun <- true
		for {
			activity.RecordHeartbeat(ctx)
			time.Sleep(100 * time.Millisecond)
		}
	})
	if err != nil {
		return err
	}
	for id, queue := range map[string]string{"in-flight": "main", "waiting": "late"} {
		options := client.StartWorkflowOptions{ID: id, TaskQueue: "main"}
		if _, err := c.ExecuteWorkflow(ctx, options, pair, queue); err != nil {
			return err
		}
	}
	<-begun
	fmt.Println("in flight")
	return nil
}

func TestDialNamesAMissingNamespace(t *testing.T) {
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	target := s.Target()
	target.Namespace = "elsewhere"
	began := time.Now()
	if _, err := infra.Dial(t.Context(), target); err == nil || !strings.Contains(err.Error(), `"elsewhere"`) || time.Since(began) > 30*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestStartIsRefused(t *testing.T) {
	dir := t.TempDir()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedded.Start(ended, embedded.Config{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("started although the context had ended: %v", err)
	}
	held, err := lock.File(filepath.Join(dir, "lock"), 0) // both let go of the folder
	if err != nil {
		t.Fatal(err)
	}
	held.Close()
}
