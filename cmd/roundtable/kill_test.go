package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"roundtable/cmd/internal/screentest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "run the long tests as well")

// built is where the program is built; TestMain makes and removes it.
var built string

// If testSelf is set, tests run this test binary as the program, which saves
// linking it twice; runAsProgram tells the child so.
const (
	testSelf     = "ROUNDTABLE_TEST_SELF"
	runAsProgram = "ROUNDTABLE_TEST_RUN"
)

// buildProgram builds the program once, as `make dist` does, for the first test
// that runs it.
var buildProgram = sync.OnceValues(func() (string, error) {
	if os.Getenv(testSelf) != "" {
		return os.Executable()
	}
	path := filepath.Join(built, "roundtable")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == asWell {
		playWell()
		return
	}
	if os.Getenv(runAsProgram) != "" {
		main()
		return
	}
	var err error
	if built, err = os.MkdirTemp("", "roundtable"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	parallel := "4" // they wait for a vendor more than they compute
	if *long {
		parallel = "3"
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// program is a run of the built binary in a folder of its own.
func program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	if len(args) > 0 && slices.Contains([]string{"run", "resume", "fork", "attribute"}, args[0]) && !slices.Contains(args, "--no-check=false") {
		args = append(slices.Clone(args), "--no-check") // tests count calls; those of the check say --no-check=false
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=canary-key-5f1d", "ANTHROPIC_API_KEY=x", "GOOGLE_API_KEY=x", runAsProgram+"="+os.Getenv(testSelf))
	return cmd
}

func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
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

// TestKills runs a campaign against a faulty service, kills it with -9 again
// and again, and compares it with a quiet run: same rows, no stored answer
// asked for again, every interrupted turn asked for again.
func TestKills(t *testing.T) {
	t.Parallel()
	kills, replicates := 3, 6
	if *long {
		kills, replicates = 25, 30
	}
	service := newService(t)
	_, dir, out := killedLive(t, service, kills, func(dir string) { campaignFile(t, dir, service.URL, replicates) })
	if !strings.Contains(out, "utility@3") {
		t.Errorf("the run does not end with Table 1:\n%s", out)
	}
	leaks(t, dir, "canary-key-5f1d")
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

// killAfter kills the program when n more answers are stored.
func killAfter(t *testing.T, answers int) func(dir string) bool {
	return func(dir string) bool {
		t.Helper()
		from := len(storedKeys(t, dir))
		b := starts(t, dir, nil, "run", "campaign.yaml")
		screentest.Until(t, "more answers or the end", func() bool { return b.over() || len(storedKeys(t, dir)) >= from+answers })
		return b.cut(t)
	}
}

// killedLive is killed at random moments, with a service that has faults then:
// no stored answer is asked for again.
func killedLive(t *testing.T, service *service, kills int, write func(dir string)) (quiet, dir, out string) {
	t.Helper()
	var resumed []time.Duration
	var calm, from int
	var stored map[string]bool
	quiet, dir, out = killed(t, kills, write, func(dir string) bool {
		if !service.trouble.Swap(true) {
			calm = len(service.arrivals(0))
		}
		on := killOnce(t, dir, service, &resumed)
		stored, from = storedKeys(t, dir), len(service.arrivals(0))
		return on
	})
	notAgain(t, service.arrivals(from), stored)
	slices.Sort(resumed)
	t.Logf("start to first call over %d starts: median %v, worst %v", len(resumed), resumed[len(resumed)/2], resumed[len(resumed)-1])
	t.Logf("faults of the service: %v; requests %d, of the quiet run %d", service.faulted, len(service.arrivals(calm)), calm)
	return quiet, dir, out
}

// killOnce starts the program and kills it at a random moment after its first
// call. What was stored before must not be asked again.
func killOnce(t *testing.T, dir string, s *service, resumed *[]time.Duration) bool {
	t.Helper()
	stored, from := storedKeys(t, dir), len(s.arrivals(0))
	began := time.Now()
	b := starts(t, dir, nil, "run", "campaign.yaml")
	screentest.Until(t, "a call or the end", func() bool { return b.over() || len(s.arrivals(from)) > 0 })
	if asked := s.arrivals(from); len(asked) > 0 {
		*resumed = append(*resumed, asked[0].at.Sub(began).Round(time.Millisecond))
	}
	select {
	case <-b.ended:
	case <-time.After(rand.N(2 * time.Second)):
	}
	on := b.cut(t)
	notAgain(t, s.arrivals(from), stored)
	return on
}

// notAgain fails on requests whose answers were stored before they were made.
func notAgain(t *testing.T, asked []arrival, stored map[string]bool) {
	t.Helper()
	for _, a := range asked {
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
}

// TestDamagedState: a campaign whose engine's database was damaged after a kill goes on
// from the lake, asks nothing twice and says so in a line.
func TestDamagedState(t *testing.T) {
	t.Parallel()
	service := newService(t)
	dir := t.TempDir()
	campaignFile(t, dir, service.URL, 6)
	killAfter(t, 30)(dir)
	stored, from := storedKeys(t, dir), len(service.arrivals(0))
	database := filepath.Join(dir, ".roundtable", "campaigns", "killed", "temporal.db")
	if err := os.WriteFile(database, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := output(t, dir, "run", "campaign.yaml"); !strings.Contains(out, "The workflow database is damaged: ") {
		t.Errorf("it says\n%s", out)
	}
	notAgain(t, service.arrivals(from), stored)
}

// TestClockSetBack: a campaign whose engine was last at work in the future, since the
// clock was set back after a kill, goes on at once and says so.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	service := newService(t)
	dir := t.TempDir()
	campaignFile(t, dir, service.URL, 6)
	killAfter(t, 30)(dir)
	stored, from := storedKeys(t, dir), len(service.arrivals(0))
	files, err := filepath.Glob(filepath.Join(dir, ".roundtable", "campaigns", "killed", "temporal.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if out := output(t, dir, "run", "campaign.yaml"); !strings.Contains(out, "so the clock has been set back") {
		t.Errorf("it says\n%s", out)
	}
	notAgain(t, service.arrivals(from), stored)
}
