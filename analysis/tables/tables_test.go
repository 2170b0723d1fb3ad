package tables

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/record"
	"roundtable/analysis/referencetest"
	"roundtable/analysis/table"
	"roundtable/analysis/table/tabletest"
	"roundtable/envs"
	economies "roundtable/envs/exchange"
)

var update = flag.Bool("update", false, "write the golden files anew")

// cell makes the rows of one collaboration: scores and keys by round, slots
// as pairs of own and standing utility, by round and agent.
type cell struct {
	condition, env, rule, settings, status string
	instance, replicate, agents, planned   int
	scores                                 []*float64
	keys                                   []string
	utilities                              []float64
	slots                                  [][2]*float64
	simulated                              bool
	cost                                   *float64
	baselines                              *string
}

func (c cell) run() campaign.Run {
	key := record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: "made-up", ConditionID: c.condition,
		CollaborationID: fmt.Sprintf("%s-i%d-r%d", c.condition, c.instance, c.replicate),
	}
	if c.settings == "" {
		c.settings = fmt.Sprintf(`{"env":{"name":%q},"protocol":{"name":"roundtable"},"rule":{"name":%q},"stop":{"name":"never"},"model":{"name":"openai/gpt-4o-mini"},"generate":{},"reasks":2}`, c.env, c.rule)
	}
	row := record.Collaboration{
		Key: key, Status: c.status, Environment: c.env, InstanceID: fmt.Sprint("item", c.instance), Instance: int32(c.instance), Replicate: int32(c.replicate),
		Rule: c.rule, Simulated: c.simulated, Agents: int32(c.agents), RoundsPlanned: int32(c.planned), RoundsRun: int32(len(c.scores)),
		Utilities: c.utilities, SettingsJSON: c.settings, CostUSD: c.cost, BaselinesJSON: c.baselines,
		Turns: 10, InvalidTurns: 1, Asks: 12, Calls: 12, InputTokens: 1000, OutputTokens: 100,
	}
	if row.Status == "" {
		row.Status = record.Succeeded
	}
	var rounds []record.Round
	for i, s := range c.scores {
		r := record.Round{Key: key, Round: int32(i + 1), Score: s}
		if s != nil {
			k := fmt.Sprint("key", i)
			if c.keys != nil {
				k = c.keys[i]
			}
			r.DecisionKey = &k
			if row.DecidedRound == nil {
				row.DecidedRound = &r.Round
			}
		}
		row.DecisionKey, row.DecisionJSON, row.Score = r.DecisionKey, r.DecisionKey, s
		rounds = append(rounds, r)
	}
	turns := []record.Turn{{Key: key, Kind: "ask", Format: "message"}, {Key: key, Kind: "decide"}}
	for _, s := range c.slots {
		turns = append(turns, record.Turn{Key: key, Kind: "ask", Format: "proposal", ProposalUtility: s[0], StandingUtility: s[1]})
	}
	return newRun(row, rounds, turns)
}

func majority(replicate int) cell {
	return cell{condition: "majority-1", env: "exchange", rule: "majority", replicate: replicate, agents: 3, planned: 3, cost: new(0.5)}
}

// byHand is an exchange campaign that was worked out with pencil and paper in TestTable1ByHand.
func byHand() campaign.Campaign {
	a, b, failed := majority(0), majority(1), majority(2)
	a.scores, a.utilities = []*float64{nil, new(.5), new(.8)}, []float64{30, 40, 50}
	a.slots = [][2]*float64{{new(9.), nil}, {new(3.), new(2.)}, {new(2.), new(2.)}, {nil, new(2.)}}
	b.scores, b.keys, b.utilities = []*float64{new(.4), new(.4), new(.6)}, []string{"x", "y", "z"}, []float64{10, 20, 40}
	b.slots = [][2]*float64{{new(3.), new(2.)}, {new(3.), new(2.)}, {new(3.), new(2.)}, {new(1.), new(2.)}}
	failed.status, failed.scores, failed.utilities, failed.cost = "failed", []*float64{new(.99)}, []float64{1, 1, 1}, nil
	u := cell{condition: "unanimous-1", env: "exchange", rule: "unanimous", agents: 3, planned: 3, cost: new(.25), simulated: true}
	u.scores = []*float64{nil, nil, nil}
	u.slots = [][2]*float64{{new(1.), nil}, {nil, nil}}
	return campaign.Campaign{Name: "made-up", Runs: []campaign.Run{b.run(), failed.run(), a.run(), u.run()}, Earlier: map[string]int{"majority-1": 1}}
}

func TestTable1ByHand(t *testing.T) {
	table, ok := Table1(byHand())
	if !ok {
		t.Fatal("no table")
	}
	if want := []string{"rule", "utility@3", "AUC@3", "rationality", "fairness", "rigidity", "n", "failed", "stopped", "simulated"}; !slices.Equal(table.Columns, want) {
		t.Errorf("columns %q, want %q", table.Columns, want)
	}
	if table.Rows[0][0].Text != "unanimous" {
		t.Error("unanimous does not come before majority")
	}
	m := tabletest.Row(t, table, "majority")
	for _, x := range []struct {
		column   string
		mean, se float64
	}{
		{"utility@3", 70, 10},         // 80 and 60
		{"AUC@3", 45, 5.0 / 3},        // 130/3 and 140/3
		{"rationality", 50, 25},       // 1 and 3 of 4
		{"fairness", 42.5, 17.5},      // 60 and 25
		{"rigidity", 100.0 / 3, 0},    // round 1 of a, round 2 of b
		{"n", 2, 0}, {"failed", 1, 0}, // the failed one's .99 is nowhere
	} {
		tabletest.Near(t, x.column, m[x.column].Value, x.mean)
		if m[x.column].N > 0 {
			tabletest.Near(t, x.column+" se", m[x.column].SE, x.se)
		}
	}
	u := tabletest.Row(t, table, "unanimous")
	tabletest.Near(t, "utility without a decision", u["utility@3"].Value, 0)
	tabletest.Near(t, "rigidity without a decision", u["rigidity"].Value, 100)
	if u["fairness"].Value != nil || u["utility@3"].SE != nil {
		t.Errorf("fairness without a decision %v, standard error of one run %v: both are undefined", u["fairness"], u["utility@3"].SE)
	}
	readings, _ := Readings(byHand())
	m = tabletest.Row(t, readings, "majority")
	tabletest.Near(t, "over made", m["rational of made"].Value, (100.0/3+75)/2)
	tabletest.Near(t, "over comparable", m["rational of comparable"].Value, (50+75)/2.0)
	tabletest.Near(t, "rigidity by decision", m["rigid by decision"].Value, (100.0/3+0)/2)
	tabletest.Near(t, "undecided as fair", tabletest.Row(t, readings, "unanimous")["fairness or 100"].Value, 100)
}

func TestNotesSayWhatIsMissingAndSimulated(t *testing.T) {
	c := byHand()
	c.Planned = []campaign.Planned{{Condition: "majority-1", Cells: 4}, {Condition: "unanimous-1", Cells: 1}, {Condition: "ranked-1", Cells: 2,
		Settings: json.RawMessage(`{"env":{"name":"exchange"},"rule":{"name":"ranked"}}`)}}
	for _, tab := range All(c) {
		notes := strings.Join(tab.Notes, "\n")
		for _, want := range []string{table.Simulated + ", in 1 of 4", "1 failed, 0 stopped", "Still to come: 3 cells"} {
			if !strings.Contains(notes, want) {
				t.Errorf("table %s does not say %q:\n%s", tab.Name, want, notes)
			}
		}
	}
	table, _ := Table1(c)
	var order []string
	for _, r := range table.Rows {
		order = append(order, r[0].Text)
	}
	if want := []string{"majority", "unanimous", "ranked"}; !slices.Equal(order, want) {
		t.Errorf("rows are %q, want the plan's order %q", order, want)
	}
	tabletest.Near(t, "to come", tabletest.Row(t, table, "ranked")["to come"].Value, 2)
}

func TestSummary(t *testing.T) {
	table, _ := Summary(byHand())
	m := tabletest.Row(t, table, "majority")
	for column, want := range map[string]float64{"succeeded": 2, "failed": 1, "run again": 1, "decided": 3, "asked turns": 11, "invalid turns": 0, "asks": 36, "calls": 36, "input tokens": 3000} {
		tabletest.Near(t, column, m[column].Value, want)
	}
	if got := m["cost USD"].String(); got != "unknown, at least 1.0000" {
		t.Errorf("a cost with an unknown part is %q", got)
	}
	if m["planned"].Value != nil {
		t.Error("cells are planned although no plan is known")
	}
	tabletest.Near(t, "known cost", tabletest.Row(t, table, "unanimous")["cost USD"].Value, .25)
	tabletest.Near(t, "sum", tabletest.Row(t, table, "all")["succeeded"].Value, 3)
}

// Who agreed for a while and parted again has decided nothing.
func TestSummaryCountsDecisions(t *testing.T) {
	parted, held := majority(0), majority(1)
	parted.scores, held.scores = []*float64{new(.1), nil}, []*float64{nil, new(.1)}
	table, _ := Summary(campaign.Campaign{Runs: []campaign.Run{parted.run(), held.run()}})
	tabletest.Near(t, "decided", tabletest.Row(t, table, "majority")["decided"].Value, 1)
}

// What rounds to nothing has no sign.
func TestCellWithoutSign(t *testing.T) {
	for _, x := range []struct {
		v        float64
		decimals int
		want     string
	}{{-0.004, 2, "0.00"}, {math.Copysign(0, -1), 0, "0"}, {-0.006, 2, "-0.01"}, {-10, 1, "-10.0"}, {0.004, 2, "0.00"}} {
		if got := table.Number(x.v, x.decimals).String(); got != x.want {
			t.Errorf("%v is shown as %q, want %q", x.v, got, x.want)
		}
	}
}

func TestRowsAreNamedByWhatVaries(t *testing.T) {
	settings := `{"env":{"name":"exchange","params":{"agents":%d,"utility":"uniform"}},"rule":{"name":"majority"},"stop":{"name":"never"},"model":{"name":%q},"generate":{},"reasks":2}`
	var runs []campaign.Run
	for _, agents := range []int{5, 3} {
		for _, model := range []string{"openai/b", "openai/a"} {
			c := majority(0)
			c.condition, c.settings = fmt.Sprintf("majority-%d%s", agents, model), fmt.Sprintf(settings, agents, model)
			c.scores = []*float64{new(.1), new(.1), new(.1)}
			runs = append(runs, c.run())
		}
	}
	c := campaign.Campaign{Name: "made-up", Runs: runs}
	table, _ := Table6(c)
	if !slices.Equal(table.Columns[:2], []string{"model", "env.agents"}) {
		t.Errorf("columns %q", table.Columns)
	}
	if !strings.Contains(strings.Join(table.Notes, "\n"), "env exchange, rule majority, stop never") {
		t.Errorf("what does not vary is not said: %q", table.Notes)
	}
	if table, _ = Table1(c); !slices.Equal(table.Columns[:3], []string{"rule", "model", "env.agents"}) {
		t.Errorf("columns of Table 1 %q", table.Columns)
	}
	one, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(c.Runs)
	table, _ = Table1(c)
	if two, _ := json.Marshal(table); !bytes.Equal(one, two) {
		t.Errorf("the order of what is read changes the table:\n%s\n%s", one, two)
	}
}

// A model that changes behind its name in mid-campaign is not averaged away.
func TestRowsAreSplitBySnapshot(t *testing.T) {
	var runs []campaign.Run
	for i, by := range []string{`["m-may"]`, `["m-may"]`, `["m-june"]`, "null"} {
		run := majority(i).run()
		if run.AnsweredBy = by; by == "null" {
			run.Status = "failed"
		}
		runs = append(runs, run)
	}
	c := campaign.Campaign{Name: "made-up", Runs: runs, Planned: []campaign.Planned{{Condition: "majority-1", Cells: 6, Settings: json.RawMessage(runs[0].SettingsJSON)}}}
	v := c.View("exchange")
	if len(v.Groups) != 2 || !slices.Equal(v.Labels, []string{campaign.AnsweredBy}) {
		t.Fatalf("%d rows by %v", len(v.Groups), v.Labels)
	}
	for i, want := range []struct {
		by            string
		runs, pending int
	}{{"m-may", 3, 2}, {"m-june", 1, 0}} {
		if g := v.Groups[i]; g.Settings[campaign.AnsweredBy] != want.by || len(g.Runs) != want.runs || g.Pending() != want.pending {
			t.Errorf("row %d: %q with %d runs, %d to come; want %+v", i, g.Settings[campaign.AnsweredBy], len(g.Runs), g.Pending(), want)
		}
	}
	c.Runs = runs[:2]
	if v := c.View("exchange"); len(v.Groups) != 1 || slices.Contains(v.Labels, campaign.AnsweredBy) {
		t.Errorf("one model answered: %d rows by %v", len(v.Groups), v.Labels)
	}
}

func TestWhatStoodIsCarriedOn(t *testing.T) {
	c := majority(0)
	c.planned, c.scores = 5, []*float64{nil, new(.5)}
	table, _ := Table1(campaign.Campaign{Runs: []campaign.Run{c.run()}})
	m := tabletest.Row(t, table, "majority")
	tabletest.Near(t, "utility@5", m["utility@5"].Value, 50)
	tabletest.Near(t, "AUC@5", m["AUC@5"].Value, 40)
	tabletest.Near(t, "rigidity of the rounds that were run", m["rigidity"].Value, 50)
	if !strings.Contains(strings.Join(table.Notes, "\n"), "1 collaboration ended before") {
		t.Errorf("it is not said: %q", table.Notes)
	}
}

func ratings() campaign.Campaign {
	run := func(instance int, errors ...*float64) campaign.Run {
		c := cell{condition: "rated-1", env: "recsys", rule: "rated", instance: instance, agents: 3, planned: 2, cost: new(0.)}
		for _, e := range errors {
			if e != nil {
				e = new(-*e)
			}
			c.scores = append(c.scores, e)
		}
		c.baselines = new(fmt.Sprintf(`{"always_4":%d,"item_mean":-0.5}`, -instance))
		return c.run()
	}
	again := run(2, new(1.), new(1.))
	again.Replicate = 1
	return campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(0, nil, new(0.)), run(1, new(2.), new(1.)), run(2, new(1.), new(2.)), again}}
}

func TestTable7(t *testing.T) {
	tab, ok := Table7(ratings())
	if !ok {
		t.Fatal("no table")
	}
	find := func(measure, label string) map[string]table.Cell {
		one := tab
		one.Rows = slices.DeleteFunc(slices.Clone(tab.Rows), func(r []table.Cell) bool { return r[0].Text != measure })
		return tabletest.Row(t, one, label)
	}
	mae, rmse := find("MAE", "rated"), find("RMSE", "rated")
	tabletest.Near(t, "MAE@1", mae["@1"].Value, 4.0/3)
	tabletest.Near(t, "se of MAE@1", mae["@1"].SE, 4.0/9) // two items: 2 of 1 and 1+1 of 2 are 2/3 off 4/3 each; √(2·(4/9+4/9))/3
	tabletest.Near(t, "RMSE@1", rmse["@1"].Value, math.Sqrt(2))
	tabletest.Near(t, "MAE@2", mae["@2"].Value, 1)
	tabletest.Near(t, "n@1", find("n with a decision", "rated")["@1"].Value, 3)
	always, rms := find("MAE", "baseline always_4"), find("RMSE", "baseline always_4")
	tabletest.Near(t, "always 4", always["@1"].Value, 1) // errors 0, 1, 2: item 2 counts once
	tabletest.Near(t, "always 4, RMSE", rms["@1"].Value, math.Sqrt(5.0/3))
	tabletest.Near(t, "items", always["n"].Value, 3)
	if _, ok := Table1(ratings()); ok {
		t.Error("a recommendation campaign has a Table 1")
	}
	if _, err := Make(ratings(), "1"); err == nil || !strings.Contains(err.Error(), "exchange") {
		t.Errorf("asking for it says %v", err)
	}
}

func TestRounds(t *testing.T) {
	table, _ := Rounds(byHand())
	tabletest.Near(t, "not yet agreed@1", tabletest.Row(t, table, "majority")["@1"].Value, 50)
	tabletest.Near(t, "unanimous never agrees", tabletest.Row(t, table, "unanimous")["@3"].Value, 100)
	goodness := table
	goodness.Rows = table.Rows[2:]
	tabletest.Near(t, "goodness@1 of exchange counts 0", tabletest.Row(t, goodness, "majority")["@1"].Value, .2)
	table, _ = Rounds(ratings())
	goodness.Rows = table.Rows[1:]
	goodness.Columns = table.Columns
	tabletest.Near(t, "goodness@1 of recsys leaves out", tabletest.Row(t, goodness, "rated")["@1"].Value, -4.0/3)
}

func TestGolden(t *testing.T) {
	for name, tables := range map[string][]table.Table{"exchange": All(byHand()), "recsys": All(ratings())} {
		for _, format := range table.Formats() {
			var b bytes.Buffer
			if err := table.Write(&b, format, tables); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+"."+format)
			if *update {
				if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, b.Bytes()) {
				t.Errorf("%s differs (go test -update writes it anew):\n%s", golden, &b)
			}
		}
	}
}

// TestReferenceTrajectories sends the reference vectors through rows into Table 1.
func TestReferenceTrajectories(t *testing.T) {
	var reference struct {
		Trajectories []struct {
			K, R      int
			Decisions [][][]float64
			Proposals [][][][]float64
			Expected  struct {
				Total       map[string]float64 `json:"group_total_utility"`
				AUC         map[string]float64 `json:"auc_mean"`
				Fairness    *float64           `json:"fairness_percent"`
				Rigidity    float64            `json:"rigidity_percent"`
				Rationality float64            `json:"rationality_slots_percent"`
			}
		}
	}
	referencetest.Read(t, "exchange_economy_reference.json", &reference)
	c := campaign.Campaign{Name: "reference"}
	want := map[string][]float64{}
	for i, x := range reference.Trajectories {
		e, err := economies.New(economies.Params{Agents: x.K, Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		one := cell{condition: "majority-1", env: "exchange", rule: "majority", replicate: i, agents: x.K, planned: x.R}
		var standing *envs.Score
		for r := range x.R {
			for agent, amounts := range x.Proposals[r] {
				var slot [2]*float64
				if amounts != nil {
					slot[0] = new(e.Utility(agent, proposal(t, e, amounts)))
				}
				if standing != nil {
					slot[1] = new(standing.Utilities[agent])
				}
				one.slots = append(one.slots, slot)
			}
			if x.Decisions[r] != nil {
				s := e.Score(proposal(t, e, x.Decisions[r]))
				standing, one.utilities = &s, s.Utilities
			}
			if standing == nil {
				one.scores = append(one.scores, nil)
			} else {
				one.scores = append(one.scores, new(standing.Goodness))
			}
		}
		c.Runs = append(c.Runs, one.run())
		for _, n := range []string{"3", "5", "10"} {
			want["utility@"+n] = append(want["utility@"+n], x.Expected.Total[n])
			want["AUC@"+n] = append(want["AUC@"+n], x.Expected.AUC[n])
		}
		want["rigidity"] = append(want["rigidity"], x.Expected.Rigidity)
		want["rationality"] = append(want["rationality"], x.Expected.Rationality)
		if x.Expected.Fairness != nil {
			want["fairness"] = append(want["fairness"], *x.Expected.Fairness)
		}
	}
	table, _ := Table1(c)
	cells := tabletest.Row(t, table, "majority")
	if len(want) != 9 || len(want["fairness"]) != 7 {
		t.Fatalf("the vectors have %d measures and %d values of fairness", len(want), len(want["fairness"]))
	}
	for column, values := range want {
		mean, squares := 0.0, 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		tabletest.Near(t, column, cells[column].Value, mean)
		tabletest.Near(t, column+" se", cells[column].SE, math.Sqrt(squares/float64(len(values)-1))/math.Sqrt(float64(len(values))))
		if cells[column].N != len(values) {
			t.Errorf("%s rests on %d, want %d", column, cells[column].N, len(values))
		}
	}
}

func proposal(t *testing.T, e *economies.Economy, amounts [][]float64) envs.Proposal {
	t.Helper()
	goods := e.Observe(0).(economies.Observation).Goods
	m := map[string]map[string]float64{}
	for i, a := range e.Agents() {
		m[a.Name] = map[string]float64{}
		for k, v := range amounts[i] {
			m[a.Name][goods[k].Name] = v
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	proposal, err := e.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return proposal
}

// newRun takes a run from its rows.
func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}, Rounds: rounds, Turns: turns}, Readers()...)
	if err != nil {
		panic(err)
	}
	return r
}
