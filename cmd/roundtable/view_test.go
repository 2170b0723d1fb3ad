package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// viewing is the program that serves pages of a lake, and their address.
type viewing struct {
	t       *testing.T
	address string
}

func view(t *testing.T, lake string) viewing {
	t.Helper()
	cmd := program(t, t.TempDir(), "view", "--lake", lake)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("view ends with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, says := strings.CutPrefix(strings.TrimSpace(line), "Open ")
	if err != nil || !says {
		t.Fatalf("%v: view says %q", err, line)
	}
	return viewing{t, address}
}

// get asks for a page below the address.
func (v viewing) get(path string) (status int, body string) {
	v.t.Helper()
	return v.ask(http.MethodGet, v.address+path, nil)
}

func (v viewing) ask(method, address string, header http.Header) (status int, body string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, address, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	for name, values := range header {
		if r.Header[name] = values; name == "Host" {
			r.Host = values[0]
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return a.StatusCode, string(data)
}

// The pages of a finished campaign: all there is to see, found by search, and as files.
func TestView(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	m := commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 1, 0, "failed")
	v := view(t, o.Lake)
	ends(t, 0, t.TempDir(), nil, "label", "reading", "--lake", o.Lake)
	for path, says := range map[string]string{
		"c/reading/figures/transitions.svg": "<svg",
		"":                                  `<a href="c/reading/">reading</a>`,
		"c/reading/":                        `data-do="pause"`,
		"c/reading/results":                 "2 of 22 collaborations finished: 1 succeeded, 1 failed, 0 stopped.",
		"c/reading/tables/summary.csv":      "planned,succeeded",
		"c/reading/collaborations/":         `data-rows="rows"`,
		"c/reading/collaborations/rows":     `["` + m.Collaboration + `",`,
		"c/reading/collaborations/search?said=TO+ALL":              m.Collaboration,
		"c/reading/collaborations/" + m.Collaboration + "?rule=x":  `href="./?rule=x"`,
		"c/reading/collaborations/" + m.Collaboration + "/asked/0": "Nothing is stored of this entry.",
		"assets/live.js": "EventSource",
	} {
		if status, body := v.get(path); status != http.StatusOK || !strings.Contains(body, says) {
			t.Errorf("%s: %d, without %q:\n%.2000s", path, status, says, body)
		}
	}
	if _, found := v.get("c/reading/collaborations/search?said=never+said"); strings.TrimSpace(found) != "[]" {
		t.Errorf("what was never said is found: %s", found)
	}
	for _, path := range []string{"c/nobody/", "c/reading/collaborations/nobody", "c/reading/tables/summary.exe", "c/reading/tables/nothing.csv", "assets/server.go", "nothing"} {
		if status, _ := v.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// The state of a campaign comes as an event.
func TestViewEvents(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	v := view(t, o.Lake)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.address+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	line, err := bufio.NewReader(a.Body).ReadString('\n')
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

// Only who knows the token is answered, at this host's own name; only a page of the
// server may steer; and no page may load or send anything elsewhere.
func TestViewIsForOnePerson(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	v := view(t, o.Lake)
	host, _, _ := strings.Cut(strings.TrimPrefix(v.address, "http://"), "/")
	if !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("it listens at %s", host)
	}
	for what, x := range map[string]struct {
		method, address string
		header          http.Header
		want            int
	}{
		"no token":            {http.MethodGet, "http://" + host + "/", nil, http.StatusNotFound},
		"another token":       {http.MethodGet, "http://" + host + "/abcdefghijklmnopqrstuvwxyz/", nil, http.StatusNotFound},
		"another name":        {http.MethodGet, v.address, http.Header{"Host": {"evil.example"}}, http.StatusMisdirectedRequest},
		"a form elsewhere":    {http.MethodPost, v.address + "c/reading/pause", http.Header{"Origin": {"http://evil.example"}}, http.StatusForbidden},
		"a form of nowhere":   {http.MethodPost, v.address + "c/reading/pause", nil, http.StatusForbidden},
		"reading that steers": {http.MethodGet, v.address + "c/reading/pause", nil, http.StatusMethodNotAllowed},
		"its own form":        {http.MethodPost, v.address + "c/reading/pause", http.Header{"Origin": {"http://" + host}}, http.StatusConflict}, // nothing runs
	} {
		if status, body := v.ask(x.method, x.address, x.header); status != x.want {
			t.Errorf("%s: %d, want %d: %s", what, status, x.want, body)
		}
	}
	a, err := http.Get(v.address) //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := a.Header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
}
