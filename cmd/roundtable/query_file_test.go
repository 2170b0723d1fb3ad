package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"strings"
	"testing"
)

func TestQueryKeepsFiles(t *testing.T) {
	t.Parallel()
	folder, _ := askedLake(t)
	dir := t.TempDir()
	for _, ending := range []string{"csv", "json", "jsonl", "parquet"} {
		path := filepath.Join(dir, "t."+ending)
		out, err := runCommand(t, "query", "--lake", folder, "FROM turns", "-o", path)
		noError(t, err)
		contains(t, out, path+": ", " rows")
		before, err := os.ReadFile(path)
		if err != nil || len(before) == 0 {
			t.Fatal(len(before), err)
		}
		_, err = runCommand(t, "query", "--lake", folder, "SELECT 1", "-o", path)
		fails(t, err, cli.ExitUsage, path, "--force")
		_, err = runCommand(t, "query", "--lake", folder, "SELECT error('no') FROM turns", "-o", path, "--force")
		if after, _ := os.ReadFile(path); err == nil || !bytes.Equal(before, after) {
			t.Errorf("%s: error %v, and the file is %d bytes, was %d", ending, err, len(after), len(before))
		}
		if _, err = runCommand(t, "query", "--lake", folder, "SELECT 1 AS a", "-o", path, "--force"); err != nil {
			t.Fatal(err)
		}
		if after, _ := os.ReadFile(path); bytes.Equal(before, after) {
			t.Errorf("%s: --force replaced nothing", ending)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("%v are left, error %v", left, err)
	}
}

// TestExportOfAQuery holds what the query answers.
func TestExportOfAQuery(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	folder, s := askedLake(t)
	path := filepath.Join(t.TempDir(), "counted.csv")
	out, err := runCommand(t, "export", "--lake", folder, "--query", counted, "-o", path, "--json")
	noError(t, err)
	if files := document(t, out)["files"].([]any); len(files) != 1 || files[0].(map[string]any)["rows"] != 4. {
		t.Errorf("%v", files)
	}
	f, err := os.Open(path)
	noError(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	noError(t, err)
	for i, line := range want(t, s) {
		if strings.Join(records[i+1], ",") != line {
			t.Errorf("%q, want %q", records[i+1], line)
		}
	}
	_, err = runCommand(t, "export", "--lake", folder, "--query", "COPY turns TO 'x'", "-o", path, "--force")
	fails(t, err, cli.ExitUsage, "only read")
	_, err = runCommand(t, "export", "running", "--lake", folder, "--query", "SELECT 1")
	fails(t, err, cli.ExitUsage, "-o FILE")
}
