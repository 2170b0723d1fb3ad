package workflows_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/activities"
	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/infra"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// Without a name the SDK hashes the tests' binary within the first workflow task, which takes
// more than the second that a task has on a busy machine.
func TestMain(m *testing.M) {
	infra.NameBuild()
	os.Exit(m.Run())
}

// server is one embedded server for all tests of the package, and stateFolder where it is.
var server = sync.OnceValues(func() (*infra.Server, error) {
	dir, err := stateFolder()
	if err != nil {
		return nil, err
	}
	return infra.Start(context.Background(), infra.Config{Dir: dir, Notices: io.Discard, SearchAttributes: workflows.SearchAttributes()})
})

var stateFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "roundtable") })

// engine is a worker with activities on a lake of its own.
type engine struct {
	t      testing.TB
	client client.Client
	store  store.Store
	acts   *activities.Activities
	stop   func() // the worker; another engine's must not take its tasks
}

// newEngine starts a worker whose conditions ask the given model; nil is the
// environment's scripted agents.
func newEngine(t testing.TB, live bool, ask func(model.Model) model.Model) *engine {
	t.Helper()
	return newEngineOf(t, live, ask, 0)
}

// newEngineOf is newEngine with activities that play for so long; 0 is as ever.
func newEngineOf(t testing.TB, live bool, ask func(model.Model) model.Model, playTime time.Duration) *engine {
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
	store, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, client: c, store: store}
	models := func(c plan.Choice, _ plan.Condition, env envs.Environment) (model.Provider, error) {
		if env == nil { // a labeller
			m := label.NewRules()
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
	e.acts = activities.New(activities.Config{Store: store, Plugins: catalogue.Builtin(), Models: models, Client: c,
		Data: folder, PlayTime: playTime})
	w := worker.New(c, task.Queue, infra.WorkerOptions())
	w.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	w.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	w.RegisterWorkflowWithOptions(workflows.Labels, workflow.RegisterOptions{Name: task.LabelsWorkflow})
	e.acts.Register(w)
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
	file, err := plan.Parse([]byte(text), plan.Host{Catalogue: catalogue.Builtin(), Data: folder})
	if err != nil {
		e.t.Fatal(err)
	}
	var data fs.FS
	if file.Data != "" {
		if data, err = folder(file.Data); err != nil {
			e.t.Fatal(err)
		}
	}
	p := recorded.Plan{Campaign: file.Campaign, Data: file.Data, Agents: file.Agents, Rounds: file.Rounds, Packs: map[string]map[string]string{}}
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
		p.Packs[recorded.HashPack(pack)] = pack
		p.Pack = append(p.Pack, recorded.HashPack(pack))
	}
	if err := recorded.WritePlan(context.Background(), e.store, p); err != nil {
		e.t.Fatal(err)
	}
	if err := recorded.WriteManifest(context.Background(), e.store, recorded.Manifest{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()}); err != nil {
		e.t.Fatal(err)
	}
	return p
}

// start starts the campaign's workflow.
func (e *engine) start(p recorded.Plan, change func(*workflows.CampaignInput)) client.WorkflowRun {
	e.t.Helper()
	in := workflows.CampaignInput{Name: p.Campaign.Name, Revision: p.Campaign.Revision()}
	if change != nil {
		change(&in)
	}
	run, err := e.client.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{
		ID: workflows.CampaignID(in.Name), TaskQueue: task.Queue,
	}, task.CampaignWorkflow, in)
	if err != nil {
		e.t.Fatal(err)
	}
	return run
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
	if err := e.client.SignalWorkflow(context.Background(), workflows.CampaignID(name), "", signal, arg); err != nil {
		e.t.Fatal(err)
	}
}

func (e *engine) status(name string) workflows.Status {
	e.t.Helper()
	value, err := e.client.QueryWorkflow(context.Background(), workflows.CampaignID(name), "", workflows.QueryStatus)
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
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			e.t.Fatalf("not within a minute: %s", what)
		}
	}
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
