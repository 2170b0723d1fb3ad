package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

// TestRetally: under its own rule no recorded vote comes out otherwise; under others the
// table says how many do, and what their ballots do not tell.
func TestRetally(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	text, err := os.ReadFile("../../examples/voting-rules.yaml")
	noError(t, err)
	dir := write(t, strings.Replace(string(text), "replicates: 100", "replicates: 6", 1))
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	var got []struct {
		Rows  []map[string]any
		Notes []string
	}
	out := ends(t, 0, dir, nil, "retally", "voting-rules", "--json").out
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	own, others := 0, 0
	share := func(row map[string]any, column string) float64 {
		cell, _ := row[column].(map[string]any)
		v, _ := cell["value"].(float64)
		return v
	}
	for _, r := range got[0].Rows {
		switch otherwise := share(r, "decided otherwise, %"); {
		case r["rule"] == r["counted under"]:
			if own++; otherwise != 0 || share(r, "final known, %") != 100 || r["votes"] == 0.0 {
				t.Errorf("%v under itself: %v", r["rule"], r)
			}
		case otherwise > 0:
			others++
		}
	}
	if own != 6 || others < 10 {
		t.Errorf("%d rules under themselves, %d under others that differ\n%s", own, others, out)
	}
	contains(t, strings.Join(got[0].Notes, "\n"), "Not counted under approval: ranked (rankings do not say which candidates are approved; --approve-first N")
	contains(t, ends(t, 0, dir, nil, "retally", "voting-rules", "--rule", "approval", "--approve-first", "1").out, "the first 1 of each ranking are approved")
	contains(t, ends(t, 0, dir, nil, "retally", "voting-rules", "--rule", "{name: borda, partial: true}").out, "the choice alone, first")
	contains(t, ends(t, cli.ExitUsage, dir, nil, "retally", "voting-rules", "--rule", "bordo").err, "--rule bordo: ")
	contains(t, ends(t, cli.ExitUsage, dir, nil, "retally", "voting-rules", "--rule", "judge").err, "it counts no ballots of agents")
}
