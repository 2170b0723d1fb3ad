package programs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"

	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"roundtable/activities/failure"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
	"roundtable/envs/program/programtest"
)

// TestMain plays the program when it is told how.
func TestMain(m *testing.M) {
	behave, ok := os.LookupEnv("PROGRAMS_TEST_BEHAVE")
	if !ok {
		os.Exit(m.Run())
	}
	note(os.Getenv("PROGRAMS_TEST_COUNT"), "s")
	for lines, asked := bufio.NewReader(os.Stdin), 1; ; asked++ {
		line, err := lines.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		note(os.Getenv("PROGRAMS_TEST_COUNT"), "q")
		var q struct {
			N    int    `json:"n"`
			Seed string `json:"seed"`
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			os.Exit(9)
		}
		play(behave, line, q.N, asked)
	}
}

func play(behave, line string, n, asked int) {
	say := func(text string) { fmt.Println(strings.ReplaceAll(text, "N", fmt.Sprint(n))) }
	switch behave {
	case "well":
		answer := programtest.Answer([]byte(line))
		answer["n"] = n
		data, _ := json.Marshal(answer)
		fmt.Println(string(data))
	case "changed": // of another version
		say(`{"n":N,"version":2,"measure":"share","instances":0,"policies":["neighbour"]}`)
	case "crash":
		fmt.Fprintln(os.Stderr, "no such village")
		os.Exit(3)
	case "leave":
		os.Exit(0)
	case "sleep":
		time.Sleep(20 * time.Second)
	case "flood":
		fmt.Print(strings.Repeat("x", 3*mostLine))
	case "count":
		say(fmt.Sprintf(`{"n":N,"asked":%d}`, asked))
	case "clock":
		say(fmt.Sprintf(`{"n":N,"now":%d}`, time.Now().UnixNano()))
	default:
		say(behave)
	}
}

func note(file, what string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(9)
	}
	_, _ = f.WriteString(what)
	_ = f.Close()
}

// world is a lake with a program that behaves in some way.
type world struct {
	*Programs
	count string
}

func newWorld(t *testing.T, behave string) *world {
	t.Helper()
	store, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{New(store), filepath.Join(t.TempDir(), "count")}
	w.pause = time.Millisecond
	t.Cleanup(w.Close)
	t.Setenv(TrustEnv, "*")
	t.Setenv(PassEnv, "PROGRAMS_TEST_COUNT,PROGRAMS_TEST_BEHAVE")
	t.Setenv("PROGRAMS_TEST_COUNT", w.count)
	t.Setenv("PROGRAMS_TEST_BEHAVE", behave)
	return w
}

// noted returns how many processes were started and how many questions they got.
func (w *world) noted() (started, asked int) {
	data, _ := os.ReadFile(w.count)
	return strings.Count(string(data), "s"), strings.Count(string(data), "q")
}

func question(text string) program.Question {
	return program.Question{
		Command: []string{os.Args[0]}, Timeout: 10 * time.Second, Input: json.RawMessage(text), About: "the time of day", Fact: true,
		Check: func(json.RawMessage) error { return nil },
	}
}

const describe = `{"ask":"describe","params":{}}`

// One process answers question after question; each answer is recorded, and is there
// when the program no longer is.
func TestRecording(t *testing.T) {
	w := newWorld(t, "well")
	q := question(describe)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if answer, err := w.Recording(Of{Campaign: "c"}).Ask(q); err != nil || !strings.Contains(string(answer), `"version":1`) || strings.Contains(string(answer), `"n"`) {
				t.Errorf("%s, %v", answer, err)
			}
		})
	}
	all.Wait()
	instance := question(`{"ask":"instance","index":0,"params":{},"seed":"1"}`)
	dealt, err := w.Recording(Of{Campaign: "c"}).Ask(instance)
	if started, asked := w.noted(); err != nil || started != 1 || asked != 2 {
		t.Errorf("%d processes, %d questions: %v", started, asked, err)
	}
	t.Setenv("PROGRAMS_TEST_BEHAVE", "crash")
	t.Setenv(TrustEnv, "")
	later := New(w.store)
	for name, a := range map[string]program.Asker{
		"read": later.Recorded(Of{Campaign: "c"}), "planned": later.Checking(Of{Campaign: "c"}),
		"replayed": later.Recorded(Of{Campaign: "other", Replayed: []string{"c"}}), "run as a replay": later.Recording(Of{Campaign: "third", Replayed: []string{"c"}}),
	} {
		if again, err := a.Ask(instance); err != nil || string(again) != string(dealt) {
			t.Errorf("%s: %s, %v", name, again, err)
		}
	}
	if again, err := later.Recorded(Of{Campaign: "third"}).Ask(instance); err != nil || string(again) != string(dealt) {
		t.Errorf("a replay has its own copy: %s, %v", again, err)
	}
	_, err = later.Recorded(Of{Campaign: "d"}).Ask(q)
	if err == nil || !strings.Contains(err.Error(), "asked for the time of day: its answer is not recorded") {
		t.Errorf("got %v", err)
	}
	if n, problems, err := Check(t.Context(), w.store, "c"); n != 2 || len(problems) > 0 || err != nil {
		t.Errorf("%d recorded, %v, %v", n, problems, err)
	}
}

// Whatever a program does wrong has its word, after three tries, and is not recorded.
func TestUnusable(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while under the race detector, which has nothing to see in it")
	}
	for _, x := range []struct{ behave, want string }{
		{"crash", "it ended without an answer (exit status 3): no such village (3 tries)"},
		{"leave", "it ended without an answer (exit status 0) (3 tries)"},
		{"flood", "its answer has more than 4194304 bytes"},
		{"hello", `it wrote "hello": it is not one JSON value`},
		{"[1]", "it is not a JSON object"},
		{`{"n":N,"score":NaN}`, "it is not one JSON value"},
		{`{"n":N,"score":1e999}`, "is out of range"},
		{`{"n":N,"a":1,"a":2}`, `the key "a" is there twice`},
		{`{"n":0}`, `which does not answer question 1: each answer is one line with the "n" of its question`},
		{`{"a":1}`, `each answer is one line with the "n" of its question`},
		{"{\"n\":N,\"a\":\"\xff\"}", "it is not valid UTF-8"},
		{`{"n":N,"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "nested more than 32 deep"},
	} {
		w := newWorld(t, x.behave)
		_, err := w.Recording(Of{Campaign: "c"}).Ask(question(describe))
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.Contains(err.Error(), "(3 tries)") || !errors.As(err, new(failure.Unusable)) {
			t.Errorf("%.30s: %v, want %s", x.behave, err, x.want)
		}
		if n, _, err := Check(t.Context(), w.store, "c"); n != 0 || err != nil {
			t.Errorf("%.30s is recorded (%v)", x.behave, err)
		}
		if started, asked := w.noted(); started != tries || asked != tries {
			t.Errorf("%.30s: %d processes, %d questions", x.behave, started, asked)
		}
	}
}

// Two lines to one question are noticed at the next question.
func TestTwoLines(t *testing.T) {
	w := newWorld(t, "{\"n\":N}\n{\"n\":N,\"x\":1}")
	a := w.Recording(Of{Campaign: "c"})
	if _, err := a.Ask(question(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if answer, err := a.Ask(question(`{"a":2}`)); err != nil || string(answer) != "{}" { // a new process
		t.Errorf("%s, %v", answer, err)
	}
	if started, _ := w.noted(); started != 2 {
		t.Errorf("%d processes", started)
	}
}

func TestTimeout(t *testing.T) {
	w := newWorld(t, "sleep")
	q := question(describe)
	q.Timeout = 100 * time.Millisecond
	if _, err := w.Recording(Of{}).Ask(q); err == nil || !strings.Contains(err.Error(), "no answer after 100ms (3 tries)") {
		t.Errorf("got %v", err)
	}
}

// A program that does not end in time is killed with what it has started.
func TestChildrenAreKilled(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no /bin/sh")
	}
	mark := filepath.Join(t.TempDir(), "mark")
	began := time.Now()
	_, err := Run(t.Context(), t.TempDir(), []string{"/bin/sh", "-c", "(sleep 2; echo x > " + mark + ") & wait"}, 200*time.Millisecond, nil)
	if err == nil || !strings.Contains(err.Error(), "no answer after 200ms") || time.Since(began) > 1900*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	time.Sleep(2500*time.Millisecond - time.Since(began))
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child went on")
	}
}

// A program whose answers depend on more than their questions is found out.
func TestDeterminism(t *testing.T) {
	for behave, differs := range map[string]bool{"well": false, "clock": true} {
		w := newWorld(t, behave)
		_, err := w.Checking(Of{Campaign: "c"}).Ask(question(describe))
		if (err != nil) != differs || differs && !strings.Contains(err.Error(), "it answers the same question differently in another process") {
			t.Errorf("%s: %v", behave, err)
		}
	}
	w := newWorld(t, "count")
	a := w.Checking(Of{Campaign: "c"})
	if _, err := a.Ask(question(`{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Ask(question(`{"a":2}`)); err == nil {
		t.Error("a program that counts its questions passes")
	}
	if n, _, _ := Check(t.Context(), w.store, "c"); n != 0 {
		t.Errorf("%d answers are recorded by a check", n)
	}
}

// A program that says something else of itself than when the campaign began is not
// asked anything new.
func TestChangedProgram(t *testing.T) {
	w := newWorld(t, "well")
	q := question(describe)
	q.Identity = true
	if _, err := w.Recording(Of{Campaign: "c"}).Ask(q); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROGRAMS_TEST_BEHAVE", "changed")
	a := New(w.store).Recording(Of{Campaign: "c"})
	if _, err := a.Ask(q); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := a.Ask(question(`{"ask":"new"}`)); !errors.As(err, new(failure.NeedsOperator)) || !strings.Contains(err.Error(), "it has changed since the campaign began") {
			t.Errorf("got %v", err)
		}
	}
}

// What is missing or not trusted is for the operator; nothing runs.
func TestNotRun(t *testing.T) {
	w := newWorld(t, "well")
	q := question(describe)
	q.Command = []string{"./not-there"}
	if _, err := w.Recording(Of{Campaign: "c", Folder: t.TempDir()}).Ask(q); !errors.As(err, new(failure.NeedsOperator)) || !strings.Contains(err.Error(), "the program cannot be started") {
		t.Errorf("got %v", err)
	}
	t.Setenv(TrustEnv, "")
	if _, err := w.Recording(Of{Campaign: "c"}).Ask(question(describe)); !errors.As(err, new(failure.NeedsOperator)) || !strings.Contains(err.Error(), "export ROUNDTABLE_PROGRAMS=") {
		t.Errorf("got %v", err)
	}
	if started, _ := w.noted(); started != 0 {
		t.Errorf("%d processes", started)
	}
	if _, err := w.Recording(Of{Campaign: "c", Trusted: true}).Ask(question(describe)); err != nil {
		t.Error(err)
	}
}

// Changed recordings are noticed, by readers and by Check.
func TestDamagedRecording(t *testing.T) {
	w := newWorld(t, "well")
	q := question(describe)
	if _, err := w.Recording(Of{Campaign: "c"}).Ask(q); err != nil {
		t.Fatal(err)
	}
	key := Key("c", q.Command, q.Input)
	whole, err := w.store.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string]string{
		"answer": strings.Replace(string(whole), `"version":1`, `"version":7`, 1), "question": strings.Replace(string(whole), `"params":{}`, `"params":{"a":1}`, 1), "cut": string(whole[:30]), "empty": "",
	} {
		if err := w.store.Replace(t.Context(), key, []byte(data), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := New(w.store).Recorded(Of{Campaign: "c"}).Ask(q); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
		if n, problems, err := Check(t.Context(), w.store, "c"); n != 0 || len(problems) != 1 || err != nil {
			t.Errorf("%s: %d, %v, %v", what, n, problems, err)
		}
	}
}

// Whatever a program writes, it is an answer in canonical form or an error.
func FuzzParseLine(f *testing.F) {
	for _, s := range []string{`{"n":1,"version":1}`, `{"n":1.0}`, `{"n":"1"}`, `{"n":1,"n":1}`, "[]", "", "\xff", `{"n":1,"a":{"b":[1e9,"\u0000"]}}`, `{"n":1,"a":NaN}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		answer, err := ParseLine(line, 1)
		if err != nil {
			if len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		again, err := ParseLine(append([]byte(`{"n":1,`), append(answer[1:len(answer):len(answer)], '\n')...), 1)
		if len(answer) > 2 && (err != nil || string(again) != string(answer)) {
			t.Errorf("%s becomes %s: %v", answer, again, err)
		}
	})
}
