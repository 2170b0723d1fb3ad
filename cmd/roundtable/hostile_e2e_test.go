package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	hostilefiles "roundtable/envs/envtest/hostile"
)

// Whatever of a stranger's campaign or lake is not what it should be, each command ends within
// 5 s and takes no more than 300 MB more than it does with what is.
func TestHostile(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	const each = 25
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		files := map[string]string{
			"campaign.yaml":              "name: near\ndata: data\nprompts: words\nprices: prices.json\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl, score: {expression: \"answer == key ? 1 : 0\"}}\nprotocol: {name: debate, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\ngrid: {reasks: [0, 1]}\nagents: [{role: doctor}, {role: nurse, votes: 2}, {}]\n",
			"data/a.jsonl":               "{\"question\": \"2 + 2?\", \"answer\": 4}\n{\"question\": \"1 + 3?\", \"answer\": 4}\n",
			"words/protocol/answer.tmpl": "NEXT {{if true}}x{{end}}\n",
			"prices.json":                `{"a/b": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}`,
			".env":                       "A_KEY=x\nB_KEY='y z'\n",
		}
		for name, text := range files {
			noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			save(t, dir, name, text)
		}
		output(t, dir, "plan", "campaign.yaml", "--prompts")
		for name, text := range files {
			for seed := range each {
				save(t, dir, name, string(hostilefiles.Change(seed, []string{text})))
				isBounded(t, name, seed, dir, "plan", "campaign.yaml", "--prompts")
			}
			save(t, dir, name, text)
		}
	})
	t.Run("lake", func(t *testing.T) {
		dir := t.TempDir()
		save(t, dir, "campaign.yaml", "name: near\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\nreplicates: 3\nlabels: {model: scripted/labeller}\ngrid: {rule: [plurality, majority]}\n")
		output(t, dir, "run", "campaign.yaml")
		var names []string
		noError(t, filepath.WalkDir(filepath.Join(dir, "lake"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !harmless(path) {
				names = append(names, path)
			}
			return err
		}))
		commands := [][]string{{"verify", "near"}, {"status", "near"}, {"show", "near"}, {"cost", "near"}, {"analyze", "near"}, {"list"},
			{"query", "SELECT count(*) FROM turns"}, {"export", "near", "--table", "turns", "-o", "turns.csv", "--force"}, {"report", "near", "-o", "report.html", "--force"}}
		for seed := range each * len(commands) {
			name := names[seed*31%len(names)]
			valid, err := os.ReadFile(name)
			noError(t, err)
			noError(t, os.WriteFile(name, hostilefiles.Change(seed, []string{string(valid)}), 0o600))
			isBounded(t, name, seed, dir, commands[seed%len(commands)]...)
			noError(t, os.WriteFile(name, valid, 0o600))
		}
	})
}

// Commands that only read end within a second of SIGTERM, whatever they are at: a stranger's file, a
// template or a statement that takes for ever.
func TestHostileEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const file = "name: near\ndata: data\nenv: {name: qa, format: %[1]s, kind: integer, file: a.%[1]s}\nprotocol: {name: debate, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\n"
	for name, text := range map[string]string{
		"csv.yaml":                  fmt.Sprintf(file, "csv"),
		"data/a.csv":                "question,answer\n" + strings.Repeat("2 + 2?,4\n", 1<<19),
		"slow.yaml":                 fmt.Sprintf(file, "jsonl") + "prompts: slow\n",
		"data/a.jsonl":              `{"question":"2 + 2?","answer":4}` + "\n",
		"slow/protocol/answer.tmpl": "{{range 1000000000000}}{{end}}NEXT",
	} {
		noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		save(t, dir, name, text)
	}
	save(t, dir, "campaign.yaml", "name: ended\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: majority\nmodel: scripted/trader\n")
	output(t, dir, "run", "campaign.yaml")
	const endless = "SELECT sum(hash(a.range, b.range)) FROM range(100000000) a, range(100000) b"
	for _, args := range [][]string{
		{"plan", "csv.yaml"}, {"plan", "slow.yaml", "--prompts"}, {"query", endless},
		{"query", "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(1000000)"},
	} {
		t.Run(args[0]+" "+args[1], func(t *testing.T) {
			t.Parallel()
			b := starts(t, dir, nil, args...)
			time.Sleep(500 * time.Millisecond)
			over, asked := b.over(), time.Now()
			_ = b.Process.Signal(syscall.SIGTERM)
			<-b.ended
			// A process gives itself 0.7 s; the machine may be busy.
			if took := time.Since(asked); took > 3*time.Second {
				t.Errorf("it ends %v after SIGTERM", took)
			}
			if args[1] != "csv.yaml" && over {
				t.Errorf("it ended by itself: %s", &b.said)
			}
		})
	}
}

// isBounded runs a command to its end, which no error that it may say matters to.
func isBounded(t *testing.T, name string, seed int, dir string, args ...string) {
	t.Helper()
	cmd := program(t, dir, args...)
	status := filepath.Join(t.TempDir(), "status")
	cmd.Env = append(cmd.Env, peakFile+"="+status)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	began := time.Now()
	_ = cmd.Run()
	took, used := time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	const normal = 250 << 10                          // kB that commands take with a small lake, of which the program itself is most
	if text, err := os.ReadFile(status); err == nil { // there is none but on Linux
		_, peak, _ := strings.Cut(string(text), "VmHWM:")
		kB, err := strconv.Atoi(strings.Fields(peak)[0])
		if err != nil || kB > normal+300<<10 {
			t.Errorf("%v, %s, seed %d: %d MB (%v)", args, name, seed, kB>>10, err)
		}
	}
	if used > 5*time.Second || cmd.ProcessState.ExitCode() < 0 || strings.Contains(out.String(), "goroutine ") {
		t.Errorf("%v, %s, seed %d: %v (%v of processor time), %v\n%.2000s", args, name, seed, took, used, cmd.ProcessState, out.String())
	}
}
