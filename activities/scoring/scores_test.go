package scoring

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/programs"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/envs"
)

// TestMain plays the program that scores when it is told how.
func TestMain(m *testing.M) {
	behave, ok := os.LookupEnv("SCORES_TEST_BEHAVE")
	if !ok {
		os.Exit(m.Run())
	}
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	if count := os.Getenv("SCORES_TEST_COUNT"); count != "" {
		f, err := os.OpenFile(count, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			os.Exit(9)
		}
		_, _ = f.WriteString("x")
		_ = f.Close()
	}
	switch behave {
	case "echo":
		fmt.Printf("a line before\n{\"score\": 0.25, \"why\": %q}\n", strings.TrimSpace(line))
	case "crash":
		fmt.Fprintln(os.Stderr, "no such rubric")
		os.Exit(3)
	case "sleep":
		time.Sleep(10 * time.Second)
	case "flood":
		fmt.Print(strings.Repeat("x", 3<<20))
	default:
		fmt.Println(behave)
	}
}

func scorer(t *testing.T, behave string) (*Scores, *envs.ScoreRequest, func() int) {
	t.Helper()
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv(programs.TrustEnv, "*")
	t.Setenv(programs.PassEnv, "SCORES_TEST_BEHAVE,SCORES_TEST_COUNT")
	t.Setenv("SCORES_TEST_BEHAVE", behave)
	t.Setenv("SCORES_TEST_COUNT", count)
	r := &envs.ScoreRequest{Command: []string{os.Args[0]}, Timeout: 5 * time.Second, Input: []byte(`{"answer":"(A)"}`), About: `question q1 (q.csv, line 2), the answer "(A)"`}
	s := NewScores(store)
	s.pause = time.Millisecond
	return s, r, func() int {
		data, err := os.ReadFile(count)
		if err != nil {
			return 0
		}
		return len(data)
	}
}

// A result is stored, and the program runs once however many ask, also after a restart.
func TestOnce(t *testing.T) {
	s, r, ran := scorer(t, "echo")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if score, err := s.Score(t.Context(), "c", t.TempDir(), r); err != nil || *score != 0.25 {
				t.Errorf("score %v, error %v", score, err)
			}
		})
	}
	all.Wait()
	if score, err := NewScores(s.store).Score(t.Context(), "c", "", r); err != nil || *score != 0.25 {
		t.Errorf("after a restart: %v, error %v", score, err)
	}
	if n := ran(); n != 1 {
		t.Errorf("the program ran %d times", n)
	}
	if kept, err := readResult(t.Context(), s.store, "c", keyOf("c", r.Command, r.Input)); err != nil || kept.Why != `{"answer":"(A)"}` || string(kept.Request) != string(r.Input) {
		t.Errorf("stored is %+v, error %v", kept, err)
	}
	other := *r
	other.Input = []byte(`{"answer":"(B)"}`)
	if _, err := s.Score(t.Context(), "c", "", &other); err != nil || ran() != 2 {
		t.Errorf("another answer: %d runs, error %v", ran(), err)
	}
}

// Scores of programs are read back by question. One that is not as it was written, or has the name of
// another, is found, and is not used.
func TestReadScored(t *testing.T) {
	s := storetest.NewMemory(map[string]string{})
	put := func(of, as string, score float64) string {
		key := keyOf("c", []string{"score"}, json.RawMessage(as))
		data, err := lake.Seal(key, Result{Command: []string{"score"}, Request: json.RawMessage(of), Score: score})
		if err != nil {
			t.Fatal(err)
		}
		s.Objects[key] = string(data)
		return key
	}
	put(`{"id":"q1"}`, `{"id":"q1"}`, 0.5)
	swapped := put(`{"id":"q1"}`, `{"id":"q2"}`, 1)
	changed := put(`{"id":"q3"}`, `{"id":"q3"}`, 1)
	s.Objects[changed] = strings.Replace(s.Objects[changed], `"score":1`, `"score":0`, 1)
	all, found, err := ReadScored(t.Context(), s, "c")
	if err != nil || len(found) != 2 || len(all) != 1 || !slices.Equal(all[ScoredCase{Question: "q1"}], []float64{0.5}) {
		t.Errorf("%v, %v, %v", all, found, err)
	}
	for _, key := range []string{swapped, changed} {
		if _, err := readResult(t.Context(), s, "c", key); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s is used: %v", key, err)
		}
	}
}

// A score is of one answer, in whatever form a row and a program have it.
func TestComparable(t *testing.T) {
	for _, x := range []struct {
		row  string
		asks any
	}{{"(A)", "A"}, {"(A)(C)", []any{"A", "C"}}, {"2.50", 2.5}, {"1000000000000000000000000", 1e24}, {"f(x) = 2", "f(x) = 2"}, {"yes", "yes"}} {
		if row, asked := Comparable(x.row), Comparable(x.asks); row != asked {
			t.Errorf("%q of the row %q, %q of the program's %v", row, x.row, asked, x.asks)
		}
	}
	if Comparable("(A)") == Comparable("(B)") || Comparable("(A)(C)") == Comparable("(A)(B)") {
		t.Error("different answers are one")
	}
}

// What is wrong is said with the question's place and what is accepted, after three tries; it is not stored.
func TestUnusable(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while under the race detector, which has nothing to see in it")
	}
	for _, x := range []struct{ behave, want string }{
		{"crash", "exit status 3: no such rubric (3 tries)"},
		{"", "it wrote nothing (3 tries)"},
		{"flood", `it wrote "xxx`},
		{`{"score": 2}`, "its score is 2 (3 tries)"},
		{`{"score": "1"}`, `it wrote "{`},
		{`{"why": "x"}`, `it wrote "{`},
		{`0.5`, `it wrote "0.5"`},
	} {
		s, r, ran := scorer(t, x.behave)
		_, err := s.Score(t.Context(), "c", "", r)
		for _, want := range []string{x.want, `question q1 (q.csv, line 2), the answer "(A)"`, `expected one line {"score": 0.5, "why": "…"} with a score from 0 to 1`} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", x.behave, err, want)
			}
		}
		if _, err := readResult(t.Context(), s.store, "c", keyOf("c", r.Command, r.Input)); err == nil || ran() != tries {
			t.Errorf("%s: stored, or %d tries", x.behave, ran())
		}
	}
}

func TestTimeout(t *testing.T) {
	s, r, _ := scorer(t, "sleep")
	r.Timeout = 200 * time.Millisecond
	if _, err := s.Score(t.Context(), "c", "", r); err == nil || !strings.Contains(err.Error(), "no answer after 200ms") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r.Timeout = time.Minute
	if _, err := s.Score(ctx, "c", "", r); err == nil || strings.Contains(err.Error(), "tries") {
		t.Errorf("an interruption is not a judgement: %v", err)
	}
}

func TestMissingProgram(t *testing.T) {
	s, r, _ := scorer(t, "echo")
	for _, name := range []string{"./not-there", "not-there-either-4711"} {
		r.Command = []string{name}
		if _, err := s.Score(t.Context(), "c", t.TempDir(), r); err == nil || !strings.Contains(err.Error(), "the program cannot be started") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A command runs only if you trust it.
func TestTrusted(t *testing.T) {
	s, r, ran := scorer(t, "echo")
	r.Command = append(r.Command, "-x")
	t.Setenv(programs.TrustEnv, strings.Join(r.Command, " "))
	if _, err := s.Score(t.Context(), "c", "", r); err == nil || !strings.Contains(err.Error(), "if you trust it as it is now: export ROUNDTABLE_PROGRAMS='") || ran() != 0 {
		t.Errorf("it ran %d times: %v", ran(), err)
	}
}

// Whatever a program writes, it gives a score from 0 to 1 or an error.
func FuzzParseScore(f *testing.F) {
	for _, s := range []string{"{\"score\":0.5,\"why\":\"x\"}\n", "log\n{\"score\":1}", "{\"score\":1e400}", "[]", "", "{\"score\":null}", "\xff{\"score\":0}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		score, why, err := parseScore(out)
		if err == nil && !(score >= 0 && score <= 1) || err != nil && len(err.Error()) > 2000 || len(why) > 20_000 {
			t.Errorf("%q: score %v, %d bytes why, error %v", out, score, len(why), err)
		}
	})
}
