package calls

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// slow takes more than a second to write, as the clock says.
type slow struct{ store.Store }

func (s slow) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	time.Sleep(1100 * time.Millisecond)
	return s.Store.PutIfAbsent(ctx, key, data)
}

// A process of a cluster that was kept waiting by its store looks once more whether another one has made the
// call, or is making it.
func TestAnnouncedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk, run := storetest.NewMemory(map[string]string{}), answers.RunKey{Campaign: "c", Collaboration: "majority-00000000-i0-r0"}
		theirs := answers.NewAnswers(disk)
		if _, err := theirs.Put(t.Context(), run, answers.Turn{Entry: 1, Asks: []answers.Answer{{Raw: []byte("4"), StartedAt: 7}}}); err != nil {
			t.Fatal(err)
		}
		for entry, in := range map[int]time.Duration{3: time.Hour, 4: -time.Hour} { // they ask
			if _, err := theirs.Intend(t.Context(), run, answers.Intent{Entry: entry, StartedAt: time.Now().Add(in).UnixMicro()}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			entry int
			store store.Store
			alone bool
			want  error
		}{
			{1, slow{disk}, false, ErrAnswered},
			{2, slow{disk}, false, nil},
			{3, slow{disk}, false, errElsewhere},
			{4, slow{disk}, false, nil}, // who asked died
			{1, slow{disk}, true, nil},
			{1, disk, false, nil},
		} {
			caller := &Caller{answers: answers.NewAnswers(c.store), alone: c.alone}
			began := time.Now()
			err := caller.announce(t.Context(), Order{Run: run, Entry: c.entry}, &answers.Intent{Entry: c.entry}, nil)
			if !errors.Is(err, c.want) {
				t.Errorf("%+v after %v: %v", c, time.Since(began), err)
			}
		}
	})
}
