package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const scoredCampaign = `
name: scored
data: .
replicates: 3
env:
  name: qa
  format: csv
  file: q.csv
  columns: {question: text, options: [opa, opb, opc], answer: key}
  score: {command: [./score.sh, half], timeout: 20s}
protocol: {name: debate, rounds: 1}
rule: plurality
model: scripted/answerer
`

// trusted lets the scorer run.
var trusted = []string{"ROUNDTABLE_PROGRAMS=*"}

// shellScorer gives 1 for the key and 0.5 for another option; it fails for C unless
// there is a file mended, and notes which answers it was asked about.
const shellScorer = `#!/bin/sh
read -r line
printf '%s\n' "$line" >> ran.txt
sleep 0.05
answer=$(printf '%s' "$line" | sed 's/.*"answer":"\([A-Z]\)".*/\1/')
key=$(printf '%s' "$line" | sed 's/.*"key":"\([A-Z]\)","keys.*/\1/')
if [ "$answer" = C ] && [ ! -e mended ]; then echo "no rubric for C" >&2; exit 2; fi
if [ "$answer" = "$key" ]; then echo '{"score": 1, "why": "the key"}'; else echo '{"score": 0.5}'; fi
`

func writeScored(t *testing.T, mended bool) string {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	dir := write(t, scoredCampaign)
	var q strings.Builder
	q.WriteString("text,opa,opb,opc,key\n")
	for i := range 8 {
		fmt.Fprintf(&q, "Question %d?,x,y,z,%c\n", i, 'A'+i%2)
	}
	save(t, dir, "q.csv", q.String())
	save(t, dir, "score.sh", shellScorer)
	noError(t, os.Chmod(filepath.Join(dir, "score.sh"), 0o700))
	if mended {
		save(t, dir, "mended", "")
	}
	return dir
}

// askedOf returns what a scorer was asked, sorted.
func askedOf(t *testing.T, dir string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "ran.txt"))
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(lines)
	return lines
}

// A program scores each distinct final answer once. What it fails on fails its
// collaborations, with the line and what is accepted, and can be run again.
func TestProgramScores(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	dir := writeScored(t, false)
	ends(t, 3, dir, trusted, "run", "campaign.yaml")
	failed := ends(t, 0, dir, trusted, "query", "SELECT DISTINCT failure FROM collaborations WHERE failure IS NOT NULL ORDER BY 1 LIMIT 1", "--campaign", "scored", "--format", "csv").out
	for _, want := range []string{"the scorer ./score.sh", "q.csv, line ", "exit status 2: no rubric for C (3 tries)", "with a score from 0 to 1, and exit code 0"} {
		if !strings.Contains(failed, want) {
			t.Errorf("failures are %q, want %s", failed, want)
		}
	}
	if status := ends(t, 0, dir, trusted, "status", "scored").out; !strings.Contains(status, " failed") || strings.Contains(status, " 0 failed") {
		t.Errorf("status says %s", status)
	}
	save(t, dir, "mended", "")
	before := len(askedOf(t, dir))
	ends(t, 0, dir, trusted, "run", "campaign.yaml", "--retry-failed")
	asked := askedOf(t, dir)
	for _, line := range asked[before:] {
		if n := len(slices.DeleteFunc(slices.Clone(asked), func(other string) bool { return other != line })); n > 1 && !strings.Contains(line, `"answer":"C"`) {
			t.Errorf("%d times: %s", n, line)
		}
	}
	if got := ends(t, 0, dir, trusted, "query", "SELECT DISTINCT score, outcome FROM collaborations ORDER BY 1", "--campaign", "scored", "--format", "csv").out; got != "score,outcome\n0.5,0.5\n1,1\n" {
		t.Errorf("scores are %q", got)
	}
	if got := ends(t, 0, dir, trusted, "query", "SELECT count(score), count(outcome) FROM rounds", "--campaign", "scored", "--format", "csv").out; !strings.HasSuffix(got, "\n0,0\n") {
		t.Errorf("rounds have scores: %q", got)
	}
	ends(t, 0, dir, trusted, "verify", "scored")
}

// Killed while programs score, a campaign goes on: what was stored is not asked
// again, and the tables come out the same.
func TestProgramScoresAfterKill(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	quiet := writeScored(t, true)
	ends(t, 0, quiet, trusted, "run", "campaign.yaml")
	dir := writeScored(t, true)
	b := starts(t, dir, trusted, "run", "campaign.yaml")
	for began := time.Now(); len(askedOf(t, dir)) < 5 && !b.over() && time.Since(began) < time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
	if !b.cut(t) {
		t.Log("it ended before it could be killed")
	}
	ends(t, 0, dir, trusted, "run", "campaign.yaml")
	once, asked := askedOf(t, quiet), askedOf(t, dir)
	if distinct := slices.Compact(slices.Clone(asked)); !slices.Equal(distinct, once) || len(asked) > len(once)+8 {
		t.Errorf("%d questions to the scorer, of which %d distinct; %d without a kill", len(asked), len(distinct), len(once))
	}
	if want, got := digestBy(t, quiet, "scored"), digestBy(t, dir, "scored"); got != want {
		t.Errorf("the digest is %s, without a kill %s", got, want)
	}
}

// A program that is not trusted, or not there, is missed before anything is asked.
func TestProgramMissing(t *testing.T) {
	dir := writeScored(t, true)
	untrusted := ends(t, 2, dir, nil, "run", "campaign.yaml").err
	if !strings.Contains(untrusted, "if you trust it as it is now: export ROUNDTABLE_PROGRAMS='./score.sh half in "+dir) || len(askedOf(t, dir)) > 0 {
		t.Errorf("run says %s", untrusted)
	}
	noError(t, os.Remove(filepath.Join(dir, "score.sh")))
	said := ends(t, 2, dir, trusted, "plan", "campaign.yaml").err
	if !strings.Contains(said, "env.score: the program ./score.sh cannot be started") {
		t.Errorf("plan says %s", said)
	}
}
