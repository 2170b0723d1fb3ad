package main

import (
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"testing"
)

func TestDataSaysWhereToGetMovieLens(t *testing.T) {
	out, err := runCommand(t, "data", "movielens")
	noError(t, err)
	contains(t, out, "https://grouplens.org/datasets/movielens/100k/", "no redistribution", "u1.base", "--path")
	out, err = runCommand(t, "data", "movielens", "--json")
	noError(t, err)
	d := document(t, out)
	if files := d["files"].([]any); len(files) != 5 || d["ok"] != nil {
		t.Errorf("%v", d)
	}
	_, err = runCommand(t, "data", "netflix")
	fails(t, err, cli.ExitUsage, "movielens", "netflix")
}

func TestDataChecksAFolder(t *testing.T) {
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "u1.base"), []byte("1\t1\t5\t0\n"), 0o600))
	out, err := runCommand(t, "data", "movielens", "--path", dir, "--json")
	fails(t, err, cli.ExitFailed, "u1.base is not the official file", "u1.test is missing")
	if d := document(t, out); d["ok"] != false || d["problem"] == "" {
		t.Errorf("%v", d)
	}
	_, err = runCommand(t, "data", "movielens", "--path", filepath.Join(dir, "none"))
	fails(t, err, cli.ExitUsage, "none")
}

func TestDataAcceptsTheOfficialFiles(t *testing.T) {
	dir := "../../../shared/data/ml-100k"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("MovieLens-100k is not next to this checkout; TestDataChecksAFolder covers the check")
	}
	out, err := runCommand(t, "data", "movielens", "--path", dir)
	noError(t, err)
	contains(t, out, "holds the official files")
}
