package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/people"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/cli"
)

// Open questions are listed, or asked one after another of whom they are for; a line that is a dot ends an
// answer, and nothing skips it. Flags answer one.
func TestAnswering(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "answer")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		a      Answering
		in     string
		want   []string // parts of what is written, or of the error
		stored string   // answers by question
	}{
		"all":          {Answering{}, "yes\nno\n.\n.\n", []string{"question 1 of 2: q0: Ada, round 1, vote, since 2026-01-0", "--- asked\nWhich?\n", "the JSON object asked for", "Answered q0.", "asked again", "Skipped; the question stays open."}, "q0=yes\nno"},
		"none at all":  {Answering{}, "", []string{"question 1 of 2: q0"}, ""},
		"the last":     {Answering{As: "b"}, "last", []string{"question 1 of 1: q1", "Answered q1."}, "q1=last"},
		"a list":       {Answering{List: true}, "yes", []string{"q0  Ada, round 1", "q1  Ada, round 1"}, ""},
		"of nobody":    {Answering{As: "c"}, "yes", []string{"No question of c waits for a person."}, ""},
		"a text":       {Answering{Question: "q1", Text: "so"}, "", []string{"Answered q1."}, "q1=so"},
		"a file":       {Answering{Question: "q1", File: file}, "", []string{"Answered q1."}, "q1=from a file"},
		"the input":    {Answering{Question: "q1", File: "-"}, "read", []string{"Answered q1."}, "q1=read"},
		"text alone":   {Answering{Text: "so"}, "", []string{"--text and --file answer one question"}, ""},
		"file alone":   {Answering{File: file}, "", []string{"--text and --file answer one question"}, ""},
		"both":         {Answering{Question: "q1", Text: "so", File: file}, "", []string{"not both"}, ""},
		"neither":      {Answering{Question: "q1"}, "", []string{"needs --text or --file"}, ""},
		"not asked":    {Answering{Question: "q9", Text: "so"}, "", []string{"q9: there is no such question; `roundtable answer c --list`"}, ""},
		"no such file": {Answering{Question: "q1", File: file + "x"}, "", []string{"no such file"}, ""},
	} {
		s := storetest.NewMemory(map[string]string{})
		for n := range 2 {
			q := people.Question{ID: fmt.Sprint("q", n), Who: []string{"a", "b"}[n], AskedAt: time.Date(2026, 1, 2+n, 12, 0, 0, 0, time.UTC),
				Turn: model.Turn{Campaign: "c", Agent: "Ada", Round: 1, Phase: "vote", Ask: n}, Messages: []model.Message{{Role: "user", Content: "Which?"}}}
			if n == 1 {
				q.Schema = json.RawMessage(`{}`)
			}
			data, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			s.Objects["people/campaign=c/"+q.ID+".question.json"] = string(data)
		}
		c.a.Campaign = "c"
		var out bytes.Buffer
		if err := c.a.Run(t.Context(), s, strings.NewReader(c.in), &out); err != nil {
			out.WriteString(err.Error())
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is not in\n%s", name, want, &out)
			}
		}
		stored := ""
		for key, text := range s.Objects {
			if id, ok := strings.CutSuffix(filepath.Base(key), ".answer.txt"); ok {
				stored += id + "=" + text
			}
		}
		if stored != c.stored {
			t.Errorf("%s: %q is stored, want %q", name, stored, c.stored)
		}
	}
}

// What calls of unknown outcome were billed is recorded once, and then corrected; nothing new changes nothing.
func TestRecordBills(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := &cli.Options{Lake: filepath.Join(dir, "lake"), State: filepath.Join(dir, "state")}
	s, err := store.NewLocal(o.Lake)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := laketest.Record(t.Context(), s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader}")
	if err != nil {
		t.Fatal(err)
	}
	settle := func(how, want string) {
		t.Helper()
		var out bytes.Buffer
		if err := RecordBills(t.Context(), o, &out, s, "c", how); err != nil {
			out.WriteString(err.Error())
		}
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: %s", how, &out)
		}
	}
	settle("unbilled", "no call of unknown outcome is left to settle\n")
	run := answers.RunKey{Campaign: "c", Collaboration: p.Campaign.Conditions[0].ID() + p.Campaign.Cell(0).Suffix()}
	if _, err := answers.NewAnswers(s).Intend(t.Context(), run, answers.Intent{Provider: "openai", Model: "m", StartedAt: 5, WorstUSD: new(0.5), WorstTokens: 9}); err != nil {
		t.Fatal(err)
	}
	settle("1", "--settle 1: $1 is not what the call of unknown outcome can have cost")
	settle("0.25", "settled 1 call of unknown outcome: $0.2500 (the operator says that they were billed $0.25 in all)\n")
	settle("0.25", "no call of unknown outcome is left to settle, and those that were settled last were billed this\n")
	settle("unbilled", "no call of unknown outcome is left to settle: what was said last is corrected\nsettled 1 call of unknown outcome: $0.0000 in place of $0.2500 (")
	if left, known, err := ledger.UnknownCalls(t.Context(), s, "c"); err != nil || len(left) != 0 || len(known) != 1 {
		t.Errorf("%d left of %d, %v", len(left), len(known), err)
	}
}
