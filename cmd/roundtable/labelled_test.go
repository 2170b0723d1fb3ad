package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/study"
	"roundtable/cmd/internal/analyze"
)

// checkLabelsOnlyName holds all numbers of a campaign's tables and figures against those
// that it has with labels on each axis of its grid, and with one axis that sets everything
// about how the groups decide.
func checkLabelsOnlyName(t *testing.T, dir, name string) {
	t.Helper()
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := analyze.ReadCampaign(context.Background(), s, name, campaign.Kept{})
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{}
	for _, key := range []string{"protocol", "rule", "stop", "env.agents", "reasks"} {
		whole[key] = "system"
	}
	want := numbersOf(t, labelled(c, c.Axes, false))
	for what, axes := range map[string]map[string]string{"each axis": c.Axes, "one axis": whole} {
		got := numbersOf(t, labelled(c, axes, true))
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if got[key] != want[key] {
				t.Errorf("%s: with labels on %s, %s has\n%s\nwithout\n%s", name, what, key, got[key], want[key])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: with labels on %s there are %d tables and figures, without %d", name, what, len(got), len(want))
		}
	}
}

// labelled returns the campaign with a label for all that an axis sets in a condition, or
// with none but those of baselines.
func labelled(c campaign.Campaign, axes map[string]string, label bool) campaign.Campaign {
	c.Axes, c.Planned = axes, slices.Clone(c.Planned)
	for i, p := range c.Planned {
		labels := map[string]string{}
		if is := p.Labels[campaign.BaselineLabel]; is != "" {
			labels[campaign.BaselineLabel] = is
		}
		if label {
			settings := campaign.Flatten(p.Settings)
			for _, key := range slices.Sorted(maps.Keys(settings)) {
				for setting, axis := range axes {
					if key == setting || strings.HasPrefix(key, setting+".") {
						labels[axis] += fmt.Sprintf("%x.", settings[key])
					}
				}
			}
		}
		c.Planned[i].Labels = labels
	}
	return c
}

// numbersOf returns the numbers of each table and figure, in their order.
func numbersOf(t *testing.T, c campaign.Campaign) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, of := range study.All(c) {
		var b strings.Builder
		for _, row := range of.Rows {
			for _, cell := range row {
				if cell.Value != nil {
					fmt.Fprintf(&b, "%.9g ", *cell.Value)
				}
			}
			b.WriteString("\n")
		}
		all["table "+of.Name] = b.String()
	}
	for _, f := range figures.All(c) {
		data, err := json.Marshal(f.Panels)
		if err != nil {
			t.Fatal(err)
		}
		var panels any
		if err := json.Unmarshal(data, &panels); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		writeNumbersOf(&b, panels)
		all["figure "+f.Name] = b.String()
	}
	return all
}

func writeNumbersOf(b *strings.Builder, value any) {
	switch v := value.(type) {
	case float64:
		fmt.Fprintf(b, "%.9g ", v)
	case []any:
		for _, one := range v {
			writeNumbersOf(b, one)
		}
		b.WriteString("\n")
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			writeNumbersOf(b, v[key])
		}
	}
}
