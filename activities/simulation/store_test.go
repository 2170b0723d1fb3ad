package simulation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// errDead is what a killed process gets from everything that it waits for.
var errDead = errors.New("this process was killed")

var errLost = errors.New("the connection to the store was lost")

// view is the store as one process has it.
type view struct{ *process }

// do is one request to the store: it takes time before and after its effect, each of
// which may be the last moment of the process.
func (v view) do(ctx context.Context, kind, key string, effect func() error) error {
	w := v.world
	if v.isDead() { // it asks for nothing more; what was under way may come late
		return errDead
	}
	short := shortKey(key)
	n := w.nth(kind + short)
	writes := kind == "put" || kind == "replace" || kind == "delete"
	took := w.between(time.Millisecond, 40*time.Millisecond, kind, short, n, "took")
	if w.happens(w.Faults.Slow, kind, short, n, "slow") {
		took = w.between(time.Second, 40*time.Second, kind, short, n, "slow took")
	}
	if err := v.await(ctx, took/2, kind+" "+short); err != nil {
		if writes && errors.Is(err, errDead) && w.happens(w.Faults.Late, kind, short, n, "late") {
			w.comeLate(short, w.between(0, 3*time.Second, kind, short, n, "late by"), effect)
		}
		return err
	}
	if err := w.storeFault(writes); err != nil {
		w.note("%s %s %s: %v", v.name, kind, short, err)
		return err
	}
	if w.happens(w.Faults.Lost, kind, short, n, "lost") {
		w.note("%s %s %s: lost", v.name, kind, short)
		return errLost
	}
	err := effect()
	w.note("%s %s %s: %v", v.name, kind, short, err)
	if err == nil && kind == "put" {
		w.stored(key)
		w.unlist(key, v.process)
	}
	if late := v.await(ctx, took/2, kind+" "+short+" done"); late != nil {
		return late
	}
	if kind == "get" || kind == "head" {
		w.mu.Lock()
		v.looked[key] = time.Now()
		w.mu.Unlock()
	}
	if w.happens(w.Faults.Unheard, kind, short, n, "unheard") {
		w.note("%s %s %s: unheard", v.name, kind, short)
		return errLost
	}
	return err
}

// storeFault returns the error of a store that is out of order.
func (w *world) storeFault(writes bool) error {
	since := time.Since(w.began) - w.Faults.Begin
	switch {
	case since < 0 || w.isCalm():
	case writes && since < w.Faults.Full:
		return fmt.Errorf("write: %w", syscall.ENOSPC)
	case writes && since < w.Faults.ReadOnly:
		return fmt.Errorf("write: %w", fs.ErrPermission)
	case since < w.Faults.Unheld:
		return errLost
	}
	return nil
}

// comeLate does what a dead process had asked for.
func (w *world) comeLate(short string, after time.Duration, effect func() error) {
	w.mu.Lock()
	w.late[short] = true
	w.mu.Unlock()
	w.background.Go(func() {
		time.Sleep(after)
		err := effect()
		w.note("late %s: %v", short, err)
		if err == nil {
			w.unlist(strings.Replace(short, "answers/", "answers/campaign="+campaign+"/", 1), nil)
		}
		folder, isAnswer := strings.CutPrefix(path.Dir(short), "answers/")
		run, ok := lake.ParseRun(folder)
		if err != nil || !isAnswer || !ok {
			return
		}
		if _, unended := w.disk.Head(context.Background(), run.MarkerKey(campaign)); unended == nil {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lateAnswers = true
		}
	})
}

func (v view) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return v.do(ctx, "put", key, func() error {
		err := v.world.disk.PutIfAbsent(context.WithoutCancel(ctx), key, shift(key, data, v.ahead()))
		if err == nil {
			v.noteLease(key, data)
		}
		return err
	})
}

func (v view) Replace(ctx context.Context, key string, data []byte, etag string) error {
	if strings.HasPrefix(key, "answers/") || strings.HasPrefix(key, "budget/") || strings.HasPrefix(key, "raw/_commits/") {
		v.world.violate("I1", "%s is written a second time", key)
	}
	return v.do(ctx, "replace", key, func() error {
		err := v.world.disk.Replace(context.WithoutCancel(ctx), key, data, etag)
		if err == nil {
			v.noteLease(key, data)
		}
		return err
	})
}

func (v view) Get(ctx context.Context, key string) (data []byte, err error) {
	err = v.do(ctx, "get", key, func() (err error) { data, err = v.world.disk.Get(ctx, key); return err })
	return shift(key, data, -v.ahead()), err
}

func (v view) Head(ctx context.Context, key string) (o store.Object, err error) {
	err = v.do(ctx, "head", key, func() (err error) { o, err = v.world.disk.Head(ctx, key); return err })
	return o, err
}

func (v view) List(ctx context.Context, prefix string) (all []store.Object, err error) {
	err = v.do(ctx, "list", prefix, func() (err error) { all, err = v.world.disk.List(ctx, prefix); return err })
	return slices.DeleteFunc(all, func(o store.Object) bool { return v.world.isUnlisted(o.Key, v.process) }), err
}

// written says who has stored an object, and until when others find it in no list.
type written struct {
	by    *process
	until time.Time
}

// isAnswer matches what is asked for by name where a list lacks it. Intents are not: late lists of them
// are known not to be borne (docs/reliability.md).
var isAnswer = regexp.MustCompile(`/\d{6}\.(?:\d+|turn)\.json$`)

// unlist keeps a new answer out of the lists of others for a while. Its writer has it in its own:
// bucket's store remembers what it wrote.
func (w *world) unlist(key string, by *process) {
	if !isAnswer.MatchString(key) || !w.happens(w.Faults.Unlisted, "unlisted", shortKey(key)) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.puts[key] = written{by, time.Now().Add(w.between(0, time.Minute, "unlisted for", shortKey(key)))}
}

func (w *world) isUnlisted(key string, by *process) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	put := w.puts[key]
	return put.by != by && time.Now().Before(put.until)
}

func (v view) Delete(ctx context.Context, key string) error {
	return v.do(ctx, "delete", key, func() error { return v.world.disk.Delete(context.WithoutCancel(ctx), key) })
}

// Free is the room on the disk: none while it is full.
func (v view) Free() (int64, error) {
	if err := v.world.storeFault(true); errors.Is(err, syscall.ENOSPC) {
		return 0, nil
	}
	return 1 << 40, nil
}

func (view) Reserve(int64) error { return nil }
func (view) Unreserve() error    { return nil }

// answerKey returns the key of the answer to a question, named as a service is told it:
// campaign/collaboration.generation/entry/ask.
func answerKey(question string) string {
	parts := strings.Split(question, "/")
	return fmt.Sprintf("answers/campaign=%s/%s/%06s.%s.json", parts[0], parts[1], parts[2], parts[3])
}
