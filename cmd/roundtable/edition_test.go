package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaignfile"
	"roundtable/workflows/catalogue"
)

// A campaign that began under an earlier edition goes on with its prompts and
// its defaults, also in replicates and conditions that are new.
func TestEditionIsKept(t *testing.T) {
	const file = "name: old\nreplicates: 2\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\ngrid: {rule: [majority]}\n"
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
	output(t, dir, "run", "old.yaml")
	save(t, dir, "old.yaml", strings.NewReplacer("replicates: 2", "replicates: 3", "[majority]", "[majority, plurality]").Replace(file))
	output(t, dir, "run", "old.yaml")

	d, err := lake.ReadDataset(t.Context(), s, "old")
	if err != nil {
		t.Fatal(err)
	}
	var rows []record.Collaboration
	for one, err := range lake.Collaborations(t.Context(), s, d) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, one.Collaborations...)
	}
	if len(rows) != 6 {
		t.Fatalf("%d collaborations", len(rows))
	}
	for _, want := range []string{"Prompts: edition 1 of the built-in ones, as recorded when the campaign began.", "In the words of then. You are"} {
		if got := output(t, dir, "plan", "old.yaml", "--prompts"); !strings.Contains(got, want) {
			t.Errorf("plan of a campaign that began under the first edition does not show %q:\n%.2000s", want, got)
		}
	}
	save(t, dir, "new.yaml", strings.Replace(file, "name: old", "name: new", 1))
	if got, want := output(t, dir, "plan", "new.yaml"), fmt.Sprintf("Prompts: edition %d of the built-in ones.\n", prompt.Edition); !strings.Contains(got, want) {
		t.Errorf("plan of a new campaign does not show %q:\n%s", want, got)
	}
	save(t, dir, "other.yaml", file+"seed: 7\n")
	if got := output(t, dir, "plan", "other.yaml"); !strings.Contains(got, `the lake has another campaign "old"`) {
		t.Errorf("plan of a file that cannot continue the campaign of its name does not say so:\n%s", got)
	}
	card, err := s.Get(t.Context(), lake.AboutKey("old", "README.md"))
	if err != nil || !strings.Contains(string(card), "edition 1 of the built-in prompts") {
		t.Errorf("the card does not name the edition: %v\n%.3000s", err, card)
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
