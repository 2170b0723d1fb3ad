package activities_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities"
	"roundtable/activities/batch"
	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/google"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/openai"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

var (
	long      = flag.Bool("long", false, "run the long tests as well")
	crashStep = flag.Int64("crash-step", 12, "crash at each step of so many in a batch's life; 1 is at all")
)

// batchModels are the models with a batch interface, at a server.
var batchModels = map[string]func(url string) model.Model{
	"openai": func(url string) model.Model {
		return must(openai.New(openai.Config{Model: "m", BaseURL: url + "/v1", JSON: openai.Plain}))
	},
	"anthropic": func(url string) model.Model {
		return must(anthropic.New(anthropic.Config{Model: "m", BaseURL: url, JSON: anthropic.Plain}))
	},
	"google": func(url string) model.Model {
		return must(google.New(google.Config{Model: "m", BaseURL: url, JSON: google.Plain}))
	},
}

// sayHi answers every request with a message.
func sayHi([]byte) string { return `{"target":[],"message":"hi"}` }

// batching is a campaign of some collaborations whose first turns are taken in batches.
type batching struct {
	t       *testing.T
	service *modeltest.Batches
	lake    *spy
	plan    campaign.Plan
	limits  plan.Limits
	model   func(url string) model.Model
	cells   int
	pace    batch.Pace
	front   http.Handler // of the service; nil if it is reached itself
}

func newBatching(t *testing.T, of string, cells int, service *modeltest.Batches) *batching {
	t.Helper()
	if service.Say == nil {
		service.Say = sayHi
	}
	b := &batching{t: t, service: service, lake: newLake(t), cells: cells, model: batchModels[of], pace: batch.Pace{
		Few: 10, Requests: cells, Bytes: 1 << 20, Quiet: time.Minute, Window: time.Minute, Settle: 50 * time.Millisecond, Poll: 10 * time.Millisecond, Grace: time.Minute,
	}}
	b.plan = recordPlan(t, b.lake, yaml("batched", 2, 1, "generate: {max_tokens: 200}", "reasks: 0", fmt.Sprintf("replicates: %d", cells)))
	b.limits = plan.Limits{Tier: plan.Batch, TierWait: "30s", CostUSD: dollars(1)}
	b.limit()
	return b
}

func (b *batching) limit() {
	noError(b.t, campaign.WriteManifest(ctx, b.lake, campaign.Manifest{
		Campaign: b.plan.Campaign.Name, Revision: b.plan.Campaign.Revision(), Limits: b.limits,
		Prices: map[string]campaign.Price{"test/model": {Input: 1, Output: 2, Batch: &campaign.TierPrice{Input: 0.5, Output: 1}}},
	}))
}

// life is one process: its store and its connections end together.
type life struct {
	*activities.Activities
	dead atomic.Bool
	step atomic.Int64
	dies int64 // after so many steps; 0 if it does not
	late bool  // the step at which it dies has its effect
}

var errDead = fmt.Errorf("the process was killed: %w", store.ErrCorrupt) // which is not tried again

// next reports whether the process may go on with a step, and whether it hears what came of it.
func (l *life) next() (does, hears bool) {
	if l.dead.Load() {
		return false, false
	}
	if n := l.step.Add(1); l.dies > 0 && n >= l.dies {
		l.dead.Store(true)
		go func() { _ = l.Close(context.Background()) }() // nobody in it waits any more
		return l.late && n == l.dies, false
	}
	return true, true
}

// mortal is the store of a process that may be killed at any write.
type mortal struct {
	store.Store
	life *life
}

func (m mortal) write(do func() error) error {
	does, hears := m.life.next()
	var err error
	if does {
		err = do()
	}
	if !hears {
		return errDead
	}
	return err
}

func (m mortal) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return m.write(func() error { return m.Store.PutIfAbsent(ctx, key, data) })
}

func (m mortal) Replace(ctx context.Context, key string, data []byte, etag string) error {
	return m.write(func() error { return m.Store.Replace(ctx, key, data, etag) })
}

func (m mortal) Delete(ctx context.Context, key string) error {
	return m.write(func() error { return m.Store.Delete(ctx, key) })
}

// start starts a process that dies after so many steps: writes of the lake and requests.
func (b *batching) start(dies int64, late bool) *life {
	l := &life{dies: dies, late: late}
	front := b.front
	if front == nil {
		front = b.service
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		does, hears := l.next()
		if does && hears {
			front.ServeHTTP(w, r)
			return
		}
		if does {
			front.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	}))
	server.Config.ErrorLog = nil
	l.Activities = newActivities(mortal{b.lake, l}, b.model(server.URL), noCache, func(c *activities.Config, _ *model.Provider) {
		c.Alone, c.Pace = true, func(plan.Limits) batch.Pace { return b.pace }
	})
	b.t.Cleanup(func() {
		_ = l.Close(context.Background())
		server.CloseClientConnections()
		server.Close()
	})
	return l
}

// play takes the first turn of every collaboration until all are taken or the process is dead, as
// the engine would: what fails is tried again. It returns what was said of failures.
func (b *batching) play(l *life) (said []string) {
	var all sync.WaitGroup
	var mu sync.Mutex
	for cell := range b.cells {
		all.Go(func() {
			for range 50 {
				_, err := do[transcript.Act](b.t, l.Activities, task.TakeTurn, task.Turn{Ref: ref(b.plan, cell)})
				if err == nil || l.dead.Load() {
					return
				}
				mu.Lock()
				said = append(said, err.Error())
				mu.Unlock()
				if isType(err, task.ErrPause) || isType(err, task.ErrFail) {
					return
				}
				time.Sleep(min(application(b.t, err).NextRetryDelay(), 200*time.Millisecond))
			}
			b.t.Errorf("cell %d is not taken", cell)
		})
	}
	all.Wait()
	return said
}

// tally is what the lake knows of all calls.
type tally struct {
	answered, unknown, batch int
	micro                    float64
}

func (b *batching) tally() (sum tally) {
	for cell := range b.cells {
		all := stored(b.t, b.lake, b.plan, ref(b.plan, cell))
		sum.unknown += len(all.Unknown)
		for _, call := range all.Calls(record.Key{}) {
			if call.CostUSD == nil { // its outcome is not known
				continue
			}
			sum.answered++
			sum.micro += *call.CostUSD * 1e6
			if text(call.Tier) == "batch" {
				sum.batch++
			}
		}
	}
	return sum
}

const inBatch, alone = 1000*0.5 + 100*1, 1000*1 + 100*2 // what a call costs, in millionths of a dollar

func (b *batching) want(want tally) {
	b.t.Helper()
	if got := b.tally(); math.Abs(got.micro-want.micro) > 1e-6 || got.answered != want.answered || got.unknown != want.unknown || got.batch != want.batch {
		b.t.Errorf("the lake has %+v, want %+v", got, want)
	}
}

// Batches are answered, booked at their price, and what they do not answer is made alone.
func TestBatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service func(*modeltest.Batches)
		cells   int
		pace    func(*batch.Pace)
		says    string
		only    string // of this service
		want    tally
		counts  modeltest.Counts
	}{
		"all is answered": {cells: 12, want: tally{12, 0, 12, 12 * inBatch}, counts: modeltest.Counts{Batches: 1, Billed: 12}},
		"too few": {
			cells: 3, pace: func(p *batch.Pace) { p.Requests, p.Quiet = 12, 10*time.Millisecond }, want: tally{3, 0, 0, 3 * alone}, counts: modeltest.Counts{Live: 3},
		},
		"some have expired": {
			cells: 12, service: func(s *modeltest.Batches) { s.Fate = oneIn(4, "expired") }, says: "ended without an answer to this request (the call is made in the standard tier)",
			want: tally{12, 0, 9, 9*inBatch + 3*alone}, counts: modeltest.Counts{Batches: 1, Live: 3, Billed: 9},
		},
		"one is refused": {
			cells: 12, service: func(s *modeltest.Batches) {
				s.Fate = func(i int, _ []byte) string { return map[int]string{5: "error"}[i] }
			}, says: "violates our usage policies",
			want: tally{11, 0, 11, 11 * inBatch}, counts: modeltest.Counts{Batches: 1, Billed: 11},
		},
		"one says nothing": { // and was billed: its outcome stays unknown
			cells: 12, service: func(s *modeltest.Batches) {
				s.Fate = func(i int, _ []byte) string { return map[int]string{5: "useless"}[i] }
			},
			pace: func(p *batch.Pace) { p.Quiet = 2 * time.Second }, says: "the body holds no", want: tally{12, 1, 11, 11*inBatch + alone}, counts: modeltest.Counts{Batches: 1, Live: 1, Billed: 12},
		},
		"it hangs": {
			cells: 12, service: func(s *modeltest.Batches) { s.Hangs = true }, pace: func(p *batch.Pace) { p.Window = 100 * time.Millisecond },
			says: "ended without an answer", want: tally{12, 0, 0, 12 * alone}, counts: modeltest.Counts{Batches: 1, Live: 12},
		},
		"two batches": {
			cells: 12, pace: func(p *batch.Pace) { p.Requests, p.Few = 6, 1 }, want: tally{12, 0, 12, 12 * inBatch},
			counts: modeltest.Counts{Batches: 2, Billed: 12},
		},
		"a batch is full of bytes": {
			cells: 2, pace: func(p *batch.Pace) { p.Bytes, p.Few, p.Quiet = 1, 1, 10*time.Millisecond }, want: tally{2, 0, 2, 2 * inBatch},
			counts: modeltest.Counts{Batches: 2, Billed: 2},
		},
		"refused as a whole": { // each call is made alone once, in the order of the throttle
			cells: 12, service: func(s *modeltest.Batches) { s.Fails = "invalid_json_line" }, only: "openai",
			says: "invalid_json_line: ", want: tally{12, 0, 0, 12 * alone}, counts: modeltest.Counts{Batches: 1, Live: 12},
		},
		"no room for its tokens": { // a batch that was not let in is made again
			cells: 12, service: func(s *modeltest.Batches) { s.Fails = "token_limit_exceeded" }, only: "openai",
			says: "token_limit_exceeded", want: tally{12, 0, 12, 12 * inBatch}, counts: modeltest.Counts{Batches: 2, Billed: 12},
		},
		"refused at once": {
			cells: 12, service: func(s *modeltest.Batches) { s.Full = http.StatusUnauthorized }, says: "no more batches", want: tally{}, counts: modeltest.Counts{},
		},
	} {
		for of := range batchModels {
			if c.only != "" && c.only != of {
				continue
			}
			t.Run(name+"/"+of, func(t *testing.T) {
				t.Parallel()
				service := &modeltest.Batches{}
				if c.service != nil {
					c.service(service)
				}
				b := newBatching(t, of, c.cells, service)
				if c.pace != nil {
					c.pace(&b.pace)
				}
				said := strings.Join(b.play(b.start(0, false)), "\n")
				if !strings.Contains(said, c.says) || c.says == "" && said != "" {
					t.Errorf("failures: %s\nwant %q", said, c.says)
				}
				b.want(c.want)
				if got := service.Counts(); got != c.counts {
					t.Errorf("the service has worked on %+v, want %+v", got, c.counts)
				}
			})
		}
	}
}

// What is more than a service takes in one batch goes into several: of Google's 20 MB also where a prompt is
// six times as long in JSON.
func TestBatchesAreSplit(t *testing.T) {
	t.Parallel()
	service := &modeltest.Batches{}
	server := httptest.NewServer(service)
	defer server.Close()
	batches := batch.New(newLake(t), true)
	defer batches.Close()
	pace := batch.NewPace(plan.Limits{})
	pace.Few, pace.Quiet, pace.Poll = 1, 300*time.Millisecond, 10*time.Millisecond
	m := batchModels["google"](server.URL).(model.Batcher)
	prompt := []model.Message{{Role: "user", Content: strings.Repeat("<", 170_000)}}
	const calls = 24 // 24.5 MB
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			answer, err := m.CompleteInBatch(ctx, model.Request{Messages: prompt}, func(body []byte) (model.BatchAnswer, error) {
				return batches.Submit(ctx, batch.Key{Campaign: "split", Provider: "m"}, m, pace, batch.Call{
					Key: fmt.Sprint(i), Body: body, Announce: func(string) error { return nil }, Wait: func(batch.Wait) {},
				})
			})
			if err != nil || string(answer.Text) != "hi" {
				t.Errorf("call %d: %q, %v", i, answer.Text, err)
			}
		})
	}
	all.Wait()
	if got := service.Counts(); got.Batches < 2 || got.Billed != calls || got.Live > 0 {
		t.Errorf("the service has worked on %+v, want %d calls in two batches or more", got, calls)
	}
}

// A call that is too few for a batch waits for a permit without its part of the budget, which those with a
// permit may wait for.
func TestTooFewUnderACap(t *testing.T) {
	t.Parallel()
	b := newBatching(t, "openai", 3, &modeltest.Batches{})
	b.pace.Requests, b.pace.Quiet = 12, 10*time.Millisecond
	b.limits.Calls, b.limits.CostUSD = 1, dollars(0.006) // room for one worst case at a time, and for all answers
	b.limit()
	if said := b.play(b.start(0, false)); len(said) > 0 {
		t.Errorf("failures: %q", said)
	}
	b.want(tally{3, 0, 0, 3 * alone})
}

func oneIn(n int, fate string) func(int, []byte) string {
	return func(i int, _ []byte) string {
		if i%n == 0 {
			return fate
		}
		return ""
	}
}

// A process is killed at each of its writes and requests, before or after their effect: the next one
// finds the batch, no request is answered twice, and the ledger has what the service has.
func TestBatchCrashes(t *testing.T) {
	t.Parallel()
	step, all := *crashStep, *crashStep < 12
	if *long {
		step, all = min(step, 4), true
	}
	for of := range batchModels {
		for dies := int64(1); dies < 50; dies += step {
			for _, late := range []bool{false, true} {
				if !all && late == (dies%24 == 1) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%v", of, dies, late), func(t *testing.T) {
					t.Parallel()
					service := &modeltest.Batches{Takes: 30 * time.Millisecond}
					b := newBatching(t, of, 12, service)
					first := b.start(dies, late)
					b.play(first)
					if !first.dead.Load() {
						b.want(tally{12, 0, 12, 12 * inBatch})
						return
					}
					b.pace.Quiet = 200 * time.Millisecond
					b.play(b.start(0, false))
					counts, got := service.Counts(), b.tally()
					if got.answered != 12 || got.unknown > 0 || counts.Billed+counts.Live != 12 || counts.Billed != got.batch {
						t.Errorf("the lake has %+v, the service %+v", got, counts)
					}
					if n := service.Open(); n > 0 {
						t.Errorf("%d batches are left behind", n)
					}
				})
			}
		}
	}
}

// A pause leaves a batch at the service, where it is found after it; a cancel cancels it, and what it
// has answered by then comes in.
func TestBatchHeld(t *testing.T) {
	t.Parallel()
	for reason, c := range map[string]struct {
		takes time.Duration
		want  tally
	}{
		"lunch":        {4 * time.Second, tally{12, 0, 12, 12 * inBatch}},
		task.Cancelled: {time.Hour, tally{6, 0, 6, 6 * inBatch}},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			service := &modeltest.Batches{Takes: c.takes}
			b := newBatching(t, "openai", 12, service)
			l := b.start(0, false)
			hold := func(reason string) {
				_, err := do[struct{}](t, l.Activities, task.Hold, task.Holding{Campaign: b.plan.Campaign.Name, Reason: reason})
				noError(t, err)
			}
			var took sync.WaitGroup
			for cell := range b.cells {
				took.Go(func() {
					_, err := do[transcript.Act](t, l.Activities, task.TakeTurn, task.Turn{Ref: ref(b.plan, cell)})
					if err == nil && reason != task.Cancelled {
						t.Errorf("cell %d is taken while the campaign is held", cell)
					}
				})
			}
			for service.Open() == 0 {
				time.Sleep(10 * time.Millisecond)
			}
			hold(reason)
			took.Wait()
			if reason != task.Cancelled {
				hold("")
				b.play(l)
			}
			b.want(c.want)
			if got := service.Counts(); got.Batches != 1 || got.Live != 0 || service.Open() != 0 {
				t.Errorf("the service has worked on %+v, and %d batches are open", got, service.Open())
			}
		})
	}
}

// A batch is found by its name behind others, on whichever page, and none where there is none. Without
// names it is found by the requests in its results.
func TestFindBatch(t *testing.T) {
	t.Parallel()
	for of, make := range batchModels {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			start := func(service *modeltest.Batches) model.Batcher {
				server := httptest.NewServer(service)
				t.Cleanup(server.Close)
				return make(server.URL).(model.Batcher)
			}
			m := start(&modeltest.Batches{Say: sayHi})
			sent := func(i int) model.SentBatch {
				return model.SentBatch{Name: fmt.Sprintf("roundtable-%d", i), Requests: 1, CreatedAt: time.Now()}
			}
			var ids []string
			for i := range 5 {
				ids = append(ids, must(m.CreateBatch(ctx, sent(i).Name, []model.BatchRequest{{ID: sent(i).Name + "-0", Body: []byte(`{}`)}})))
			}
			for i := range 6 {
				want := ""
				if i < len(ids) {
					want = ids[i]
				}
				if got, err := m.FindBatch(ctx, sent(i)); got != want || err != nil {
					t.Errorf("batch %d is found as %q, %v; want %q", i, got, err, want)
				}
			}
			m = start(&modeltest.Batches{Say: sayHi, Takes: time.Hour})
			must(m.CreateBatch(ctx, "roundtable-5", []model.BatchRequest{{ID: "roundtable-5-0", Body: []byte(`{}`)}}))
			if _, err := m.FindBatch(ctx, sent(6)); (err != nil) != (of == "anthropic") || err != nil && !errors.Is(err, model.ErrUnclearBatch) {
				t.Errorf("while one of the same size is under way: %v", err)
			}
		})
	}
}
