package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/hostiletest"
)

// Whatever of a stranger's campaign or lake is not what it should be, each command ends within
// 5 s and takes no more than 300 MB more than it does with what is.
// With -long there are a thousand files of each kind. A fortieth of the commands, and those that take more here,
// are processes, whose memory the system counts.
func TestHostile(t *testing.T) {
	each := 3
	if *long {
		each = 1000
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	noError(t, err)
	out, said := os.Stdout, os.Stderr
	t.Cleanup(func() {
		os.Stdout, os.Stderr = out, said
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // a new process counts the peak of this one as its own
	})
	os.Stdout, os.Stderr = null, null
	bounded := func(t *testing.T, name string, seed int, dir string, args ...string) {
		ok := false
		if seed%40 != 39 {
			_, _, ok = hostiletest.Measure(func() { ran(t, args...) })
		}
		if !ok { // here also counts what the collector has not taken yet
			isBounded(t, name, seed, dir, args...)
		}
	}
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		t.Chdir(dir)
		own := os.Environ()
		t.Cleanup(func() { // what .env set
			for _, v := range os.Environ() {
				if name, _, _ := strings.Cut(v, "="); !slices.Contains(own, v) {
					os.Unsetenv(name)
				}
			}
		})
		const questions = "name: near\ndata: data\nenv: {name: qa, format: %[1]s, kind: integer, file: %[2]s}\nprotocol: {name: debate, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\n"
		var zipped, rows bytes.Buffer
		z := gzip.NewWriter(&zipped)
		_, _ = z.Write([]byte("question,answer\n2 + 2?,4\n1 + 3?,4\n"))
		noError(t, z.Close())
		type row struct {
			Question string `parquet:"question"`
			Answer   int64  `parquet:"answer"`
		}
		noError(t, parquet.Write(&rows, []row{{"2 + 2?", 4}, {"1 + 3?", 4}}))
		files := []struct{ name, text, by string }{
			{"campaign.yaml", "name: near\ndata: data\nprompts: words\nprices: prices.json\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl, score: {expression: \"answer == key ? 1 : 0\"}}\nprotocol: {name: debate, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\ngrid: {reasks: [0, 1]}\nagents: [{role: doctor}, {role: nurse, votes: 2}, {}]\n", ""},
			{"data/a.jsonl", "{\"question\": \"2 + 2?\", \"answer\": 4}\n{\"question\": \"1 + 3?\", \"answer\": 4}\n", fmt.Sprintf(questions, "jsonl", "a.jsonl")},
			{"words/protocol/answer.tmpl", "NEXT {{if true}}x{{end}}\n", ""},
			{"prices.json", `{"a/b": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}`, ""},
			{".env", "A_KEY=x\nB_KEY='y z'\n", ""},
			{"data/a.csv", "question,answer\n2 + 2?,4\n1 + 3?,4\n", fmt.Sprintf(questions, "csv", "a.csv")},
			{"data/b.csv.gz", zipped.String(), fmt.Sprintf(questions, "csv", "b.csv.gz")},
			{"data/a.parquet", rows.String(), fmt.Sprintf(questions, "parquet", "a.parquet")},
			{"answers.jsonl", "{\"condition\": \"c\", \"instance\": 0, \"replicate\": 0, \"entry\": 0, \"text\": \"4\"}\n", "name: near\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: majority\nmodel: {name: replay/file, file: answers.jsonl}\n"},
		}
		for _, f := range files {
			noError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, f.name)), 0o700))
			save(t, dir, f.name, f.text)
		}
		for _, f := range files {
			plan := []string{"plan", "campaign.yaml", "--prompts"}
			if f.by != "" {
				save(t, dir, "by.yaml", f.by)
				plan[1] = "by.yaml"
			}
			if d := ran(t, plan...); d.code != 0 {
				t.Fatalf("%s: code %d\n%s", f.name, d.code, d.err)
			}
			n := each
			if *long && f.by != "" { // together they are one kind
				n /= 5
			}
			for seed := range n {
				save(t, dir, f.name, string(hostiletest.Corrupt(seed, []string{f.text})))
				bounded(t, f.name, seed, dir, plan...)
			}
			save(t, dir, f.name, f.text)
		}
	})
	t.Run("lake", func(t *testing.T) {
		dir := t.TempDir()
		if *long {
			save(t, dir, "campaign.yaml", "name: golden\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\nreplicates: 3\nlabels: {model: scripted/labeller}\ngrid: {rule: [plurality, majority]}\n")
			output(t, dir, "run", "campaign.yaml")
		} else {
			noError(t, os.CopyFS(filepath.Join(dir, "lake"), os.DirFS("../../analysis/lake/testdata/schema-1")))
		}
		t.Chdir(dir)
		var names []string
		noError(t, filepath.WalkDir("lake", func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !harmless(path) {
				names = append(names, path)
			}
			return err
		}))
		commands := [][]string{{"verify", "golden"}, {"status", "golden"}, {"show", "golden"}, {"cost", "golden"}, {"analyze", "golden"}, {"list"},
			{"query", "SELECT count(*) FROM turns"}, {"export", "golden", "--table", "turns", "-o", "turns.csv", "--force"}, {"report", "golden", "-o", "report.html", "--force"}}
		for seed := range max(each, len(commands)) {
			name := names[seed*31%len(names)]
			valid, err := os.ReadFile(name)
			noError(t, err)
			noError(t, os.WriteFile(name, hostiletest.Corrupt(seed, []string{string(valid)}), 0o600))
			bounded(t, name, seed, dir, commands[seed%len(commands)]...)
			noError(t, os.WriteFile(name, valid, 0o600))
		}
	})
}

// Commands end within a second of SIGTERM unless they have paid for something, whatever they are at: a
// stranger's file, a template or a statement that takes for ever.
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
		{"plan", "csv.yaml"}, {"run", "csv.yaml"}, {"plan", "slow.yaml", "--prompts"}, {"query", endless},
		{"query", "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(1000000)"},
	} {
		t.Run(args[0]+" "+args[1], func(t *testing.T) {
			wait, late := 300*time.Millisecond, ""
			for range 3 { // other tests run at once
				b := starts(t, dir, nil, args...)
				time.Sleep(wait)
				over, asked := b.over(), time.Now()
				_ = b.Process.Signal(syscall.SIGTERM)
				idle := exec.Command("sleep", "0.6") // as long as a command has to end by itself
				noError(t, idle.Run())
				excess := time.Since(asked) - 600*time.Millisecond // of a process that does nothing: what the machine takes
				<-b.ended
				took := b.at.Sub(asked)
				switch {
				case over && args[1] == "csv.yaml": // a fast machine reads it whole
					return
				case over:
					t.Fatalf("it ended by itself: %s", &b.said)
				case b.ProcessState.ExitCode() != cli.ExitInterrupted: // it had not begun to listen
					wait, late = 3*wait, fmt.Sprintf("%v, %s", b.ProcessState, &b.said)
				case took > time.Second+excess:
					late = fmt.Sprintf("it ends %v after SIGTERM; a process that does nothing is %v late", took, excess)
				default:
					t.Logf("it ends %v after SIGTERM", took.Round(time.Millisecond))
					return
				}
			}
			t.Error(late)
		})
	}
}

// isBounded runs a command to its end, which no error that it may say matters to.
func isBounded(t *testing.T, name string, seed int, dir string, args ...string) {
	t.Helper()
	cmd := program(t, dir, args...)
	status := filepath.Join(t.TempDir(), "status")
	cmd.Env = append(cmd.Env, peakFile+"="+status, "GOGC=100") // as for users: TestMain gives memory for time
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
