package calls

import (
	"errors"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store/storetest"
)

// A process of a cluster that was kept waiting before a call looks once more whether another one has made
// it, and takes its own word back.
func TestAnsweredWhileItWaited(t *testing.T) {
	disk, run := storetest.NewMemory(map[string]string{}), answers.RunKey{Campaign: "c", Collaboration: "majority-00000000-i0-r0"}
	theirs := answers.Turn{Entry: 1, Asks: []answers.Answer{{Raw: []byte("4"), StartedAt: 7}}}
	if _, err := answers.NewAnswers(disk).Put(t.Context(), run, theirs); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		entry  int
		waited time.Duration
		alone  bool
		want   error
	}{
		{1, time.Minute, false, ErrAnswered},
		{2, time.Minute, false, nil},
		{1, time.Minute, true, nil},
		{1, 0, false, nil},
	} {
		caller := &Caller{answers: answers.NewAnswers(disk), alone: c.alone}
		err := caller.announce(t.Context(), Order{Run: run, Entry: c.entry}, &answers.Intent{Entry: c.entry}, nil, time.Now().Add(-c.waited))
		if !errors.Is(err, c.want) || err != nil && !isUnbilled(unmade{err}) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
