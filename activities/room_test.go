package activities_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"roundtable/activities"
	"roundtable/activities/answers"
	"roundtable/activities/hosting"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

var ctx = context.Background()

// must is v; tests panic on errors that cannot happen.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T any](t testing.TB, got, want T) {
	t.Helper()
	if g, w := asJSON(got), asJSON(want); !bytes.Equal(g, w) {
		t.Fatalf("got  %s\nwant %s", g, w)
	}
}

func asJSON(v any) []byte { return must(json.Marshal(v)) }

// costOfCall is what response costs at the price of newActivities: 60 × 1 + 40 × 0.5 + 10 × 2 dollars a million.
const costOfCall = 100e-6

// secret marks what agents think to themselves.
const secret = "a secret thought"

// recorded is a campaign read from YAML and recorded in the lake, as cmd does it.
func recordPlan(t testing.TB, store store.Store, text string) campaign.Plan {
	t.Helper()
	p := planned(t, text)
	noError(t, campaign.WritePlan(ctx, store, p))
	limit(t, store, p, plan.Limits{})
	return p
}

// limit says how a recorded plan is run; test/model has a price.
func limit(t testing.TB, store store.Store, p campaign.Plan, l plan.Limits) {
	t.Helper()
	cached := 0.5
	noError(t, campaign.WriteManifest(ctx, store, campaign.Manifest{
		Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: l,
		Prices: map[string]campaign.Price{"test/model": {Input: 1, Output: 2, CachedInput: &cached}},
	}))
}

func planned(t testing.TB, text string) campaign.Plan {
	t.Helper()
	file, err := campaignfile.Parse([]byte(text), campaignfile.Host{Catalogue: catalogue.Builtin()})
	noError(t, err)
	p := campaign.Plan{Campaign: file.Campaign, Edition: prompt.Edition, Agents: file.Agents, Rounds: file.Rounds, Packs: map[string]map[string]string{}}
	for _, c := range file.Campaign.Conditions {
		env, rule := must(c.BuildEnv(catalogue.Builtin(), catalogue.Needs{})), must(c.BuildRule(catalogue.Builtin()))
		files := must(fs.Sub(protocol.Prompts, "prompts/"+c.Protocol.Name))
		pack := must(prompt.NewPack(env.Prompts(), files, nil, nil, rule.Words()))
		p.Packs[campaign.HashPack(pack)] = pack
		p.Pack = append(p.Pack, campaign.HashPack(pack))
	}
	return p
}

// yaml is a campaign of an exchange economy; more lines are added at the end.
// The rule is majority if they name none.
func yaml(name string, agents, rounds int, more ...string) string {
	if !strings.Contains(strings.Join(more, ""), "rule") {
		more = append(more, "rule: majority")
	}
	return fmt.Sprintf("name: %s\nenv: {name: exchange, agents: %d}\nprotocol: {name: roundtable, rounds: %d}\nmodel: test/model\n%s\n",
		name, agents, rounds, strings.Join(more, "\n"))
}

// change is an option of newActivities.
type change func(*activities.Config, *model.Provider)

func newActivities(store store.Store, m model.Model, changes ...change) *activities.Activities {
	p := model.Provider{Model: m, Name: "test/model", Endpoint: "here", Account: "test"}
	c := activities.Config{Store: store, Plugins: catalogue.Builtin()}
	for _, change := range changes {
		change(&c, &p)
	}
	c.Models = func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) { return p, nil }
	return activities.New(c)
}

func noCache(c *activities.Config, _ *model.Provider)   { c.NoCache = true }
func simulated(_ *activities.Config, p *model.Provider) { p.Simulated = true }
func instant(_ *activities.Config, p *model.Provider) {
	p.Simulated, p.Instant = true, true
}

// trader is the environment's own scripted agent.
func trader(malformed float64) model.Model {
	env := must(plan.Condition{Env: plan.Choice{Name: "exchange"}}.BuildEnv(catalogue.Builtin(), catalogue.Needs{}))
	policy := must(env.Policy("trader", func(any) error { return nil }))
	return must(scripted.New(scripted.Params{Malformed: malformed, Skip: 0.1}, policy))
}

func ref(p campaign.Plan, cell int) task.Ref {
	return task.Ref{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Cell: p.Campaign.Cell(cell)}
}

func callPermit(p campaign.Plan, r task.Ref) answers.RunKey {
	return answers.RunKey{Campaign: r.Campaign, Collaboration: p.Campaign.CollaborationID(r.Cell), Generation: r.Generation}
}

// stored is what the answer store knows of a collaboration.
func stored(t testing.TB, s store.Store, p campaign.Plan, r task.Ref) answers.Stored {
	t.Helper()
	all, err := answers.NewAnswers(s).Load(ctx, callPermit(p, r))
	noError(t, err)
	return all
}

// do runs an activity as a worker does, with its errors made fit for history.
func do[Out any](t testing.TB, a *activities.Activities, name string, in any, options ...func(*testsuite.TestActivityEnvironment)) (Out, error) {
	t.Helper()
	suite := testsuite.WorkflowTestSuite{}
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	for _, option := range options {
		option(env)
	}
	hosting.Register(env, a, nil)
	var out Out
	value, err := env.ExecuteActivity(name, in)
	if err == nil {
		err = value.Get(&out)
	}
	return out, err
}

// application is the application error that an activity ended with.
func application(t testing.TB, err error) *temporal.ApplicationError {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		t.Fatalf("the activity ended with %T %v, not with an application error", err, err)
	}
	return app
}

// take makes one turn that must succeed.
func take(t testing.TB, a *activities.Activities, r task.Ref, entry int) transcript.Act {
	t.Helper()
	act, err := a.TakeTurn(ctx, task.Turn{Ref: r, Entry: entry})
	noError(t, err)
	return act
}

// conversation plays a live collaboration as its workflow does: turn makes the
// steps that are pending, in any order and number, and returns what it made.
func conversation(t testing.TB, p campaign.Plan, r task.Ref, turns func(pending []protocol.Pending) map[int]transcript.Act) {
	t.Helper()
	session := sessionOf(p, r)
	for session.Outcome() == nil {
		for entry, act := range turns(session.Pending()) {
			noError(t, session.Record(entry, act))
		}
	}
}

// playWhole plays a live collaboration to its end and commits it.
func playWhole(t testing.TB, a *activities.Activities, p campaign.Plan, r task.Ref) task.Result {
	t.Helper()
	conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
		return map[int]transcript.Act{pending[0].Entry: take(t, a, r, pending[0].Entry)}
	})
	return commit(t, a, r, task.Succeeded)
}

// playRounds plays a collaboration as its workflow does; worker says who plays the n-th
// round. It returns all acts.
func playRounds(t testing.TB, p campaign.Plan, r task.Ref, worker func(n int) *activities.Activities) (acts []task.Act) {
	t.Helper()
	session := sessionOf(p, r)
	for n := 0; session.Outcome() == nil; n++ {
		played, err := worker(n).PlayRound(ctx, task.Round{Ref: r, From: session.Pending()[0].Entry})
		noError(t, err)
		for _, act := range played.Acts {
			noError(t, session.Record(act.Entry, act.Act))
		}
		acts = append(acts, played.Acts...)
	}
	return acts
}

func sessionOf(p campaign.Plan, r task.Ref) *protocol.Session {
	return must(p.Campaign.Conditions[r.Cell.Condition].Session(catalogue.Builtin(), p.Agents[r.Cell.Condition], p.Campaign.TreatmentSeed(r.Cell)))
}

// playAtOnce plays an instantaneous collaboration to its end and commits it. On
// a slow machine that takes more than one PlayThrough.
func playAtOnce(t testing.TB, a *activities.Activities, r task.Ref) task.Result {
	t.Helper()
	batch := task.Batch{Campaign: r.Campaign, Revision: r.Revision, Cells: []task.Outstanding{{Cell: r.Cell, Generation: r.Generation, Instant: true}}}
	for range 100 {
		played, err := a.PlayThrough(ctx, batch)
		noError(t, err)
		if len(played.Left) == 0 {
			return played.Ended[0]
		}
	}
	t.Fatal("it does not end")
	return task.Result{}
}

func commit(t testing.TB, a *activities.Activities, r task.Ref, status string) task.Result {
	t.Helper()
	result, err := a.Record(ctx, task.Ending{Ref: r, Status: status})
	noError(t, err)
	return result
}

// marker of a committed collaboration.
func marker(t testing.TB, s store.Store, p campaign.Plan, r task.Ref) lake.Marker {
	t.Helper()
	m, err := lake.ReadMarker(ctx, s, lake.Marker{
		Campaign: r.Campaign, Collaboration: p.Campaign.CollaborationID(r.Cell), Generation: r.Generation}.Key())
	noError(t, err)
	return m
}

// rows of a committed collaboration, as readers see them.
func rows(t testing.TB, s store.Store, p campaign.Plan, r task.Ref) record.Rows {
	t.Helper()
	m := marker(t, s, p, r)
	return record.Rows{
		Collaborations: table[record.Collaboration](t, s, m), Rounds: table[record.Round](t, s, m), Turns: table[record.Turn](t, s, m),
		Ballots: table[record.Ballot](t, s, m), Calls: table[record.Call](t, s, m),
	}
}

func table[T record.Row](t testing.TB, s store.Store, m lake.Marker) []T {
	t.Helper()
	all, err := lake.ReadRows[T](ctx, s, m)
	noError(t, err)
	return all
}

// statuses of calls, in the order of the table.
func statuses(calls []record.Call) string {
	var all []string
	for _, c := range calls {
		all = append(all, fmt.Sprintf("%d.%d.%d %s", c.Entry, c.Ask, c.Attempt, c.Status))
	}
	return strings.Join(all, ", ")
}

// inParallel runs f(0) … f(n-1) at the same time.
func inParallel(n int, f func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { f(i) })
	}
	group.Wait()
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func elsewhere(_ *activities.Config, p *model.Provider) { p.Endpoint = "elsewhere" }
