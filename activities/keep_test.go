package activities_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities"
	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
)

// outOfOrder is a lake that takes nothing until a time.
type outOfOrder struct {
	store.Store
	until time.Time
}

func (s outOfOrder) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	if time.Now().Before(s.until) {
		return errors.New("503")
	}
	return s.Store.PutIfAbsent(ctx, key, data)
}

// An answer that is paid for outlives a minute in which the store takes nothing.
func TestPaidAnswerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	synctest.Test(t, func(t *testing.T) {
		a := activities.New(activities.Config{Store: outOfOrder{s, time.Now().Add(time.Minute)}})
		place := answers.RunKey{Campaign: "c", Collaboration: "x"}
		_, err := a.Keep(t.Context(), place, answers.Turn{Asks: []answers.Answer{{Raw: []byte("paid")}}})
		noError(t, err)
	})
}
