package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study"
	"roundtable/cmd/internal/cli"
)

// What is asked for wrongly is answered in words, and with what there is.
func TestWhatIsNotThereIsSaidInWords(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{{"status"}, {"pause", "nobody", "--state", t.TempDir()}} {
		_, err := runCommand(t, append(args, "--lake", none)...)
		fails(t, err, cli.ExitUsage, "there is no lake at")
		if _, err := os.Stat(none); err == nil {
			t.Errorf("%s makes a lake", args[0])
		}
	}
	lake := t.TempDir()
	_, err := runCommand(t, "status", "nobody", "--lake", lake)
	fails(t, err, cli.ExitUsage, `has no campaign "nobody"`)
	if strings.Contains(err.Error(), "manifest") {
		t.Errorf("status tells of its own files: %v", err)
	}
	_, err = study.Make(campaign.Campaign{}, "nope")
	contains(t, err.Error(), "transitions, agreement, label-rates, label-errors, judge-agreement, fork-effects, comparisons, floor, front, buy-next, instances, rounds, summary or all")
	_, err = runCommand(t, "pause", "nobody", "--lake", lake, "--state", t.TempDir())
	fails(t, err, cli.ExitUsage, `has no campaign "nobody"`)
}
