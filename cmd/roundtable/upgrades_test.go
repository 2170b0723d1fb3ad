package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgrades: what every released version has left can be used: a campaign that was killed half-way goes on, and one that is finished can be read.
// testdata/upgrades/README.md says what the fixtures are.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(fixtures, "*.tar.gz"))
	if err != nil || len(paths) < 1 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			if *long {
				t.Run("finished", func(t *testing.T) { t.Parallel(); upgradeReads(t, unpack(t, path)) })
				t.Run("with its state folder", func(t *testing.T) { t.Parallel(); upgradeGoesOn(t, unpack(t, path)) })
			}
			t.Run("from the lake alone", func(t *testing.T) {
				t.Parallel()
				dir := unpack(t, path)
				noError(t, os.RemoveAll(filepath.Join(dir, "half", ".roundtable")))
				upgradeGoesOn(t, dir)
			})
		})
	}
}

func readUpgrade(t *testing.T, dir string) (r upgradeRecord) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "record.json"))
	noError(t, err)
	noError(t, json.Unmarshal(data, &r))
	return r
}

// upgradeReads: every reader takes a finished campaign, and running its file adds nothing.
func upgradeReads(t *testing.T, dir string) {
	t.Helper()
	was, dir := readUpgrade(t, dir), filepath.Join(dir, "finished")
	if digest := digestBy(t, dir, "finished"); digest != was.Finished.Digest {
		t.Errorf("digest %s, the version that ran it said %s", digest, was.Finished.Digest)
	}
	for _, args := range [][]string{
		{"status", "finished", "--json"}, {"cost", "finished"}, {"show", "finished/majority"}, {"list", "campaigns"},
		{"analyze", "finished", "--table", "all"}, {"report", "finished", "-o", "report.html"},
		{"query", "SELECT count(*), avg(outcome) FROM collaborations"}, {"run", "finished.yaml"},
	} {
		d := ends(t, 0, dir, nil, args...)
		if strings.Contains(d.err, "damaged") || d.out+d.err == "" {
			t.Errorf("%v: %q, %q", args, d.out, d.err)
		}
	}
	for _, table := range []string{"collaborations", "rounds", "turns", "ballots", "calls", "labels"} {
		ends(t, 0, dir, nil, "export", "finished", "--table", table, "-o", table+".csv")
		if data, err := os.ReadFile(filepath.Join(dir, table+".csv")); err != nil || strings.Count(string(data), "\n") < 2 {
			t.Errorf("export of %s: %d bytes, %v", table, len(data), err)
		}
	}
	if digest := digestBy(t, dir, "finished"); digest != was.Finished.Digest {
		t.Errorf("reading and running it again makes the digest %s of %s", digest, was.Finished.Digest)
	}
}

// upgradeGoesOn: a campaign that an earlier version left half-done comes to the same
// rows, asks nothing again that was stored, and its ledger is the service's.
func upgradeGoesOn(t *testing.T, dir string) {
	t.Helper()
	was, dir := readUpgrade(t, dir), filepath.Join(dir, "half")
	stored, ended := storedKeys(t, dir), paidCommits(t, dir)
	if len(stored) < 40 || ended < 2 || ended > 5 {
		t.Fatalf("the fixture has %d answers and %d ended collaborations", len(stored), ended)
	}
	service := newVendor(t)
	d := ends(t, 0, dir, service.at(), "run", "half.yaml")
	asks := service.arrivals()
	if len(asks) == 0 {
		t.Error("it asked nothing")
	}
	for _, a := range asks {
		if stored[a.key] {
			t.Errorf("%s was stored and was asked again", a.key)
		}
	}
	if digest := digestBy(t, dir, "half"); digest != was.Half.Digest {
		t.Errorf("digest %s, of an uninterrupted run by the version that began %s\n%s", digest, was.Half.Digest, d.err)
	}
	sold, _ := service.books()
	all, _ := costOf(t, dir, "half")
	paid, worst := all["cost USD"].(float64), all["worst USD"].(float64)
	if billed := float64(was.NanoUSD+sold.nanoUSD) / 1e9; billed < paid-1e-9 || billed > worst+1e-9 {
		t.Errorf("cost says $%v, at worst $%v, the service billed $%v", paid, worst, billed)
	}
}
