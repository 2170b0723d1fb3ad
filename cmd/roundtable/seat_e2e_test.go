package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/record"
)

// TestSeatOfAnotherProgram: an agent written in another language has a seat of the
// example. Both programs are killed in the middle and started again: every turn was
// asked under one key, and answered in the same words.
func TestSeatOfAnotherProgram(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here to play an agent")
	}
	dir := t.TempDir()
	port := freePort(t)
	exampleData(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "examples", "seat", "seat.yaml"))
	noError(t, err)
	save(t, dir, "seat.yaml", strings.NewReplacer(":8700", fmt.Sprint(":", port), "../data", "examples/data", "seed: 1", "seed: 1\nreplicates: 2\nlimits: {calls: 2}").Replace(string(text)))
	agent := startAgent(t, dir, python, port)
	run := program(t, dir, "run", "seat.yaml")
	noError(t, run.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if n := len(remembered(t, dir)); n >= 20 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("%d turns in a minute", n)
		}
	}
	run.Process.Kill()
	agent.Process.Kill()
	run.Wait()
	agent.Wait()
	before := len(remembered(t, dir))
	startAgent(t, dir, python, port)
	output(t, dir, "run", "seat.yaml")
	output(t, dir, "verify", "seat")
	checkLabelsOnlyName(t, dir, "seat")
	said := map[string]string{}
	for _, line := range remembered(t, dir) {
		key, words, _ := strings.Cut(line, `", "`)
		if other, twice := said[key]; twice {
			t.Errorf("%s was answered with %s, then with %s", key, other, words)
		}
		said[key] = words
	}
	asked := map[string]bool{}
	for _, c := range rowsOf[record.Call](t, dir, "seat") {
		if c.ModelAsked == "openai/my-agent" && c.Status == "answered" {
			asked[fmt.Sprintf("%s/%d", c.CollaborationID, c.Entry)] = true
		}
	}
	if want := 12 * 2 * 3; len(asked) != want || len(said) != want || before >= want {
		t.Errorf("%d turns asked, %d answered (%d before the kills), want %d", len(asked), len(said), before, want)
	}
	round := 0
	for key, words := range said {
		if strings.Contains(words, "Round 2.") && strings.Contains(key, "/5/0") {
			round++
		}
	}
	if round != 12*2 {
		t.Errorf("%d of %d answers of round 2 name it: headers are missing", round, 12*2)
	}
}

// remembered returns what the agent has answered, a line each.
func remembered(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "seat-memory.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// startAgent starts the example's agent and waits until it listens.
func startAgent(t *testing.T, dir, python string, port int) *exec.Cmd {
	t.Helper()
	agent := exec.Command(python, "examples/seat/agent.py", fmt.Sprint(port))
	agent.Dir = dir
	noError(t, agent.Start())
	t.Cleanup(func() { agent.Process.Kill() })
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			c.Close()
			return agent
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
