package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/cmd/commands"
	"roundtable/cmd/internal/screentest"
	"roundtable/workflows/catalogue"
)

var long = flag.Bool("long", false, "run the long tests as well")

// runAsProgram is set for a child that is to be the program: the test binary, which
// holds all of it, so that nothing is linked twice.
const runAsProgram = "ROUNDTABLE_TEST_RUN"

// peakFile names the variable with the file that the program writes /proc/self/status to at its
// end. What the system says of an ended child is no less than what its parent had when it forked.
const peakFile = "ROUNDTABLE_TEST_PEAK"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asWell {
		playWell()
		return
	}
	if os.Getenv(runAsProgram) != "" {
		code := commands.Main(catalogue.Builtin())
		if file := os.Getenv(peakFile); file != "" {
			status, _ := os.ReadFile("/proc/self/status")
			_ = os.WriteFile(file, status, 0o600)
		}
		os.Exit(code)
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" { // nothing is measured: memory for time
		debug.SetGCPercent(400)
		os.Setenv("GOGC", "400")
		os.Setenv("GOMAXPROCS", strconv.Itoa(runtime.NumCPU())) // several programs run at once
	}
	if err := flag.Set("test.parallel", "4"); err != nil { // they wait for a vendor more than they compute
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if dir, err := os.MkdirTemp("", "cache"); err == nil { // not the user's
		os.Setenv("XDG_CACHE_HOME", dir)
		kept = append(kept, dir)
	}
	code := m.Run()
	for _, dir := range kept {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// kept are folders that outlive a test, which TestMain removes; templates some of them,
// by name.
var (
	kept      []string
	templates = map[string]string{}
	making    sync.Mutex
)

// copyOf returns a copy of a folder that the first test which wants it has made.
func copyOf(t *testing.T, name string, make func(t *testing.T, dir string)) (dir string) {
	t.Helper()
	making.Lock()
	defer making.Unlock()
	from, ok := templates[name]
	if !ok {
		made, err := os.MkdirTemp("", "roundtable-test")
		noError(t, err)
		kept = append(kept, made)
		make(t, made)
		if err := os.RemoveAll(filepath.Join(made, ".roundtable")); err != nil { // the lake is enough
			t.Fatal(err)
		}
		from, templates[name] = made, made
	}
	dir = t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

// program is a run of the program in a folder of its own.
func program(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	noError(t, err)
	if len(args) > 0 && slices.Contains([]string{"run", "resume", "fork", "attribute"}, args[0]) && !slices.Contains(args, "--no-check=false") {
		args = append(slices.Clone(args), "--no-check") // tests count calls; those of the check say --no-check=false
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=canary-key-5f1d", "ANTHROPIC_API_KEY=x", "GOOGLE_API_KEY=x", runAsProgram+"=yes")
	return cmd
}

// readers are commands that only read.
var readers = []string{"analyze", "verify", "status", "cost", "query", "show", "list"}

// readHere runs a command that only reads the lake of a folder in this process, which
// saves another one; ok says that it has.
func readHere(t *testing.T, dir string, args []string) (d done, ok bool) {
	t.Helper()
	if len(args) == 0 || !slices.Contains(readers, args[0]) || slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"--lake", "--with-lake", "--state", "-o", "--file", "--attest", "--settle", "--embedder", "--help"}, arg) // which name files, or need keys
	}) {
		return done{}, false
	}
	return ran(t, append(slices.Clone(args), "--lake", filepath.Join(dir, "lake"), "--state", filepath.Join(dir, ".roundtable"))...), true
}

func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if d, ok := readHere(t, dir, args); ok {
		if d.code != 0 {
			t.Fatalf("roundtable %s: code %d\n%s%s", strings.Join(args, " "), d.code, d.out, d.err)
		}
		return d.out + d.err
	}
	out, err := program(t, dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("roundtable %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func campaignFile(t *testing.T, dir, url string, replicates int) {
	t.Helper()
	text := fmt.Sprintf(`name: killed
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 4}
model: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}
prices: {openai/fake: {input: 1, output: 2}}
grid:
  rule: [majority, plurality]
limits: {collaborations: 8, calls: 24}
`, replicates, url+"/v1")
	save(t, dir, "campaign.yaml", text)
}

const killedPrices = "prices: {openai/fake: {input: 1, output: 2}}\nlimits: {collaborations: 6, calls: 24}\n"

// killedKinds are campaigns that are killed, each of another kind of work.
var killedKinds = map[string]struct {
	text   string
	then   []string // the command that is killed, of a campaign that has ended; none kills run
	after  int      // stored answers before each kill
	isLong bool     // it runs with -long
}{
	// Each protocol that a vendor's answers fit.
	"live": {`name: killed
model: openai/fake
data: examples/data
grid:
  game:
    - {label: talk, set: {rule: majority, env: exchange, protocol: {name: roundtable, rounds: 2}}}
    - {label: truth, set: {rule: plurality, env: {name: qa, format: bbh, file: orders.json, agents: 5, n: 2}, protocol: {name: debate, rounds: 2, order: truth_last}}}
    - {label: ring, set: {rule: plurality, env: {name: qa, format: bbh, file: orders.json, agents: 5, n: 2}, protocol: {name: debate, rounds: 2, order: madc, talk: one_by_one, topology: ring}}}
    - {label: summary, set: {rule: plurality, env: {name: qa, format: bbh, file: orders.json, agents: 5, n: 2}, protocol: {name: debate, rounds: 2, order: random, talk: summarizer, remove: [{agent: 1, from: 3}]}}}
    - {label: sides, set: {rule: plurality, env: {name: qa, format: bbh, file: orders.json, agents: 20, n: 2, pool: {file: viewpoints.jsonl, each: 10, contexts: 2}}, protocol: {name: debate, viewpoints: {each: 10}, agents: 11}}}
    - {label: robots, set: {env: robots, protocol: {name: consensus, rounds: 3, network: leader}}}
` + killedPrices, nil, 60, false},
	// Agents that take time, and steps of the world between them.
	"scripted": {`name: killed
data: examples/data
instances: {menu: 1, allocation: 1}
grid:
  game:
    - {label: approval, set: {rule: approval, env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 2}, model: {name: scripted/answerer, latency: 20ms, jitter: 20ms, malformed: 0.1}, protocol: {name: discussion, challenge: history}}}
    - {label: consensus, set: {rule: majority_consensus, env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 2}, model: {name: scripted/answerer, latency: 20ms, malformed: 0.1}, protocol: discussion}}
    - {label: judge, set: {rule: judge, env: {name: qa, format: bbh, file: orders.json, agents: 3, n: 1}, model: {name: scripted/answerer, latency: 20ms, malformed: 0.1}, protocol: discussion}}
    - {label: menu, set: {rule: unanimous, env: menu, model: {name: scripted/sharer, latency: 30ms, malformed: 0.1, policy: {share: 0.8, noise: 0.2}}, protocol: {name: deliberation, tools: [solver, calculator]}}}
    - {label: tents, set: {rule: unanimous, env: {name: allocation, domains: [camping]}, model: {name: scripted/sharer, latency: 30ms, malformed: 0.1}, protocol: deliberation}}
    - {label: robots, set: {env: robots, model: {name: scripted/mixture, latency: 30ms, malformed: 0.2}, protocol: {name: consensus, rounds: 4}}}
`, nil, 40, true},
	"labels": {talkedCampaign + "labels: {model: openai/fake}\n" + killedPrices, nil, 20, false},
	"judge": {`name: killed
data: examples/data
replicates: 3
env: {name: qa, format: csv, file: why.csv, kind: open, score: {judge: {model: openai/fake, rubric: Half for a part., scale: [0, 10]}}}
protocol: {name: debate, rounds: 1}
model: {name: scripted/answerer, policy: {accuracy: 0.5, conformity: 0.4}}
rule: plurality
` + killedPrices, nil, 4, true},
	"fork": {strings.Replace(liveOriginal, "name: original", "name: killed", 1) + killedPrices, []string{"fork", "killed", "--at", "round=2", "--drop", "Blake", "--control"}, 12, true},
	// The rest is not needed once the question is answered.
	"until": {`name: killed
replicates: 20
env: exchange
rule: majority
protocol: roundtable
model: openai/fake
grid:
  protocol.rounds: [1, 3]
until: {compare: protocol.rounds, measure: rounds, ahead: 2}
` + killedPrices, nil, 30, true},
}

var talkedCampaign = strings.Replace(talkCampaign, "name: talk", "name: killed", 1)

// TestKills kills campaigns with -9 while their service has faults, and goes on: each
// comes to the rows and labels of a quiet run, nothing stored is asked for again, no key
// is left anywhere. What activities leave at each of their writes, the simulation has.
func TestKills(t *testing.T) {
	kills := 1
	if *long {
		kills = 12
	}
	for name, x := range killedKinds {
		t.Run(name, func(t *testing.T) {
			if x.isLong && !*long {
				t.Skip("-long")
			}
			t.Parallel()
			v := newVendor(t)
			v.set(answerAll)
			command, result := []string{"run", "campaign.yaml"}, "killed"
			if x.then != nil {
				command, result = x.then, "killed-fork"
			}
			quiet, dir := t.TempDir(), t.TempDir()
			for _, dir := range []string{quiet, dir} {
				exampleData(t, dir)
				save(t, dir, "campaign.yaml", x.text)
				if x.then != nil {
					ends(t, 0, dir, v.at(), "run", "campaign.yaml")
				}
			}
			ends(t, 0, quiet, v.at(), command...)
			v.latency = 20 * time.Millisecond
			v.set(func(a *asked) *trick { return cmp.Or(every(9, passing()[:7]...)(a), answerAll(a)) })
			n := 0
			for n < kills && killAfter(t, x.after, v, command...)(dir) {
				n++
			}
			if n == 0 {
				t.Fatal("it ended before it could be killed")
			}
			stored, from := storedKeys(t, dir), len(v.arrivals())
			ends(t, 0, dir, v.at(), command...)
			notAgain(t, v.arrivals()[from:], stored)
			if a, b := digestBy(t, quiet, result), digestBy(t, dir, result); a != b {
				t.Errorf("digest of the quiet run %s, after %d kills %s", a, n, b)
			}
			if a, b := labelsOf(t, quiet, "killed"), labelsOf(t, dir, "killed"); !maps.Equal(a, b) || (len(a) > 0) != (name == "labels") {
				t.Errorf("labels of the quiet run %v, after %d kills %v", a, n, b)
			}
			leaks(t, dir, "canary-key-5f1d")
			t.Logf("%d kills, faults %v", n, v.played)
		})
	}
}

// answerAll answers judges and labellers; agents are answered as usual.
func answerAll(a *asked) *trick {
	score := sells("score", "stop", func(a *asked) string {
		return fmt.Sprintf(`{"why": "by length", "score": %d}`, len(a.texts[1])%11)
	})
	if slices.ContainsFunc(a.texts, func(s string) bool { return strings.Contains(s, `"score"`) }) {
		return &score
	}
	return labelAnswers(a)
}

// killed runs a campaign to its end in one folder, and in another one after it
// was killed, so often or until kill says that it had ended. Both leave the same rows.
func killed(t *testing.T, kills int, write func(dir string), kill func(dir string) bool) (quiet, dir, out string) {
	t.Helper()
	quiet, dir = t.TempDir(), t.TempDir()
	write(quiet)
	write(dir)
	output(t, quiet, "run", "campaign.yaml")
	n := 0
	for n < kills && kill(dir) {
		n++
	}
	if n == 0 {
		t.Fatal("it ended before it could be killed")
	}
	out = output(t, dir, "run", "campaign.yaml")
	if a, b := digestBy(t, quiet, "killed"), digestBy(t, dir, "killed"); a != b {
		t.Errorf("digest of the quiet run %s, after %d kills %s", a, n, b)
	}
	return quiet, dir, out
}

// killAfter kills a command when n more answers are stored, and fails if it has asked for
// one that was stored before.
func killAfter(t *testing.T, n int, v *vendor, command ...string) func(dir string) bool {
	return func(dir string) bool {
		t.Helper()
		stored, from := storedKeys(t, dir), len(v.arrivals())
		b := starts(t, dir, v.at(), command...)
		screentest.Until(t, "more answers or the end", func() bool { return b.over() || len(storedKeys(t, dir)) >= len(stored)+n })
		isKilled := b.cut(t)
		notAgain(t, v.arrivals()[from:], stored)
		return isKilled
	}
}

// notAgain fails on requests whose answers were stored before they were made.
func notAgain(t *testing.T, asks []*asked, stored map[string]bool) {
	t.Helper()
	for _, a := range asks {
		if stored[a.key] {
			t.Errorf("%s was stored when the program was killed and was asked again", a.key)
		}
	}
}

var answerFile = regexp.MustCompile(`answers/campaign=([^/]+)/([^/]+)/0*(\d+)\.(\d+)\.json$`)

// storedKeys are the idempotency keys of all answers that are durably stored.
func storedKeys(t *testing.T, dir string) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(dir, "lake", "answers"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if m := answerFile.FindStringSubmatch(filepath.ToSlash(path)); m != nil {
			keys[fmt.Sprintf("%s/%s/%s/%s", m[1], m[2], m[3], m[4])] = true
		}
		return err
	})
	noError(t, err)
	return keys
}

// leaks looks for a secret in everything that was written.
func leaks(t *testing.T, dir, secret string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	noError(t, err)
}

// TestStrangeState: a campaign that was killed goes on from the lake if its engine's
// database is damaged, and at once if the clock has been set back since; it says so in a
// line and asks nothing twice.
func TestStrangeState(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	for name, x := range map[string]struct {
		change func(file string) error
		says   string
	}{
		"damaged":        {func(file string) error { return os.WriteFile(file, []byte("no database"), 0o600) }, "The workflow database is damaged: "},
		"clock set back": {func(file string) error { return os.Chtimes(file, time.Time{}, time.Now().Add(24*time.Hour)) }, "so the clock has been set back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, dir := newVendor(t), t.TempDir()
			v.latency = 10 * time.Millisecond
			campaignFile(t, dir, v.URL, 2)
			killAfter(t, 15, v, "run", "campaign.yaml")(dir)
			stored, from := storedKeys(t, dir), len(v.arrivals())
			files := glob(t, dir, ".roundtable/campaigns/killed/temporal.db*")
			if len(files) == 0 {
				t.Fatal("there is no database")
			}
			for _, file := range files {
				if filepath.Base(file) == "temporal.db" || name != "damaged" {
					noError(t, x.change(file))
				}
			}
			contains(t, output(t, dir, "run", "campaign.yaml"), x.says)
			notAgain(t, v.arrivals()[from:], stored)
		})
	}
}
