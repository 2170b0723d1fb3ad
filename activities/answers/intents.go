package answers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// patience is how long the first intent of a plan waits for the others.
const patience = 10 * time.Millisecond

// call is one attempt at one ask of an entry.
type call struct{ entry, ask, attempt int }

func (i Intent) call() call { return call{i.Entry, i.Ask, i.Attempt} }

// intentObject is <entry>.<ask>.intent-<attempt>.json, with the others that were
// announced together with it.
type intentObject struct {
	Intent
	With []Intent `json:"with,omitempty"`
}

func (o intentObject) allIntents() []Intent { return append([]Intent{o.Intent}, o.With...) }

func (o intentObject) objectKey(p RunKey) (string, error) {
	return p.objectKey("%06d.%d.intent-%d.json", o.Entry, o.Ask, o.Attempt)
}

// releasedObject is <entry>.<ask>.released-<attempt>.json, or the next number that is free: it takes
// an intent back that shares its object with others, or that other processes may have seen.
type releasedObject struct {
	Entry     int   `json:"entry"`
	Ask       int   `json:"ask"`
	Attempt   int   `json:"attempt"`
	StartedAt int64 `json:"started_at"` // two processes may make the same attempt, each at its time
}

func (o releasedObject) announcedCall() announced {
	return announced{call{o.Entry, o.Ask, o.Attempt}, o.StartedAt}
}

// announced is one announcement of an attempt.
type announced struct {
	call
	at int64
}

func (i Intent) announcedCall() announced { return announced{i.call(), i.StartedAt} }

// runs are the collaborations under way in this process. Their attempts are
// numbered in memory: an intent that shares an object has no name of its own
// that could be taken.
type runs struct {
	patience time.Duration

	mu    sync.Mutex
	known map[RunKey]*run
}

type run struct {
	next   map[call]int  // number of an ask's next intent, by call{entry, ask, 0}
	shared map[call]bool // whether an intent of this process shares its object
	group  *group        // that can still be joined; nil if none
}

// group is what is announced in one object.
type group struct {
	intents []*Intent
	full    chan struct{} // closed when all that are expected have come
	done    chan struct{} // closed when it is stored, or err is set
	err     error
}

type expectedKey struct{}

// WithExpectedIntents returns a context under which Intend expects calls intents of one run and
// stores them as one object. It has an effect only between Begin and End.
func WithExpectedIntents(ctx context.Context, calls int) context.Context {
	return context.WithValue(ctx, expectedKey{}, calls)
}

// Begin prepares this process to make calls of run p, of which s is stored: Intend then numbers
// attempts in memory and can store several intents as one object. End undoes it.
func (a *Answers) Begin(p RunKey, s Stored) {
	a.runs.mu.Lock()
	defer a.runs.mu.Unlock()
	r := a.runs.known[p]
	if r == nil {
		r = &run{next: map[call]int{}, shared: map[call]bool{}}
		a.runs.known[p] = r
	}
	for ask, n := range s.next {
		r.next[ask] = max(r.next[ask], n)
	}
}

// End forgets what Begin has remembered of run p.
func (a *Answers) End(p RunKey) {
	a.runs.mu.Lock()
	defer a.runs.mu.Unlock()
	delete(a.runs.known, p)
}

func (r *run) addIntent(i Intent) {
	ask := call{i.Entry, i.Ask, 0}
	r.next[ask] = max(r.next[ask], i.Attempt+1)
}

// Intend durably records that call i is about to be made and returns its attempt number, which the
// caller puts into Answer.Attempt. Each call needs its own intent. Under WithExpectedIntents it may
// block for some milliseconds.
func (a *Answers) Intend(ctx context.Context, p RunKey, i Intent) (int, error) {
	i.Provider, i.Model = validText(i.Provider), validText(i.Model)
	g, first := a.runs.join(ctx, p, &i)
	if first {
		g.err = a.announce(ctx, p, a.runs.wait(p, g))
		close(g.done)
	}
	<-g.done
	return i.Attempt, g.err
}

// join numbers an intent and puts it into the group of its run; first says that the
// caller is to close and announce it.
func (rs *runs) join(ctx context.Context, p RunKey, i *Intent) (g *group, first bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	g = &group{full: make(chan struct{}), done: make(chan struct{})}
	expected, _ := ctx.Value(expectedKey{}).(int)
	r := rs.known[p]
	if r != nil {
		i.Attempt = r.next[call{i.Entry, i.Ask, 0}]
		r.addIntent(*i)
	}
	switch {
	case r == nil || expected < 2:
		close(g.full)
		g.intents, first = []*Intent{i}, true
		if r != nil {
			r.shared[i.call()] = false
		}
		return g, first
	case r.group == nil:
		r.group, first = g, true
	}
	g = r.group
	if g.intents = append(g.intents, i); len(g.intents) == expected {
		close(g.full)
		r.group = nil
	}
	return g, first
}

// wait waits for the others of a group, closes it and returns them all.
func (rs *runs) wait(p RunKey, g *group) []*Intent {
	select {
	case <-g.full:
	case <-time.After(rs.patience):
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.known[p]
	if r != nil && r.group == g {
		r.group = nil
	}
	if r != nil {
		for _, i := range g.intents {
			r.shared[i.call()] = len(g.intents) > 1
		}
	}
	return g.intents
}

// announce stores intents as one object. A name that is taken is that of an earlier
// attempt, or of another process that makes the same calls.
func (a *Answers) announce(ctx context.Context, p RunKey, intents []*Intent) error {
	o := intentObject{}
	for _, i := range intents[1:] {
		o.With = append(o.With, *i)
	}
	for {
		o.Intent = *intents[0]
		key, err := o.objectKey(p)
		if err != nil {
			return err
		}
		data, err := lake.Seal(key, o)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		err = a.store.PutIfAbsent(ctx, key, data)
		if !errors.Is(err, store.ErrExists) {
			return err
		}
		a.runs.renumber(p, intents[0], len(intents) > 1)
	}
}

// renumber gives an intent the next number.
func (rs *runs) renumber(p RunKey, i *Intent, shared bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	i.Attempt++
	if r := rs.known[p]; r != nil {
		r.addIntent(*i)
		r.shared[i.call()] = shared
	}
}

// Release takes intent i back; call it only if the call was certainly not billed. With alone (no
// other process takes turns of the run) the intent is deleted, unless it shares an object.
// Otherwise a record that it was released is stored next to it, since rows may have been made from
// it.
func (a *Answers) Release(ctx context.Context, p RunKey, i Intent, alone bool) error {
	shared, err := a.isShared(ctx, p, i.call())
	if err != nil {
		return err
	}
	if alone && !shared {
		key, err := p.objectKey("%06d.%d.intent-%d.json", i.Entry, i.Ask, i.Attempt)
		if err != nil {
			return err
		}
		return a.store.Delete(ctx, key)
	}
	word := releasedObject{i.Entry, i.Ask, i.Attempt, i.StartedAt}
	for n := i.Attempt; ; n++ { // the name may be taken by the same attempt of another process
		key, err := p.objectKey("%06d.%d.released-%d.json", i.Entry, i.Ask, n)
		if err != nil {
			return err
		}
		if first, err := putFirst(ctx, a.store, key, word); err != nil || first == word {
			return err
		}
	}
}

// isShared reports whether an intent shares its object. The store tells it of a run
// that this process has forgotten, as it does when another one has taken turns of it.
func (a *Answers) isShared(ctx context.Context, p RunKey, c call) (bool, error) {
	if shared, known := a.runs.isShared(p, c); known {
		return shared, nil
	}
	shared := false
	err := a.eachIntent(ctx, p, func(o intentObject) {
		if slices.ContainsFunc(o.allIntents(), func(i Intent) bool { return i.call() == c }) {
			shared = len(o.With) > 0
		}
	}, func(announced) {})
	return shared, err
}

// eachIntent goes through what is stored of the intents of a run and of those taken back.
func (a *Answers) eachIntent(ctx context.Context, p RunKey, intent func(intentObject), released func(announced)) error {
	prefix, err := p.folderOf()
	if err != nil {
		return err
	}
	objects, err := lake.List(ctx, a.store, prefix)
	if err != nil {
		return err
	}
	for _, o := range objects {
		m := name.FindStringSubmatch(strings.TrimPrefix(o.Key, prefix))
		if m == nil || m[3] == "" {
			continue
		}
		if m[3] == "released" {
			taken, err := getObject[releasedObject](ctx, a.store, o.Key)
			if err != nil {
				return err
			}
			released(taken.announcedCall())
			continue
		}
		held, err := getObject[intentObject](ctx, a.store, o.Key)
		switch {
		case err == nil:
			intent(held)
		case !errors.Is(err, fs.ErrNotExist): // released since it was listed
			return err
		}
	}
	return nil
}

// Announced returns the intents of an ask that are not released. alone says that no other process takes
// turns of the run.
func (a *Answers) Announced(ctx context.Context, p RunKey, entry, ask int, alone bool) ([]Intent, error) {
	if alone && a.runs.isFirst(p, call{entry, ask, 0}) {
		return nil, nil
	}
	var found []Intent
	released := map[announced]bool{}
	err := a.eachIntent(ctx, p, func(o intentObject) {
		for _, i := range o.allIntents() {
			if i.Entry == entry && i.Ask == ask {
				found = append(found, i)
			}
		}
	}, func(i announced) { released[i] = true })
	return slices.DeleteFunc(found, func(i Intent) bool { return released[i.announcedCall()] }), err
}

// isFirst reports whether no attempt at an ask was announced before, as this process knows.
func (rs *runs) isFirst(p RunKey, c call) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r := rs.known[p]
	return r != nil && r.next[c] == 0
}

func (rs *runs) isShared(p RunKey, c call) (shared, known bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.known[p]; r != nil {
		shared, known = r.shared[c]
	}
	return shared, known
}
