package activities_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"roundtable/activities"
	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

const questions = "../examples/data"

func puzzles(string) (fs.FS, error) { return os.DirFS(questions), nil }

// debating records a plan of a debate on the examples' puzzles.
func debating(t testing.TB, store store.Store, name string, more ...string) campaign.Plan {
	t.Helper()
	return debatingOn(t, os.DirFS(questions), store, name, more...)
}

func debatingOn(t testing.TB, files fs.FS, store store.Store, name string, more ...string) campaign.Plan {
	t.Helper()
	text := "name: " + name + "\nenv: {name: qa, format: bbh, file: orders.json, agents: 3}\ndata: here\nrule: plurality\nmodel: test/model\nreasks: 0\n" + strings.Join(more, "\n")
	file, err := campaignfile.Parse([]byte(text), campaignfile.Host{Catalogue: catalogue.Builtin(), Data: func(string) (fs.FS, error) { return files, nil }})
	noError(t, err)
	data := campaign.NewDataFiles(files)
	p := campaign.Plan{Campaign: file.Campaign, Edition: prompt.Edition, Files: data.Sums, Agents: file.Agents, Rounds: file.Rounds, Packs: map[string]map[string]string{}}
	for _, c := range file.Campaign.Conditions {
		env := must(c.BuildEnv(catalogue.Builtin(), catalogue.Needs{Data: data}))
		templates := must(fs.Sub(protocol.Prompts, "prompts/"+c.Protocol.Name))
		pack := must(prompt.NewPack(env.Prompts(), templates, nil, nil, must(c.BuildRule(catalogue.Builtin())).Words()))
		p.Packs[campaign.HashPack(pack)] = pack
		p.Pack = append(p.Pack, campaign.HashPack(pack))
	}
	must(campaign.RecordData(ctx, store, p, func(string) (fs.FS, error) { return files, nil }))
	noError(t, campaign.WritePlan(ctx, store, p))
	limit(t, store, p, plan.Limits{})
	return p
}

func withPuzzles(c *activities.Config, _ *model.Provider) { c.Data = puzzles }

// heard is a model that keeps what it was asked, by entry.
type heard struct {
	model.Model
	mu    sync.Mutex
	asked map[int]string
}

func (h *heard) Complete(c context.Context, r model.Request) (model.Response, error) {
	h.mu.Lock()
	for _, m := range r.Messages {
		h.asked[r.Scene.Entry] += m.Content + "\n"
	}
	h.mu.Unlock()
	return h.Model.Complete(c, r)
}

// answerer is the environment's scripted agent.
func answerer() *heard {
	env := must(plan.Condition{Env: plan.Choice{Name: "qa", Params: []byte(`{"format":"bbh","file":"orders.json"}`)}}.BuildEnv(catalogue.Builtin(), catalogue.Needs{Data: os.DirFS(questions)}))
	policy := must(env.Policy("answerer", func(any) error { return nil }))
	return &heard{Model: must(scripted.New(scripted.Params{}, policy)), asked: map[int]string{}}
}

// threeWays plays the first cell of a campaign live, live in pieces by workers
// that die, and at once: the rows must be the same.
func threeWays(t *testing.T, name, params string) (live record.Rows, asked *heard) {
	t.Helper()
	played := map[string]record.Rows{}
	for _, way := range []string{"in pieces", "at once", "live"} {
		store := storetest.NewMemory(map[string]string{})
		p := debating(t, store, name, params)
		r := ref(p, 0)
		asked = answerer()
		make := func() *activities.Activities { return newActivities(store, asked, withPuzzles, simulated) }
		switch way {
		case "live":
			playWhole(t, make(), p, r)
		case "in pieces":
			conversation(t, p, r, func(pending []protocol.Pending) map[int]transcript.Act {
				return map[int]transcript.Act{pending[0].Entry: take(t, make(), r, pending[0].Entry)}
			})
			commit(t, make(), r, task.Succeeded)
		case "at once":
			playAtOnce(t, newActivities(store, asked, withPuzzles, instant), r)
		}
		played[way] = rows(t, store, p, r)
	}
	live = played["live"]
	for way, other := range played {
		if !reflect.DeepEqual(unpriced(other.Turns), unpriced(live.Turns)) ||
			!reflect.DeepEqual(other.Rounds, live.Rounds) || !reflect.DeepEqual(other.Ballots, live.Ballots) {
			t.Errorf("the rows of a %s played %s differ from those played live", name, way)
		}
	}
	return live, asked
}

// A debate with a gold answer, a summarizer and a removed agent: the same rows
// live, live in pieces by workers that die, and at once; nobody is told the
// right answer, and the summarizer nothing of an agent's own.
func TestDebate(t *testing.T) {
	params := `protocol: {name: debate, rounds: 2, order: truth_last, talk: summarizer, remove: [{agent: 1, from: 3}]}`
	live, listened := threeWays(t, "debate", params)
	var shape []string
	for _, turn := range live.Turns {
		who := turn.Role
		if turn.Agent != nil {
			who = turn.AgentName
		}
		shape = append(shape, who+" "+turn.Phase+" "+turn.Kind)
		if turn.Kind == "ask" && turn.Format == "answer" && (turn.ProposalKey == nil || turn.ProposalUtility == nil || turn.Text == nil) {
			t.Errorf("entry %d has no answer: %+v", turn.Entry, turn)
		}
	}
	want := "Agent 1 answer ask, Agent 2 answer ask, Agent 3 answer ask, key gold env, rule debate decide, summarizer summary ask, " +
		"Agent 1 debate ask, Agent 2 debate ask, Agent 3 debate ask, rule debate decide, summarizer summary ask, " +
		"Agent 1 debate ask, Agent 3 debate ask, rule debate decide"
	if got := strings.Join(shape, ", "); got != want {
		t.Errorf("the transcript is\n%s\nwant\n%s", got, want)
	}
	if ask := listened.asked[5]; !strings.Contains(ask, "One agent's solution: ") || strings.Contains(ask, "concerns you") {
		t.Errorf("the summarizer is asked\n%s", ask)
	}
	if ask := listened.asked[6]; !strings.Contains(ask, "This is a summary of the agents' solutions: The solutions came to") || !strings.Contains(ask, "Answer the following question") || strings.Contains(ask, "One agent's solution: ") {
		t.Errorf("agent 1 is asked\n%s", ask)
	}
	if c := live.Collaborations[0]; c.DecisionJSON == nil || c.RoundsRun != 3 || c.EndReason != "rounds" {
		t.Errorf("%+v", c)
	}
}

// unpriced are turns without what may differ between two runs of one campaign.
func unpriced(turns []record.Turn) []record.Turn {
	var all []record.Turn
	for _, t := range turns {
		t.ModelSimulated = false
		all = append(all, t)
	}
	return all
}

// First answers are the same questions in every strategy, so that strategies
// are paired and a live model is asked once for all of them.
func TestFirstAnswersAreShared(t *testing.T) {
	store := storetest.NewMemory(map[string]string{})
	p := debating(t, store, "shared", "instances: 1", "grid: {protocol: [{name: debate, agents: 1, rounds: 0}, {name: debate, rounds: 0}, {name: debate, order: madc}, {name: debate, talk: summarizer, order: truth_last}]}")
	m := answerer()
	a := newActivities(store, m, withPuzzles)
	hashes := map[string]bool{}
	for n := range p.Campaign.Size() {
		playWhole(t, a, p, ref(p, n))
		for _, turn := range rows(t, store, p, ref(p, n)).Turns {
			if turn.Phase == protocol.PhaseAnswer && *turn.Agent == 0 {
				hashes[turn.PromptHash] = true
			}
		}
	}
	if len(hashes) != 1 {
		t.Errorf("agent 1 is first asked %d different questions", len(hashes))
	}
	cached := 0
	for n := range p.Campaign.Size() {
		for _, call := range rows(t, store, p, ref(p, n)).Calls {
			if call.Cached {
				cached++
			}
		}
	}
	if cached != 1+3+3 { // all but the first to be asked for each agent
		t.Errorf("%d answers are from the cache", cached)
	}
}

// A solution without an answer is recorded as invalid, is not a vote, and is shown
// to the others all the same.
func TestUnreadAnswer(t *testing.T) {
	store := storetest.NewMemory(map[string]string{})
	p := debating(t, store, "unread", "protocol: debate")
	m := &heard{Model: saying(func(model.Request) string { return "I cannot tell." }), asked: map[int]string{}}
	playWhole(t, newActivities(store, m, withPuzzles), p, ref(p, 0))
	got := rows(t, store, p, ref(p, 0))
	first := got.Turns[0]
	if first.Status != "invalid" || first.Text == nil || *first.Text != "I cannot tell." || first.ProposalKey != nil || first.InvalidReason == nil {
		t.Errorf("%+v", first)
	}
	if n := strings.Count(m.asked[4], "I cannot tell."); n != 3 { // its own and two peers'
		t.Errorf("agent 1 of round 2 is shown %d solutions:\n%s", n, m.asked[4])
	}
	if c := got.Collaborations[0]; c.DecisionJSON != nil || c.InvalidTurns != 6 {
		t.Errorf("%+v", c)
	}
}

// Viewpoints that a scripted agent gave mark what a model makes of them.
func TestSimulatedViewpoints(t *testing.T) {
	for _, simulated := range []bool{false, true} {
		pool := ""
		for _, answer := range []string{"A", "B", "C", "D", "E"} {
			pool += fmt.Sprintf("{\"question\":\"orders-0\",\"text\":\"The answer is (%s).\",\"simulated\":%v}\n", answer, simulated)
		}
		files := fstest.MapFS{"orders.json": {Data: must(os.ReadFile(questions + "/orders.json"))}, "pool.jsonl": {Data: []byte(pool)}}
		store := storetest.NewMemory(map[string]string{})
		p := debatingOn(t, files, store, "pooled", `grid: {env.pool: [{file: pool.jsonl, each: 1}]}`, `protocol: {name: debate, agents: 2, viewpoints: {scaling: alternating, each: 1}}`)
		config := func(c *activities.Config, _ *model.Provider) {
			c.Data = func(string) (fs.FS, error) { return files, nil }
		}
		playWhole(t, newActivities(store, saying(func(model.Request) string { return "The answer is (A)." }), config), p, ref(p, 0))
		got := rows(t, store, p, ref(p, 0))
		if got.Collaborations[0].Simulated != simulated || got.Turns[0].ModelSimulated != simulated || got.Turns[3].ModelSimulated {
			t.Errorf("simulated viewpoints %v: collaboration %v, viewpoint %v, answer %v", simulated,
				got.Collaborations[0].Simulated, got.Turns[0].ModelSimulated, got.Turns[3].ModelSimulated)
		}
	}
}

// An environment without a right answer cannot give it: the preview says so,
// and a collaboration fails with the same words. In the fixed order it debates.
func TestDebateWithoutGold(t *testing.T) {
	for order, want := range map[string]string{"truth_last": "exchange has no gold", "fixed": ""} {
		store := storetest.NewMemory(map[string]string{})
		text := "name: trade\nenv: {name: exchange, agents: 3}\nprotocol: {name: debate, order: " + order + "}\nmodel: test/model\nrule: plurality\n"
		p := planned(t, text)
		noError(t, campaign.WritePlan(ctx, store, p))
		limit(t, store, p, plan.Limits{})
		models := func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
			return model.Provider{Model: trader(0), Name: "scripted/trader", Simulated: true, Instant: true}, nil
		}
		_, err := collaboration.Prompts(p, 0, catalogue.Builtin(), setup.Sources{Data: puzzles}, models)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", order, err, want)
		}
	}
}
