package pages

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
)

// A large campaign is answered with how its conditions came out, and then with all results; a
// small one with all at once.
func TestAGlanceComesBeforeTheResults(t *testing.T) {
	dir := t.TempDir()
	s, err := store.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := laketest.Play(t.Context(), s, "name: c\nreplicates: 3\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\ngrid: {rule: [ranked, plurality]}\n", 0); err != nil {
		t.Fatal(err)
	}
	var how analyze.Messages
	how.Flags(&cobra.Command{})
	v := NewServer(cli.NewOptions(&cobra.Command{}, catalogue.Builtin()), s, how)
	v.options.Lake, v.host = dir, "example.com" // as httptest calls it
	const status, rest, figure, headline = "6 collaborations finished: 6 succeeded", "reading turns and calls", "<svg", `class="headline"`
	v.large = 6
	checkResults(t, v, "", "1", []string{status, rest, figure, "SIMULATED"}, []string{headline})
	checkResults(t, v, "?again=yes", "", []string{status, figure, headline}, []string{rest})
	checkResults(t, v, "", "", []string{status, figure, headline}, []string{rest})
	v = NewServer(v.options, s, how)
	v.host = "example.com"
	checkResults(t, v, "", "", []string{status, figure, headline}, []string{rest})
}

// A campaign is shown beside another, on a page and in a report, from the same rows as analyze --with.
func TestCampaignsSideBySide(t *testing.T) {
	dir := t.TempDir()
	s, err := store.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, name := range []string{"c", "d"} {
		if err := laketest.Play(t.Context(), s, "name: "+name+"\nreplicates: 3\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\ngrid: {rule: [ranked, plurality]}\n", 0); err != nil {
			t.Fatal(err)
		}
	}
	var how ReportParts
	how.Messages.Flags(&cobra.Command{})
	v := NewServer(cli.NewOptions(&cobra.Command{}, catalogue.Builtin()), s, how.Messages)
	v.options.Lake, v.host = dir, "example.com"
	has := []string{`id="beside"`, "<h2>c and d</h2>", "<h2>c alone</h2>", "1 instance in common", "Pairwise comparisons", "tables/outcomes.csv?with=d"}
	checkResults(t, v, "?with=d", "", has, nil)
	checkResults(t, v, "", "", []string{"Outcome by condition"}, []string{`id="beside"`, "?with="})
	for path, want := range map[string]string{
		"?with=d":                    `data-from="results?with=d"`,
		"":                           `<option value="">another campaign</option><option>d</option>`,
		"tables/outcomes.csv?with=d": "exchange,d,plurality",
		"results?with=e":             `no campaign "e"`,
		"results?with=c":             "compared with itself",
	} {
		w := httptest.NewRecorder()
		v.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+v.token+"/c/c/"+path, nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %q is not in %.2000s", path, want, w.Body)
		}
	}
	for path, want := range map[string]string{
		"tables/outcomes.latex": "outcomes.tex", "tables/outcomes.md": "outcomes.md", "figures/conditions.svg?with=d": "conditions.svg",
		"tables/outcomes.svg": "", "figures/conditions.csv": "", "tables/outcomes": "",
	} {
		w := httptest.NewRecorder()
		v.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+v.token+"/c/c/"+path, nil))
		kept := w.Header().Get("Content-Disposition")
		if want == "" {
			if w.Code != http.StatusNotFound || kept != "" || !strings.Contains(w.Body.String(), "in no format that can be downloaded") {
				t.Errorf("%s: %d, %q, %s", path, w.Code, kept, w.Body)
			}
		} else if kept != `attachment; filename="`+want+`"` || w.Header().Get("Content-Type") != "application/octet-stream" || w.Body.Len() == 0 {
			t.Errorf("%s: %d, %q, %d bytes", path, w.Code, w.Header(), w.Body.Len())
		}
	}
	for path, want := range map[string]string{
		"questions/": `<a href="/` + v.token + `/c/c/">c</a>`, "collaborations/": "Collaborations of c", "collaborations/rows": `"columns"`,
	} {
		w := httptest.NewRecorder()
		v.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+v.token+"/c/c/"+path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d, %q is not in %.2000s", path, w.Code, want, w.Body)
		}
	}
	folder := filepath.Join(dir, "report") + "/"
	wrote, err := WriteReport(t.Context(), s, catalogue.Builtin(), "c", how, folder)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, transcriptsName, "*"))
	if index, lost := os.ReadFile(wrote.File); err != nil || lost != nil || len(pages) < 6 || wrote.Folder == nil || !strings.Contains(string(index), "<svg") ||
		!strings.Contains(wrote.String(), "6 collaborations; their transcripts are in "+*wrote.Folder) {
		t.Errorf("%s: %v, %v, %d transcripts", wrote, err, lost, len(pages))
	}
	how.With = []string{"d"}
	if err := how.Open(t.Context(), v.options, "c"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "c.html")
	if _, err := WriteReport(t.Context(), s, catalogue.Builtin(), "c", how, file); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range has[:5] {
		if !strings.Contains(string(page), text) {
			t.Errorf("%q is not in the report", text)
		}
	}
}

func checkResults(t *testing.T, v *Server, query, wait string, has, hasNot []string) {
	t.Helper()
	w := httptest.NewRecorder()
	v.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+v.token+"/c/c/results"+query, nil))
	data, err := io.ReadAll(w.Body)
	if err != nil || w.Code != http.StatusOK || w.Header().Get("Retry-After") != wait {
		t.Fatalf("%v, %d, ask again in %q s, want %q: %.300s", err, w.Code, w.Header().Get("Retry-After"), wait, data)
	}
	for _, text := range has {
		if !strings.Contains(string(data), text) {
			t.Errorf("%q is not in %.1000s", text, data)
		}
	}
	for _, text := range hasNot {
		if strings.Contains(string(data), text) {
			t.Errorf("%q is in %.1000s", text, data)
		}
	}
}

// The command that resumes a campaign names the lake and the state unless they are where it looks for them.
func TestResumeCommand(t *testing.T) {
	for want, o := range map[string]cli.Options{
		"roundtable resume c":                             {Lake: "./lake", State: "./.roundtable"},
		"roundtable resume c --lake 'a b'":                {Lake: "a b", State: "./.roundtable"},
		"roundtable resume c --state s":                   {Lake: "./lake", State: "s"},
		"roundtable resume c --lake s3://b/p --state 's'": {Lake: "s3://b/p", State: "s"},
	} {
		if got := resumeCommand(&o, "c"); strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(want, "'", "") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
