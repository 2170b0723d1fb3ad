package dialogue

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

// coded is a campaign of which everything is labelled, by a labeller that errs, and some of it is
// coded by hand, without errors.
type coded struct {
	campaign.Campaign
	store store.Store
	truth []acts.ActsByRound
	all   []gold.Candidate
	draw  gold.Draw
}

const codedRounds, codedAgents = 3, 2

// newCoded plants Inform in 0.5 and Request in the rest of the messages; the labeller finds Inform
// in nearly all.
func newCoded(t *testing.T, collaborations, asked int) coded {
	t.Helper()
	return newCodedLate(t, collaborations, 0, asked)
}

// newCodedLate draws before the last of the collaborations have come.
func newCodedLate(t *testing.T, collaborations, late, asked int) coded {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := coded{Campaign: campaign.Campaign{Name: "talks"}, store: s}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range collaborations {
		run := lake.Run{Collaboration: fmt.Sprintf("c%02d", i)}
		c.Runs = append(c.Runs, campaign.Run{Collaboration: record.Collaboration{
			Key: c.key(run), Status: record.Succeeded, Environment: "exchange", Measure: record.Share, Rule: "majority",
			Agents: codedAgents, RoundsPlanned: codedRounds, RoundsRun: codedRounds, SettingsJSON: `{"env": "exchange", "rule": "majority"}`,
		}})
		c.all = append(c.all, gold.Candidate{Run: run, Condition: "k", Rounds: codedRounds, Messages: codedRounds * codedAgents})
		truth := make(acts.ActsByRound, codedRounds)
		var rows []record.Label
		for entry := range codedRounds * codedAgents {
			act := record.Acts[r.IntN(2)]
			set, _ := acts.Of(act)
			truth[entry/codedAgents] = append(truth[entry/codedAgents], set)
			row := record.Label{Key: c.key(run), Labeller: "rules", Entry: int32(entry), Round: int32(entry/codedAgents + 1), Agent: int32(entry % codedAgents), Status: record.Labelled}
			if r.Float64() < 0.8 {
				act = "Inform"
			}
			row.Show(act)
			rows = append(rows, row)
		}
		c.truth = append(c.truth, truth)
		if _, err := commits.CommitAnnotations(t.Context(), s, lake.Marker{Campaign: "talks", Condition: "k", Collaboration: run.Collaboration, By: "rules", Status: record.Succeeded}, rows); err != nil {
			t.Fatal(err)
		}
	}
	c.draws(t, asked, c.all[:collaborations-late])
	return c
}

// draws from some collaborations, after what is drawn.
func (c *coded) draws(t *testing.T, asked int, from []gold.Candidate) {
	t.Helper()
	var earlier []gold.Draw
	if c.draw.Number > 0 {
		earlier = []gold.Draw{c.draw}
	}
	var err error
	if c.draw, err = gold.New(gold.Request{Campaign: "talks", CodeBook: gold.Acts, Asked: asked, Seed: 1}, from, earlier); err != nil {
		t.Fatal(err)
	}
	c.draw.Blocks = c.draw.Arrange()
	for i, b := range c.draw.Blocks {
		for entry := (b.First - 1) * codedAgents; entry < b.Last*codedAgents; entry++ {
			c.draw.Blocks[i].Items = append(c.draw.Blocks[i].Items, gold.Item{ID: fmt.Sprint(i, entry), Entry: entry, Round: entry/codedAgents + 1, Agent: entry % codedAgents})
		}
	}
	if err := gold.WriteDraw(t.Context(), c.store, c.draw); err != nil {
		t.Fatal(err)
	}
}

func (coded) key(run lake.Run) record.Key {
	return record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "talks", ConditionID: "k", CollaborationID: run.Collaboration}
}

// code stores what a coder gave: the truth, or what is made of it.
func (c coded) code(t *testing.T, coder string, give func(truth []string) []string) {
	t.Helper()
	byRun := map[lake.Run][]record.GoldLabel{}
	for _, b := range c.draw.Blocks {
		for _, i := range b.Items {
			var n int
			fmt.Sscanf(b.Collaboration, "c%d", &n)
			labels, _ := json.Marshal(give(c.truth[n][i.Round-1][i.Agent].Names()))
			byRun[b.Run] = append(byRun[b.Run], record.GoldLabel{Key: c.key(b.Run), CodeBook: gold.Acts, Coder: coder, Draw: int32(c.draw.Number), Entry: int32(i.Entry), Round: int32(i.Round), Agent: int32(i.Agent), Labels: string(labels)})
		}
	}
	for run, rows := range byRun {
		m := lake.Marker{Campaign: "talks", Condition: "k", Collaboration: run.Collaboration, By: gold.By(gold.Acts, coder, c.draw.Number), Table: record.Gold, Status: record.Succeeded}
		if _, err := commits.CommitAnnotations(t.Context(), c.store, m, rows); err != nil {
			t.Fatal(err)
		}
	}
}

func (c coded) labels(t *testing.T) Labels {
	t.Helper()
	l, err := LoadLabels(t.Context(), c.store, c.Campaign, "rules")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func asIs(truth []string) []string { return truth }

// column returns the cell of a row under a header, from the last one of that name on.
func column(t *testing.T, tab table.Table, row []table.Cell, header string) *float64 {
	t.Helper()
	i := slices.Index(tab.Columns, header)
	if i < 0 {
		t.Fatalf("no column %s in %v", header, tab.Columns)
	}
	return row[i].Value
}

// rowOf returns the first row that holds some words.
func rowOf(t *testing.T, tab table.Table, words ...string) []table.Cell {
	t.Helper()
next:
	for _, row := range tab.Rows {
		for _, w := range words {
			if !slices.ContainsFunc(row, func(c table.Cell) bool { return c.Text == w }) {
				continue next
			}
		}
		return row
	}
	t.Fatalf("no row of %v", words)
	return nil
}

// TestAllCoded: where everything was drawn, corrected figures are those of the truth, of rates and
// of transitions, whatever the labeller says.
func TestAllCoded(t *testing.T) {
	c := newCoded(t, 30, 10_000)
	c.code(t, "ada", asIs)
	if n := len(c.draw.Drawn); n != 60 {
		t.Fatalf("%d passages drawn of 60", n)
	}
	l := c.labels(t)
	tab, err := Acts(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	inform, shown, of, groups := 0, 0, 0, 0
	for _, talk := range c.truth {
		for _, round := range talk {
			any := acts.Set(0)
			for _, s := range round {
				any |= s
				if of++; s.Has(0) {
					inform++
				}
			}
			if groups++; any.Has(0) {
				shown++
			}
		}
	}
	for words, want := range map[string]float64{"messages": float64(inform) / float64(of), "groups": float64(shown) / float64(groups)} {
		row := rowOf(t, tab, words, "Inform")
		got, naive := column(t, tab, row, "corrected"), column(t, tab, row, "all rounds")
		if got == nil || math.Abs(*got-want) > 1e-9 || math.Abs(*naive-want) < 0.1 {
			t.Errorf("Inform of %s: corrected %v, as labelled %v, in truth %v", words, got, *naive, want)
		}
	}
	tab, err = Transitions(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, reading := range acts.Readings() {
		graph := acts.Transitions(c.truth, reading)
		row := rowOf(t, tab, string(reading)+", corrected", "Request")
		for to, want := range map[string]*float64{"Inform": graph.Probability[2][0], "Request": graph.Probability[2][1], "End": graph.Probability[2][acts.N]} {
			if got := column(t, tab, row, to); got == nil || math.Abs(*got-*want) > 1e-9 {
				t.Errorf("%s: Request to %s: corrected %v, in truth %v", reading, to, got, *want)
			}
		}
		row = rowOf(t, tab, string(reading)+", corrected", "Start")
		if got := column(t, tab, row, "Inform"); got == nil || math.Abs(*got-*graph.Probability[0][0]) > 1e-9 {
			t.Errorf("%s: Start to Inform: corrected %v, in truth %v", reading, got, *graph.Probability[0][0])
		}
	}
}

// TestSomeCoded: with a part coded, the interval holds the truth and the labels do not; notes say
// what it rests on.
func TestSomeCoded(t *testing.T) {
	c := newCoded(t, 60, 160)
	bare, err := Acts(c.Campaign, c.labels(t))
	if err != nil || slices.Contains(bare.Columns, "corrected") || !strings.Contains(strings.Join(bare.Notes, " "), "1 draw not coded yet") {
		t.Errorf("without gold: %v, columns %v, notes %v", err, bare.Columns, bare.Notes)
	}
	c.code(t, "ada", asIs)
	l := c.labels(t)
	tab, err := Acts(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	row := rowOf(t, tab, "messages", "Inform")
	low, high, naive := column(t, tab, row, "95 % from"), column(t, tab, row, "to"), column(t, tab, row, "all rounds")
	if low == nil || *low > 0.5 || *high < 0.5 || *naive < *high {
		t.Errorf("corrected %v to %v, as labelled %v, in truth about 0.5", *low, *high, *naive)
	}
	if cell := column(t, tab, rowOf(t, tab, "messages", "Decline"), "corrected"); cell != nil {
		t.Errorf("Decline, which nobody shows, is corrected to %v", *cell)
	}
	notes := strings.Join(tab.Notes, "\n")
	for _, want := range []string{"coded by ada", "one probability within each condition and draw (seed 1)", "The labeller is right about 9", "the table label-errors has more"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
	tab, err = LabelErrors(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	row = rowOf(t, tab, "Request")
	if found := column(t, tab, row, "found"); found == nil || *found < 0.05 || *found > 0.4 {
		t.Errorf("Request is found in %v of its messages, want about 0.2", found)
	}
	if n := row[len(row)-1].Value; *n != float64(c.draw.Items()) {
		t.Errorf("%v messages, want %d", *n, c.draw.Items())
	}
}

// TestTwoCoders: figures are means over coders until they have adjudicated.
func TestTwoCoders(t *testing.T) {
	c := newCoded(t, 30, 10_000)
	c.code(t, "ada", asIs)
	corrected := func() float64 {
		tab, err := Acts(c.Campaign, c.labels(t))
		if err != nil {
			t.Fatal(err)
		}
		return *column(t, tab, rowOf(t, tab, "messages", "Inform"), "corrected")
	}
	one := corrected()
	c.code(t, "ben", func([]string) []string { return []string{"Inform"} })
	if got := corrected(); math.Abs(got-(one+1)/2) > 1e-9 {
		t.Errorf("the mean of %v and 1 is %v", one, got)
	}
	c.code(t, gold.Adjudicated, func(truth []string) []string { return []string{"Request"} })
	tab, err := Acts(c.Campaign, c.labels(t))
	if err != nil || !strings.Contains(strings.Join(tab.Notes, " "), "(adjudicated counts)") {
		t.Errorf("adjudicated: error %v, notes %v", err, tab.Notes)
	}
	if got := column(t, tab, rowOf(t, tab, "messages", "Inform"), "corrected"); got != nil {
		t.Errorf("Inform, which no adjudicated label has, is corrected to %v", *got)
	}
}
