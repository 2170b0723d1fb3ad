package numeric

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

var update = flag.Bool("update", false, "write the golden files")

// gathered loads a campaign of scripted agents that the engine has run.
func gathered(t *testing.T, id string) campaign.Campaign {
	t.Helper()
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := laketest.Play(context.Background(), store, id, 0); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(id, "name: "), "\n")
	c, err := campaign.Load(context.Background(), store, name, Study().Readers...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConsensusTables: three agents from 10, 40 and 100, by hand. A full network
// averages to 50 at once; a leader brings all to 10, halving 90 to below 1 in
// seven rounds; two suggestible agents swap for ever; stubborn ones never move.
func TestConsensusTables(t *testing.T) {
	const start = "name: hand\nenv: {name: consensus, agents: 3, starts: [[10], [40], [100]]}\n"
	for _, c := range []struct {
		campaign string
		want     map[string]float64 // of the table consensus
		strategy string             // that all telling moves follow
	}{
		{start + "protocol: {name: consensus, rounds: 9}\nmodel: scripted/average\n",
			map[string]float64{"reached %": 100, "round": 1, "width": 0, "bias": 0, "clusters": 1, "oscillates %": 0}, "average"},
		{start + "protocol: {name: consensus, rounds: 9, network: leader}\nmodel: scripted/average\n",
			map[string]float64{"reached %": 100, "round": 7, "width": 90. / 512, "bias/width": (120./512/3 - 40) / 90, "clusters": 1}, "average"},
		{start + "protocol: {name: consensus, rounds: 9}\nmodel: scripted/stubborn\n",
			map[string]float64{"reached %": 0, "width": 90, "bias": 0, "clusters": 3, "oscillates %": 0}, "stubborn"},
		{"name: swap\nenv: {name: consensus, agents: 2, starts: [[10], [40]], suggestible: 2}\nprotocol: {name: consensus, rounds: 9}\nmodel: scripted/personality\n",
			map[string]float64{"reached %": 0, "width": 30, "bias": 0, "clusters": 2, "oscillates %": 100}, "suggestible"},
	} {
		loaded := gathered(t, c.campaign)
		tab, ok := Consensus(loaded)
		if !ok || len(tab.Rows) != 1 {
			t.Fatalf("%d rows", len(tab.Rows))
		}
		for column, want := range c.want {
			if got := analysistest.ValueAt(t, tab, 0, column); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s\n%s is %v, want %v", c.campaign, column, got, want)
			}
		}
		shares, _ := StrategyShares(loaded)
		if got := analysistest.ValueAt(t, shares, 0, c.strategy); got != 100 {
			t.Errorf("%s\n%v %% of moves are %s", c.campaign, got, c.strategy)
		}
		if !strings.HasPrefix(tab.Notes[0], table.Simulated) {
			t.Errorf("a table of scripted agents says %q first", tab.Notes[0])
		}
	}
}

// TestMonteCarlo: averagers on a full network end at the mean of their starts,
// so the variance of the final value is that of the mean of n uniform numbers,
// 100²/(12n); the seeded sample has it within its interval.
func TestMonteCarlo(t *testing.T) {
	c := gathered(t, "name: carlo\ninstances: 40\nenv: {name: consensus, integers: false}\nprotocol: {name: consensus, rounds: 1}\nmodel: scripted/average\ngrid:\n  env.agents: [2, 4, 8]\n")
	table, ok := MonteCarlo(c)
	if !ok || len(table.Rows) != 3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for row, cells := range table.Rows {
		n, err := strconv.ParseFloat(cells[0].Text, 64)
		if err != nil {
			t.Fatal(err)
		}
		want := 1e4 / 12 / n
		if low, high := analysistest.ValueAt(t, table, row, "final from"), analysistest.ValueAt(t, table, row, "final to"); want < low || want > high {
			t.Errorf("%v agents: the variance %v is not within %v to %v", n, want, low, high)
		}
		if bias := analysistest.ValueAt(t, table, row, "sd of bias"); bias > 1e-6 {
			t.Errorf("%v agents: averagers are biased by %v", n, bias)
		}
	}
	finals, _ := Finals(c)
	if len(finals.Rows) != 120 {
		t.Errorf("%d dots", len(finals.Rows))
	}
	fit, ok := Variances(c)
	if !ok || len(fit.Rows) != 1 || fit.Rows[0][0].Text != "final" { // there is no bias whose variance could change
		t.Fatalf("%+v", fit)
	}
	for what, want := range map[string][3]float64{
		"the exponent":        {-1, analysistest.ValueAt(t, fit, 0, "from"), analysistest.ValueAt(t, fit, 0, "to")},
		"the variance of one": {1e4 / 12, analysistest.ValueAt(t, fit, 0, "one from"), analysistest.ValueAt(t, fit, 0, "one to")},
	} {
		if want[0] < want[1] || want[0] > want[2] || want[2]-want[1] > math.Abs(2*want[0]) {
			t.Errorf("%s, %v, is not well within %v to %v", what, want[0], want[1], want[2])
		}
	}
	lead, _ := Influence(c)
	for row, cells := range lead.Rows {
		if got := analysistest.ValueAt(t, lead, row, "weight"); cells[0].Text == "2" && math.Abs(got-0.5) > 1e-6 {
			t.Errorf("of two averagers one weighs %v", got)
		}
	}
}

// TestFigureData: the tables of robots' data, as they were last looked at.
func TestFigureData(t *testing.T) {
	c := gathered(t, "name: robots\nenv: robots\nprotocol: {name: consensus, rounds: 2, memory: current}\nmodel: scripted/average\n")
	var b bytes.Buffer
	for _, build := range []func() (table.Table, bool){func() (table.Table, bool) { return Consensus(c) }, func() (table.Table, bool) { return Trajectories(c) }, func() (table.Table, bool) { return PathData(c) }} {
		tab, ok := build()
		if !ok {
			t.Fatal("no table")
		}
		if err := table.Write(&b, "csv", []table.Table{tab}); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/robots.csv"
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || b.String() != string(want) {
		t.Errorf("the data differ from %s (%v; -update writes it):\n%s", golden, err, b.String())
	}
}

// Replicates of agents that do the same again tell no more of a mean or a variance.
func TestReplicatesOfAGroupAreOneValue(t *testing.T) {
	repeated := func(replicates string) campaign.Campaign {
		return gathered(t, "name: again\ninstances: 6\nreplicates: "+replicates+"\nenv: {name: consensus, agents: 3}\nprotocol: {name: consensus, rounds: 2}\nmodel: scripted/average\n")
	}
	once, _ := MonteCarlo(repeated("1"))
	often, _ := MonteCarlo(repeated("5"))
	a, b := analysistest.ByColumn(once, once.Rows[0]), analysistest.ByColumn(often, often.Rows[0])
	analysistest.Near(t, "standard error", b["final"].SE, *a["final"].SE)
	for _, name := range []string{"final", "final variance", "final from", "final to"} {
		analysistest.Near(t, name, b[name].Value, *a[name].Value)
	}
}

// TestNoStates: a campaign of another protocol has none of these tables.
func TestNoStates(t *testing.T) {
	c := analysistest.ByHand(Study().Readers...)
	for i, build := range []func(campaign.Campaign) (table.Table, bool){Consensus, StrategyShares, Influence, MonteCarlo, Variances, Finals, Trajectories, PathData} {
		if of, ok := build(c); ok {
			t.Errorf("there is a table %d of an exchange economy: %s", i, of.Name)
		}
	}
}

// A group of one stubborn agent and two that average: each personality has its
// own row, where all together stay in a third of the moves.
func TestStrategiesByPersonality(t *testing.T) {
	c := gathered(t, "name: mixed\nenv: {name: consensus, agents: 3, stubborn: 1, starts: [[10], [40], [100]]}\nprotocol: {name: consensus, rounds: 1}\nmodel: scripted/personality\n")
	table, ok := StrategyShares(c)
	if !ok || len(table.Rows) != 3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for i, want := range []struct {
		personality       string
		stubborn, average float64
		moves             float64
	}{{"all", 100. / 3, 200. / 3, 3}, {"stubborn", 100, 0, 1}, {"none", 0, 100, 2}} {
		got := analysistest.ByColumn(table, table.Rows[i])
		if got["personality"].Text != want.personality || *got["moves"].Value != want.moves || math.Abs(*got["stubborn"].Value-want.stubborn) > 1e-9 || math.Abs(*got["average"].Value-want.average) > 1e-9 {
			t.Errorf("row %d: %v", i, got)
		}
	}
	listed := campaign.Group{Settings: map[string]string{"env.personalities": `["none","suggestible"]`}}
	if personalityOf(listed, 0) != "none" || personalityOf(listed, 1) != "suggestible" {
		t.Error("a list of personalities is not read")
	}
}

// Five instances of two agents, whose ends are off the mean of the starts by
// something of their own: three replicates of each say the same again, so that
// weights and their errors are those of one.
func TestReplicatesDoNotLead(t *testing.T) {
	repeated := func(replicates int) campaign.Campaign {
		var c campaign.Campaign
		for i, x := range [][3]float64{{10, 40, 26}, {20, 90, 52}, {80, 30, 60}, {50, 70, 57}, {5, 15, 12}} {
			for replicate := range replicates {
				off := float64(2*replicate - replicates + 1) // replicates differ about the mean
				row := record.Collaboration{
					Key: record.Key{ConditionID: "c", CollaborationID: fmt.Sprint(i, replicate)}, Status: record.Succeeded, Environment: "consensus", Measure: record.Error, Protocol: gathering,
					Agents: 2, Instance: int32(i), Replicate: int32(replicate), SettingsJSON: `{"env":{"name":"consensus"},"protocol":{"name":"consensus"}}`,
				}
				r := newRun(row, nil, nil)
				campaign.Keep(&r.Parts, States{Path: Path{States: []State{{{x[0]}, {x[1]}}, {{x[2] + off}, {x[2] + off}}}}})
				c.Runs = append(c.Runs, r)
			}
		}
		return c
	}
	once, _ := Influence(repeated(1))
	thrice, _ := Influence(repeated(3))
	if len(once.Rows) != 2 || len(thrice.Rows) != 2 {
		t.Fatalf("%s%s", once.Text(), thrice.Text())
	}
	for i := range once.Rows {
		want, got := analysistest.ByColumn(once, once.Rows[i]), analysistest.ByColumn(thrice, thrice.Rows[i])
		analysistest.Near(t, "weight", got["weight"].Value, *want["weight"].Value)
		analysistest.Near(t, "its standard error", got["weight"].SE, *want["weight"].SE)
		analysistest.Near(t, "R²", got["R²"].Value, *want["R²"].Value)
		if got["weight"].N != 5 {
			t.Errorf("the weight rests on %d values", got["weight"].N)
		}
	}
	if notes := strings.Join(thrice.Notes, "\n"); !strings.Contains(notes, "over instances of a condition") {
		t.Errorf("no unit in %s", notes)
	}
}

func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	return analysistest.NewRun(c, rounds, turns, Study().Readers...)
}
