package money_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"roundtable/activities/money"
)

func TestLogIsNumberedAndSealed(t *testing.T) {
	m := newMemory()
	w := newWorld(m)
	a := w.open(t, caps(320, 320), false)
	h := reserve(t, w, a, 10)
	h.Settle(amount(4, 3))
	must(t, a.Close(ctx))
	var kinds []string
	for number, kind := range []string{"recount", "grant", "settle"} {
		data := string(m.objects["budget/campaign=c/0000000"+string(rune('1'+number))+".json"])
		if !strings.HasPrefix(data, `{"version":1,"key":"budget/campaign=c/0000000`) || !strings.Contains(data, `"kind":"`+kind+`"`) {
			t.Errorf("object %d is %q, want a sealed %s", number+1, data, kind)
		}
		kinds = append(kinds, kind)
	}
	if len(m.objects) != len(kinds) {
		t.Errorf("%d objects, want one for each of %q", len(m.objects), kinds)
	}
	if b := w.open(t, caps(320, 320), false); b.Standing().Spent != amount(4, 3) {
		t.Errorf("read again: %+v", b.Standing())
	}
}

// A reader that was not there when a grant was written takes it for over once the slowest clock says so.
func TestLogIsReadByTheSlowestClock(t *testing.T) {
	m := newMemory()
	w := newWorld(m)
	reserve(t, w, w.open(t, caps(320, 320), false), 10)
	l, err := money.ReadLog(ctx, m, "c")
	if want := w.now.Add(10*time.Minute + time.Hour); err != nil || !l.Until.Equal(want) {
		t.Errorf("%v, want %v: %v", l.Until, want, err)
	}
}

func TestGapInTheLogIsRefused(t *testing.T) {
	m := newMemory()
	w := newWorld(m)
	a := w.open(t, caps(320, 320), false)
	reserve(t, w, a, 10).Release()
	must(t, a.Close(ctx))
	delete(m.objects, "budget/campaign=c/00000002.json")
	if _, err := money.Open(ctx, w.config(caps(320, 320), false)); err == nil || !strings.Contains(err.Error(), "00000002.json") {
		t.Errorf("%v, want the missing entry named", err)
	}
}

func TestRefusals(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, money.Caps{}, true)
	for _, bad := range []money.Amount{amount(-1, 0), amount(0, -1), amount(1<<62, 0)} {
		if _, err := a.Reserve(ctx, bad); err == nil {
			t.Errorf("%v can be reserved", bad)
		}
	}
	if _, err := money.Open(ctx, money.Config{}); err == nil {
		t.Error("an account of nothing opens")
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := a.Reserve(dead, amount(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("reserve with a dead context: %v", err)
	}
	c := w.config(money.Caps{}, true)
	c.Count = func(context.Context) (money.Amount, error) { return money.Amount{}, errors.New("ledger is gone") }
	if _, err := money.Open(ctx, c); err == nil || !strings.Contains(err.Error(), "campaign c: counting the ledger: ledger is gone") {
		t.Errorf("%v", err)
	}
}

func TestCorruptLogIsRefused(t *testing.T) {
	m := newMemory()
	w := newWorld(m)
	a := w.open(t, caps(100, 100), false)
	reserve(t, w, a, 10)
	for key, data := range m.objects {
		for _, bad := range [][]byte{nil, []byte("{}"), data[:len(data)/2], []byte(strings.Replace(string(data), `"nano_usd":`, `"nano_usd":1`, 1))} {
			m.objects[key] = bad
			if _, err := money.Open(ctx, w.config(caps(100, 100), false)); err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("%s with %.40q: %v", key, bad, err)
			}
		}
		m.objects[key] = data
	}
	foreign := newMemory()
	foreign.objects["budget/campaign=c/00000000.json"] = nil
	if _, err := money.Open(ctx, newWorld(foreign).config(caps(100, 100), false)); err == nil || !strings.Contains(err.Error(), "00000000.json: no object of a budget log") {
		t.Errorf("a foreign object: %v", err)
	}
}
