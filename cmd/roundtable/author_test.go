package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// authored names a folder, a user, a machine and a home like nothing else in a lake.
const (
	authorsFolder = "frieda-folder-q7"
	authorsHome   = "/tmp/frieda-home-q7"
	authorsUser   = "frieda-user-q7"
	authorsHost   = "frieda-host-q7"
)

// asAuthor runs the program as that user on that machine, where this one can have another name for a
// while, and returns its exit code and what it said.
func asAuthor(t *testing.T, dir string, args ...string) (code int, said string) {
	t.Helper()
	cmd := program(t, dir, args...)
	cmd.Env = append(cmd.Env, "HOME="+authorsHome, "USER="+authorsUser, "LOGNAME="+authorsUser, "PWD="+dir, "ROUNDTABLE_PROGRAMS=*")
	if exec.Command("unshare", "--uts", "hostname", authorsHost).Run() == nil {
		renamed := exec.Command("unshare", append([]string{"--uts", "sh", "-c", "hostname " + authorsHost + ` && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
		renamed.Dir, renamed.Env = cmd.Dir, cmd.Env
		cmd = renamed
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	}
	noError(t, err)
	return 0, string(out)
}

// findAuthor returns the objects of a lake that hold a name of its author's machine.
func findAuthor(t *testing.T, lake string, names ...string) (found []string) {
	t.Helper()
	noError(t, filepath.WalkDir(lake, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		noError(t, err)
		if strings.HasSuffix(path, ".parquet") {
			data = append(data, texts(t, data)...)
		}
		for _, name := range names {
			if at := bytes.Index(data, []byte(name)); at >= 0 {
				found = append(found, strings.TrimPrefix(path, lake)+": "+string(data[max(at-80, 0):min(at+len(name)+40, len(data))]))
			}
		}
		return nil
	}))
	return found
}

// texts returns all values of a Parquet file, without its compression.
func texts(t *testing.T, data []byte) (all []byte) {
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	noError(t, err)
	rows := parquet.NewReader(file)
	defer rows.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			for _, v := range row {
				all = append(append(all, v.String()...), '\n')
			}
		}
		if err != nil {
			return all
		}
	}
}

// authoredCampaign has private data, prompts of its own, a program, a notice that cannot be sent and
// labels, and pauses where the program is gone.
const authoredCampaign = `name: authored
data: .
private_data: true
prompts: prompts
instances: 2
env: {name: qa, format: csv, file: q.csv, agents: 2, columns: {question: text, options: [opa, opb, opc], answer: key}, score: {command: [./score.sh, half]}}
protocol: {name: debate, rounds: 1}
grid: {rule: [plurality, unanimous]}
model: scripted/answerer
notify: {command: [./tell.sh]}
labels: {model: scripted/labeller}
`

// TestLakeNamesNoMachine: no byte of a lake says where or on which machine it was made, and resume
// finds what its campaign needs all the same.
func TestLakeNamesNoMachine(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := filepath.Join(t.TempDir(), authorsFolder)
	study := filepath.Join(dir, "study")
	noError(t, os.MkdirAll(filepath.Join(study, "prompts", "protocol"), 0o700))
	save(t, study, "authored.yaml", authoredCampaign)
	save(t, study, "q.csv", "text,opa,opb,opc,key\nFirst?,x,y,z,A\nSecond?,x,y,z,B\n")
	score := "#!/bin/sh\nread -r line\necho '{\"score\": 0.5}'\n"
	for name, text := range map[string]string{"score.sh": score, "tell.sh": "#!/bin/sh\npwd >&2\nexit 1\n"} {
		save(t, study, name, text)
		noError(t, os.Chmod(filepath.Join(study, name), 0o700))
	}
	system, err := os.ReadFile("../../workflows/protocol/prompts/debate/system.tmpl")
	noError(t, err)
	save(t, study, "prompts/protocol/system.tmpl", "Take care. "+string(system))
	names := []string{authorsFolder, authorsHome, authorsUser, authorsHost}
	clean := func(when string) {
		t.Helper()
		for _, found := range findAuthor(t, filepath.Join(dir, "lake"), names...) {
			t.Errorf("%s: %q", when, found)
		}
	}
	// The program is there when the file is read, and gone when it is needed.
	save(t, study, "score.sh", "#!/bin/sh\nread -r line\nrm -- \"$0\"\nkill -9 $$\n")
	if code, said := asAuthor(t, dir, "run", "study/authored.yaml"); code != 3 {
		t.Fatalf("run: code %d\n%s", code, said)
	}
	clean("paused")
	elsewhere := t.TempDir()
	noError(t, os.CopyFS(filepath.Join(elsewhere, "lake"), os.DirFS(filepath.Join(dir, "lake"))))
	save(t, study, "score.sh", score)
	noError(t, os.Chmod(filepath.Join(study, "score.sh"), 0o700))
	if code, said := asAuthor(t, dir, "resume", "authored"); code != 0 {
		t.Fatalf("resume: code %d\n%s", code, said)
	}
	clean("resumed")
	if code, said := asAuthor(t, dir, "fork", "authored", "--at", "round=1", "--set", "rule=majority", "--replicates", "1"); code != 0 {
		t.Fatalf("fork: code %d\n%s", code, said)
	}
	clean("forked")

	// Elsewhere it is said what to give.
	code, said := asAuthor(t, elsewhere, "resume", "authored")
	contains(t, said, "the folder of authored's file is not known on this machine; programs and files that it names are looked for in the current folder")
	contains(t, said, "neither the lake nor this machine has the data files q.csv (file does not exist); --data DIR names a folder that has them")
	if code != 3 {
		t.Errorf("resume elsewhere: code %d\n%s", code, said)
	}
	if code, said := asAuthor(t, study, "resume", "authored", "--lake", filepath.Join(elsewhere, "lake"), "--state", filepath.Join(elsewhere, "other"), "--data", "."); code != 0 {
		t.Errorf("resume elsewhere with what was asked for: code %d\n%s", code, said)
	}
}
