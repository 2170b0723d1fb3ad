package workflows_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"roundtable/activities/labels"
	"roundtable/activities/model"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

var (
	update = flag.Bool("update", false, "record histories anew")
	long   = flag.Bool("long", false, "run the long tests as well")
)

// history is all events of a workflow's latest run.
func (e *engine) history(workflowID string) *historypb.History {
	e.t.Helper()
	h := &historypb.History{}
	events := e.client.GetWorkflowHistory(context.Background(), workflowID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			e.t.Fatal(err)
		}
		h.Events = append(h.Events, event)
	}
	return h
}

// collaboration returns the name of the first generation of a cell.
func (e *engine) collaboration(c plan.Campaign, n int) string {
	return c.CollaborationID(c.Cell(n)) + ".0"
}

// collaborationID returns the ID of its workflow.
func (e *engine) collaborationID(c plan.Campaign, n int) string {
	return workflows.CampaignID(c.Name) + "/" + e.collaboration(c, n)
}

// scheduled is an activity as Temporal's own tools show it.
type scheduled struct{ name, queue, summary string }

// activities returns those of a workflow's latest run, in order.
func (e *engine) activities(workflowID string) (all []scheduled) {
	e.t.Helper()
	for _, event := range e.history(workflowID).Events {
		a := event.GetActivityTaskScheduledEventAttributes()
		if a == nil {
			continue
		}
		s := scheduled{name: a.ActivityType.Name, queue: a.TaskQueue.Name}
		if err := (codec.Keys{}).DataConverter().FromPayload(event.GetUserMetadata().GetSummary(), &s.summary); err != nil {
			e.t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// curt answers in the fewest words: everything to myself, and the first candidate.
func curt(model.Model) model.Model {
	return modelFunc(func(_ context.Context, r model.Request) (model.Response, error) {
		switch r.Scene.Format {
		case transcript.FormatMessage:
			return model.Response{Text: []byte(`{"target": [], "message": "mine"}`)}, nil
		case transcript.FormatProposal:
			shares := map[string]map[string]int{}
			for i, a := range r.Scene.Situation.Agents {
				all := 0
				if i == r.Scene.Situation.Agent {
					all = 100
				}
				shares[a.Name] = map[string]int{"apples": all, "bread": all}
			}
			text, err := json.Marshal(map[string]any{"reason_for_decision": "", "proposal": shares})
			return model.Response{Text: text}, err
		}
		return model.Response{Text: []byte(`{"reason_for_decision": "", "decision": 1}`)}, nil
	})
}

// historyOf runs one live collaboration and returns its history.
func historyOf(t testing.TB, agents, rounds int) *historypb.History {
	e := newEngine(t, true, curt)
	defer e.stop()
	name := fmt.Sprintf("h%dx%d-%d", agents, rounds, time.Now().UnixNano())
	// Two goods whatever the agents: the texts are not what is measured.
	exponents := strings.TrimSuffix(strings.Repeat("[0.5, 0.5], ", agents), ", ")
	p := e.plan(fmt.Sprintf(`
name: %s
env: {name: exchange, agents: %d, utility: explicit, exponents: [%s]}
protocol: {name: roundtable, rounds: %d}
rule: plurality
model: scripted/trader
`, name, agents, exponents, rounds))
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 {
		t.Fatalf("%+v", got)
	}
	return e.history(e.collaborationID(p.Campaign, 0))
}

// perTurn returns the bytes of a history by turn.
func perTurn(h *historypb.History, turns int) int { return proto.Size(h) / turns }

// checkSize checks that a history of so many turns is small, and grows by little with each.
func checkSize(t *testing.T, h *historypb.History, turns int) {
	t.Helper()
	t.Logf("%d turns: %d events, %d bytes, %d a turn", turns, len(h.Events), proto.Size(h), perTurn(h, turns))
	if proto.Size(h) > 8192+300*turns {
		t.Errorf("%d turns make %d events and %d bytes", turns, len(h.Events), proto.Size(h))
	}
}

// A turn costs as much history in round 10 as in round 1.
func TestHistoryIsLinear(t *testing.T) {
	for _, rounds := range []int{1, 10} {
		checkSize(t, historyOf(t, 10, rounds), 30*rounds)
	}
}

// debateHistory runs one live debate on the examples' puzzles and returns its history.
func debateHistory(t testing.TB, agents, rounds int) *historypb.History {
	e := newEngine(t, true, nil)
	defer e.stop()
	name := fmt.Sprintf("d%dx%d-%d", agents, rounds, time.Now().UnixNano())
	p := e.plan(fmt.Sprintf(`
name: %s
instances: 1
env: {name: qa, format: bbh, file: orders.json, agents: %d}
data: ../examples/data
protocol: {name: debate, rounds: %d, order: truth_last}
rule: plurality
model: scripted/answerer
`, name, agents, rounds))
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 {
		t.Fatalf("%+v", got)
	}
	return e.history(e.collaborationID(p.Campaign, 0))
}

// Eighty agents debate within Temporal's limits, with room for many rounds: a
// turn costs no more history when everybody sees eighty answers.
func TestEightyDebate(t *testing.T) {
	const agents = 80
	h := debateHistory(t, agents, 2)
	checkSize(t, h, 3*agents)
}

// A talk of 1,000 answers of 200 tokens each is one run of one workflow, whose history is
// smaller than a megabyte; by default a fifth of it.
func TestLongTalk(t *testing.T) {
	t.Parallel()
	agents, rounds := 5, 40
	if *long {
		rounds = 200
	}
	words := strings.Repeat("Mel said more about it. ", 33)
	e := newEngine(t, true, func(model.Model) model.Model {
		return modelFunc(func(context.Context, model.Request) (model.Response, error) {
			return model.Response{Text: []byte(words + "\nAnswer: (A)"), Usage: model.Usage{Output: 200}}, nil
		})
	})
	defer e.stop()
	p := e.plan(fmt.Sprintf(`
name: long-talk
instances: 1
env: {name: qa, format: bbh, file: orders.json, agents: %d}
data: ../examples/data
protocol: {name: debate, rounds: %d}
rule: plurality
model: scripted/answerer
`, agents, rounds-1))
	got := e.wait(e.start(p, nil))
	if got.Succeeded != 1 || got.Spent.Calls != int64(agents*rounds) || got.Spent.OutputTokens != int64(200*agents*rounds) {
		t.Fatalf("%+v", got)
	}
	h := e.history(e.collaborationID(p.Campaign, 0))
	first := h.Events[0].GetWorkflowExecutionStartedEventAttributes()
	t.Logf("%d calls, %d tokens: %d events, %.2f MB", got.Spent.Calls, got.Spent.OutputTokens, len(h.Events), float64(proto.Size(h))/1e6)
	if first.GetContinuedExecutionRunId() != "" || len(h.Events) > 10*rounds || proto.Size(h) > rounds<<20/200 {
		t.Errorf("%d events, %d bytes, continued from %q", len(h.Events), proto.Size(h), first.GetContinuedExecutionRunId())
	}
}

// BenchmarkHistory prints what history a collaboration makes.
func BenchmarkHistory(b *testing.B) {
	for _, agents := range []int{3, 10, 80} {
		b.Run(fmt.Sprintf("agents=%d/rounds=10", agents), func(b *testing.B) {
			for range b.N {
				h := historyOf(b, agents, 10)
				b.ReportMetric(float64(len(h.Events)), "events")
				b.ReportMetric(float64(proto.Size(h))/1e6, "MB")
				b.ReportMetric(float64(perTurn(h, 30*agents)), "B/turn")
				if len(h.Events) > 51200 || proto.Size(h) > 50<<20 {
					b.Errorf("%d events, %d bytes: above Temporal's limits", len(h.Events), proto.Size(h))
				}
			}
		})
	}
}

// BenchmarkDebateHistory prints what history a debate of eighty makes, and a
// pool of 400 viewpoints of one question.
func BenchmarkDebateHistory(b *testing.B) {
	for _, x := range []struct{ agents, rounds int }{{80, 10}, {400, 0}} {
		b.Run(fmt.Sprintf("agents=%d/rounds=%d", x.agents, x.rounds), func(b *testing.B) {
			for range b.N {
				h := debateHistory(b, x.agents, x.rounds)
				b.ReportMetric(float64(len(h.Events)), "events")
				b.ReportMetric(float64(proto.Size(h))/1e6, "MB")
				b.ReportMetric(float64(perTurn(h, x.agents*(x.rounds+1))), "B/turn")
			}
		})
	}
}

// TestReplay replays every recorded history with the present code: what was
// begun with an engine version must go on with the same.
func TestReplay(t *testing.T) {
	if *update {
		recordHistories(t)
	}
	files, err := filepath.Glob("testdata/replay_" + task.EngineVersion + "_*.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{
		"campaign", "campaign_paused", "campaign_cancelled", "campaign_notify", "campaign_instant",
		"collaboration", "collaboration_paused", "collaboration_cancelled", "collaboration_judged", "collaboration_turns",
		"labels", "labels_campaign", "labels_instant", "moves",
	} {
		if !slices.Contains(files, "testdata/replay_"+task.EngineVersion+"_"+kind+".json.gz") {
			t.Errorf("engine version %s has no recorded history %s (go test -update records them)", task.EngineVersion, kind)
		}
	}
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: codec.Keys{}.DataConverter(), FailureConverter: codec.Keys{}.FailureConverter()})
	if err != nil {
		t.Fatal(err)
	}
	replayer.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	replayer.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	for _, file := range files {
		h := readHistory(t, file)
		if err := replayer.ReplayWorkflowHistory(nil, h); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestReplayNotices: the check above can fail.
func TestReplayNotices(t *testing.T) {
	h := readHistory(t, "testdata/replay_"+task.EngineVersion+"_collaboration.json.gz")
	for _, event := range h.Events {
		if a := event.GetActivityTaskScheduledEventAttributes(); a != nil && a.ActivityType.Name == task.PlayRound {
			a.ActivityType.Name = task.Record
			break
		}
	}
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	if err := replayer.ReplayWorkflowHistory(nil, h); err == nil {
		t.Error("a history of other commands replays")
	}
}

// recordHistories runs campaigns of every kind and keeps their histories.
func recordHistories(t *testing.T) {
	old, err := filepath.Glob("testdata/replay_*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	e := newEngine(t, true, slow(5*time.Millisecond))
	two := func(in *workflows.CampaignInput) { in.Limits.Collaborations = 2 }
	started := func(text string, change func(*workflows.CampaignInput)) (recorded.Plan, client.WorkflowRun) {
		p := e.plan(text)
		return p, e.start(p, change)
	}
	running := func(name string) {
		e.until("it runs", func() bool { return e.acts.Meter().UnderWay > 0 && e.status(name).Running == 2 })
	}

	_, run := started(campaign("recorded", "majority", 3, 3, 3), two)
	e.wait(run)
	e.keep("campaign", run)
	how := labelling("test/labeller")
	run = e.label("recorded", how, two)
	e.wait(run)
	e.keep("labels_campaign", run)

	p, run := started(campaign("recorded-pause", "majority", 4, 3, 5), two)
	running("recorded-pause")
	e.signal("recorded-pause", workflows.SignalPause, workflows.Pause{Reason: "by hand"})
	e.until("its calls have come in", func() bool { return e.status("recorded-pause").Paused && e.acts.Meter().UnderWay == 0 })
	e.signal("recorded-pause", workflows.SignalResume, nil)
	e.wait(run)
	e.keep("campaign_paused", run)
	e.keepID("collaboration_paused", e.collaborationID(p.Campaign, 0))
	e.keepID("collaboration", e.collaborationID(p.Campaign, 3))

	p, run = started(campaign("recorded-cancel", "majority", 4, 3, 5), two)
	running("recorded-cancel")
	e.signal("recorded-cancel", workflows.SignalCancel, nil)
	e.wait(run)
	e.keep("campaign_cancelled", run)
	e.keepID("collaboration_cancelled", e.collaborationID(p.Campaign, 0))

	_, run = started(campaign("recorded-notify", "majority", 4, 3, 3), func(in *workflows.CampaignInput) { in.Limits.Collaborations, in.Notify = 2, true })
	running("recorded-notify")
	e.signal("recorded-notify", workflows.SignalPause, workflows.Pause{Reason: "by hand"})
	e.until("word of the pause is sent", func() bool { s := e.status("recorded-notify"); return s.Paused && !s.Notifying })
	e.signal("recorded-notify", workflows.SignalResume, nil)
	e.wait(run)
	e.keep("campaign_notify", run)

	p, run = started(moves("recorded-moves", 3, 3), nil)
	e.wait(run)
	e.keepID("moves", e.collaborationID(p.Campaign, 0))

	p, run = started(judged("recorded-judged"), nil)
	e.wait(run)
	e.keepID("collaboration_judged", e.collaborationID(p.Campaign, 0))

	e.workFor("scripted/test")
	p = e.plan(campaign("recorded-turns", "majority", 1, 3, 2))
	e.tune(p, plan.Limits{Models: map[string]plan.ModelLimits{"scripted/test": {RequestsPerMinute: 6000}}})
	e.wait(e.start(p, nil))
	e.keepID("collaboration_turns", e.collaborationID(p.Campaign, 0))
	e.wait(e.label("recorded-turns", how, nil))
	e.keepID("labels", workflows.LabelsID("recorded-turns", how.ID())+"/"+e.collaboration(p.Campaign, 0))
	e.stop()

	e = newEngine(t, false, nil)
	defer e.stop()
	_, run = started(campaign("recorded-instant", "rated, ranked", 5, 3, 3), nil)
	e.wait(run)
	e.keep("campaign_instant", run)
	run = e.label("recorded-instant", labelling(labels.Rules), nil)
	e.wait(run)
	e.keep("labels_instant", run)
}

// moves is a campaign whose agents the environment moves.
func moves(name string, agents, rounds int) string {
	return fmt.Sprintf("name: %s\nenv: {name: consensus, agents: %d}\nprotocol: {name: consensus, rounds: %d}\nmodel: scripted/average\n", name, agents, rounds)
}

// judged is a campaign whose final decision a judge scores.
func judged(name string) string {
	return fmt.Sprintf(`
name: %s
instances: 1
data: ../examples/data
env:
  name: qa
  format: csv
  file: why.csv
  kind: open
  score: {judge: {model: scripted/judge, scale: [0, 4], rubric: "4: the cause. 0: another one."}}
protocol: {name: debate, rounds: 1}
rule: plurality
model: scripted/answerer
`, name)
}

func (e *engine) keep(name string, run client.WorkflowRun) { e.keepID(name, run.GetID()) }

// keepID keeps the history of a workflow.
func (e *engine) keepID(name, workflowID string) {
	e.t.Helper()
	data, err := protojson.Marshal(e.history(workflowID))
	if err != nil {
		e.t.Fatal(err)
	}
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		e.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		e.t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile("testdata/replay_"+task.EngineVersion+"_"+name+".json.gz", []byte(packed.String()), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

func readHistory(t *testing.T, file string) *historypb.History {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	h := &historypb.History{}
	if err := protojson.Unmarshal(data, h); err != nil {
		t.Fatal(err)
	}
	return h
}
