package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the engine's database

	"roundtable/cmd/internal/screentest"
)

var (
	fixture  = flag.String("fixture", "", "write testdata/upgrades/NAME.tar.gz with the program of -by")
	fixtures = filepath.Join("testdata", "upgrades")
	by       = flag.String("by", "", "the program that writes the fixture (default: this version)")
)

const (
	upgradeFinished = `name: finished
replicates: 1
env: exchange
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid: {rule: [majority, ranked]}
`
	// Both ways to play: turn by turn with a paid model, and whole with one that takes no time.
	upgradeHalf = `name: half
replicates: 6
env: exchange
protocol: {name: roundtable, rounds: 3}
rule: majority
grid: {model: [openai/fake, scripted/trader]}
generate: {max_tokens: 200}
limits: {collaborations: 3, calls: 6, cost_usd: 5}
` + vendorPrices
)

// upgradeRecord is what a version left and said, next to its files.
type upgradeRecord struct {
	Finished, Half                digestRecord
	Calls, NanoUSD, Input, Output int64 // what the service had sold of the half-finished campaign
}

// digestRecord is what verify said of an uninterrupted campaign.
type digestRecord struct{ Digest string }

// TestMakeUpgradeFixture writes the fixture of one version: see testdata/upgrades/README.md.
func TestMakeUpgradeFixture(t *testing.T) {
	if *fixture == "" {
		t.Skip("-fixture is not given")
	}
	if *by == "" {
		var err error
		if *by, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	var made upgradeRecord
	made.Finished = runByOther(t, filepath.Join(dir, "finished"), nil, "finished", upgradeFinished)
	labelled := runOther(t, filepath.Join(dir, "finished"), nil, "label", "finished")
	noError(t, labelled.Run())
	// An engine that has nothing left to do is not part of the fixture: it would be most of it.
	noError(t, os.RemoveAll(filepath.Join(dir, "finished", ".roundtable")))
	made.Half = runByOther(t, t.TempDir(), newVendor(t).at(), "half", upgradeHalf)

	service := newVendor(t)
	service.latency = 60 * time.Millisecond
	halfRun(t, filepath.Join(dir, "half"), service)
	sold, _ := service.books()
	made.Calls, made.NanoUSD, made.Input, made.Output = sold.calls, sold.nanoUSD, sold.input, sold.output
	data, err := json.MarshalIndent(made, "", " ")
	noError(t, err)
	save(t, dir, "record.json", string(data))
	pack(t, dir, filepath.Join(fixtures, *fixture+".tar.gz"))
}

// runOther is a run of another version, which need not know the flags of this one.
func runOther(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(*by, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "OPENAI_API_KEY=x", runAsProgram+"=yes"), env...)
	return cmd
}

// runByOther runs a campaign to its end, and returns what verify says of it.
func runByOther(t *testing.T, dir string, env []string, name, text string) (d digestRecord) {
	t.Helper()
	noError(t, os.MkdirAll(dir, 0o700))
	save(t, dir, name+".yaml", text)
	if out, err := runOther(t, dir, env, "run", name+".yaml").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := runOther(t, dir, env, "verify", name, "--json").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	noError(t, json.Unmarshal(out, &d))
	return d
}

// halfRun kills a campaign when some of its paid collaborations have ended and others have not.
func halfRun(t *testing.T, dir string, service *vendor) {
	t.Helper()
	noError(t, os.MkdirAll(dir, 0o700))
	save(t, dir, "half.yaml", upgradeHalf)
	cmd := runOther(t, dir, service.at(), "run", "half.yaml")
	noError(t, cmd.Start())
	screentest.Until(t, "half of the campaign", func() bool {
		ended := paidCommits(t, dir)
		if ended >= 6 {
			t.Fatal("it ended before it could be killed")
		}
		return ended >= 2 && len(storedKeys(t, dir)) >= 40
	})
	cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	foldLogs(t, dir)
}

// foldLogs moves what SQLite logged before the kill into its database, as the next
// process that opens it does: the logs are nine tenths of a fixture.
func foldLogs(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, ".roundtable"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "temporal.db" {
			return err
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
		return errors.Join(err, db.Close())
	})
	noError(t, err)
}

// paidCommits counts the ended collaborations of the paid model.
func paidCommits(t *testing.T, dir string) (n int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "lake", "raw", "_commits", "campaign=half", "*.json"))
	noError(t, err)
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && !strings.Contains(string(data), `"cost_usd":0,`) {
			n++
		}
	}
	return n
}

// pack writes a folder as .tar.gz, without times and owners.
func pack(t *testing.T, dir, path string) {
	t.Helper()
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	noError(t, err)
	out := tar.NewWriter(zip)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".log") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if err := out.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(data)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err = out.Write(data)
		return err
	})
	for _, end := range []func() error{out.Close, zip.Close} {
		if err == nil {
			err = end()
		}
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o644)
	}
	noError(t, err)
	t.Logf("%s: %d KB", path, b.Len()>>10)
}

// unpack the fixture of a version into a folder.
func unpack(t *testing.T, path string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	unpackTo(t, path, dir)
	return dir
}

func unpackTo(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	noError(t, err)
	defer f.Close()
	zip, err := gzip.NewReader(f)
	noError(t, err)
	in := tar.NewReader(zip)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		noError(t, err)
		data, err := io.ReadAll(in)
		noError(t, err)
		target := filepath.Join(dir, filepath.FromSlash(h.Name))
		noError(t, os.MkdirAll(filepath.Dir(target), 0o700))
		noError(t, os.WriteFile(target, data, 0o600))
	}
}
