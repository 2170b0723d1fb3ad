package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/transcript"
)

const readingCampaign = `
name: reading
replicates: 11
env: {name: exchange, agents: 2}
protocol: {name: roundtable, rounds: 1}
model: scripted/trader
grid: {rule: [majority, unanimous]}
`

// reading is a lake with a campaign of 22 cells, none of which has ended.
func reading(t *testing.T) (o *cli.Options, s store.Store, p campaign.Plan) {
	t.Helper()
	o = &cli.Options{Plugins: catalogue.Builtin(), Lake: filepath.Join(t.TempDir(), "lake")}
	s, err := store.NewLocal(o.Lake)
	noError(t, err)
	file, err := campaignfile.Parse([]byte(readingCampaign), campaignfile.Host{Catalogue: catalogue.Builtin()})
	noError(t, err)
	if p, err = planning.Recordable(catalogue.Builtin(), file, providers.FileFolder{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := planning.RecordPlan(context.Background(), s, p, campaign.Manifest{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()}); err != nil {
		t.Fatal(err)
	}
	return o, s, p
}

func ptr[T any](v T) *T { return &v }

// commit ends the n-th cell of a plan with made-up rows. What agents said is hostile.
func commit(t *testing.T, s store.Store, p campaign.Plan, n, generation int, status string) lake.Marker {
	t.Helper()
	c := p.Campaign
	cell := c.Cell(n)
	condition := c.Conditions[cell.Condition]
	settings, err := json.Marshal(condition)
	noError(t, err)
	rows := record.Rows{}
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: c.Name, ConditionID: condition.ID(), CollaborationID: c.CollaborationID(cell), Generation: int32(generation)}
	one, zero, decided := ptr(int32(0)), ptr(int32(1)), `{"A":1}`
	rows.Collaborations = []record.Collaboration{{
		Key: key, Status: status, Environment: "exchange", Measure: record.Share, InstanceID: "k2-asymmetric", Replicate: int32(cell.Replicate), Protocol: "roundtable",
		Rule: condition.Rule.Name, Model: condition.Model.Name, Simulated: true, Agents: 2, RoundsPlanned: 1, RoundsRun: 1, EndReason: "rounds", DecidedRound: ptr(int32(1)),
		DecisionKey: ptr("k1"), DecisionJSON: &decided, Score: ptr(.5), Utilities: []float64{20, 40}, Turns: 7, InvalidTurns: 1, Asks: 8, SettingsJSON: string(settings), CostUSD: ptr(0.),
	}}
	if status != "succeeded" {
		rows.Collaborations[0].Failure = ptr("the model said\x1b[2J no")
	}
	rows.Rounds = []record.Round{{
		Key: key, Round: 1, Voted: true, Candidates: 2, Ballots: 2, Winners: 1, Passed: true, Changed: true, NewProposals: 1,
		DecisionKey: ptr("k1"), DecisionJSON: &decided, Score: ptr(.5), Utilities: []float64{20, 40},
	}}
	turn := func(agent *int32, name, phase, kind string, format transcript.Format, status transcript.Status) *record.Turn {
		rows.Turns = append(rows.Turns, record.Turn{
			Key: key, Entry: int32(len(rows.Turns)), Round: 1, Phase: phase, Kind: kind, Agent: agent, AgentName: name,
			Format: string(format), Status: string(status), Asks: 1, SeesJSON: "[]",
		})
		return &rows.Turns[len(rows.Turns)-1]
	}
	x := turn(one, "Ann", "message", "ask", transcript.FormatMessage, transcript.Said)
	x.Text, x.AddresseesJSON = ptr("hello\x1b]0;title\x07\nsecond\u202eline\u009b31m"), ptr("[1]")
	x = turn(zero, "Bob", "message", "ask", transcript.FormatMessage, transcript.Said)
	x.Text, x.Asks = ptr("to all"), 3
	x = turn(one, "Ann", "proposal", "ask", transcript.FormatProposal, transcript.Said)
	x.ProposalJSON, x.Text, x.ProposalKey, x.Reason, x.ProposalUtility = &decided, &decided, ptr("k1"), ptr("my secret reason"), ptr(3.25)
	x.DataJSON = ptr(`{"s":"said","k":"k1"}`)
	x = turn(zero, "Bob", "proposal", "ask", transcript.FormatProposal, transcript.Invalid)
	x.Asks, x.InvalidReason = 3, ptr("the answer is not JSON")
	turn(one, "Ann", "vote", "ask", transcript.FormatBallot, transcript.Said).DataJSON = ptr(`{"s":"said","b":{}}`)
	turn(zero, "Bob", "vote", "ask", transcript.FormatBallot, transcript.Said).DataJSON = ptr(`{"s":"said","b":{"p":[5,2]}}`)
	turn(nil, "", "vote", "decide", "", transcript.Said).DataJSON = ptr(`{"s":"said","d":{"Winners":[0],"Selected":0,"Standing":2,"Key":"k1"}}`)
	for i, agent := range []int32{0, 1} {
		rows.Ballots = append(rows.Ballots, record.Ballot{
			Key: key, Round: 1, Entry: int32(4 + i), Agent: agent, Candidate: ptr(int32(0)), CandidateKey: ptr("k1"), ProposersJSON: ptr("[0]"), Standing: ptr(false), Value: ptr(1.), ValueExact: ptr("1"),
		})
	}
	m, err := commits.Commit(context.Background(), s, rows)
	noError(t, err)
	return m
}

// runCommand runs the program and returns what it wrote.
func runCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root := newRoot()
	var b bytes.Buffer
	root.SetOut(&b)
	root.SetErr(&b)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	return b.String(), err
}

// noError ends the test on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks an error's exit code and what it says.
func fails(t *testing.T, err error, code int, says ...string) {
	t.Helper()
	if err == nil || cli.ExitCode(err) != code {
		t.Errorf("error %v, want one with exit code %d", err, code)
		return
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q: %v", s, err)
		}
	}
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

// document decodes the one JSON document that a command wrote.
func document(t *testing.T, text string) map[string]any {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

func TestAnalyzeWhileACampaignRuns(t *testing.T) {
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 2, 0, "succeeded")
	commit(t, s, p, 4, 0, "failed")
	out, err := runCommand(t, "analyze", "reading", "--lake", o.Lake)
	noError(t, err)
	contains(t, out, "reading: 3 of 22 collaborations finished (2 succeeded, 1 failed, 0 stopped)", "SIMULATED", "utility@1", "50.00", "Remaining: 19 cells", "majority", "unanimous")
	out, err = runCommand(t, "analyze", "reading", "--lake", o.Lake, "--json", "--table", "utility-by-rule")
	noError(t, err)
	tables := document(t, out)["tables"].([]any)
	first := tables[0].(map[string]any)["rows"].([]any)[0].(map[string]any)
	if got := first["utility@1"].(map[string]any)["value"]; len(tables) != 1 || got != 50.0 {
		t.Errorf("utility@1 is %v in %v", got, tables)
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if out, err = runCommand(t, "analyze", "reading", "--lake", o.Lake, "--table", "summary", "-o", file); err != nil || out != "" {
		t.Fatalf("%v, and on standard output %q", err, out)
	}
	csv, err := os.ReadFile(file)
	noError(t, err)
	contains(t, string(csv), "majority,11,2,1,0,8,")
	var b bytes.Buffer
	if _, err := analyze.Print(context.Background(), &b, s, "reading", false); err != nil {
		t.Fatal(err)
	}
	contains(t, b.String(), "(paper 1, Table 1)", "Progress and cost")
}

func TestAnalyzeRefuses(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	m := commit(t, s, p, 0, 0, "succeeded")
	for _, x := range []struct{ args, says []string }{
		{[]string{"--table", "rating-errors"}, []string{"recsys", "reading"}},
		{[]string{"--table", "99"}, []string{`"99"`, "readings"}},
		{[]string{"--table", "dialogue-acts"}, []string{"roundtable label reading"}},
		{[]string{"--format", "xls"}, []string{"xls", "csv"}},
		{[]string{"--format", "md", "--json"}, []string{"both"}},
	} {
		_, err := runCommand(t, append([]string{"analyze", "reading", "--lake", o.Lake}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says...)
	}
	_, err := runCommand(t, "analyze", "./reading.yaml", "--lake", o.Lake)
	fails(t, err, cli.ExitUsage, "it has reading", "name:")
	missing := filepath.Join(t.TempDir(), "none")
	_, err = runCommand(t, "analyze", "reading", "--lake", missing)
	fails(t, err, cli.ExitUsage, "there is no lake")
	if _, err := os.Stat(missing); err == nil {
		t.Error("reading made a lake")
	}
	noError(t, s.Replace(context.Background(), m.Files[record.Rounds].Key, []byte("torn"), ""))
	_, err = runCommand(t, "analyze", "reading", "--lake", o.Lake)
	if err == nil {
		t.Fatal("a damaged lake gives tables")
	}
	contains(t, err.Error(), "roundtable verify reading", m.Files[record.Rounds].Key)
}

func TestShow(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	id := commit(t, s, p, 0, 0, "succeeded").Collaboration
	out, err := runCommand(t, "show", id, "--lake", o.Lake)
	noError(t, err)
	contains(t, out,
		"reading/"+id+": succeeded", "SIMULATED", "=== Round 1 ===",
		"Ann to Bob:\n      hello␛]0;title␇\n      second\\u202eline\\u009b31m\n", "Bob to everybody:\n      [asked again 2 times]\n      to all",
		"Ann proposes (worth 3.25 to Ann)\n      {\"A\":1}\n      (private) my secret reason",
		"Bob: INVALID after 3 answers, counts as an abstention: the answer is not JSON",
		`Candidate 1 (by Ann): {"A":1}`, "Ann: candidate 1\n", "Bob: candidate 1: 5, candidate 2: 2",
		"Decision: candidate 1 is selected", `{"A":1} stands from now on. Score 0.5; utilities 20, 40.`, "All rounds were run.",
	)
	if strings.Count(out, `      {"A":1}`) != 1 {
		t.Error("a proposal is shown twice")
	}
	if strings.ContainsAny(out, "\x1b\x07\u202e\u009b") {
		t.Errorf("a control character reaches the terminal: %q", out)
	}
	out, err = runCommand(t, "show", id, "--lake", o.Lake, "--json")
	noError(t, err)
	if strings.ContainsAny(out, "\x1b\x07\u202e\u009b") {
		t.Error("a control character reaches the terminal in JSON")
	}
	d := document(t, out)
	first := d["turns"].([]any)[0].(map[string]any)
	if first["agent_name"] != "Ann" || first["text"] != "hello\x1b]0;title\x07\nsecond\u202eline\u009b31m" || len(d) != 5 {
		t.Errorf("the rows are not as recorded: %v", first)
	}
}

func TestShowFindsByBeginningAndGeneration(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	for _, replicate := range []int{1, 10} { // -r1 is the beginning of -r10
		commit(t, s, p, 2*replicate, 0, "failed")
	}
	one := p.Campaign.CollaborationID(p.Campaign.Cell(2))
	commit(t, s, p, 2, 1, "succeeded")
	for id, says := range map[string]string{
		one:                     one + ": succeeded\nGeneration 1",
		one + ".0":              "It did not succeed: the model said␛[2J no",
		"reading/" + one:        one + ": succeeded",
		one + "0":               one + "0: failed",
		"reading/" + one + ".1": "Generation 1",
	} {
		out, err := runCommand(t, "show", id, "--lake", o.Lake)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		contains(t, out, says)
	}
	_, err := runCommand(t, "show", "majority", "--lake", o.Lake)
	fails(t, err, cli.ExitUsage, "2 collaborations", "reading/"+one+"\n", "reading/"+one+"0")
	for id, says := range map[string]string{
		"nobody": "no collaboration", one + ".7": "no collaboration", "reading/../" + one: "no collaboration",
		"other/" + one: `the lake has no campaign "other"; it has reading`,
	} {
		_, err := runCommand(t, "show", id, "--lake", o.Lake)
		fails(t, err, cli.ExitUsage, says)
	}
}

func TestListCampaigns(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	out, err := runCommand(t, "list", "campaigns", "--lake", o.Lake)
	noError(t, err)
	contains(t, out, "reading", "1 of 22 collaborations finished (1 succeeded, 0 failed, 0 stopped), $0.0000", "scripted/trader")
	missing := filepath.Join(t.TempDir(), "none")
	if out, err = runCommand(t, "list", "campaigns", "--lake", missing, "--json"); err != nil {
		t.Fatal(err)
	}
	if list := document(t, out)["campaigns"].([]any); len(list) != 0 {
		t.Errorf("%v", list)
	}
}
