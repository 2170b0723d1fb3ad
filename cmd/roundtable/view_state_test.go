package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
)

// shownState is the state of a campaign as an event has it.
type shownState struct {
	Name, State, Resume string
	Lines               []string
	Done, Cells         int
	USD                 float64
	Conditions          []struct {
		Name        string
		Done, Cells int
	}
}

// state reads the first event of a campaign's page.
func (v viewing) state(campaign string) shownState {
	v.t.Helper()
	a, err := http.Get(v.address + "c/" + campaign + "/events") //nolint:noctx // it ends with the test
	if err != nil {
		v.t.Fatal(err)
	}
	defer a.Body.Close()
	events, states := bufio.NewReader(a.Body), []shownState{}
	kind, err := events.ReadString('\n')
	if err != nil || kind != "event: message\n" {
		v.t.Fatalf("%v: %q", err, kind)
	}
	line, err := events.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &states)
	}
	if err != nil || len(states) != 1 {
		v.t.Fatalf("%v: %s", err, line)
	}
	return states[0]
}

// The state of a campaign comes as an event.
func TestViewEvents(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	v := view(t, o.Lake)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.address+"events", nil)
	noError(t, err)
	a, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer a.Body.Close()
	events := bufio.NewReader(a.Body)
	if kind, err := events.ReadString('\n'); err != nil || kind != "event: message\n" {
		t.Fatalf("%v: %q", err, kind)
	}
	line, err := events.ReadString('\n')
	var states []struct {
		Name, State string
		Done, Cells int
		Conditions  []struct{ Done, Cells int }
	}
	if err == nil {
		err = json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &states)
	}
	if err != nil || len(states) != 1 || states[0].Name != "reading" || states[0].State != "interrupted" || states[0].Done != 1 || states[0].Cells != 22 || len(states[0].Conditions) != 2 {
		t.Fatalf("%v: %s", err, line)
	}
	ended := 0
	for _, c := range states[0].Conditions {
		ended += c.Done
	}
	if ended != 1 {
		t.Errorf("%d have ended by condition: %s", ended, line)
	}
}

// A campaign that was paused on its page stays paused by hand when its process has ended,
// also after a Resume that nothing could follow; the page has the command that can.
func TestViewPause(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	writeSlow(t, dir, 60) // it must not have ended before the page pauses it
	b := runInBackground(t, dir)
	untilStatus(t, dir, "a cell has ended", func(s campaigns.Status) bool { return s.State == "running" && s.Succeeded > 0 })
	v := viewIn(t, dir)
	host, _, _ := strings.Cut(strings.TrimPrefix(v.address, "http://"), "/")
	post := func(action string) (int, string) {
		return v.ask(http.MethodPost, v.address+"c/slow/"+action, http.Header{"Origin": {"http://" + host}})
	}
	if status, body := post("pause"); status != http.StatusOK {
		t.Fatalf("pause: %d %s", status, body)
	}
	if code := b.code(t); code != cli.ExitIncomplete {
		t.Fatalf("the paused run ends with %d\n%s", code, &b.said)
	}
	for _, when := range []string{"paused", "after a Resume"} {
		if s := v.state("slow"); s.State != "paused" || s.Resume != "roundtable resume slow" || !strings.Contains(strings.Join(s.Lines, "\n"), "paused by hand") {
			t.Errorf("%s: %+v", when, s)
		}
		if status, body := post("resume"); status != http.StatusConflict || !strings.Contains(body, "roundtable resume slow") {
			t.Errorf("%s: %d %s", when, status, body)
		}
	}
	resultFirst := func() bool {
		_, page := v.get("c/slow/")
		return strings.Index(page, `id="results"`) < strings.Index(page, `id="states"`)
	}
	if resultFirst() {
		t.Error("a campaign that has not ended has its result above its progress")
	}
	output(t, dir, "resume", "slow")
	if !resultFirst() {
		t.Error("a campaign that has ended has its progress above its result")
	}
	if s := v.state("slow"); s.State != "done" || s.Resume != "" {
		t.Errorf("resumed in a terminal: %+v", s)
	}
}
