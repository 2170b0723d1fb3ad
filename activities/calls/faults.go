package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
)

// How long a service that has answered before may answer nothing at all,
// while calls of it fail, until its campaigns pause: of faults that pass by themselves, the
// first is of a service that is there and broken.
const (
	longestBroken = 15 * time.Minute
	longestDown   = 6 * time.Hour
)

// Of a service that is busy or down, one prompt fails alone if it has failed for an hour, or
// if four of five calls were answered meanwhile: by chance that is next to impossible.
const (
	longestAlone = time.Hour
	mostAnswered = 4
)

// atLeast is how long a model that has never answered may be broken: it may be loading.
const atLeast = 10 * time.Second

// faults counts what failed in this process and has not been answered since, to tell what is
// the fault of one prompt from what is that of its model or account (model.Treatments).
type faults struct {
	mu     sync.Mutex
	known  map[string]*counts // by campaign and account
	asking singleflight.Group // of checks, by campaign and account
}

// counts are of the calls of one campaign to one account.
type counts struct {
	answered int                   // calls, in all
	prompted int                   // of them, those of other prompts than the check's
	failed   int                   // and those that failed
	alike    map[string]int        // failures since the last answer, by how they failed
	since    time.Time             // the first of them
	latest   time.Time             // and the last
	prompts  map[promptKey]*streak // that failed last, or are asked again
	passed   map[string]bool       // how prompts failed that were answered later: by chance
}

// promptKey names a prompt: an ask of an entry of a run.
type promptKey struct {
	run        string
	entry, ask int
}

// streak is how often a prompt has failed in one way in a row.
type streak struct {
	how      string
	n        int
	answered int // calls of the account when it failed before
	began    time.Time
	before   int // calls of the account that were answered when it failed first
	failed   int // and that had failed
}

// countsOf returns the counts of an account, which may be empty. The caller holds mu.
func (f *faults) countsOf(campaign, account string) *counts {
	if f.known == nil {
		f.known = map[string]*counts{}
	}
	key := campaign + " " + account
	if f.known[key] == nil {
		f.known[key] = &counts{alike: map[string]int{}, prompts: map[promptKey]*streak{}, passed: map[string]bool{}}
	}
	return f.known[key]
}

func (q Order) promptKey(ask int) promptKey { return promptKey{q.Run.String(), q.Entry, ask} }

// countAnswer forgets the failures of a prompt that was answered, and those of its account.
func (f *faults) countAnswer(q Order, ask int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.countsOf(q.Run.Campaign, q.Provider.Account)
	c.answered++
	if !isCheck(q.Run) {
		c.prompted++
	}
	clear(c.alike)
	key := q.promptKey(ask)
	if s := c.prompts[key]; s != nil {
		c.passed[s.how] = true
	}
	delete(c.prompts, key)
}

// tries returns how often a prompt is asked that fails so: a refusal that was chance before is taken for one
// as a parser's words promise it.
func (c *counts) tries(fault model.Fault, how string) int {
	if fault == model.Refused && c.passed[how] {
		fault = model.Broken
	}
	return fault.Treatment().Tries
}

// judgement is what a failure is taken for.
type judgement struct {
	class model.Class
	why   string // added to the service's words; empty if they say all
	// suspect says that it is to be found out whether other prompts are answered.
	suspect bool
}

// judge counts a failure, while so many calls of the account are under way, and says what is
// done about it.
func (f *faults) judge(q Order, ask int, e *model.Error, underWay int) judgement {
	rule := e.Fault.Treatment()
	if e.Fault == "" || e.Code == "canceled" {
		return judgement{class: e.Class}
	}
	if rule.Tries == 0 && e.Fault != model.Rejected {
		return judgement{class: rule.First}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.countsOf(q.Run.Campaign, q.Provider.Account)
	how := fmt.Sprint(e.Status, " ", e.Code)
	if time.Since(c.latest) > longestAlone { // nothing was asked meanwhile, or the service has put it off
		clear(c.alike)
	}
	if len(c.alike) == 0 {
		c.since = time.Now()
	}
	c.latest = time.Now()
	c.alike[how]++
	if e.Fault == model.Rejected { // of this prompt; of so many in a row perhaps the parameters
		// answers take longer: those of the calls that began with these are still to come
		return judgement{class: rule.First, suspect: c.alike[how] >= fewAlike+max(0, underWay-1)}
	}
	key := q.promptKey(ask)
	s := c.prompts[key]
	if s == nil || s.how != how {
		s = &streak{how: how, began: time.Now(), before: c.answered, failed: c.failed}
		c.prompts[key] = s
	}
	others := c.answered > s.answered && s.n > 0 // since the failure before
	s.n++
	c.failed++
	s.answered = c.answered
	silence, tries := time.Since(c.since), c.tries(e.Fault, how)
	switch {
	case c.answered == 0 && rule.Unanswered > 0 && c.alike[how] >= rule.Unanswered &&
		(e.Fault != model.Broken || silence >= atLeast):
		return c.pause(key, fmt.Sprintf("the first %d calls of this model all failed so: check its name, its key and "+
			"its parameters", c.alike[how]))
	case e.Fault == model.Broken && silence >= longestBroken, silence >= longestDown:
		return c.pause(key, fmt.Sprintf("nothing has been answered for %s", silence.Round(time.Minute)))
	case s.n < tries && !(e.Fault == model.Refused && c.alike[how] >= fewAlike):
		return judgement{class: model.Retry}
	case rule.Prompt == model.Retry: // too many calls or no connection: hardly of a prompt
		if others && (time.Since(s.began) >= longestAlone || c.answered-s.before >= mostAnswered*(c.failed-s.failed)) {
			return f.blamePrompt(c, key, s.n, model.Fail)
		}
		return judgement{class: model.Retry}
	case others && s.n >= tries:
		return f.blamePrompt(c, key, s.n, rule.Prompt)
	}
	return judgement{class: model.Retry, suspect: true}
}

// fewAlike is how many refusals or rejections alike, with no answer between them, make one look
// whether anything is answered still.
const fewAlike = 5

// pause forgets what was counted: after the operator has acted counting starts anew. The caller holds mu.
func (c *counts) pause(key promptKey, why string) judgement {
	clear(c.alike)
	delete(c.prompts, key)
	return judgement{class: model.Pause, why: why}
}

// blamePrompt is called with mu held.
func (f *faults) blamePrompt(c *counts, key promptKey, n int, class model.Class) judgement {
	delete(c.prompts, key)
	return judgement{class: class, why: fmt.Sprintf("asked %d times, while other prompts were answered", n)}
}

// settle says what is done about a failure once it is known whether another prompt is answered.
func (f *faults) settle(q Order, ask int, e *model.Error, others error) judgement {
	rule := e.Fault.Treatment()
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.countsOf(q.Run.Campaign, q.Provider.Account)
	key := q.promptKey(ask)
	failed, isCall := errors.AsType[*model.Error](others)
	passing := model.Retry
	if e.Fault == model.Rejected {
		passing = rule.First
	}
	switch s := c.prompts[key]; {
	case errors.Is(others, errNoPrompt):
		return c.pause(key, "the check is answered, but no prompt of this campaign so far: check the length of "+
			"prompts, max_tokens and the service's filter")
	case others == nil && s != nil && s.n >= c.tries(e.Fault, s.how):
		return f.blamePrompt(c, key, s.n, rule.Prompt)
	case others == nil, !isCall: // or it could not be asked: the budget, the lake
		return judgement{class: passing}
	case failed.Class == model.Pause:
		return c.pause(key, "and the check fails, too: "+failed.Error())
	case failed.Fault.Treatment().Model == model.Retry: // it is down or busy now, which passes
		return judgement{class: passing}
	}
	if rule.Model == model.Pause {
		return c.pause(key, "no other prompt is answered either")
	}
	return judgement{class: rule.Model}
}

// treatFailure counts the failure of a call and returns its error as it is to be taken, and whether
// it is to be found out first whether other prompts are answered.
func (c *Caller) treatFailure(q Order, ask int, err error) (treated error, suspect bool) {
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err, false
	}
	underWay := c.throttles.Account(q.Provider.Account).Waiting(q.Run.Campaign).InFlight
	j := c.faults.judge(q, ask, e, underWay)
	return j.apply(e), j.suspect && !isCheck(q.Run) && !q.Wordless
}

// compareOthers asks a model the question of the check to find out whether the failure of a
// call was its prompt's fault: that is one more call, for all prompts that want to know it at
// that time. It returns the error as it is to be taken.
func (c *Caller) compareOthers(ctx context.Context, q Order, ask int, r model.Request, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	_, others, _ := c.faults.asking.Do(q.Run.Campaign+" "+q.Provider.Account, func() (any, error) {
		_, err := c.Check(ctx, q.Run.Campaign, q.Provider, CheckOptions{Parameters: r.Parameters, Plain: true})
		if err == nil && e.Fault == model.Rejected {
			err = c.findPrompted(ctx, q)
		}
		return nil, err
	})
	return c.faults.settle(q, ask, e, others).apply(e)
}

// errNoPrompt says that a model has answered nothing in a campaign but checks.
var errNoPrompt = errors.New("no prompt was answered")

// findPrompted returns errNoPrompt of a model that has answered no prompt of a campaign, as far as this process
// and the campaign's first collaborations say.
func (c *Caller) findPrompted(ctx context.Context, q Order) error {
	c.faults.mu.Lock()
	prompted := c.faults.countsOf(q.Run.Campaign, q.Provider.Account).prompted
	c.faults.mu.Unlock()
	if prompted > 0 {
		return nil
	}
	_, others, err := ledger.EarlyAnswers(ctx, c.store, q.Run.Campaign)
	if err == nil && !slices.ContainsFunc(others,
		func(a answers.Answer) bool { return a.ModelAsked == q.Provider.Name }) {
		err = errNoPrompt
	}
	return err
}

// apply returns an error with the class that was found for it.
func (j judgement) apply(e *model.Error) error {
	if j.class == e.Class && j.why == "" {
		return e
	}
	treated := *e
	treated.Class = j.class
	if j.why != "" {
		treated.Message += " (" + j.why + ")"
	}
	return &treated
}
