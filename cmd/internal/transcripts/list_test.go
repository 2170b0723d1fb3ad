package transcripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/analysis/report"
	"roundtable/workflows/catalogue"
)

const file = "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 2}"

// What has ended is listed after what has not, which is told whole or with what is wrong with it.
func TestList(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(ctx, s, file)
	if err != nil {
		t.Fatal(err)
	}
	id := func(cell int) string {
		return p.Campaign.Conditions[0].ID() + p.Campaign.Cell(cell).Suffix()
	}
	for cell := range 2 {
		run := answers.RunKey{Campaign: "c", Collaboration: id(cell), Generation: 1 - cell}
		if _, err := answers.NewAnswers(s).Intend(ctx, run, answers.Intent{WorstTokens: 400}); err != nil {
			t.Fatal(err)
		}
	}
	broken := ""
	for key := range s.Objects {
		if strings.Contains(key, id(1)) {
			s.Objects[key], broken = "{", key
		}
	}
	all, err := List(ctx, s, catalogue.Builtin(), "c")
	if err != nil || len(all) != 2 || broken == "" {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, want := range []string{"c/" + id(0) + ".1: unfinished, round ", "c/" + id(1) + ": unfinished, round "} {
		got := all[i].String()
		if isBroken := strings.Contains(got, "cannot be read whole: "); !strings.HasPrefix(got, want) || isBroken != (i == 1) || isBroken != (all[i].Broken != "") {
			t.Errorf("%q, want %q…", got, want)
		}
	}
	cost := 0.5
	if got, want := (Listed{Campaign: "a", Collaboration: "b", Generation: 2, Status: "failed", Round: 1, Rounds: 3, Turns: 1, Calls: 2, CostUSD: &cost}).String(), "a/b.2: failed, round 1 of 3, 1 turn, 2 calls, $0.5000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A transcript has the parts that are asked for, of the entries that are asked for, and says what differs.
func TestRead(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, file, 0); err != nil {
		t.Fatal(err)
	}
	all, err := List(ctx, s, catalogue.Builtin(), "c")
	if err != nil || len(all) != 2 || all[0].Status != record.Succeeded {
		t.Fatalf("%+v, %v", all, err)
	}
	id := "c/" + all[0].Collaboration
	for _, x := range []struct {
		how                     Parts
		asked, prompts, answers int // entries, and what is shown of them
	}{
		{Parts{Entry: -1}, 0, 0, 0}, {Parts{Entry: -1, Raw: true}, 9, 0, 10}, {Parts{Entry: -1, Prompts: true}, 9, 9, 0},
		{Parts{Entry: 1, Raw: true, Prompts: true}, 1, 1, 1}, {Parts{Entry: 0}, 0, 0, 0},
	} {
		v, err := Read(ctx, s, catalogue.Builtin(), id, x.how)
		if err != nil || len(v.Lost) > 0 || len(v.Asked) != x.asked {
			t.Fatalf("%+v: %d asked, %q, %v", x.how, len(v.Asked), v.Lost, err)
		}
		var text, doc bytes.Buffer
		if v.Write(&text) != nil || v.WriteJSON(&doc) != nil {
			t.Fatalf("%+v: %s", x.how, &doc)
		}
		var d struct {
			Turns, Collaborations []map[string]any
			Asked                 []struct{ Answers []struct{ Raw string } }
		}
		if err := json.Unmarshal(doc.Bytes(), &d); err != nil || d.Turns[0]["collaboration_id"] != all[0].Collaboration || d.Collaborations[0]["status"] != record.Succeeded {
			t.Errorf("%+v: %v, %.400s", x.how, err, &doc)
		}
		if x.answers > 0 && !json.Valid([]byte(d.Asked[0].Answers[0].Raw)) {
			t.Errorf("%+v: a raw answer is %+v", x.how, d.Asked[0])
		}
		if err := json.Unmarshal(doc.Bytes(), &d); err != nil || len(d.Turns) != []int{10, 1}[min(x.how.Entry+1, 1)] || len(d.Asked) != x.asked {
			t.Errorf("%+v: %d turns, %d asked, %v", x.how, len(d.Turns), len(d.Asked), err)
		}
		told := text.String()
		if prompts, raw := strings.Count(told, ", system\n"), strings.Count(told, "as received, scripted, stop\n"); prompts != x.prompts || raw != x.answers {
			t.Errorf("%+v: %d prompts, %d answers in\n%s", x.how, prompts, raw, told)
		}
		for part, is := range map[string]bool{
			"is NOT the prompt": false, "Alex to everybody": x.how.Entry < 1, "Blake to everybody": x.how.Entry != 0, "Casey proposes": x.how.Entry < 0,
			"3 agents, 1 of 1 rounds, 10 turns": true, "cannot be shown": false,
		} {
			if strings.Contains(told, part) != is {
				t.Errorf("%+v: %q is in it: %t\n%s", x.how, part, !is, told)
			}
		}
	}
	rows, broken, err := FindRows(ctx, s, catalogue.Builtin(), id)
	if err != nil || broken != nil {
		t.Fatal(err, broken)
	}
	asked, err := ReadAsked(ctx, collaboration.NewReader(s, catalogue.Builtin()), rows)
	if first := asked[0]; err != nil || len(asked) != 9 || len(first.Prompt) != 2 || len(first.Answers) != 1 || len(first.Calls) != 1 || first.Differs != "" {
		t.Errorf("%d are asked, %v: %+v", len(asked), err, first)
	}
	if of := (Transcript{Parts: Parts{Entry: -1}}).jsonDocument(); of["facts"] != nil || of["asked"] != nil || len(of) != 5 {
		t.Errorf("of nothing: %v", of)
	}
	of := Transcript{Parts: Parts{Entry: -1}, story: report.Told{Facts: []report.Fact{{}}}, Lost: []string{"it"}}.jsonDocument()
	if of["facts"] == nil || of["lost"] == nil || len(of) != 7 {
		t.Errorf("of something: %v", of)
	}
	if err := laketest.Play(ctx, s, file, 1); err != nil {
		t.Fatal(err)
	}
	for name, generation := range map[string]int32{id: 1, id + ".0": 0, id + ".1": 1} {
		rows, broken, err := FindRows(ctx, s, catalogue.Builtin(), name)
		if err != nil || broken != nil || rows.Collaborations[0].Generation != generation {
			t.Errorf("%s: %v, %v, %+v", name, err, broken, rows.Collaborations)
		}
		v, err := Read(ctx, s, catalogue.Builtin(), name, Parts{Entry: -1})
		var text bytes.Buffer
		if again := "Generation 1: it was run again.\n"; err != nil || v.Write(&text) != nil || strings.Contains(text.String(), again) != (generation > 0) {
			t.Errorf("%s: %v, %.200s", name, err, &text)
		}
	}
	no := false
	v := Transcript{Asked: []EntryAsked{{Entry: 0}, {Entry: 2, PromptHash: "abc", Matches: &no}}}
	for entry, is := range map[int32]bool{0: false, 1: false, 2: true} {
		told := ""
		if v.tellAsked(func(format string, args ...any) { told += fmt.Sprintf(format, args...) }, entry); strings.Contains(told, "NOT the prompt that was sent: its hash is not the recorded abc") != is {
			t.Errorf("of entry %d: %q", entry, told)
		}
	}
}
