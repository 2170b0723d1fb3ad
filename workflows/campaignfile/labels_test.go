package campaignfile_test

import (
	"reflect"
	"testing"

	"roundtable/workflows/plan"
)

// Labels are read with their defaults, and change nothing of what is run.
func TestLabels(t *testing.T) {
	without := parse(t, minimal)
	if without.Labels != nil {
		t.Errorf("a file without labels has %+v", without.Labels)
	}
	heat := 0.0
	for text, want := range map[string]plan.Labels{
		"labels: {model: scripted/labeller}\n":                                                     {Generate: plan.Generate{Temperature: &heat, MaxTokens: 1024}, Reasks: 2},
		"labels:\n  model: {name: scripted/labeller}\n  generate: {max_tokens: 99}\n  reasks: 0\n": {Generate: plan.Generate{MaxTokens: 99}},
	} {
		with := parse(t, minimal+text)
		want.Model.Name = "scripted/labeller"
		if !reflect.DeepEqual(*with.Labels, want) {
			t.Errorf("%q gives %+v, want %+v", text, *with.Labels, want)
		}
		if !reflect.DeepEqual(with.Campaign, without.Campaign) || with.Campaign.Revision() != without.Campaign.Revision() {
			t.Errorf("%q changes the campaign to %+v", text, with.Campaign)
		}
	}
}
