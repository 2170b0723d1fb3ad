package figures

import (
	"encoding/json"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/workflows/protocol"
)

// The value that a figure takes where a condition gives none must be the engine's
// default, which analysis does not import.
func TestUsualValuesAreTheProtocols(t *testing.T) {
	data, err := json.Marshal(map[string]any{"protocol": map[string]any{"name": "discussion", "params": protocol.DefaultDiscussion()}})
	if err != nil {
		t.Fatal(err)
	}
	engine := campaign.Flatten(data)
	for setting, usual := range usualValues {
		if want := engine[setting]; usual != want {
			t.Errorf("%s is %q where none is given; the engine has %q", setting, usual, want)
		}
	}
}
