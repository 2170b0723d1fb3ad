package calls

import (
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
)

func order(entry int) Order {
	return Order{Run: answers.RunKey{Campaign: "c", Collaboration: "r-i0-r0"}, Entry: entry, Provider: model.Provider{Account: "a"}}
}

// What passes by itself is tried for hours, and not for ever; what needs the operator pauses at once.
func TestFaultsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault    model.Fault
		answered bool
		pauses   time.Duration // after the first failure; 0 at once
	}{
		{model.Busy, true, 6 * time.Hour},
		{model.Busy, false, 6 * time.Hour},
		{model.Down, true, 6 * time.Hour},
		{model.Down, false, 6 * time.Hour},
		{model.Broken, true, 15 * time.Minute},
		{model.Broken, false, 3 * time.Minute},
		{model.Useless, false, time.Minute},
		{model.Refused, false, time.Minute},
		{model.Denied, true, 0},
		{model.Unpaid, true, 0},
		{model.Missing, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var f faults
			if c.answered {
				f.countAnswer(order(0), 0)
			}
			began := time.Now()
			for time.Since(began) < 24*time.Hour {
				j := f.judge(order(1), 0, &model.Error{Fault: c.fault, Class: c.fault.Class(), Status: 500, Code: "x"}, 1)
				if j.suspect {
					j = f.settle(order(1), 0, &model.Error{Fault: c.fault}, &model.Error{Fault: c.fault, Class: model.Retry})
				}
				if j.class != model.Retry {
					break
				}
				time.Sleep(30 * time.Second)
			}
			if took := time.Since(began); took < c.pauses-30*time.Second || took > c.pauses+time.Minute {
				t.Errorf("%s, answered before: %v: it pauses after %v, want %v", c.fault, c.answered, took, c.pauses)
			}
		})
	}
}

// A prompt that a busy service refuses alone is found by then.
func TestBusyWithOnePrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		others int // answered between two failures
		after  time.Duration
	}{{1, time.Hour}, {3, time.Hour}, {100, 6 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			var f faults
			began := time.Now()
			for time.Since(began) < 24*time.Hour {
				for range c.others {
					f.countAnswer(order(0), 0)
				}
				if j := f.judge(order(1), 0, &model.Error{Fault: model.Busy, Class: model.Retry, Status: 429}, 1); j.class == model.Fail {
					break
				}
				time.Sleep(30 * time.Second)
			}
			if took := time.Since(began); took < c.after-time.Minute || took > c.after+time.Minute {
				t.Errorf("%d others are answered each time: it fails after %v, want %v", c.others, took, c.after)
			}
		})
	}
}

// A refusal in words of no promise fails its prompt at the third, unless prompts that were refused so have been
// answered since: then at the sixth, as what a parser's chance is.
func TestRefusalThatWasChance(t *testing.T) {
	t.Parallel()
	for chance, want := range map[bool]int{false: 3, true: 6} {
		var f faults
		refuse := func(entry int) judgement {
			return f.judge(order(entry), 0, &model.Error{Fault: model.Refused, Class: model.Fail, Status: 400, Code: "x"}, 1)
		}
		f.countAnswer(order(0), 0)
		if chance {
			refuse(2)
			f.countAnswer(order(2), 0)
		}
		n := 1
		for ; refuse(1).class == model.Retry; n++ {
			f.countAnswer(order(0), 0)
		}
		if n != want {
			t.Errorf("chance before: %v: it fails at refusal %d, want %d", chance, n, want)
		}
	}
}

// Rejections come sooner than answers: those of a first wave say nothing of the parameters yet.
func TestRejectedBeforeTheOthersAnswer(t *testing.T) {
	t.Parallel()
	for underWay, want := range map[int]int{0: 5, 1: 5, 15: 19} {
		var f faults
		n := 1
		for !f.judge(order(n), 0, &model.Error{Fault: model.Rejected, Class: model.Fail, Status: 400}, underWay).suspect {
			n++
		}
		if n != want {
			t.Errorf("%d under way: suspect at rejection %d, want %d", underWay, n, want)
		}
	}
}

// A service that refuses nearly every call now and then blames no prompt for it.
func TestChanceBlamesNoPrompt(t *testing.T) {
	t.Parallel()
	var f faults
	for range 100 {
		f.countAnswer(order(0), 0)
		if j := f.judge(order(1), 0, &model.Error{Fault: model.Busy, Class: model.Retry, Status: 429}, 1); j.class != model.Retry || j.suspect {
			t.Fatalf("a busy service: %+v", j)
		}
	}
	f.countAnswer(order(1), 0)
	for n := range 5 { // the prompt is answered in between
		if j := f.judge(order(1), 0, &model.Error{Fault: model.Broken, Class: model.Retry, Status: 500}, 1); j.class != model.Retry || j.suspect {
			t.Fatalf("failure %d: %+v", n, j)
		}
	}
	f.countAnswer(order(1), 0)
	if j := f.judge(order(1), 0, &model.Error{Fault: model.Broken, Class: model.Retry, Status: 500}, 1); j.suspect || j.class != model.Retry {
		t.Errorf("a failure after an answer: %+v", j)
	}
}
