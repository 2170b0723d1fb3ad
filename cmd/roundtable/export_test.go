package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
)

// exportable is a lake with three ended cells, one of them run again.
func exportable(t *testing.T) (string, store.Store) {
	t.Helper()
	o, s, p := reading(t)
	for n := range 3 {
		commit(t, s, p, n, 0, "failed")
	}
	commit(t, s, p, 1, 1, "succeeded")
	return o.Lake, s
}

// TestImportedWorth: debates that were exported and imported have the same answers, votes and gains, and
// nobody knows what they cost. An import without answers, or with an unscored transcript, says what it lacks.
func TestImportedWorth(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	questionsFile(t, dir, "q.jsonl", 8)
	save(t, dir, "c.yaml", "name: own\nreplicates: 2\ndata: .\nenv: {name: qa, format: jsonl, file: q.jsonl, kind: integer}\n"+
		"protocol: {name: debate, agents: 3, rounds: 1}\nrule: plurality\nmodel: scripted/answerer\n")
	output(t, dir, "run", "c.yaml")
	output(t, dir, "export", "own", "--format", "scout", "-o", "scout")
	output(t, dir, "import", "scout", "--name", "theirs")
	read := func(campaign, table string) map[string]any {
		var got struct {
			Tables []struct {
				Rows  []map[string]any
				Notes []string
			}
		}
		noError(t, json.Unmarshal([]byte(output(t, dir, "analyze", campaign, "--table", table, "--json")), &got))
		if len(got.Tables) != 1 || len(got.Tables[0].Rows) != 1 {
			t.Fatalf("%s of %s: %+v", table, campaign, got)
		}
		return got.Tables[0].Rows[0]
	}
	for table, columns := range map[string][]string{
		"worth":       {"first majority, %", "last majority, %", "decision, %", "gain", "gain low", "gain p", "to right, %", "to wrong, %", "n"},
		"worth-drift": {"drift", "herding", "wrong to right, %"},
		"worth-votes": {"votes", "right, %", "effective votes"},
	} {
		ours, theirs := read("own", table), read("theirs", table)
		for _, column := range columns {
			if ours[column] == nil || !reflect.DeepEqual(ours[column], theirs[column]) {
				t.Errorf("%s, %s: %v, and imported %v", table, column, ours[column], theirs[column])
			}
		}
	}
	if tokens, _ := read("theirs", "worth")["later tokens"].(map[string]any); tokens["value"] != nil {
		t.Errorf("an import has taken %v", tokens)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", "sql.md"))
	noError(t, err)
	_, book, _ := strings.Cut(string(guide), "`verdict.yaml`:\n\n  ```yaml\n")
	book, _, _ = strings.Cut(book, "  ```")
	save(t, dir, "verdict.yaml", book)
	var asked atomic.Int64
	params := fmt.Sprintf(`{"base_url": %q}`, bookService(t, &asked))
	output(t, dir, "label", "theirs", "--code-book", "verdict.yaml", "--labeller", "openai/fake", "--params", params, "--cost-unknown")
	contains(t, output(t, dir, "analyze", "theirs", "--table", "label-rates"), "Right", "Wrong", "labels collaborations by the code book verdict-")
	if asked.Load() == 0 {
		t.Error("nobody judges an import")
	}
}

// TestExport reads each table back: the same rows, of the latest generation.
func TestExport(t *testing.T) {
	t.Parallel()
	folder, s := exportable(t)
	d, err := lake.ReadDataset(context.Background(), s, "reading")
	noError(t, err)
	var turns []record.Turn
	for r, err := range lake.Scan[record.Turn](context.Background(), s, d) {
		noError(t, err)
		turns = append(turns, r)
	}
	for _, format := range exports.Formats {
		dir := filepath.Join(t.TempDir(), "new", "folder")
		out, err := runCommand(t, "export", "reading", "--lake", folder, "-o", dir, "--format", format)
		noError(t, err)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(record.Tables) {
			t.Fatalf("%v, error %v", entries, err)
		}
		contains(t, out, filepath.Join(dir, "turns."+format)+": 21 rows", "SIMULATED: scripted agents answered in 3 of 3")
		data, err := os.ReadFile(filepath.Join(dir, "turns."+format))
		noError(t, err)
		switch format {
		case "parquet":
			got, err := lake.Decode[record.Turn](data)
			if err != nil || !reflect.DeepEqual(got, turns) {
				t.Errorf("%d rows, want %d, error %v", len(got), len(turns), err)
			}
		case "csv":
			records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
			if err != nil || len(records) != 22 || records[0][0] != "schema_version" {
				t.Fatalf("%d records, error %v", len(records), err)
			}
			text := slices.Index(records[0], "text")
			if got := records[1][text]; got != *turns[0].Text {
				t.Errorf("text %q, want %q", got, *turns[0].Text)
			}
		case "jsonl":
			lines := strings.Split(strings.TrimSpace(string(data)), "\n")
			var first map[string]any
			if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || len(lines) != 21 || first["text"] != *turns[0].Text {
				t.Errorf("%d lines, error %v: %s", len(lines), err, lines[0])
			}
		}
	}
}

// A data set for others has a description of each file; .ci/interop.py opens it.
func TestExportDataset(t *testing.T) {
	t.Parallel()
	folder, _ := exportable(t)
	dir := filepath.Join(t.TempDir(), "published")
	_, err := runCommand(t, "export", "reading", "--lake", folder, "-o", dir, "--dataset")
	noError(t, err)
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	noError(t, err)
	contains(t, string(readme), "path: turns.parquet", "| [turns](turns.parquet) | 21 |", "Licence: Not stated")
	if strings.Contains(string(readme), "instances") {
		t.Error("an economy that was dealt is no question")
	}
	data, err := os.ReadFile(filepath.Join(dir, "croissant.json"))
	noError(t, err)
	for _, one := range document(t, string(data))["distribution"].([]any) {
		file := one.(map[string]any)
		data, err := os.ReadFile(filepath.Join(dir, file["contentUrl"].(string)))
		noError(t, err)
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != file["sha256"] {
			t.Errorf("%v, whose file has the hash %s", file, sum)
		}
	}
	// A table that has no rows now would stay beside it from an earlier export.
	save(t, dir, "labels.parquet", "of an earlier export")
	if _, err = runCommand(t, "export", "reading", "--lake", folder, "-o", dir, "--dataset", "--force"); err == nil || !strings.Contains(err.Error(), "labels.parquet is of an earlier export") {
		t.Error(err)
	}
}

func TestExportOfOneTable(t *testing.T) {
	t.Parallel()
	folder, _ := exportable(t)
	path := filepath.Join(t.TempDir(), "b.csv")
	var out, told bytes.Buffer
	root := newRoot()
	root.SetOut(&out)
	root.SetErr(&told)
	root.SetArgs([]string{"export", "reading", "--lake", folder, "--table", "ballots", "-o", path, "--json"})
	noError(t, root.ExecuteContext(context.Background()))
	contains(t, told.String(), "SIMULATED")
	info, err := os.Stat(path)
	noError(t, err)
	want := map[string]any{"table": "ballots", "path": path, "rows": 6., "bytes": float64(info.Size())}
	if files := document(t, out.String())["files"].([]any); len(files) != 1 || !reflect.DeepEqual(files[0], want) {
		t.Errorf("%v, want %v", files, want)
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	folder, s := exportable(t)
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "calls.csv"), []byte("mine"), 0o600))
	for _, x := range []struct {
		args []string
		says string
	}{
		{nil, "expected 1 campaign"},
		{[]string{"reading"}, "-o says where"},
		{[]string{"reading", "-o", filepath.Join(dir, "x.csv")}, "--table"},
		{[]string{"reading", "-o", dir, "--table", "votes"}, `"votes"; expected collaborations`},
		{[]string{"reading", "-o", dir, "--format", "xls"}, "expected parquet, csv, jsonl, eval, scout or sts"},
		{[]string{"reading", "-o", dir, "--format", "csv"}, "--force"},
		{[]string{"writing", "-o", dir}, "it has reading"},
		{[]string{"reading", "-o", filepath.Join(dir, "calls.csv", "below"), "--table", "calls"}, "not a directory"},
		{[]string{"reading", "-o", filepath.Join(dir, "none", "x.csv"), "--table", "calls"}, "there is no folder " + filepath.Join(dir, "none")},
		{[]string{"reading", "-o", filepath.Join(dir, "x.xlsx")}, "x.xlsx ends in .xlsx, which is not a format; a file's name ends in parquet, csv or jsonl"},
		{[]string{"reading", "-o", filepath.Join(dir, "x.xlsx"), "--table", "calls", "--format", "csv"}, "ends in .xlsx"},
		{[]string{"reading", "-o", dir, "--dataset", "--format", "csv"}, "--dataset needs -o FOLDER"},
		{[]string{"reading", "--table", "calls", "--query", "SELECT 1", "-o", "x.csv"}, "excludes --table"},
	} {
		_, err := runCommand(t, append([]string{"export", "--lake", folder}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says)
	}
	d, err := lake.ReadDataset(context.Background(), s, "reading")
	noError(t, err)
	key := d.Files[record.Turns][1].Key
	noError(t, s.Replace(context.Background(), key, []byte("torn"), ""))
	_, err = runCommand(t, "export", "reading", "--lake", folder, "-o", dir, "--force")
	if err == nil || !strings.Contains(err.Error(), "roundtable verify reading") || !strings.Contains(err.Error(), key) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v are left, error %v", left, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "calls.csv")); string(data) != "mine" {
		t.Errorf("a failed export has written %q", data)
	}
}

// TestExportOfNothing has files with columns and no rows.
func TestExportOfNothing(t *testing.T) {
	t.Parallel()
	o, s, _ := reading(t)
	noError(t, s.PutIfAbsent(context.Background(), "answers/campaign=reading/x", []byte("x")))
	for _, format := range exports.Formats {
		dir := t.TempDir()
		if _, err := runCommand(t, "export", "reading", "--lake", o.Lake, "-o", dir, "--format", format); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "turns."+format))
		noError(t, err)
		switch rows, err := lake.Decode[record.Turn](data); {
		case format == "parquet" && (err != nil || len(rows) > 0):
			t.Errorf("%d rows, error %v", len(rows), err)
		case format == "csv" && (strings.Count(string(data), "\n") != 1 || !strings.HasPrefix(string(data), "schema_version,")):
			t.Errorf("%q", data)
		case format == "jsonl" && len(data) > 0:
			t.Errorf("%q", data)
		}
	}
}

// TestPublishDoesNotOverwrite what appears after it was looked for.
func TestPublishDoesNotOverwrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.csv")
	f, err := cli.StageFile(path, func(w io.Writer) (int64, error) {
		_, err := w.Write([]byte("new"))
		return 1, err
	})
	noError(t, err)
	noError(t, os.WriteFile(path, []byte("theirs"), 0o600))
	fails(t, f.Publish(false), cli.ExitUsage, "--force")
	if data, _ := os.ReadFile(path); string(data) != "theirs" {
		t.Errorf("%q", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
}

// What was measured or labelled of a campaign is exported with it.
func TestExportOfWhatWasAdded(t *testing.T) {
	t.Parallel()
	folder, s := exportable(t)
	d, err := lake.ReadDataset(t.Context(), s, "reading")
	noError(t, err)
	m := d.Members[0]
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "reading", ConditionID: m.Condition, CollaborationID: m.Collaboration, Generation: int32(m.Generation)}
	_, err = commits.CommitAnnotations(t.Context(), s, lake.Marker{Campaign: "reading", Condition: m.Condition, Collaboration: m.Collaboration, Generation: m.Generation, By: "method", Status: record.Succeeded},
		[]record.Feature{{Key: key, Embedder: "tf-idf", Rule: "portable", Round: 1, Words: 3, Sentences: 1, Syllables: 4}})
	noError(t, err)
	dir := t.TempDir()
	out, err := runCommand(t, "export", "reading", "--lake", folder, "-o", dir)
	noError(t, err)
	contains(t, out, filepath.Join(dir, "features.parquet")+": 1 row")
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(record.Tables)+1 {
		t.Errorf("%v, error %v", entries, err)
	}
}
