package workflows_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/activities"
	"roundtable/activities/hosting"
	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/infra"
	"roundtable/infra/embedded"
	"roundtable/workflows"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// Without a name the SDK hashes the tests' binary within the first workflow task, which takes
// more than the second that a task has on a busy machine.
func TestMain(m *testing.M) {
	infra.NameBuild()
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they compute
		panic(err)
	}
	os.Exit(m.Run())
}

// server is one embedded server for all tests of the package, and stateFolder where it is.
var server = sync.OnceValues(func() (*embedded.Server, error) {
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	return embedded.Start(context.Background(), embedded.Config{Dir: dir, Notices: io.Discard, SearchAttributes: workflows.SearchAttributes()})
})

var stateFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "roundtable") })

// engine is a worker with activities on a lake of its own.
type engine struct {
	t      testing.TB
	client client.Client
	store  store.Store
	acts   *activities.Activities
	queue  string // its own: another engine's worker has another lake
	stop   func() // its workers
}

var engines atomic.Int64

// newEngine starts a worker whose conditions, labellers and judges ask the given model;
// nil is the environment's scripted agents.
func newEngine(t testing.TB, live bool, ask func(model.Model) model.Model) *engine {
	t.Helper()
	s, err := server()
	if err != nil {
		t.Fatal(err)
	}
	target := s.Target()
	target.Logger = slog.New(slog.DiscardHandler)
	c, err := infra.Dial(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, client: c, store: store, queue: task.LakeQueue(fmt.Sprint(engines.Add(1)))}
	models := func(c plan.Choice, _ plan.Condition, env envs.Environment) (model.Provider, error) {
		if env == nil { // a labeller or a judge
			m := labels.NewRules()
			if c.Name == scoring.Rules {
				m = scoring.NewRules([2]float64{0, 4})
			}
			if ask != nil {
				m = ask(m)
			}
			return model.Provider{Model: m, Name: c.Name, Simulated: true, Instant: !live}, nil
		}
		policy, err := env.Policy(env.Policies()[0], func(any) error { return nil })
		if err != nil {
			return model.Provider{}, err
		}
		m, err := scripted.New(scripted.Params{}, policy)
		if ask != nil {
			m = ask(m)
		}
		return model.Provider{Model: m, Name: "scripted/test", Simulated: true, Instant: !live}, err
	}
	e.acts = activities.New(activities.Config{Store: store, Plugins: catalogue.Builtin(), Models: models, Data: folder})
	w := worker.New(c, e.queue, infra.WorkerOptions())
	w.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	w.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	hosting.Register(w, e.acts, c)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	e.stop = sync.OnceFunc(func() { w.Stop(); c.Close() })
	t.Cleanup(e.stop)
	return e
}

// runAgain asks for the cells of a campaign again that did not succeed.
func (e *engine) runAgain(name string) {
	e.t.Helper()
	if err := recorded.RequestRerun(context.Background(), e.store, name); err != nil {
		e.t.Fatal(err)
	}
}

// folder of a data set.
func folder(path string) (fs.FS, error) { return os.DirFS(path), nil }

// plan records a campaign read from YAML and returns it.
func (e *engine) plan(text string) recorded.Plan {
	e.t.Helper()
	file, err := campaignfile.Parse([]byte(text), campaignfile.Host{Catalogue: catalogue.Builtin(), Data: folder})
	if err != nil {
		e.t.Fatal(err)
	}
	var data fs.FS
	var files map[string]string
	if file.Data != "" {
		read := recorded.NewDataFiles(os.DirFS(file.Data))
		data, files = read, read.Sums
	}
	p := recorded.Plan{Campaign: file.Campaign, Paths: recorded.Paths{Data: file.Data}, Files: files, Agents: file.Agents, Rounds: file.Rounds, Packs: map[string]map[string]string{}}
	for _, c := range file.Campaign.Conditions {
		env, err := c.BuildEnv(catalogue.Builtin(), catalogue.Needs{Data: data})
		if err != nil {
			e.t.Fatal(err)
		}
		rule, err := c.BuildRule(catalogue.Builtin())
		if err != nil {
			e.t.Fatal(err)
		}
		proto, err := fs.Sub(protocol.Prompts, "prompts/"+c.Protocol.Name)
		if err != nil {
			e.t.Fatal(err)
		}
		pack, err := prompt.NewPack(env.Prompts(), proto, nil, nil, rule.Words())
		if err != nil {
			e.t.Fatal(err)
		}
		if _, isJudged := c.Judge(); isJudged {
			if err := pack.Add("score", scoring.Prompts(), nil); err != nil {
				e.t.Fatal(err)
			}
		}
		p.Packs[recorded.HashPack(pack)] = pack
		p.Pack = append(p.Pack, recorded.HashPack(pack))
	}
	if _, err := recorded.RecordData(context.Background(), e.store, p, folder); err != nil {
		e.t.Fatal(err)
	}
	if err := recorded.WritePlan(context.Background(), e.store, p); err != nil {
		e.t.Fatal(err)
	}
	e.tune(p, plan.Limits{})
	return p
}

// tune records the limits of a campaign.
func (e *engine) tune(p recorded.Plan, limits plan.Limits) {
	e.t.Helper()
	m := recorded.Manifest{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), Limits: limits}
	if err := recorded.WriteManifest(context.Background(), e.store, m); err != nil {
		e.t.Fatal(err)
	}
}

// start starts the campaign's workflow.
func (e *engine) start(p recorded.Plan, change func(*workflows.CampaignInput)) client.WorkflowRun {
	e.t.Helper()
	in := workflows.CampaignInput{Name: p.Campaign.Name, Revision: p.Campaign.Revision()}
	if change != nil {
		change(&in)
	}
	return e.startAs(workflows.CampaignID(in.Name), in)
}

func (e *engine) startAs(workflowID string, in workflows.CampaignInput) client.WorkflowRun {
	e.t.Helper()
	run, err := e.client.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: workflowID, TaskQueue: e.queue}, task.CampaignWorkflow, in)
	if err != nil {
		e.t.Fatal(err)
	}
	return run
}

// workFor starts a worker for the queue of a model.
func (e *engine) workFor(model string) {
	e.t.Helper()
	options := infra.WorkerOptions()
	options.DisableWorkflowWorker = true
	w := worker.New(e.client, task.ModelQueue(e.queue, model), options)
	hosting.RegisterTurns(w, e.acts)
	if err := w.Start(); err != nil {
		e.t.Fatal(err)
	}
	stop := e.stop
	e.stop = sync.OnceFunc(func() { w.Stop(); stop() })
	e.t.Cleanup(e.stop)
}

// wait is the status with which the campaign ends.
func (e *engine) wait(run client.WorkflowRun) workflows.Status {
	e.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var status workflows.Status
	if err := run.Get(ctx, &status); err != nil {
		e.t.Fatal(err)
	}
	return status
}

func (e *engine) signal(name, signal string, arg any) {
	e.t.Helper()
	e.signalTo(workflows.CampaignID(name), signal, arg)
}

func (e *engine) signalTo(workflowID, signal string, arg any) {
	e.t.Helper()
	if err := e.client.SignalWorkflow(context.Background(), workflowID, "", signal, arg); err != nil {
		e.t.Fatal(err)
	}
}

// continued reports whether a workflow has gone on in a new run.
func (e *engine) continued(run client.WorkflowRun) bool {
	e.t.Helper()
	d, err := e.client.DescribeWorkflowExecution(context.Background(), run.GetID(), "")
	if err != nil {
		e.t.Fatal(err)
	}
	return d.WorkflowExecutionInfo.FirstRunId != d.WorkflowExecutionInfo.Execution.RunId
}

func (e *engine) status(name string) workflows.Status {
	e.t.Helper()
	return e.statusOf(workflows.CampaignID(name))
}

func (e *engine) statusOf(workflowID string) workflows.Status {
	e.t.Helper()
	value, err := e.client.QueryWorkflow(context.Background(), workflowID, "", workflows.QueryStatus)
	if err != nil {
		e.t.Fatal(err)
	}
	var status workflows.Status
	if err := value.Get(&status); err != nil {
		e.t.Fatal(err)
	}
	return status
}

// until waits for a condition that another process brings about.
func (e *engine) until(what string, holds func() bool) {
	e.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		began := time.Now()
		if holds() {
			return
		}
		if began.After(deadline) {
			e.t.Fatalf("not within 20 seconds: %s", what)
		}
		time.Sleep(max(20*time.Millisecond, 3*time.Since(began))) // each look is work for the server
	}
}

// within checks that something holds soon after what brings it about.
func (e *engine) within(limit time.Duration, what string, do func(), holds func() bool) {
	e.t.Helper()
	began := time.Now()
	do()
	e.until(what, holds)
	if took := time.Since(began); took > limit {
		e.t.Errorf("%s after %s, want %s at most", what, took, limit)
	} else {
		e.t.Logf("%s after %s", what, took)
	}
}

// ended reports whether a workflow has ended.
func (e *engine) ended(run client.WorkflowRun) bool {
	e.t.Helper()
	d, err := e.client.DescribeWorkflowExecution(context.Background(), run.GetID(), "")
	if err != nil {
		e.t.Fatal(err)
	}
	return d.WorkflowExecutionInfo.Status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

func (e *engine) markers(name string) []lake.Marker {
	e.t.Helper()
	markers, err := lake.Committed(context.Background(), e.store, name)
	if err != nil {
		e.t.Fatal(err)
	}
	return markers
}

// modelFunc answers through a function.
type modelFunc func(context.Context, model.Request) (model.Response, error)

func (f modelFunc) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	return f(ctx, r)
}

// slow makes every answer take some time.
func slow(d time.Duration) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
			return m.Complete(ctx, r)
		})
	}
}

func campaign(name, rules string, replicates, agents, rounds int) string {
	return fmt.Sprintf(`
name: %s
replicates: %d
env: {name: exchange, agents: %d}
protocol: {name: roundtable, rounds: %d}
model: scripted/trader
grid: {rule: [%s]}
`, name, replicates, agents, rounds, rules)
}
