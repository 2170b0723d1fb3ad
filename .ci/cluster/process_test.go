package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that is killed and started again, with the processes that it starts.
type process struct {
	t    *testing.T
	name string
	make func() *exec.Cmd // its next run
	log  string           // the file with what it says, over all runs

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan error // holds how the present run ended
}

// newProcess starts it, and ends it with the test, which shows its last words if it failed.
func newProcess(t *testing.T, dir, name string, make func() *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, name: name, make: make, log: filepath.Join(dir, name+".log")}
	p.start()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			text, _ := os.ReadFile(p.log)
			t.Logf("%s said last:\n%s", name, text[max(0, len(text)-3000):])
		}
	})
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	p.cmd, p.ended = p.make(), make(chan error, 1)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if p.cmd.SysProcAttr == nil {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	p.cmd.SysProcAttr.Setpgid = true
	if err := p.cmd.Start(); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
	go func(cmd *exec.Cmd, ended chan error) { ended <- cmd.Wait() }(p.cmd, p.ended)
}

// kill ends it and what it has started as a power failure would.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	err := <-p.ended
	p.ended <- err
}

func (p *process) terminate() { _ = p.cmd.Process.Signal(syscall.SIGTERM) }

// code waits for its end and returns its exit code; -1 if it is still there after the limit.
func (p *process) code(limit time.Duration) int {
	select {
	case err := <-p.ended:
		p.ended <- err
		var exit *exec.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return exit.ExitCode()
		}
	case <-time.After(limit):
	}
	return -1
}

func (p *process) alive() bool { return p.code(0) == -1 }

func (p *process) said() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// run runs a command to its end, which must be with this code, and returns what it prints.
func run(t *testing.T, code int, cmd *exec.Cmd) string {
	t.Helper()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s ends with code %d (%v), want %d\n%s%s", strings.Join(cmd.Args, " "), got, err, code, &out, &said)
	}
	return out.String() + said.String()
}

// until waits for something to become true.
func until(t *testing.T, what string, limit time.Duration, ok func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > limit {
			t.Fatalf("%s: not within %v", what, limit)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(began)
}

// freePorts are different ports of this machine that nobody listens at: below those that
// the system gives to clients, and small enough for the column of Temporal's table in
// PostgreSQL, which takes none above 32767.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for tries := 0; len(ports) < n; tries++ {
		l, err := net.Listen("tcp", local(20000+rand.IntN(12000)))
		if err != nil {
			if tries > 1000 {
				t.Fatal(err)
			}
			continue
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// listens reports whether a server listens at an address.
func listens(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
