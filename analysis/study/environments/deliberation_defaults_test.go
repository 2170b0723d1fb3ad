package environments

import (
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/envs/menu"
	"roundtable/workflows/protocol"
)

// A condition records what its file gave, so the tables fill in the protocol's
// defaults: they must be those of the engine, which analysis does not import.
func TestDefaultsAreTheProtocols(t *testing.T) {
	_, all, _ := deliberationsOf(campaign.Campaign{Name: "defaults", Runs: []campaign.Run{deliberated("menu", `{}`, `{}`, 0, nil)}})
	if len(all) != 1 {
		t.Fatalf("%d deliberations", len(all))
	}
	want := protocol.DefaultDeliberation()
	if d := all[0]; d.variant != want.Variant || d.setting != "menu-"+menu.Defaults().Observations || (d.tools != "") != (len(want.Tools) > 0) {
		t.Errorf("variant %q, setting %q, tools %q; the engine has %q, %q, %q", d.variant, d.setting, d.tools, want.Variant, menu.Defaults().Observations, want.Tools)
	}
}
