package campaign_test

import (
	"errors"
	"testing"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// The manifest of another campaign, with its caps and prices, is not taken for this one's.
func TestManifestOfAnotherCampaign(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	if err := campaign.WriteManifest(t.Context(), s, campaign.Manifest{Campaign: "a", Revision: "r"}); err != nil {
		t.Fatal(err)
	}
	s.Objects[campaign.ManifestKey("b")] = s.Objects[campaign.ManifestKey("a")]
	if _, err := campaign.ReadManifest(t.Context(), s, "b"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	if m, err := campaign.ReadManifest(t.Context(), s, "a"); err != nil || m.Run == "" {
		t.Errorf("%+v, %v", m, err)
	}
}
