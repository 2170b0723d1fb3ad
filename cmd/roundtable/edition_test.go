package main

import (
	"maps"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// A campaign is resumed in the words that were recorded with it; its file does not
// continue it where the built-in ones are of another edition.
func TestRecordedPromptsAreUsed(t *testing.T) {
	t.Parallel()
	const file = "name: old\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nrule: majority\nmodel: scripted/trader\n"
	dir := t.TempDir()
	save(t, dir, "old.yaml", file)
	s, err := store.NewLocal(dir + "/lake")
	noError(t, err)
	p, m, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), dir+"/old.yaml", s, false)
	noError(t, err)
	pack := maps.Clone(p.Packs[p.Pack[0]])
	pack["protocol/system.tmpl"] = "In the words of then. " + pack["protocol/system.tmpl"]
	p.Edition, p.Packs, p.Pack = 7, map[string]map[string]string{campaign.HashPack(pack): pack}, []string{campaign.HashPack(pack)}
	noError(t, planning.RecordPlan(t.Context(), s, p, m))
	refused := ends(t, cli.ExitUsage, dir, nil, "run", "old.yaml")
	contains(t, refused.err, `campaign "old" began with edition 7 of the built-in prompts`, "`roundtable resume old` continues")
	output(t, dir, "resume", "old")
	d, err := lake.ReadDataset(t.Context(), s, "old")
	noError(t, err)
	for row, err := range lake.Scan[record.Collaboration](t.Context(), s, d) {
		if err != nil || row.PromptsHash != campaign.HashPack(pack) {
			t.Errorf("the prompts are %s, want %s, %v", row.PromptsHash, campaign.HashPack(pack), err)
		}
	}
	card, err := s.Get(t.Context(), lake.AboutKey("old", "README.md"))
	if err != nil || !strings.Contains(string(card), "edition 7 of the built-in prompts") {
		t.Errorf("the card does not name the edition: %v", err)
	}
	if stored, _, err := campaign.ReadRecorded(t.Context(), s, "old"); err != nil || stored.Edition != 7 {
		t.Errorf("the plan is of edition %d, %v", stored.Edition, err)
	}
}
