package exports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/analysis/lake/record"
	"roundtable/cmd/internal/exports"
)

// talks are two replicates of one condition, and one of another that failed.
func talks() iter.Seq2[exports.Talk, error] {
	outcome, key, decision, failure := 0.5, `["(B)"]`, `"(B)"`, "the model is gone"
	make := func(condition string, replicate int32) exports.Talk {
		c := exports.Talk{About: "Which?"}
		c.CampaignID, c.ConditionID, c.CollaborationID = "mine", condition, condition+"-i0-r"+string('0'+replicate)
		c.Status, c.Replicate, c.InstanceID, c.Model, c.SettingsJSON = record.Succeeded, replicate, "q1", "openai/x", `{"rule":"majority"}`
		c.KeyJSON, c.DecisionJSON, c.Outcome, c.InputTokens, c.OutputTokens = &key, &decision, &outcome, 10, 2
		c.StartedAt, c.EndedAt = 1_700_000_000_000_000, 1_700_000_002_500_000
		c.Messages = []exports.Message{{ID: "about", Text: "Which?"}, {ID: "entry-0", Assistant: true, Text: "Alex: (B) <it>", Thinking: "hm", Model: "openai/x"},
			{ID: "entry-1", Assistant: true, Text: "Blake: (B)", Agent: "Blake", Answer: "(B)", Score: &outcome}, {ID: "entry-2", Assistant: true, Text: "Casey: ?", Agent: "Casey", Answer: "?"}}
		return c
	}
	failed := make("other-2", 0)
	failed.Status, failed.Failure, failed.Outcome, failed.DecisionJSON = "failed", &failure, nil, nil
	return func(yield func(exports.Talk, error) bool) {
		_ = yield(make("majority-1", 0), nil) && yield(make("majority-1", 1), nil) && yield(failed, nil)
	}
}

// written returns the files that a format makes.
func written(t *testing.T, write func(exports.Stage) error) map[string]*bytes.Buffer {
	t.Helper()
	files := map[string]*bytes.Buffer{}
	err := write(func(name string, write func(io.Writer) (int64, error)) error {
		files[name] = &bytes.Buffer{}
		_, err := write(files[name])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInspectLog has a log for each condition, named so that inspect lists it.
func TestInspectLog(t *testing.T) {
	files := written(t, func(add exports.Stage) error { return exports.WriteEval(talks(), add) })
	type readLog struct {
		Version int
		Eval    struct {
			Config  struct{ Epochs int }
			Dataset struct{ Samples int }
		}
		Results struct {
			Total  int `json:"total_samples"`
			Done   int `json:"completed_samples"`
			Scores []struct {
				Metrics struct{ Mean struct{ Value float64 } }
			}
		}
		Samples []struct {
			ID       string
			Epoch    int
			Target   any
			Error    *struct{ Message string }
			Scores   map[string]struct{ Value float64 }
			Messages []map[string]any
		}
	}
	var of, failed readLog
	for name, into := range map[string]*readLog{"majority-1": &of, "other-2": &failed} {
		data := files["2023-11-14T22-13-20+00-00_mine_"+name+".json"]
		if data == nil {
			t.Fatalf("no log of %s in %v", name, files)
		}
		if err := json.Unmarshal(data.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	if of.Version != 2 || of.Eval.Config.Epochs != 2 || of.Eval.Dataset.Samples != 1 || of.Results.Total != 2 || of.Results.Scores[0].Metrics.Mean.Value != 0.5 {
		t.Errorf("%+v", of)
	}
	second := of.Samples[1]
	if second.ID != "q1" || second.Epoch != 2 || second.Target.([]any)[0] != "(B)" || second.Scores["outcome"].Value != 0.5 || second.Error != nil {
		t.Errorf("%+v", second)
	}
	said := second.Messages[1]
	if said["role"] != "assistant" || said["content"].([]any)[0].(map[string]any)["reasoning"] != "hm" {
		t.Errorf("%v", said)
	}
	if got := fmt.Sprint(second.Messages[2]["metadata"], second.Messages[3]["metadata"]); got != "map[agent:Blake answer:(B) score:0.5] map[agent:Casey]" {
		t.Errorf("who speaks is told as %s", got)
	}
	for _, about := range second.Messages[:2] {
		if about["metadata"] != nil {
			t.Errorf("nobody speaks, and %v", about)
		}
	}
	if e := failed.Samples[0].Error; e == nil || e.Message != "failed: the model is gone" || failed.Results.Done != 0 || failed.Results.Scores != nil {
		t.Errorf("%+v", failed)
	}
}

// TestScoutDatabase has a row for each collaboration, with columns of the types that Scout checks.
func TestScoutDatabase(t *testing.T) {
	files := written(t, func(add exports.Stage) error { return exports.WriteScout("mine", talks(), add) })
	data := files["mine.parquet"].Bytes()
	rows, err := parquet.Read[exports.ScoutRow](bytes.NewReader(data), int64(len(data)))
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	if r := rows[1]; r.TranscriptID != "mine/majority-1-i0-r1.0" || *r.Score != "0.5" || r.TaskRepeat != 2 || r.TotalTime != 2.5 || r.TotalTokens != 12 || r.Error != nil || !json.Valid([]byte(r.Messages)) {
		t.Errorf("%+v", r)
	}
	if r := rows[2]; r.Score != nil || *r.Error != "failed: the model is gone" {
		t.Errorf("%+v", r)
	}
}

// TestSessionTraces has a file for each collaboration: a header and its messages.
func TestSessionTraces(t *testing.T) {
	files := written(t, func(add exports.Stage) error { return exports.WriteTraces(talks(), add) })
	lines := strings.Split(strings.TrimSpace(files["majority-1-i0-r1.jsonl"].String()), "\n")
	if len(files) != 3 || len(lines) != 5 || !strings.Contains(lines[0], `"harness":"roundtable","id":"mine/majority-1-i0-r1.0"`) {
		t.Fatal(files, lines)
	}
	want := `{"message":{"content":"Alex: (B) <it>","model":"openai/x","reasoningContent":"hm","role":"assistant"},"type":"message"}`
	if lines[2] != want {
		t.Errorf("%s, want %s", lines[2], want)
	}
}
