package money_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"roundtable/activities/money"
)

var errFault = errors.New("the store failed")

// call is one open call of a process.
type call struct {
	hold  *money.Hold
	worst money.Amount
	entry int // in the ledger
}

// process is one that spends for the campaign.
type process struct {
	account *money.Account
	open    []call
}

// machine drives processes through anything that can happen to them.
type machine struct {
	w    *world
	m    *memory
	caps money.Caps
	p    []*process
}

func small(t *rapid.T, label string) money.Amount {
	return amount(rapid.Int64Range(0, 60).Draw(t, label+" nano"), rapid.Int64Range(0, 60).Draw(t, label+" tokens"))
}

func drawCaps(t *rapid.T) money.Caps {
	c := caps(rapid.Int64Range(0, 300).Draw(t, "cap nano"), rapid.Int64Range(0, 300).Draw(t, "cap tokens"))
	if rapid.IntRange(0, 4).Draw(t, "no token cap") == 0 {
		c.Tokens = nil
	}
	return c
}

func (x *machine) process(t *rapid.T) *process {
	return x.p[rapid.IntRange(0, len(x.p)-1).Draw(t, "process")]
}

// start opens an account; store faults may need it to try again.
func (x *machine) start(t *rapid.T) *money.Account {
	for {
		a, err := money.Open(ctx, x.w.config(x.caps, len(x.p) == 1))
		if err == nil {
			return a
		}
		if !errors.Is(err, errFault) {
			t.Fatal(err)
		}
	}
}

func (x *machine) fits(sum money.Amount) bool {
	return sum.NanoUSD <= *x.caps.NanoUSD && (x.caps.Tokens == nil || sum.Tokens <= *x.caps.Tokens)
}

func (x *machine) reserve(t *rapid.T) {
	p, worst := x.process(t), small(t, "worst")
	h, err := x.w.reserve(p.account, worst, rapid.IntRange(0, 30).Draw(t, "patience"))
	if err != nil {
		x.refused(t, worst, err)
		return
	}
	p.open = append(p.open, call{h, worst, x.w.announce(worst)})
	if sum := x.w.sum(); !x.fits(sum) {
		t.Fatalf("%v may be billed after a reserve of %v, the cap is %v", sum, worst, x.caps)
	}
}

// refused checks that a call that was refused for good could not be made.
func (x *machine) refused(t *rapid.T, worst money.Amount, err error) {
	if !errors.Is(err, money.ErrSpent) {
		return // it waits, or the store failed
	}
	for _, p := range x.p {
		if len(p.open) > 0 {
			return
		}
	}
	if sum := x.w.sum(); x.fits(sum.Add(worst)) && x.counted() {
		t.Fatalf("%v is refused though only %v of %v is spent: %v", worst, sum, x.caps, err)
	}
}

// counted is true where the check is exact: an account that counted less than a
// minute ago uses that.
func (x *machine) counted() bool { return len(x.p) == 1 }

func (x *machine) end(t *rapid.T) {
	p := x.process(t)
	if len(p.open) == 0 {
		t.Skip("no call is open")
	}
	i := rapid.IntRange(0, len(p.open)-1).Draw(t, "call")
	x.finish(t, p, i)
}

func (x *machine) finish(t *rapid.T, p *process, i int) {
	c := p.open[i]
	p.open = append(p.open[:i], p.open[i+1:]...)
	billed := amount(rapid.Int64Range(0, c.worst.NanoUSD).Draw(t, "billed nano"), rapid.Int64Range(0, c.worst.Tokens).Draw(t, "billed tokens"))
	switch rapid.SampledFrom([]string{"settle", "settle", "release", "keep"}).Draw(t, "end") {
	case "settle":
		x.w.answer(c.entry, billed)
		c.hold.Settle(billed)
	case "release":
		x.w.answer(c.entry, money.Amount{})
		c.hold.Release()
	case "keep":
		c.hold.Keep()
	}
}

// crash drops a process. Its calls stay announced, and one more may have been
// reserved and not announced.
func (x *machine) crash(t *rapid.T) {
	p := x.process(t)
	if rapid.Bool().Draw(t, "between reserve and announcement") {
		_, _ = x.w.reserve(p.account, small(t, "lost"), 0)
	}
	*p = process{account: x.start(t)}
}

func (x *machine) restart(t *rapid.T) {
	p := x.process(t)
	for len(p.open) > 0 {
		x.finish(t, p, 0)
	}
	if err := p.account.Close(ctx); err != nil && !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	p.account = x.start(t)
}

func (x *machine) tune(t *rapid.T) {
	x.caps = drawCaps(t)
	for _, p := range x.p {
		p.account.SetCaps(x.caps)
	}
}

func (x *machine) pass(t *rapid.T) {
	x.w.pass(time.Duration(rapid.IntRange(0, 900).Draw(t, "seconds")) * time.Second)
}

// faults makes the store fail now and then, also after a put took effect.
func (x *machine) faults(t *rapid.T) {
	every := rapid.IntRange(2, 5).Draw(t, "every")
	lost := rapid.Bool().Draw(t, "after it took effect")
	n := 0
	x.m.fault = func() (before, after error) {
		if n++; n%every > 0 {
			return nil, nil
		}
		if lost {
			return nil, errFault
		}
		return errFault, nil
	}
}

func TestNoInterleavingPassesTheCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		x := &machine{w: newWorld(m), m: m, caps: drawCaps(t)}
		x.p = make([]*process, rapid.IntRange(1, 3).Draw(t, "processes"))
		for i := range x.p {
			x.p[i] = &process{account: x.start(t)}
		}
		t.Repeat(map[string]func(*rapid.T){
			"reserve": x.reserve, "reserve more": x.reserve, "reserve again": x.reserve,
			"end": x.end, "end more": x.end, "crash": x.crash, "restart": x.restart, "tune": x.tune, "pass": x.pass, "faults": x.faults,
		})
		x.spendAll(t)
	})
}

// spendAll settles everything and then uses the whole of the cap.
func (x *machine) spendAll(t *rapid.T) {
	x.m.fault = nil
	for _, p := range x.p {
		for len(p.open) > 0 {
			x.finish(t, p, 0)
		}
	}
	sum := x.w.sum()
	if !x.fits(sum) {
		return // the caps were lowered
	}
	x.w.pass(15 * time.Minute)
	left := money.Amount{NanoUSD: *x.caps.NanoUSD, Tokens: 1}.Sub(sum)
	if x.caps.Tokens != nil {
		left.Tokens = *x.caps.Tokens - sum.Tokens
	}
	left.Tokens = max(left.Tokens, 0)
	p := x.process(t)
	h, err := x.w.reserve(p.account, left, 100)
	if err != nil {
		t.Fatalf("%v is left of %v and cannot be reserved: %v", left, x.caps, err)
	}
	if _, err := x.w.reserve(p.account, amount(1, 0), 100); err == nil {
		t.Fatal("more than all is reserved")
	}
	h.Release()
}
