package exports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
)

// Functions of query have the rows of what has ended, and say of what has not where to find it.
func TestEachAsked(t *testing.T) {
	t.Parallel()
	const of = "env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader"
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, "{name: a, replicates: 2, "+of+"}", 0); err != nil {
		t.Fatal(err)
	}
	p, err := laketest.Record(ctx, s, "{name: b, "+of+"}")
	if err != nil {
		t.Fatal(err)
	}
	begun := answers.RunKey{Campaign: "b", Collaboration: p.Campaign.Conditions[0].ID() + p.Campaign.Cell(0).Suffix()}
	if _, err := answers.NewAnswers(s).Intend(ctx, begun, answers.Intent{WorstTokens: 1}); err != nil {
		t.Fatal(err)
	}
	read := func(_ context.Context, k record.Key) ([]collaboration.Asked, error) {
		if k.CampaignID != "a" || k.ConditionID != p.Campaign.Conditions[0].ID() {
			return nil, errors.New("lost")
		}
		if strings.HasSuffix(k.CollaborationID, "r0") { // it asked nothing
			return nil, nil
		}
		return make([]collaboration.Asked, 2), nil
	}
	each := eachAsked(ctx, s, read, func(a collaboration.Asked) [][]any { return [][]any{{"x"}} })
	next, rows := each("a/"), 0
	for {
		row, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if rows++; err != nil || rows > 2 || fmt.Sprint(row) != "[a "+p.Campaign.Conditions[0].ID()+"-i0-r1 0 0 x]" {
			t.Fatalf("%v, %v", row, err)
		}
	}
	if rows != 2 {
		t.Errorf("%d rows, want 2", rows)
	}
	for asked, says := range map[string]string{"b/": "has not ended: unfinished_turns has its turns", "c/": `no campaign "c"`} {
		if _, err := each(asked)(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", asked, err)
		}
	}
}

// What a pool leaves out is said, ten names of it at most.
func TestPoolSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	names := strings.Split("a b c d e f g h i j k l", " ")
	for n, says := range map[int]string{0: "", 10: "10 of 12 questions lack it and are left out: a, b, c, d, e, f, g, h, i, j\n", 11: "11 of 12 questions lack it and are left out: a, b, c, d, e, f, g, h, i, j, …\n"} {
		var out, problems bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		cmd.SetErr(&problems)
		x := Export{Output: filepath.Join(t.TempDir(), "pool.jsonl")}
		err := writePool(cmd, &cli.Options{}, x, &Pool{Questions: names, Simulated: n}, "challenges", rowsOf([]Challenge{{Question: "q"}}), names[:n], "lack it")
		simulated, is := strings.CutPrefix(problems.String(), fmt.Sprintf("SIMULATED: %d answers by scripted agents (field simulated)\n", n))
		if err != nil || is != (n > 0) || simulated != says || !strings.Contains(out.String(), "1 row") {
			t.Errorf("%d left out: %q, %q, %v", n, &out, &problems, err)
		}
	}
}
