package answers_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// Damaged objects are errors that name them, never missing ones; only an entry
// of the cache, which nobody has to have, counts as missing.
func TestCorruptAnswers(t *testing.T) {
	a, _, dir := open(t)
	_, err := a.Intend(ctx, place, answers.Intent{Entry: 1})
	must(t, err)
	_, err = a.Put(ctx, place, done(turn(1, "x"), "x"))
	must(t, err)
	_, err = a.Put(ctx, place, turn(2, "x"))
	must(t, err)
	_, err = a.Put(ctx, place, done(turn(2, "x"), "x"))
	must(t, err)
	_, err = a.PutBatch(ctx, place, []answers.Turn{done(turn(5, "y"), "y")})
	must(t, err)
	must(t, a.PutCached(ctx, strings.Repeat("ab", 32), answer(0, "z")))
	files, err := filepath.Glob(filepath.Join(dir, "answers", "*", "*", "*.json"))
	must(t, err)
	cache, err := filepath.Glob(filepath.Join(dir, "cache", "*", "*.json"))
	must(t, err)
	if len(files) != 5 || len(cache) != 1 {
		t.Fatal(files, cache)
	}
	damages := map[string]func([]byte) []byte{
		"empty":      func([]byte) []byte { return nil },
		"torn":       func(b []byte) []byte { return b[:len(b)/2] },
		"trailing":   func(b []byte) []byte { return append(b, ' ') },
		"other case": func(b []byte) []byte { return bytes.Replace(b, []byte("version"), []byte("Version"), 1) },
		"later": func(b []byte) []byte {
			return bytes.Replace(b, []byte(`"version":1`), []byte(`"version":2`), 1)
		},
		"bit": func(b []byte) []byte { b[len(b)*2/3] ^= 4; return b },
	}
	for what, damage := range damages {
		for _, f := range append(files, cache...) {
			good, err := os.ReadFile(f)
			must(t, err)
			must(t, os.WriteFile(f, damage(bytes.Clone(good)), 0o600))
			key, _ := filepath.Rel(dir, f)
			if strings.HasPrefix(key, "cache") {
				if _, ok, err := a.Cached(ctx, strings.Repeat("ab", 32)); ok || err != nil {
					t.Errorf("%s %s: found %v, error %v; a damaged entry is not an entry", what, key, ok, err)
				}
			} else if _, err = a.Load(ctx, place); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), filepath.ToSlash(key)) {
				t.Errorf("%s %s: got error %v", what, key, err)
			}
			must(t, os.WriteFile(f, good, 0o600))
		}
	}
	if _, err := a.Load(ctx, place); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(files[0], nil, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "answers", "campaign=voting", "abc123.0", "stranger"), nil, 0o600))
	s, err := a.Load(ctx, place)
	if err == nil || strings.Count(err.Error(), "corrupt") != 1 || // the stranger is passed over
		len(s.Turns) == 0 {
		t.Fatalf("all faults at once, and what is whole: %v, %d turns", err, len(s.Turns))
	}
}

// An object under another object's name is not believed.
func TestMisplacedAnswer(t *testing.T) {
	a, s, _ := open(t)
	_, err := a.Put(ctx, place, done(turn(1, "x"), "x"))
	must(t, err)
	data, err := s.Get(ctx, "answers/campaign=voting/abc123.0/000001.0.json")
	must(t, err)
	must(t, s.PutIfAbsent(ctx, "answers/campaign=voting/abc123.0/000002.0.json", data))
	if _, err := a.Turn(ctx, place, 2); !errors.Is(err, store.ErrCorrupt) {
		t.Fatal(err)
	}
}

func TestBadPlaces(t *testing.T) {
	a, s, _ := open(t)
	for _, p := range []answers.RunKey{{}, {Campaign: "a/b", Collaboration: "c"}, {Campaign: "a", Collaboration: "../c"}, {Campaign: "a", Collaboration: "c", Generation: -1}} {
		if _, err := a.Put(ctx, p, done(turn(0, "x"), "x")); err == nil {
			t.Errorf("%+v is accepted", p)
		}
		if _, err := a.Load(ctx, p); err == nil {
			t.Errorf("%+v is loaded", p)
		}
	}
	if _, err := a.Put(ctx, place, answers.Turn{}); err == nil {
		t.Error("a turn without an answer is stored")
	}
	if _, err := a.Put(ctx, place, answers.Turn{Asks: []answers.Answer{answer(1, "x")}}); err == nil {
		t.Error("ask 1 is stored as ask 0")
	}
	if objects, err := s.List(ctx, ""); err != nil || len(objects) > 0 {
		t.Error(objects, err)
	}
}

// unread is a store that fails to read some objects for a while.
type unread struct {
	store.Store
	suffix string
}

func (u unread) Get(ctx context.Context, key string) ([]byte, error) {
	if strings.HasSuffix(key, u.suffix) {
		return nil, errors.New("the connection was lost")
	}
	return u.Store.Get(ctx, key)
}

// An object that could not be read makes nothing else corrupt: the collaboration would
// end as failed, and only the connection had.
func TestUnreadAnswers(t *testing.T) {
	a, s, _ := open(t)
	_, err := a.Intend(ctx, place, answers.Intent{Entry: 1})
	must(t, err)
	_, err = a.Put(ctx, place, turn(1, "x"))
	must(t, err)
	_, err = a.Put(ctx, place, turn(1, "x", "y"))
	must(t, err)
	_, err = a.Put(ctx, place, done(turn(1, "x", "y"), "y"))
	must(t, err)
	for _, suffix := range []string{"000001.0.intent-0.json", "000001.0.json", "000001.1.json", "000001.turn.json"} {
		s, err := answers.NewAnswers(unread{s, suffix}).Load(ctx, place)
		if err == nil || errors.Is(err, store.ErrCorrupt) || len(s.Turns) > 0 {
			t.Errorf("%s cannot be read: error %v, %d turns", suffix, err, len(s.Turns))
		}
	}
}

// An entry of the cache that holds another question's answer, whole and under its own key, is
// none: copied by hand, or by a tool that confused two names.
func TestCacheEntryOfAnotherKey(t *testing.T) {
	memory := storetest.NewMemory(map[string]string{})
	a, one, other := answers.NewAnswers(memory), strings.Repeat("ab", 32), strings.Repeat("cd", 32)
	must(t, a.PutCached(ctx, one, answer(0, "z")))
	sealed, err := memory.Get(ctx, "cache/ab/"+one+".json")
	must(t, err)
	must(t, memory.PutIfAbsent(ctx, "cache/cd/"+other+".json", sealed))
	if got, ok, err := a.Cached(ctx, other); ok || err != nil {
		t.Errorf("taken for its answer: %+v, %v", got, err)
	}
	if _, ok, err := a.Cached(ctx, one); !ok || err != nil {
		t.Errorf("the entry itself: %v, %v", ok, err)
	}
}
