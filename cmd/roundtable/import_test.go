package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/activities/collaboration"
	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/imports"
	"roundtable/cmd/internal/integrity"
	"roundtable/cmd/internal/transcripts"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// What holds something and is not read is named, so that nobody takes it for imported.
func TestImportUnused(t *testing.T) {
	type labelled struct {
		foreign
		Label *string `parquet:"label"`
		Empty *string `parquet:"note"`
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []labelled{{foreign: foreign{ID: "1", Messages: `[{"role":"assistant","content":"A","metadata":{"agent":"a","act":"inform"}}]`}, Label: new("good")}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.parquet")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, _ := imported(t, imports.Import{Path: path, Name: "theirs", Speakers: []string{"assistant"}}, storetest.NewMemory(map[string]string{}))
	var said strings.Builder
	if sum.Print(&said); !strings.Contains(said.String(), "Not used: label, messages.metadata.act (labels are made by") {
		t.Errorf("%q\n%s", sum.Unused, said.String())
	}
}

// foreign is a row as another program writes it; all but the first and the last may be absent.
type foreign struct {
	ID       string   `parquet:"transcript_id"`
	Set      *string  `parquet:"task_set,dict"`
	Task     *string  `parquet:"task_id"`
	Model    *string  `parquet:"model,dict"`
	Score    *string  `parquet:"score"`
	Date     *string  `parquet:"date"`
	Time     *float64 `parquet:"total_time"`
	Error    *string  `parquet:"error"`
	Repeat   *int64   `parquet:"task_repeat"`
	Messages string   `parquet:"messages"`
}

const dialogue = `[{"role":"system","content":"Be kind."},{"role":"user","content":"Which?"},
 {"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"I propose B."},{"type":"image","image":"x"}],"model":"m/1"},
 {"role":"tool","content":"12"},{"role":"assistant","content":"","model":"m/2","tool_calls":[{"function":"look","arguments":{}}]},
 {"role":"user","content":"Sure?"},{"role":"assistant","content":"Yes.","model":"m/1"},{"role":"assistant","content":""}]`

func writeForeign(t *testing.T, rows ...foreign) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.parquet"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func imported(t *testing.T, i imports.Import, s *storetest.Memory) (sum imports.Summary, all []record.Rows) {
	t.Helper()
	ctx := context.Background()
	sum, err := i.Run(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(ctx, s, i.Name)
	if err != nil {
		t.Fatal(err)
	}
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows)
	}
	return sum, all
}

// Transcripts of one task and model are replicates; what is not known is absent.
func TestImport(t *testing.T) {
	correct, odd, day, failure, seconds := `"C"`, `{"a": 1}`, "2026-09-21T10:00:00Z", "limit", 1.5
	folder := writeForeign(t,
		foreign{ID: "1", Set: new("gpqa"), Task: new("q1"), Model: new("m/1"), Score: &correct, Date: &day, Time: &seconds, Messages: dialogue},
		foreign{ID: "2", Set: new("gpqa"), Task: new("q1"), Model: new("m/1"), Score: &odd, Messages: `[{"role":"assistant","content":"A"}]`},
		foreign{ID: "3", Set: new("gpqa"), Task: new("q2"), Model: new("m/1"), Error: &failure, Date: new("soon"), Messages: `[]`},
		foreign{ID: "4", Messages: dialogue},
	)
	s := storetest.NewMemory(map[string]string{})
	i := imports.Import{Path: folder, Name: "theirs", Speakers: []string{"assistant"}}
	sum, all := imported(t, i, s)
	if len(all) != 4 || sum.Transcripts != 4 || sum.Conditions != 2 || sum.Messages != 7 || sum.Scored != 1 || len(sum.Unread) != 2 {
		t.Fatalf("%d, %+v", len(all), sum)
	}
	by := map[string]record.Rows{}
	for _, rows := range all {
		c := rows.Collaborations[0]
		by[c.CollaborationID[strings.LastIndex(c.CollaborationID, "-i"):]+c.Environment] = rows
	}
	c := by["-i0-r0gpqa"].Collaborations[0]
	if c.InstanceID != "q1" || *c.Score != 1 || *c.Outcome != 1 || c.CostUSD != nil || *c.DecisionJSON != `"Yes."` || *c.DecidedRound != 2 || c.Calls != 0 || c.Agents != 2 ||
		c.RoundsRun != 2 || *c.Label != "gpqa, m/1" || c.EndedAt-c.StartedAt != 1_500_000 {
		t.Errorf("%+v", c)
	}
	if c := by["-i0-r1gpqa"].Collaborations[0]; c.Score != nil || c.Outcome != nil || c.StartedAt != 0 {
		t.Errorf("a score that is none: %+v", c)
	}
	if c := by["-i1-r0gpqa"].Collaborations[0]; c.Status != "failed" || *c.Failure != "limit" || c.Turns != 0 {
		t.Errorf("one that failed: %+v", c)
	}
	if c := by["-i0-r0imported"].Collaborations[0]; c.Model != "unknown" || c.InstanceID != "4" {
		t.Errorf("nothing is known: %+v", c)
	}
	about, err := transcripts.About(t.Context(), collaboration.NewReader(s, catalogue.Builtin()), c.Key)
	if err != nil || len(about.Facts) > 0 {
		t.Errorf("what it was about: %+v, %v", about, err)
	}
	if worth, known := about.Worth(*c.DecisionJSON); known {
		t.Errorf("a decision is worth %+v, which nobody knows", worth)
	}
	turns := by["-i0-r0gpqa"].Turns
	var said []string
	for _, turn := range turns {
		if turn.IsMessage() {
			said = append(said, turn.AgentName+": "+*turn.Text)
		} else if turn.Kind != "env" {
			t.Errorf("%+v", turn)
		}
	}
	if got := strings.Join(said, " | "); len(turns) != 7 || got != "m/1: I propose B.\n[image] | m/2: [calls look] | m/1: Yes." || *turns[2].Thinking != "hm" {
		t.Errorf("%d turns: %s", len(turns), got)
	}
	before := len(s.Objects)
	if again, _ := imported(t, i, s); again.Transcripts != 4 || len(s.Objects) != before {
		t.Errorf("again: %+v, %d objects, then %d", again, before, len(s.Objects))
	}
	users := i
	users.Name, users.Speakers = "users", []string{"assistant", "user"}
	if sum, all := imported(t, users, s); sum.Messages != 11 || all[0].Collaborations[0].Agents != 3 && all[1].Collaborations[0].Agents != 3 {
		t.Errorf("users speak: %+v", sum)
	}
}

// What a message answers, and what that is worth, is in its metadata.
func TestImportAnswers(t *testing.T) {
	folder := writeForeign(t, foreign{ID: "1", Score: new("1"), Messages: `[
 {"role":"assistant","content":"I take B","metadata":{"agent":"a","answer":"B","score":1}},
 {"role":"assistant","content":"C","metadata":{"agent":"b","answer":"C","score":"I"}},
 {"role":"assistant","content":"Hm","metadata":{"agent":"a","answer":"","score":1}},
 {"role":"assistant","content":"D?","metadata":{"agent":"b","answer":"D"}},
 {"role":"assistant","content":"D!","metadata":{"agent":"c","answer":42,"score":"good"}}]`})
	sum, all := imported(t, imports.Import{Path: folder, Name: "theirs", Speakers: []string{"assistant"}}, storetest.NewMemory(map[string]string{}))
	if sum.Answers != 2 || len(sum.Unread) != 1 || !strings.HasPrefix(sum.Unread[0], "metadata.score of 1 message") {
		t.Errorf("%+v", sum)
	}
	var got []string
	for _, turn := range all[0].Turns {
		if turn.ProposalKey != nil {
			got = append(got, fmt.Sprint(turn.AgentName, *turn.ProposalKey, *turn.ProposalJSON, *turn.ProposalUtility))
		}
	}
	if fmt.Sprint(got) != `[aB"B"1 bC"C"0]` || *all[0].Collaborations[0].Score != 1 || len(all[0].Collaborations[0].Utilities) > 0 {
		t.Errorf("%v, %+v", got, all[0].Collaborations[0])
	}
}

// What cannot be imported is refused, and says why.
func TestImportRefuses(t *testing.T) {
	good := writeForeign(t, foreign{ID: "1", Messages: dialogue})
	s := storetest.NewMemory(map[string]string{})
	imported(t, imports.Import{Path: good, Name: "theirs", Speakers: []string{"assistant"}}, s)
	var b bytes.Buffer
	if err := parquet.Write(&b, []struct {
		ID string `parquet:"id"`
	}{{"1"}}); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(other, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "x.parquet")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ path, name, says string }{
		{pipe, "a", "not a regular file"},
		{filepath.Join(good, "none"), "a", "no such file"},
		{t.TempDir(), "a", "has no file *.parquet"},
		{other, "a", "there is no column transcript_id: give this name to the one that tells transcripts apart (columns: id)"},
		{writeForeign(t, foreign{ID: "1", Messages: "no"}), "a", `column messages of "1"`},
		{writeForeign(t, foreign{ID: "", Messages: "[]"}), "a", "column transcript_id is empty: give each"},
		{writeForeign(t, foreign{ID: "1", Messages: "[]"}, foreign{ID: "1", Messages: "[]"}), "a", `column transcript_id has "1" twice: give each`},
		{writeForeign(t, foreign{ID: "1", Messages: "[]"}), "theirs", "choose another --name"},
	} {
		_, err := imports.Import{Path: x.path, Name: x.name, Speakers: []string{"assistant"}}.Run(context.Background(), s)
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%v; expected it to say %q", err, x.says)
		}
	}
	if len(s.Objects) == 0 {
		t.Error("nothing is left of what was imported")
	}
}

// What could not be read, or is not there, says which column, key or flag would have it.
func TestImportSaysWhatWouldHelp(t *testing.T) {
	folder := writeForeign(t, foreign{ID: "1", Score: new("good"), Date: new("soon"), Time: new(-1.0),
		Messages: `[{"role":"user","content":"Hm"},{"role":"tool","content":[{"type":"text"}]}]`})
	sum, _ := imported(t, imports.Import{Path: folder, Name: "theirs", Speakers: []string{"assistant"}}, storetest.NewMemory(map[string]string{}))
	var b strings.Builder
	sum.Print(&b)
	for _, want := range []string{
		"Not read: column score of 1 transcript: expected a number", "Not read: content of messages, 1 part: expected a text",
		"Not read: column total_time of 1 transcript", "Not read: column date of 1 transcript", "under another --name",
		"the roles of messages are tool, user; --speakers says", "into the column score", `into its metadata: {"answer": "B", "score": 1}`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

// verifyImport returns what verify finds.
func verifyImport(t *testing.T, s *storetest.Memory) integrity.Verification {
	t.Helper()
	v, err := integrity.Check(t.Context(), s, catalogue.Builtin(), "theirs")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// An import is whole when all its transcripts are there and it is sealed; verify and readers say so if not.
func TestImportIsWhole(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	i := imports.Import{Path: writeForeign(t, foreign{ID: "1", Messages: dialogue}, foreign{ID: "2", Messages: dialogue}), Name: "theirs"}
	i.Speakers = []string{"user", "assistant", "user"}
	imported(t, i, s)
	if v := verifyImport(t, s); !v.OK || !v.Sealed || v.Ended != 2 || v.Planned != 2 {
		t.Errorf("%+v", v)
	}
	i.Card.License, i.Card.Citation = "CC-BY-4.0", "Theirs 2026"
	imported(t, i, s)
	if card := s.Objects[lake.AboutKey("theirs", "croissant.json")]; !strings.Contains(card, "CC-BY-4.0") || !strings.Contains(card, "Theirs 2026") {
		t.Error("the owner's card is not given")
	}
	objects := len(s.Objects)
	i.Speakers = []string{"assistant"}
	if _, err := i.Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), "--speakers") || len(s.Objects) != objects {
		t.Errorf("other speakers: %v, %d objects more", err, len(s.Objects)-objects)
	}
	part := storetest.NewMemory(map[string]string{})
	key := campaign.ManifestKey("theirs")
	part.Objects[key] = s.Objects[key]
	for name, data := range s.Objects {
		if strings.HasPrefix(name, "raw/") && strings.Contains(name, "-i0-") {
			part.Objects[name] = data
		}
	}
	if v := verifyImport(t, part); !v.OK || v.Sealed || v.Ended != 1 || v.Planned != 2 {
		t.Errorf("a part: %+v", v)
	}
	if err := campaign.CheckPlanned(t.Context(), part, "theirs"); err == nil || !strings.Contains(err.Error(), "1 of its 2") {
		t.Errorf("a part: %v", err)
	}
	i.Speakers = []string{"assistant", "user"}
	if imported(t, i, part); !verifyImport(t, part).Sealed || campaign.CheckPlanned(t.Context(), part, "theirs") != nil {
		t.Error("the rest was not added")
	}
}

// A manifest cannot spare a campaign its checks by saying that it was imported.
func TestVerifyHoldsImports(t *testing.T) {
	i := imports.Import{Path: writeForeign(t, foreign{ID: "1", Messages: dialogue}), Name: "theirs", Speakers: []string{"assistant"}}
	for _, x := range []struct {
		says  string
		plant func(*storetest.Memory)
	}{
		{"not of which files", func(s *storetest.Memory) {
			rewrite(t, s, func(m *campaign.Manifest) { m.Imported = nil })
		}},
		{"tells of 0 transcripts", func(s *storetest.Memory) {
			rewrite(t, s, func(m *campaign.Manifest) { m.Imported.Transcripts = 0 })
		}},
		{"1 of 2 are missing", func(s *storetest.Memory) {
			rewrite(t, s, func(m *campaign.Manifest) { m.Imported.Transcripts = 2 })
		}},
		{"it is a plan", func(s *storetest.Memory) {
			noError(t, s.PutIfAbsent(t.Context(), campaign.PlanKey("theirs", "0a"), []byte("{}")))
		}},
		{"has answers to agents", func(s *storetest.Memory) {
			const key = "answers/campaign=theirs/majority-2a707edd-i0-r0.0/0.0.json"
			sealed, err := lake.Seal(key, map[string]string{})
			noError(t, err)
			noError(t, s.PutIfAbsent(t.Context(), key, sealed))
		}},
		{"collaboration that was run", func(s *storetest.Memory) {
			d, err := lake.ReadDataset(t.Context(), s, "theirs")
			noError(t, err)
			for rows, err := range lake.Collaborations(t.Context(), s, d) {
				noError(t, err)
				own := &rows.Collaborations[0]
				own.CollaborationID, own.Protocol = "majority-2a707edd-i0-r0", "roundtable"
				for i := range rows.Turns {
					rows.Turns[i].Key = own.Key
				}
				for i := range rows.Rounds {
					rows.Rounds[i].Key = own.Key
				}
				_, err = commits.Commit(t.Context(), s, rows)
				noError(t, err)
			}
			delete(s.Objects, lake.SuccessKey("theirs"))
			rewrite(t, s, func(m *campaign.Manifest) { m.Imported.Transcripts = 2 })
		}},
	} {
		s := storetest.NewMemory(map[string]string{})
		imported(t, i, s)
		x.plant(s)
		if got := fmt.Sprint(verifyImport(t, s).Findings); !strings.Contains(got, x.says) {
			t.Errorf("%s; expected it to say %q", got, x.says)
		}
	}
}

func rewrite(t *testing.T, s *storetest.Memory, change func(*campaign.Manifest)) {
	t.Helper()
	m, err := campaign.ReadManifest(t.Context(), s, "theirs")
	noError(t, err)
	change(&m)
	noError(t, campaign.WriteManifest(t.Context(), s, m))
}

// Conditions have the same tasks in whatever order they are, and repetitions that the file names.
func TestImportPairs(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	task := func(id, task, model string, repetition int64) foreign {
		return foreign{ID: id, Set: new("gpqa"), Task: &task, Model: &model, Repeat: &repetition, Messages: dialogue}
	}
	_, all := imported(t, imports.Import{Path: writeForeign(t, task("1", "a", "m", 2), task("2", "b", "m", 1), task("3", "a", "m", 1),
		task("4", "b", "n", 1), task("5", "a", "n", 1), task("6", "a", "n", 1)), Name: "theirs", Speakers: []string{"assistant"}}, s)
	got := map[string]string{}
	for _, rows := range all {
		c := rows.Collaborations[0]
		got[*rows.Turns[0].DataJSON] = fmt.Sprintf("%s%d-r%d of %s", c.InstanceID, c.Instance, c.Replicate, c.Model)
	}
	for id, want := range map[string]string{
		"1": "a0-r1 of m", "2": "b1-r0 of m", "3": "a0-r0 of m", "4": "b1-r0 of n", "5": "a0-r0 of n", "6": "a0-r1 of n",
	} {
		if about := fmt.Sprintf(`{"transcript_id":%q}`, id); got[about] != want {
			t.Errorf("%s is %q; expected %q", id, got[about], want)
		}
	}
}

// No text is lost without a word, whatever the form of the content.
func TestImportReadsParts(t *testing.T) {
	for _, x := range []struct {
		content, text, thinking string
		unread                  int
	}{
		{`"a"`, "a", "", 0},
		{`null`, "", "", 0},
		{`["a", "b"]`, "a\nb", "", 0},
		{`{"type": "text", "text": "a"}`, "a", "", 0},
		{`[{"type": "text", "text": "a"}, {"type": "text", "text": 5}, "b"]`, "a\nb", "", 1},
		{`[{"type": "output_text", "text": "a"}, {"type": "reasoning", "reasoning": "c"}, {"type": "image", "image": "x"}]`, "a\n[image]", "c", 0},
		{`[{"type": "text", "content": "a"}, {"type": "reasoning"}, {}, 5, ["a"]]`, "", "", 5},
		{`5`, "", "", 1},
	} {
		messages := `[{"role":"user","content":` + x.content + `},{"role":"assistant","content":"Yes."}]`
		sum, all := imported(t, imports.Import{Path: writeForeign(t, foreign{ID: "1", Messages: messages}), Name: "theirs", Speakers: []string{"assistant"}}, storetest.NewMemory(map[string]string{}))
		var said record.Turn
		if turns := all[0].Turns; len(turns) > 1 { // one that says nothing is none
			said = turns[0]
		}
		unread := strings.Join(sum.Unread, "; ")
		want := []*string{record.Optional(x.text), record.Optional(x.thinking)}
		if !reflect.DeepEqual([]*string{said.Text, said.Thinking}, want) || (x.unread == 0) != (unread == "") ||
			x.unread > 0 && !strings.Contains(unread, "content of messages, "+wording.Count(x.unread, "part")) {
			t.Errorf("%s: %+v, %q", x.content, said, unread)
		}
	}
}

// Times that are not known or cannot be are none.
func TestImportTimes(t *testing.T) {
	day := "2026-09-21T10:00:00Z"
	for _, x := range []struct {
		date        *string
		seconds     float64
		took, words int64
		dated       bool
	}{
		{&day, 1.5, 1_500_000, 0, true},
		{&day, 1e300, 0, 1, true},
		{&day, -1, 0, 1, true},
		{&day, math.NaN(), 0, 0, true}, // as absent
		{nil, 1.5, 0, 0, false},
		{new("0001-01-01"), 1.5, 0, 1, false},
	} {
		s := storetest.NewMemory(map[string]string{})
		i := imports.Import{Path: writeForeign(t, foreign{ID: "1", Date: x.date, Time: &x.seconds, Messages: dialogue}), Name: "theirs", Speakers: []string{"assistant"}}
		sum, all := imported(t, i, s)
		c := all[0].Collaborations[0]
		if (c.StartedAt > 0) != x.dated || c.EndedAt-c.StartedAt != x.took || int64(len(sum.Unread)) != x.words {
			t.Errorf("%v: %d to %d, %q", x, c.StartedAt, c.EndedAt, sum.Unread)
		}
		card := s.Objects[lake.AboutKey("theirs", "croissant.json")]
		if strings.Contains(card, "1970") || strings.Contains(card, "datePublished") != x.dated || !strings.Contains(card, "Imported into roundtable.") {
			t.Errorf("the card of %v", x)
		}
	}
}
