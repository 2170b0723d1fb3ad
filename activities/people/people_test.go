package people

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// listed counts how often a store's objects are listed.
type listed struct {
	store.Store
	times atomic.Int64
}

func (l *listed) List(ctx context.Context, prefix string) ([]store.Object, error) {
	l.times.Add(1)
	return l.Store.List(ctx, prefix)
}

func asked(entry int) model.Request {
	return model.Request{Name: "text", Messages: []model.Message{{Role: "user", Content: "2 + 2?"}},
		Scene: &model.Scene{Turn: model.Turn{Campaign: "c", Collaboration: "k-i0-r0", Entry: entry}}}
}

// A question waits until somebody answers it, also through a restart. The first answer counts, byte for byte.
func TestDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &listed{Store: storetest.NewMemory(map[string]string{})}
		first, stop := context.WithCancelCause(t.Context())
		d, ended := NewDesk(s, "ann"), make(chan error)
		for _, entry := range []int{2, 1, 0} { // which no listing has them in
			go func() { ended <- d.Await(first, asked(entry)) }()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		if times := s.times.Load(); times > 11 {
			t.Errorf("answers are listed %d times in ten seconds", times)
		}
		var refused *model.Error
		if _, err := d.Complete(t.Context(), asked(1)); !errors.As(err, &refused) || refused.Class != model.Retry || refused.Code != "not_answered" || !refused.Unbilled {
			t.Errorf("before the answer: %v", err)
		}
		killed := errors.New("killed")
		stop(killed)
		for range 3 {
			if err := <-ended; !errors.Is(err, killed) {
				t.Errorf("a wait ends with its process: %v", err)
			}
		}
		d = NewDesk(s, "")
		go func() { ended <- d.Await(t.Context(), asked(1)) }()
		time.Sleep(10 * time.Second)
		open, err := Open(t.Context(), s, "c")
		if err != nil || len(open) != 3 || open[1].ID != "k-i0-r0-e1-a0" || open[1].Who != "ann" || open[1].Format != "text" || open[1].Messages[0].Content != "2 + 2?" || !open[0].AskedAt.Before(open[1].AskedAt) {
			t.Fatalf("open: %+v, %v", open, err)
		}
		for _, x := range []struct{ id, text, want string }{
			{open[1].ID, " \n", "is empty"}, {open[1].ID, strings.Repeat("4", MaxAnswer+1), "expected at most 1048576"}, {"k-i0-r0-e7-a0", "4", ErrNotAsked.Error()}, {"../c/k-i0-r0-e1-a0", "4", ErrNotAsked.Error()},
			{open[1].ID, " 4\r\n", ""}, {open[1].ID, "5", ErrAnswered.Error()}, {open[2].ID, strings.Repeat("4", MaxAnswer), ""},
		} {
			if err := Answer(t.Context(), s, "c", x.id, x.text); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
				t.Errorf("%.10q to %s: %v", x.text, x.id, err)
			}
		}
		began := time.Now()
		if err := <-ended; err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("it waits for %v after the answer: %v", time.Since(began), err)
		}
		for desk, by := range map[*Desk]string{d: "human", NewDesk(s, "ann"): "human/ann"} {
			if r, err := desk.Complete(t.Context(), asked(1)); err != nil || string(r.Text) != " 4\r\n" || r.Model != by || r.FinishReason != "stop" {
				t.Errorf("the answer to %s: %+v, %v", by, r, err)
			}
		}
		if open, err := Open(t.Context(), s, "c"); err != nil || len(open) != 1 || open[0].ID != "k-i0-r0-e2-a0" {
			t.Errorf("open in the end: %+v, %v", open, err)
		}
		if _, err := d.Complete(t.Context(), model.Request{}); !errors.Is(err, errNoTurn) || !errors.Is(d.Await(t.Context(), model.Request{}), errNoTurn) {
			t.Errorf("no turn: %v", err)
		}
	})
}

func TestIsPerson(t *testing.T) {
	for name, want := range map[string]bool{"human": true, "human/ann": true, "humane": false, "openai/human": false, "": false} {
		if IsPerson(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// What a person typed is the answer that was stored; it may be deleted, and what models answered, or
// was answered elsewhere, is nobody's.
func TestCheck(t *testing.T) {
	typed := func(model string) answers.Turn {
		return answers.Turn{Entry: 3, Asks: []answers.Answer{{ModelAsked: model, Raw: []byte("(A)")}}}
	}
	before := typed("human")
	before.Asks[0].From = "c/original.0"
	for name, c := range map[string]struct {
		turn  answers.Turn
		typed string // "" for nothing
		found string
	}{
		"as typed": {typed("human/ann"), "(A)", ""}, "another": {typed("human/ann"), "(B)", "it is not the answer"}, "cut": {typed("human"), "(", "it is not the answer"},
		"deleted": {typed("human"), "", ""}, "a model": {typed("openai/m"), "(B)", ""}, "before a fork": {before, "(B)", ""},
	} {
		s := storetest.NewMemory(map[string]string{})
		if c.typed != "" {
			s.Objects[answerKey("c", "k-i0-r0-e3-a0")] = c.typed
		}
		found, err := Check(context.Background(), s, "c", "k-i0-r0", []answers.Turn{c.turn})
		if err != nil || (c.found == "") != (len(found) == 0) || len(found) > 0 && !strings.Contains(found[0].Problem, c.found) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}
