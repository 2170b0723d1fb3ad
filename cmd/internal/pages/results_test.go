package pages

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
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
	var how measurements.Messages
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
