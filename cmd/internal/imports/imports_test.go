package imports

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

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
	Messages string   `parquet:"messages"`
}

const dialogue = `[{"role":"system","content":"Be kind."},{"role":"user","content":"Which?"},
 {"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"I propose B."},{"type":"image","image":"x"}],"model":"m/1"},
 {"role":"tool","content":"12"},{"role":"assistant","content":"","model":"m/2","tool_calls":[{"function":"look","arguments":{}}]},
 {"role":"user","content":"Sure?"},{"role":"assistant","content":"Yes.","model":"m/1"},{"role":"assistant","content":""}]`

func write(t *testing.T, rows ...foreign) string {
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

func imported(t *testing.T, i Import, s *storetest.Memory) (sum Summary, all []record.Rows) {
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
	folder := write(t,
		foreign{ID: "1", Set: new("gpqa"), Task: new("q1"), Model: new("m/1"), Score: &correct, Date: &day, Time: &seconds, Messages: dialogue},
		foreign{ID: "2", Set: new("gpqa"), Task: new("q1"), Model: new("m/1"), Score: &odd, Messages: `[{"role":"assistant","content":"A"}]`},
		foreign{ID: "3", Set: new("gpqa"), Task: new("q2"), Model: new("m/1"), Error: &failure, Date: new("soon"), Messages: `[]`},
		foreign{ID: "4", Messages: dialogue},
	)
	s := storetest.NewMemory(map[string]string{})
	i := Import{Path: folder, Name: "theirs", Speakers: []string{"assistant"}}
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
	about, err := transcripts.About(t.Context(), collaboration.NewReader(s, catalogue.Builtin(), providers.OpenData), c.Key)
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

// What cannot be imported is refused, and says why.
func TestImportRefuses(t *testing.T) {
	good := write(t, foreign{ID: "1", Messages: dialogue})
	s := storetest.NewMemory(map[string]string{})
	imported(t, Import{Path: good, Name: "theirs", Speakers: []string{"assistant"}}, s)
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
	for _, x := range []struct{ path, name, says string }{
		{filepath.Join(good, "none"), "a", "no such file"},
		{t.TempDir(), "a", "has no file *.parquet"},
		{other, "a", "there is no column transcript_id"},
		{write(t, foreign{ID: "1", Messages: "no"}), "a", `messages of "1"`},
		{write(t, foreign{ID: "", Messages: "[]"}), "a", "transcript_id is empty"},
		{write(t, foreign{ID: "1", Messages: "[]"}, foreign{ID: "1", Messages: "[]"}), "a", "is there twice"},
		{write(t, foreign{ID: "1", Messages: "[]"}), "theirs", "choose another --name"},
	} {
		_, err := Import{Path: x.path, Name: x.name, Speakers: []string{"assistant"}}.Run(context.Background(), s)
		if err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%v; expected it to say %q", err, x.says)
		}
	}
	if len(s.Objects) == 0 {
		t.Error("nothing is left of what was imported")
	}
}
