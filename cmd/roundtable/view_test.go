package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	return viewIn(t, t.TempDir(), "--lake", lake)
}

func viewIn(t *testing.T, dir string, flags ...string) viewing {
	t.Helper()
	cmd := program(t, dir, append([]string{"view"}, flags...)...)
	out, err := cmd.StdoutPipe()
	noError(t, err)
	noError(t, cmd.Start())
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
		"c/reading/results":                 `2 of 22 collaborations finished`,
		"c/reading/tables/summary.csv":      "planned,succeeded",
		"c/reading/collaborations/":         `data-rows="rows"`,
		"c/reading/collaborations/rows":     `["` + m.Collaboration + `",`,
		"c/reading/collaborations/search?said=TO+ALL":              m.Collaboration,
		"c/reading/collaborations/" + m.Collaboration + "?rule=x":  `href="./?rule=x"`,
		"c/reading/collaborations/" + m.Collaboration + "/rows":    `"collaboration_id": "` + m.Collaboration + `"`,
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

// Every link of the results is a file, also of a campaign that two have labelled.
func TestViewDownloads(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 1, 0, "succeeded")
	commit(t, s, p, 12, 0, "succeeded")
	for _, reasks := range []string{"1", "2"} {
		ends(t, 0, t.TempDir(), nil, "label", "reading", "--lake", o.Lake, "--reasks", reasks)
	}
	v := view(t, o.Lake)
	_, page := v.get("c/reading/results")
	links := regexp.MustCompile(`href="((?:tables|figures)/[^"]*)"`).FindAllStringSubmatch(page, -1)
	if !strings.Contains(page, "Others have labelled too") {
		t.Errorf("it is not said whose labels count:\n%.1000s", page)
	}
	found := map[string]int{}
	for _, link := range links {
		status, body := v.get("c/reading/" + link[1])
		if status != http.StatusOK || body == "" {
			t.Errorf("%s: %d: %.300s", link[1], status, body)
		}
		found[strings.TrimSuffix(link[1], filepath.Ext(link[1]))]++
	}
	for _, name := range []string{"tables/cost", "tables/outcomes", "tables/agreement", "tables/dialogue-acts", "figures/conditions"} {
		if found[name] == 0 {
			t.Errorf("%s is not to be had; there are %v", name, found)
		}
	}
}

// A generation that was run again is in the list, is found, and says so.
func TestViewEarlierGenerations(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	m := commit(t, s, p, 0, 0, "failed")
	commit(t, s, p, 0, 1, "succeeded")
	v := view(t, o.Lake)
	id := m.Collaboration
	for path, says := range map[string][]string{
		"rows":                {`["` + id + `",`, `["` + id + `.0",`, `"failed, run again"`},
		"search?said=to+all":  {`["` + id + `","` + id + `.0"]`},
		id:                    {"generation 1, the latest"},
		id + ".1":             {"generation 1, the latest", "<h1>" + id + "</h1>"},
		id + ".0":             {"generation 0, run again since"},
		id + ".0?other=" + id: {"generation 0, run again since", "generation 1, the latest", "Show the first alone"},
	} {
		if status, body := v.get("c/reading/collaborations/" + path); status != http.StatusOK || !containsAll(body, says) {
			t.Errorf("%s: %d, without one of %q:\n%.2000s", path, status, says, body)
		}
	}
}

func containsAll(text string, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(text, w) })
}

// Results are answered at once as they were made last, and say when to ask for present ones.
func TestViewResultsFollow(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	v := view(t, o.Lake)
	results := func(query, want string) (wait string) {
		t.Helper()
		a, err := http.Get(v.address + "c/reading/results" + query) //nolint:noctx // it ends with the test
		noError(t, err)
		defer a.Body.Close()
		body, err := io.ReadAll(a.Body)
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%v: %q is not in %.500s", err, want, body)
		}
		return a.Header.Get("Retry-After")
	}
	one, all := "1 of 22 collaborations finished", "22 of 22 collaborations finished"
	if wait := results("", one); wait != "" {
		t.Errorf("present results are to be asked for in %s s", wait)
	}
	for n := 1; n < 22; n++ {
		commit(t, s, p, n, 0, "succeeded")
	}
	if wait := results("", one); wait != "1" {
		t.Errorf("nothing runs, and results are to be asked for in %q s", wait)
	}
	if wait := results("?again=yes", all); wait != "" {
		t.Errorf("present results are to be asked for in %s s", wait)
	}
	ends(t, 0, t.TempDir(), nil, "label", "reading", "--lake", o.Lake)
	if wait := results("", all); wait == "" {
		t.Error("labels do not make results stale")
	}
	if wait := results("?again=yes", "Dialogue acts"); wait != "" {
		t.Errorf("present results are to be asked for in %s s", wait)
	}
}

// What a form says wrong is answered in words, and changes nothing.
func TestViewRefusesLimits(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	v := view(t, o.Lake)
	host, _, _ := strings.Cut(strings.TrimPrefix(v.address, "http://"), "/")
	for query, x := range map[string]struct {
		status int
		says   string
	}{
		"calls=many":               {http.StatusBadRequest, `calls is "many"; expected a whole number`},
		"cost-usd=much":            {http.StatusBadRequest, `limits.cost_usd is "much"; expected a number of US dollars or none`},
		"collaborations=5000":      {http.StatusBadRequest, "limits.collaborations is 5000 at once; expected 1 to 1000"},
		"":                         {http.StatusBadRequest, "no limit changes"},
		"model=m&model-timeout=1h": {http.StatusOK, "models.m.timeout none → 1h"},
		"calls=7&cost-usd=2.5":     {http.StatusOK, "calls 200 → 7, cost_usd none → $2.5"},
	} {
		status, body := v.ask(http.MethodPost, v.address+"c/reading/tune?"+query, http.Header{"Origin": {"http://" + host}})
		if status != x.status || !strings.Contains(body, x.says) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}

// What cannot be read is an event, and no end of them.
func TestViewEventsOfAnUnknownCampaign(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	commit(t, s, p, 0, 0, "succeeded")
	a, err := http.Get(view(t, o.Lake).address + "c/nobody/events") //nolint:noctx // it ends with the test
	noError(t, err)
	defer a.Body.Close()
	events, said := bufio.NewReader(a.Body), ""
	for range 4 { // the event, and a sign of life
		line, err := events.ReadString('\n')
		noError(t, err)
		said += line
	}
	if !strings.HasPrefix(said, "event: problem\ndata: \"") || !strings.Contains(said, "nobody") || !strings.HasSuffix(said, "\n\n: still here\n") {
		t.Errorf("it says %q", said)
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
	noError(t, err)
	defer a.Body.Close()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	} {
		if got := a.Header.Get(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
}
