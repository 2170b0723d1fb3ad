package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/activities/programs"
	"roundtable/envs/program/programtest"
)

// asWell has the test binary play an environment.
const asWell = "as-well"

func playWell() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var q struct {
			N int `json:"n"`
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			os.Exit(1)
		}
		answer := programtest.Answer(lines.Bytes())
		answer["n"] = q.N
		data, err := json.Marshal(answer)
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(string(data))
	}
}

// wellCampaign has agents that take their time, so that it can be killed.
const wellCampaign = `name: well
env: {name: program, command: [%s], params: {road: 12}}
protocol: {name: roundtable, rounds: 3}
rule: majority
model: {name: scripted/neighbour, latency: 10ms}
instances: 2
replicates: 3
`

// writeWell writes the campaign with its program, and returns what it needs to run.
func writeWell(t *testing.T, command ...string) (dir string, trusted []string) {
	t.Helper()
	dir = write(t, fmt.Sprintf(wellCampaign, strings.Join(command, ", ")))
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "program", "well.py"))
	noError(t, err)
	save(t, dir, "well.py", string(text))
	return dir, []string{"ROUNDTABLE_PROGRAMS=*"}
}

// An environment that is a program, in Python and in Go: killed in the middle, a
// campaign goes on to the same rows as without a kill. Read, checked and replayed it is
// without the program.
func TestProgramEnvironment(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("TestProgramPolicy runs a program; -long")
	}
	for name, command := range map[string][]string{"python": {"python3", "well.py"}, "go": {os.Args[0], asWell}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("there is no %s here to play an environment", command[0])
			}
			quiet, trusted := writeWell(t, command...)
			ends(t, 0, quiet, trusted, "run", "campaign.yaml")
			want := digestBy(t, quiet, "well")

			dir, _ := writeWell(t, command...)
			b := starts(t, dir, trusted, "run", "campaign.yaml")
			for began := time.Now(); recordedOf(t, dir) < 6 && !b.over() && time.Since(began) < time.Minute; {
				time.Sleep(20 * time.Millisecond)
			}
			if !b.cut(t) {
				t.Log("it ended before it could be killed")
			}
			ends(t, 0, dir, trusted, "run", "campaign.yaml")
			if got := digestBy(t, dir, "well"); got != want {
				t.Errorf("the digest is %s, without a kill %s", got, want)
			}
			withoutProgram(t, dir, want)
		})
	}
}

// recordedOf counts the recorded answers of the campaign's program.
func recordedOf(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "lake", "lake", "_campaigns", "well", "programs", "*.json"))
	noError(t, err)
	return len(files)
}

// withoutProgram reads a campaign whose program is gone and not trusted.
func withoutProgram(t *testing.T, dir, digest string) {
	t.Helper()
	noError(t, os.Remove(filepath.Join(dir, "well.py")))
	if got := digestBy(t, dir, "well"); got != digest {
		t.Errorf("without the program the digest is %s, was %s", got, digest)
	}
	ends(t, 0, dir, nil, "analyze", "well")
	ends(t, 0, dir, nil, "report", "well", "-o", "page.html")
	one := strings.Fields(ends(t, 0, dir, nil, "query", "SELECT min(collaboration_id) FROM collaborations", "--campaign", "well", "--format", "csv").out)[1]
	if shown := ends(t, 0, dir, nil, "show", one, "--prompts").out; !strings.Contains(shown, "Your house is at kilometre") || !strings.Contains(shown, "Houses") {
		t.Errorf("show has no prompts or no facts:\n%.2000s", shown)
	}
	text, err := os.ReadFile(filepath.Join(dir, "campaign.yaml"))
	noError(t, err)
	save(t, dir, "again.yaml", strings.NewReplacer("name: well", "name: again", "{name: scripted/neighbour, latency: 10ms}", "replay/well").Replace(string(text)))
	ends(t, 0, dir, nil, "run", "again.yaml")
	scores := "SELECT instance_id, replicate, score FROM collaborations ORDER BY 1, 2"
	if a, b := ends(t, 0, dir, nil, "query", scores, "--campaign", "well", "--format", "csv").out, ends(t, 0, dir, nil, "query", scores, "--campaign", "again", "--format", "csv").out; a != b {
		t.Errorf("scores are\n%s, replayed\n%s", a, b)
	}
	for _, file := range []string{"well", "again"} {
		damage := recordedFile(t, dir, file)
		data, err := os.ReadFile(damage)
		noError(t, err)
		noError(t, os.WriteFile(damage, append([]byte(" "), data[:len(data)-9]...), 0o600))
		if d := command(t, dir, nil, "verify", file); d.code != 1 && d.code != 3 || !strings.Contains(d.out, filepath.Base(damage)) {
			t.Errorf("verify of a damaged recording ends with %d:\n%s", d.code, d.out)
		}
	}
}

// recordedFile returns the first recording of a campaign.
func recordedFile(t *testing.T, dir, campaign string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "lake", "lake", "_campaigns", campaign, "programs", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has recorded nothing: %v", campaign, err)
	}
	return files[0]
}

// A program that is wrong, missing or not trusted is refused before anything is asked,
// and check-env says what is wrong with it.
func TestProgramEnvironmentRefused(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir, trusted := writeWell(t, os.Args[0], asWell)
	if said := ends(t, 2, dir, nil, "run", "campaign.yaml").err; !strings.Contains(said, "if you trust it as it is now: export ROUNDTABLE_PROGRAMS=") {
		t.Errorf("run says %s", said)
	}
	ends(t, 0, dir, trusted, "plan", "campaign.yaml")
	if out := ends(t, 0, dir, nil, "check-env", "--params", `{"road": 12}`, "--", os.Args[0], asWell).out; strings.Count(out, " ok\n") != 8 {
		t.Errorf("check-env says\n%s", out)
	}
	if d := command(t, dir, nil, "check-env", "--", "./not-there"); d.code != 1 && d.code != 3 || !strings.Contains(d.out, "the program cannot be started") {
		t.Errorf("check-env ends with %d: %s", d.code, d.out)
	}
	if said := ends(t, 2, dir, []string{"ROUNDTABLE_PROGRAMS=*"}, "plan", "campaign.yaml", "--set", "env.command=[./not-there]").err; !strings.Contains(said, "env: the program ./not-there, asked for what it is: the program cannot be started") {
		t.Errorf("plan says %s", said)
	}
}

// A program can play the scripted agents of any environment; here those that its own
// environment's policy plays the same way.
func TestProgramPolicy(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir, trusted := writeWell(t, os.Args[0], asWell)
	text, err := os.ReadFile(filepath.Join(dir, "campaign.yaml"))
	noError(t, err)
	quick := strings.NewReplacer("name: well", "name: own", "replicates: 3", "replicates: 1", "{name: scripted/neighbour, latency: 10ms}", "scripted/neighbour").Replace(string(text))
	save(t, dir, "own.yaml", quick)
	save(t, dir, "policy.yaml", strings.NewReplacer("name: own", "name: policy", "scripted/neighbour",
		fmt.Sprintf("{name: scripted/program, policy: {command: [%s, %s]}}", os.Args[0], asWell)).Replace(quick))
	ends(t, 0, dir, trusted, "run", "own.yaml")
	ends(t, 0, dir, trusted, "run", "policy.yaml")
	scores := "SELECT instance_id, replicate, score FROM collaborations ORDER BY 1, 2"
	if a, b := ends(t, 0, dir, nil, "query", scores, "--campaign", "own", "--format", "csv").out, ends(t, 0, dir, nil, "query", scores, "--campaign", "policy", "--format", "csv").out; a != b {
		t.Errorf("scores are\n%s, with the program as a policy\n%s", a, b)
	}
	if said := ends(t, 2, dir, nil, "plan", "policy.yaml", "--set", "env=publicgoods").err; !strings.Contains(said, "policy: the campaign runs a program on this machine") {
		t.Errorf("plan says %s", said)
	}
}

// The example runs as its comments say.
func TestProgramEnvironmentExample(t *testing.T) {
	if !*long {
		t.Skip("TestProgramEnvironment plays the same program; -long")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here to play an environment")
	}
	dir := t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS("../../examples/program")))
	entry, err := programs.TrustOf(dir, []string{"python3", "well.py"})
	noError(t, err)
	t.Setenv("ROUNDTABLE_PROGRAMS", entry)
	ends(t, 0, dir, nil, "run", "well.yaml", "--limit", "1")
	if got := ends(t, 0, dir, nil, "check-env", "--", "python3", "well.py").out; strings.Contains(got, "WRONG") {
		t.Errorf("check-env says\n%s", got)
	}
}
