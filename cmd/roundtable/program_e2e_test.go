package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
)

// at is an environment in which openai/… models are the vendor's, so that the
// campaign's file, and the digest, do not depend on its port.
func (v *vendor) at() []string { return []string{"OPENAI_BASE_URL=" + v.URL + "/v1"} }

// done is how a command ended.
type done struct {
	out, err string
	code     int
}

// command runs the program to its end.
func command(t *testing.T, dir string, env []string, args ...string) done {
	t.Helper()
	if len(env) == 0 {
		if d, ok := readHere(t, dir, args); ok {
			return d
		}
	}
	cmd := program(t, dir, args...)
	cmd.Env = append(cmd.Env, env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return done{out.String(), said.String(), cmd.ProcessState.ExitCode()}
}

// ends is command, and fails unless it ends with that code.
func ends(t *testing.T, code int, dir string, env []string, args ...string) done {
	t.Helper()
	d := command(t, dir, env, args...)
	if d.code != code {
		t.Fatalf("roundtable %v ends with code %d, want %d\n%s%s", args, d.code, code, d.out, d.err)
	}
	return d
}

// starts is the program in the background until the test ends.
func starts(t *testing.T, dir string, env []string, args ...string) *background {
	t.Helper()
	return startsProgram(t, "", dir, env, args...)
}

// startsProgram is starts, of another program if its path is given.
func startsProgram(t *testing.T, path, dir string, env []string, args ...string) *background {
	t.Helper()
	b := &background{Cmd: program(t, dir, args...), ended: make(chan struct{})}
	if path != "" {
		b.Path = path
	}
	b.Env = append(b.Env, env...)
	b.Stderr = &b.said
	noError(t, b.Start())
	go func() { b.Wait(); b.at = time.Now(); close(b.ended) }()
	t.Cleanup(b.kill)
	return b
}

// kill -9.
func (b *background) kill() {
	b.Process.Kill()
	<-b.ended
}

// cut kills it if it is still running; what had ended must have done so well.
func (b *background) cut(t *testing.T) (running bool) {
	t.Helper()
	if !b.over() {
		b.kill()
		return true
	}
	if code := b.code(t); code != 0 {
		t.Fatalf("the program ended by itself with code %d\n%s", code, &b.said)
	}
	return false
}

func (b *background) over() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

// write a campaign's file into a folder of its own.
func write(t *testing.T, text string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	save(t, dir, "campaign.yaml", text)
	return dir
}

func save(t *testing.T, dir, name, text string) {
	t.Helper()
	noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// quietly runs a campaign at a vendor without faults, and says its digest.
func quietly(t *testing.T, text, name string) string {
	t.Helper()
	dir := write(t, text)
	ends(t, 0, dir, newVendor(t).at(), "run", "campaign.yaml")
	return digestBy(t, dir, name)
}

// digestBy says what `verify` finds; everything must be whole and ended.
func digestBy(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	d := ends(t, 0, dir, nil, append([]string{"verify", name, "--json"}, flags...)...)
	v := struct {
		Digest string
		Sealed bool
		OK     bool
	}{}
	if err := json.Unmarshal([]byte(d.out), &v); err != nil || v.Digest == "" || !v.Sealed || !v.OK {
		t.Fatalf("%v: %s", err, d.out)
	}
	return v.Digest
}

// statusBy is what `status --json` says of a campaign.
func statusBy(t *testing.T, dir, name string, env ...string) (st campaigns.Status) {
	t.Helper()
	var all []campaigns.Status
	d := ends(t, 0, dir, env, "status", name, "--json")
	if err := json.Unmarshal([]byte(d.out), &all); err != nil || len(all) != 1 {
		t.Fatalf("%v: %s", err, d.out)
	}
	return all[0]
}

// rowsOf are all rows of a table of a campaign, of every generation.
func rowsOf[T record.Row](t *testing.T, dir, name string) (all []T) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	markers, err := lake.Commits(context.Background(), s, name)
	noError(t, err)
	for _, m := range markers {
		rows, err := lake.ReadRows[T](context.Background(), s, m)
		noError(t, err)
		all = append(all, rows...)
	}
	return all
}

// costOf is the row of sums of `cost --json`.
func costOf(t *testing.T, dir, name string, flags ...string) (all map[string]any, warnings []string) {
	t.Helper()
	var c struct {
		Warnings []string
		Table    struct{ Rows []map[string]any }
	}
	d := ends(t, 0, dir, nil, append([]string{"cost", name, "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(d.out), &c); err != nil || len(c.Table.Rows) == 0 {
		t.Fatalf("%v: %s", err, d.out)
	}
	return c.Table.Rows[len(c.Table.Rows)-1], c.Warnings
}
