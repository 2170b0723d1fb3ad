package main

import (
	"maps"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaignfile"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
)

// A campaign is resumed in the words that were recorded with it; its file does not
// continue it where the built-in ones are of another edition.
func TestRecordedPromptsAreUsed(t *testing.T) {
	t.Parallel()
	const file = "name: old\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nrule: majority\nmodel: scripted/trader\n"
	dir := t.TempDir()
	save(t, dir, "old.yaml", file)
	s, err := store.Open(dir + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	p, m, _, err := campaignfile.Read(t.Context(), catalogue.Builtin(), dir+"/old.yaml", s, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.Edition < 2 {
		t.Errorf("a new plan is of edition %d", p.Edition)
	}
	old := p
	old.Edition, old.Packs, old.Pack = 0, map[string]map[string]string{}, nil
	for _, hash := range p.Pack {
		pack := maps.Clone(p.Packs[hash])
		pack["protocol/system.tmpl"] = "In the words of then. " + pack["protocol/system.tmpl"]
		old.Packs[campaign.HashPack(pack)] = pack
		old.Pack = append(old.Pack, campaign.HashPack(pack))
	}
	if err := campaignfile.RecordPlan(t.Context(), s, old, m); err != nil {
		t.Fatal(err)
	}
	refused := ends(t, cli.ExitUsage, dir, nil, "run", "old.yaml")
	contains(t, refused.err, `campaign "old" began with edition 7 of the built-in prompts`, "`roundtable resume old` continues")
	output(t, dir, "resume", "old")
	d, err := lake.ReadDataset(t.Context(), s, "old")
	if err != nil {
		t.Fatal(err)
	}
	for row, err := range lake.Scan[record.Collaboration](t.Context(), s, d) {
		if err != nil || row.PromptsHash != pack.Hash() {
			t.Errorf("the prompts are %s, want %s, %v", row.PromptsHash, pack.Hash(), err)
		}
	}
	card, err := s.Get(t.Context(), lake.AboutKey("old", "README.md"))
	if err != nil || !strings.Contains(string(card), "edition 7 of the built-in prompts") {
		t.Errorf("the card does not name the edition: %v", err)
	}
	stored, _, err := campaign.ReadRecorded(t.Context(), s, "old")
	if err != nil || stored.Edition != 0 {
		t.Errorf("the extended plan is of edition %d, %v", stored.Edition, err)
	}
	for _, row := range rows {
		pack := stored.Packs[row.PromptsHash]
		if !strings.HasPrefix(pack["protocol/system.tmpl"], "In the words of then.") {
			t.Errorf("%s has the prompts %s, which are not those that the campaign began with", row.CollaborationID, row.PromptsHash)
		}
		if row.Rule == "majority" && row.PromptsHash != old.Pack[0] {
			t.Errorf("%s has the prompts %s, want %s", row.CollaborationID, row.PromptsHash, old.Pack[0])
		}
	}
}
