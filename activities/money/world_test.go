package money_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/money"
	"roundtable/analysis/lake/store"
)

var ctx = context.Background()

// memory is a store in memory. puts counts what was written; fault may make a
// put fail, before or after it took effect.
type memory struct {
	mu      sync.Mutex
	objects map[string][]byte
	puts    int
	fault   func() (before, after error)
}

func newMemory() *memory { return &memory{objects: map[string][]byte{}} }

func (m *memory) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	var before, after error
	if m.fault != nil {
		before, after = m.fault()
	}
	if before != nil {
		return before
	}
	if _, ok := m.objects[key]; ok {
		return fmt.Errorf("%s: %w", key, store.ErrExists)
	}
	m.objects[key] = slices.Clone(data)
	m.puts++
	return after
}

func (m *memory) Get(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.objects[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return slices.Clone(data), nil
}

func (m *memory) List(_ context.Context, prefix string) ([]store.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []store.Object
	for key, data := range m.objects {
		if strings.HasPrefix(key, prefix) {
			all = append(all, store.Object{Key: key, Size: int64(len(data))})
		}
	}
	slices.SortFunc(all, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

func (m *memory) Replace(context.Context, string, []byte, string) error {
	return errors.New("a budget log replaces nothing")
}

func (m *memory) Head(context.Context, string) (store.Object, error) {
	return store.Object{}, errors.New("a budget log needs no Head")
}

func (m *memory) Delete(context.Context, string) error {
	return errors.New("a budget log deletes nothing")
}

// world is a campaign with its ledger and a clock that moves when a caller waits.
type world struct {
	mu      sync.Mutex
	store   store.Store
	now     time.Time
	ledger  map[int]money.Amount // what each call is counted at
	calls   int
	counts  int
	waits   int
	cancel  context.CancelFunc // of the reserve that waits, after patience waits
	patient int
}

func newWorld(store store.Store) *world {
	return &world{store: store, now: time.Unix(1_800_000_000, 0), ledger: map[int]money.Amount{}}
}

func (w *world) config(caps money.Caps, exclusive bool) money.Config {
	return money.Config{Store: w.store, Campaign: "c", Caps: caps, Count: w.count, Exclusive: exclusive, Now: w.clock, Wait: w.wait}
}

func (w *world) open(t testing.TB, caps money.Caps, exclusive bool) *money.Account {
	t.Helper()
	a, err := money.Open(ctx, w.config(caps, exclusive))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) wait(d time.Duration) <-chan time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits++
	w.now = w.now.Add(30 * time.Second)
	if w.patient--; w.patient < 0 && w.cancel != nil {
		w.cancel()
		return nil
	}
	fired := make(chan time.Time, 1)
	fired <- w.now
	return fired
}

func (w *world) count(context.Context) (money.Amount, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts++
	return w.total(), nil
}

func (w *world) total() money.Amount {
	var sum money.Amount
	for _, a := range w.ledger {
		sum = sum.Add(a)
	}
	return sum
}

func (w *world) sum() money.Amount {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total()
}

// announce enters an intent, answer what it came to; a call that was not billed leaves nothing.
func (w *world) announce(worst money.Amount) (call int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	w.ledger[w.calls] = worst
	return w.calls
}

func (w *world) answer(call int, billed money.Amount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger[call] = billed
}

// reserve gives up after some waits.
func (w *world) reserve(a *money.Account, worst money.Amount, patience int) (*money.Hold, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	w.cancel, w.patient = cancel, patience
	w.mu.Unlock()
	return a.Reserve(ctx, worst)
}

func amount(nano, tokens int64) money.Amount { return money.Amount{NanoUSD: nano, Tokens: tokens} }

func caps(nano, tokens int64) money.Caps { return money.Caps{NanoUSD: &nano, Tokens: &tokens} }

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

func (w *world) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waits
}
