package environments

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// deliberated is one collaboration with its measures.
func deliberated(env, params, protocol string, instance int, d *Deliberated) campaign.Run {
	settings := fmt.Sprintf(`{"env":{"name":%q,"params":%s},"protocol":{"name":"deliberation","params":%s},"rule":{"name":"unanimous"},"stop":{"name":"never"},"model":{"name":"m"},"generate":{},"reasks":0}`, env, params, protocol)
	row := record.Collaboration{
		Key: record.Key{ConditionID: settings, CollaborationID: fmt.Sprint(settings, instance)}, Status: record.Succeeded, Environment: env, Measure: analysistest.MeasureOf(env), Rule: "unanimous",
		Protocol: "deliberation", Instance: int32(instance), RoundsPlanned: 6, RoundsRun: 2, SettingsJSON: settings,
	}
	var turns []record.Turn
	if d != nil {
		text, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		turns = append(turns, record.Turn{Kind: "env", Phase: "result", Text: new(string(text))})
	}
	return newRun(row, nil, turns)
}

const (
	noTools   = `{}`
	withTools = `{"tools":["solver"]}`
	oneAgent  = `{"variant":"centralized"}`
	informed  = `{"variant":"oracle"}`
)

// Means by hand, and twins that differ in the variant only.
func TestDeliberations(t *testing.T) {
	c := campaign.Campaign{Runs: []campaign.Run{
		deliberated("menu", `{}`, noTools, 0, &Deliberated{NR: 90, Valid: true, NAR: 90, NARValue: 90, HR: new(0.2)}),
		deliberated("menu", `{}`, noTools, 1, &Deliberated{NR: 0, NAR: 20, NARValue: 30, HR: new(0.4)}),
		deliberated("menu", `{}`, informed, 0, &Deliberated{NR: 100, Valid: true, NAR: 100, NARValue: 100, HR: new(0.0)}),
		deliberated("menu", `{}`, oneAgent, 0, &Deliberated{NR: 80, Valid: true, NAR: 80, NARValue: 80, HR: new(0.0)}),
		deliberated("allocation", `{}`, withTools, 0, &Deliberated{NR: 50, Valid: true, NAR: 50, NARValue: 50, HR: new(0.0), NMAE: new(0.1), ToolNR: new(70.0), Complied: new(false)}),
		deliberated("allocation", `{}`, withTools, 1, &Deliberated{NR: 70, Valid: true, NAR: 70, NARValue: 70, HR: new(0.0), NMAE: new(0.3), ToolNR: new(70.0), Complied: new(true)}),
		deliberated("allocation", `{}`, withTools, 2, nil), // stopped before its measures
	}}
	main, _ := Deliberations(c)
	for name, want := range map[string]float64{"menu-numeric NR": 45, "menu-numeric VR %": 50, "menu-numeric NAR": 55, "menu-numeric NAR by value": 60} {
		analysistest.Near(t, name, analysistest.Column(t, main, name, "deliberation", "–"), want)
	}
	oracles, _ := oraclesTable(c)
	for name, want := range map[string]float64{"over centralized": 20, "over deliberation": 55, "VR over centralized": 0, "VR over deliberation": 50} {
		analysistest.Near(t, name, analysistest.Column(t, oracles, name, "oracle"), want)
	}
	tools, _ := toolsTable(c)
	for name, want := range map[string]float64{"tool NR": 70, "actual NR": 60, "compliance %": 50} {
		analysistest.Near(t, name, analysistest.Column(t, tools, name, "deliberation"), want)
	}
	estimates, _ := estimatesTable(c)
	analysistest.Near(t, "HR", analysistest.Column(t, estimates, "HR", "deliberation", "–"), 0.3)
	analysistest.Near(t, "HR of all deliberations", analysistest.Column(t, estimates, "HR", "deliberations", "all"), 0.3) // the centralized agent estimates nothing
	for name, want := range map[string]float64{"HR": 0.2, "HR sd": 0.2} {                                                 // of 0.2, 0.4 and, centralized, 0
		analysistest.Near(t, name+" without the oracle", analysistest.Column(t, estimates, name, "no oracle (centralized included)", "all"), want)
	}
	analysistest.Near(t, "NMAE", analysistest.Column(t, estimates, "NMAE pooled", "deliberation", "solver"), 0.2)
	for _, row := range main.Rows {
		if i := slices.Index(main.Columns, "menu-numeric NR"); row[0].Text == deliberationProtocol && row[1].Text == "–" {
			analysistest.Near(t, "standard error of NR", row[i].SE, 45) // √(2 · 45² / 1) / √2
		}
	}
	for name, build := range map[string]func() (table.Table, bool){"main": func() (table.Table, bool) { return Deliberations((campaign.Campaign{})) }, "oracles": func() (table.Table, bool) { return oraclesTable((campaign.Campaign{})) }, "tools": func() (table.Table, bool) { return toolsTable((campaign.Campaign{})) }, "estimates": func() (table.Table, bool) { return estimatesTable((campaign.Campaign{})) }, "gaps": func() (table.Table, bool) { return gapsTable((campaign.Campaign{})) }} {
		if _, ok := build(); ok {
			t.Errorf("%s of nothing is a table", name)
		}
	}
}

// Correlations by hand: Sxy = -6, Sxx = 0.05, Syy = 1,000; ranks 1 2 3 4 and 3 4 2 1.
func TestErrorsAndRewards(t *testing.T) {
	var c campaign.Campaign
	for i, nr := range []float64{80, 90, 60, 50} {
		c.Runs = append(c.Runs, deliberated("allocation", `{}`, withTools, i, &Deliberated{NR: nr, NMAE: new(0.1 * float64(i+1)), HR: new(0.0)}))
	}
	for i := range 3 { // handed the state: no errors, and better
		c.Runs = append(c.Runs, deliberated("allocation", `{}`, `{"tools":["solver"],"variant":"centralized"}`, i, &Deliberated{NR: 100, NMAE: new(0.0), HR: new(0.0)}))
	}
	gaps, _ := gapsTable(c)
	analysistest.Near(t, "n with the centralized", analysistest.Column(t, gaps, "n", "NMAE → NR, centralized included", "yes"), 7)
	for name, want := range map[string]float64{"n": 4, "slope": -120, "R²": 0.72, "Pearson r": -6 / math.Sqrt(50), "Spearman rho": -0.8} {
		analysistest.Near(t, name, analysistest.Column(t, gaps, name, "NMAE → NR", "yes"), want)
	}
}

// Replicates of an instance that come out alike are not evidence of their own, and
// a centralized agent that estimates nothing adds no row.
func TestReplicatesDoNotRelate(t *testing.T) {
	repeated := func(replicates int) campaign.Campaign {
		var c campaign.Campaign
		for i, nr := range []float64{80, 90, 60, 50} {
			for replicate := range replicates {
				for protocol, d := range map[string]*Deliberated{noTools: {NR: nr, NMAE: new(0.1 * float64(i+1)), HR: new(0.1 * float64(i+1))}, oneAgent: {NR: 95}} {
					r := deliberated("menu", `{}`, protocol, i, d)
					r.Replicate = int32(replicate)
					c.Runs = append(c.Runs, r)
				}
			}
		}
		return c
	}
	once, _ := gapsTable(repeated(1))
	thrice, _ := gapsTable(repeated(3))
	if len(once.Rows) != 2 || len(thrice.Rows) != 2 {
		t.Fatalf("relations:\n%s", once.Text())
	}
	for i := range once.Rows {
		for _, name := range []string{"n", "slope", "se", "p", "rho p"} {
			analysistest.Near(t, name, analysistest.ByColumn(thrice, thrice.Rows[i])[name].Value, analysistest.ValueAt(t, once, i, name))
		}
	}
}

// Errors of estimates over instances: three replicates of each say no more than
// one, in the rows of conditions and of all deliberations. Over collaborations
// remains the standard deviation, as the paper has it.
func TestReplicatesDoNotEstimate(t *testing.T) {
	repeated := func(replicates int) campaign.Campaign {
		var c campaign.Campaign
		for i, rate := range []float64{.1, .4, .7} {
			for replicate := range replicates {
				for k, protocol := range []string{noTools, withTools} {
					r := deliberated("allocation", `{}`, protocol, i, &Deliberated{HR: new(rate + .1*float64(k)), NMAE: new(2 * rate)})
					r.Replicate = int32(replicate)
					c.Runs = append(c.Runs, r)
				}
			}
		}
		return c
	}
	once, _ := estimatesTable(repeated(1))
	thrice, _ := estimatesTable(repeated(3))
	if len(once.Rows) != 3 || len(thrice.Rows) != 3 {
		t.Fatalf("%s%s", once.Text(), thrice.Text())
	}
	for i := range once.Rows {
		for _, name := range []string{"HR", "NMAE pooled"} {
			want, got := analysistest.ByColumn(once, once.Rows[i])[name], analysistest.ByColumn(thrice, thrice.Rows[i])[name]
			analysistest.Near(t, name, got.Value, *want.Value)
			analysistest.Near(t, "standard error of "+name, got.SE, *want.SE)
			if got.N != 3 {
				t.Errorf("%s rests on %d instances", name, got.N)
			}
		}
	}
	analysistest.Near(t, "standard error by hand", analysistest.ByColumn(thrice, thrice.Rows[0])["HR"].SE, .3/math.Sqrt(3))
	analysistest.Near(t, "standard error of both conditions", analysistest.ByColumn(thrice, thrice.Rows[2])["HR"].SE, .3/math.Sqrt(3)) // they have their instances in common
	if notes := strings.Join(thrice.Notes, "\n"); !strings.Contains(notes, "(standard error over instances)") {
		t.Errorf("no unit in %s", notes)
	}
}

// A planted slope is found again: the gap grows by 60 NR for 1 HR (the paper's 61.35).
func TestGapRecovery(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c campaign.Campaign
	for i := range 400 {
		rate := rng.Float64()
		noise := 5 * rng.NormFloat64()
		c.Runs = append(c.Runs,
			deliberated("menu", `{}`, noTools, i, &Deliberated{NR: 90 - 60*rate + noise, HR: new(rate)}),
			deliberated("menu", `{}`, oneAgent, i, &Deliberated{NR: 95, HR: new(0.0)}))
	}
	gaps, _ := gapsTable(c)
	slope, se := analysistest.Column(t, gaps, "slope", "HR → gap"), analysistest.Column(t, gaps, "se", "HR → gap")
	if slope == nil || se == nil || math.Abs(*slope-60) > 4**se || *se > 2 {
		t.Errorf("the slope is %v (%v), want 60", slope, se)
	}
	analysistest.Near(t, "n", analysistest.Column(t, gaps, "n", "HR → gap"), 400)
}

func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, Deliberation().Readers...)
}
