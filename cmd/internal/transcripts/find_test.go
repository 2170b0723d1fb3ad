package transcripts

import (
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
)

// Collaborations are found by their id or its beginning, the latest generation that has ended before one that has
// begun.
func TestFind(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	for generation := range 2 {
		if err := laketest.Play(ctx, s, strings.Replace(file, "name: c", "name: a", 1), generation); err != nil {
			t.Fatal(err)
		}
	}
	p, err := laketest.Record(ctx, s, strings.Replace(file, "name: c", "name: b", 1))
	if err != nil {
		t.Fatal(err)
	}
	condition := p.Campaign.Conditions[0].ID()
	begun := answers.RunKey{Campaign: "b", Collaboration: condition + p.Campaign.Cell(0).Suffix()}
	if _, err := answers.NewAnswers(s).Intend(ctx, begun, answers.Intent{WorstTokens: 1}); err != nil {
		t.Fatal(err)
	}
	id := func(replicate string) string { return condition + "-i0-r" + replicate }
	for asked, want := range map[string]string{
		"a/" + id("0"): "a/" + id("0") + ".1", "a/" + id("0") + ".0": "a/" + id("0") + ".0", "a/" + id("1") + ".1": "a/" + id("1") + ".1",
		id("1"): "a/" + id("1") + ".1", "b/" + id("0"): "b/" + id("0") + ".0 unfinished", id("0"): "a/" + id("0") + ".1, b/" + id("0") + ".0 unfinished",
		"a/plur": "a/" + id("0") + ".1, a/" + id("1") + ".1", "b/": "b/" + id("0") + ".0 unfinished", "a/" + id("0") + ".2": "", "majority": "",
	} {
		found, err := Find(ctx, s, asked)
		var got []string
		for _, m := range found {
			name := m.Campaign + "/" + m.Run().String()
			if m.Status == record.Unfinished {
				name += " " + m.Status
			}
			got = append(got, name)
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s is %q, want %q; %v", asked, got, want, err)
		}
		one, err := FindOne(ctx, s, asked)
		if (err == nil) != (len(got) == 1) || err != nil && cli.ExitCode(err) != cli.ExitUsage || err == nil && one.Run() != found[0].Run() {
			t.Errorf("%s is the one %v: %v", asked, one, err)
		}
	}
	for asked, says := range map[string]string{"c/x": `no campaign "c"`, "majority": "no collaboration that has begun", "plur": "is the beginning of 3 collaborations"} {
		if _, err := FindOne(ctx, s, asked); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", asked, err)
		}
	}
}
