package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/cmd/internal/screentest"
)

// untilFile writes a campaign of scripted agents that ends when its question is answered.
func untilFile(t *testing.T, dir, until string) {
	t.Helper()
	save(t, dir, "campaign.yaml", `name: killed
replicates: 36
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
			noError(t, err)
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
	noError(t, json.Unmarshal([]byte(output(t, dir, "verify", "killed", "--json")), &v))
	if !v.OK || v.Question == nil || !v.Sealed {
		t.Fatalf("%+v", v)
	}
	return v
}

// A campaign that is killed gives the same answer by the same cells, and the rest ends
// stopped: answered. A harder question goes on with the cells that it needs besides, and
// without a question all run.
func TestUntilAnsweredAfterKills(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
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
	checkLabelsOnlyName(t, quiet, "killed")
	saved := fmt.Sprintf("Stopped: answered: %d of 108 collaborations were not needed", first.Question.Unneeded)
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
	if got := output(t, dir, "status", "killed"); !strings.Contains(got, "108 succeeded, 0 failed, 0 stopped") {
		t.Error(got)
	}
}

// A campaign that was cancelled goes on when that is requested, by the cells that its
// question needs and no others. More units under way at once buy nothing after the answer.
func TestUntilGoesOnAfterCancel(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	const easy = "limits: {collaborations: 6}\nuntil: {compare: rule, measure: decided, reference: majority, smallest: 0.45, ahead: 6}"
	succeeded := func(dir string) (n int) {
		s, err := store.NewLocal(filepath.Join(dir, "lake"))
		noError(t, err)
		defer func() { _ = s.Close() }()
		markers, err := lake.Committed(t.Context(), s, "killed")
		noError(t, err)
		for _, m := range markers {
			if m.Status == record.Succeeded {
				n++
			}
		}
		return n
	}
	quiet := t.TempDir()
	untilFile(t, quiet, easy)
	output(t, quiet, "run", "campaign.yaml")
	want, cells := answerOf(t, quiet), succeeded(quiet)

	dir := t.TempDir()
	untilFile(t, dir, easy)
	slowDown(t, dir)
	b := starts(t, dir, nil, "run", "campaign.yaml")
	screentest.Until(t, "cells have ended", func() bool {
		all, err := filepath.Glob(filepath.Join(dir, "lake/raw/_commits/campaign=killed/*.json"))
		return err == nil && len(all) >= 9
	})
	output(t, dir, "cancel", "killed")
	if code := b.code(t); code != cli.ExitIncomplete {
		t.Fatalf("a cancelled run ends with code %d", code)
	}
	cut := answerOf(t, dir).Question
	if cut.Answered || cut.Cancelled == 0 || cut.Units == 0 || cut.Units == cut.Of {
		t.Fatalf("after cancel: %v", cut)
	}
	before := succeeded(dir)
	if table := ends(t, 0, dir, nil, "analyze", "killed", "--table", "answer").out; !strings.Contains(table, fmt.Sprintf("%d units of %d looked at", cut.Units, cut.Of)) || strings.Contains(table, "open at the end") {
		t.Error(table)
	}
	ends(t, cli.ExitIncomplete, dir, nil, "run", "campaign.yaml")
	if got := succeeded(dir); got != before {
		t.Errorf("without a request it goes on after cancel: %d, before %d", got, before)
	}
	output(t, dir, "run", "campaign.yaml", "--retry-failed")
	got := answerOf(t, dir).Question
	if !reflect.DeepEqual(got.Comparisons, want.Question.Comparisons) || got.Unneeded != want.Question.Unneeded || succeeded(dir) != cells {
		t.Errorf("after cancel and retry %v by %d cells, want %v by %d", got, succeeded(dir), want.Question, cells)
	}
	untilFile(t, dir, strings.Replace(easy, "ahead: 6", "ahead: 20", 1))
	slowDown(t, dir)
	if run := ends(t, 0, dir, nil, "run", "campaign.yaml"); !strings.Contains(run.err, "until.ahead stays 6 (the file has 20)") || succeeded(dir) != cells {
		t.Errorf("a larger ahead: %d cells, want %d\n%s", succeeded(dir), cells, run.err)
	}
}

// slowDown gives the campaign's agents a latency.
func slowDown(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "campaign.yaml")
	text, err := os.ReadFile(path)
	noError(t, err)
	save(t, dir, "campaign.yaml", strings.Replace(string(text), "model: scripted/trader", "model: {name: scripted/trader, latency: 20ms}", 1))
}
