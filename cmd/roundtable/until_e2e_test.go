package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/integrity"
	"roundtable/cmd/internal/screentest"
)

// untilFile writes a campaign of scripted agents that ends when its question is answered.
func untilFile(t *testing.T, dir, until string) {
	t.Helper()
	save(t, dir, "campaign.yaml", `name: killed
replicates: 60
env: exchange
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid:
  rule: [unanimous, majority, plurality]
`+until+"\n")
}

// killAfterCells kills the program when n more cells have ended.
func killAfterCells(t *testing.T, n int) func(dir string) bool {
	return func(dir string) bool {
		t.Helper()
		ended := func() int {
			all, err := filepath.Glob(filepath.Join(dir, "lake/raw/_commits/campaign=killed/*.json"))
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		from := ended()
		b := starts(t, dir, nil, "run", "campaign.yaml")
		screentest.Until(t, "more cells or the end", func() bool { return b.over() || ended() >= from+n })
		return b.cut(t)
	}
}

// answerOf is what verify finds of the campaign's question.
func answerOf(t *testing.T, dir string) integrity.Verification {
	t.Helper()
	var v integrity.Verification
	if err := json.Unmarshal([]byte(output(t, dir, "verify", "killed", "--json")), &v); err != nil {
		t.Fatal(err)
	}
	if !v.OK || v.Question == nil || !v.Sealed {
		t.Fatalf("%+v", v)
	}
	return v
}

// A campaign that is killed gives the same answer by the same cells, and the rest ends
// stopped: answered. A harder question goes on with the cells that it needs besides, and
// without a question all run.
func TestUntilAnsweredAfterKills(t *testing.T) {
	t.Parallel()
	const easy = "until: {compare: rule, measure: decided, reference: majority, smallest: 0.45, ahead: 6}"
	quiet, dir, out := killed(t, 2, func(dir string) { untilFile(t, dir, easy) }, killAfterCells(t, 12))
	first := answerOf(t, quiet)
	if got := answerOf(t, dir); fmt.Sprint(*got.Question) != fmt.Sprint(*first.Question) {
		t.Errorf("after kills %v, want %v", got.Question, first.Question)
	}
	if !first.Question.Answered || first.Question.Unneeded == 0 {
		t.Fatalf("%v", first.Question)
	}
	saved := fmt.Sprintf("Stopped: answered: %d of 180 collaborations were not needed", first.Question.Unneeded)
	if !strings.Contains(out, saved) || !strings.Contains(out, "Is the question of killed answered?") {
		t.Errorf("want %q in\n%s", saved, out)
	}
	if got := output(t, dir, "status", "killed"); !strings.Contains(got, "the question is answered: 2 of 2 comparisons") {
		t.Error(got)
	}
	if got := output(t, dir, "query", "SELECT count(*) AS n FROM collaborations WHERE status = 'stopped' AND failure = 'answered'", "--json"); !strings.Contains(got, fmt.Sprintf(`"n":%d`, first.Question.Unneeded)) {
		t.Error(got)
	}
	untilFile(t, dir, strings.Replace(easy, "0.45", "0.35", 1))
	output(t, dir, "run", "campaign.yaml")
	harder := answerOf(t, dir)
	if harder.Question.Units <= first.Question.Units || harder.Question.Unneeded >= first.Question.Unneeded || !harder.Question.Answered {
		t.Errorf("%v, want more than %v", harder.Question, first.Question)
	}
	output(t, dir, "run", "campaign.yaml", "--retry-failed") // nothing failed, and what is not needed is not asked for
	if again := answerOf(t, dir); again.Digest != harder.Digest {
		t.Errorf("%v after --retry-failed, want %v", again.Question, harder.Question)
	}
	untilFile(t, dir, "")
	output(t, dir, "run", "campaign.yaml")
	if got := output(t, dir, "status", "killed"); !strings.Contains(got, "180 succeeded, 0 failed, 0 stopped") {
		t.Error(got)
	}
}

// The same with a service that has faults, each collaboration in its own workflow: no
// stored answer is asked for again.
func TestUntilAnsweredLive(t *testing.T) {
	t.Parallel()
	service := newService(t)
	_, dir, _ := killedLive(t, service, 2, func(dir string) {
		save(t, dir, "campaign.yaml", fmt.Sprintf(`name: killed
replicates: 30
env: exchange
rule: majority
protocol: roundtable
model: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}
prices: {openai/fake: {input: 1, output: 2}}
grid:
  protocol.rounds: [1, 4]
limits: {collaborations: 6, calls: 24}
until: {compare: protocol.rounds, measure: rounds, ahead: 2}
`, service.URL+"/v1"))
	})
	v := answerOf(t, dir)
	if q := v.Question; !q.Answered || q.Units >= 20 || q.Unneeded != 60-2*(q.Units+1) {
		t.Errorf("%v", q)
	}
}
