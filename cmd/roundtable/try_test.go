package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"roundtable/cmd/internal/cli"
)

// The first campaign: the server's model is found, a few questions are asked of it, and what
// came out is shown, drawn and kept; once more asks nothing.
func TestTry(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"data": [{"id": "words-embed"}, {"id": "tiny:1b"}]}`)
			return
		}
		calls.Add(1)
		fmt.Fprint(w, `{"choices": [{"message": {"role": "assistant", "content": "The answer is (A)."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 50, "completion_tokens": 6}}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	try := []string{"try", "--yes", "--base-url", server.URL + "/v1"}
	said := output(t, dir, try...)
	for _, want := range []string{"Found openai/tiny:1b at " + server.URL, "Proposed: 6 questions, each decided in 3 ways: vote (3 agents, 1 round), debate (3 agents, 2 rounds) and single (1 agent, 1 round); without a cap.", "try: 3 conditions, 18 collaborations, about 60 calls, about $0.00, at most $0.00; about 45s if a call takes 3 s and 4 run at once.", ", the highest in which agents hear each other, scores 0.333, against 0.333 for single (one agent alone; difference 0.000); 0.333 for vote (for fewer tokens; difference 0.000).", "Outcome of each condition", "Figure:  try/result.svg"} {
		if !strings.Contains(strings.ReplaceAll(said, "\n", " "), want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "try", "result.svg")); err != nil || !strings.Contains(string(svg), "debate") {
		t.Errorf("%v: the figure is %.80q", err, svg)
	}
	checkLabelsOnlyName(t, dir, "try")
	asked := calls.Load()
	if asked < 6 || asked > 6*(1+3+6)+2 { // the same prompt is asked once
		t.Errorf("%d calls", asked)
	}
	said = output(t, dir, try[:2]...)
	if !strings.Contains(said, "try/try.yaml is there: going on with it.") || calls.Load() != asked {
		t.Errorf("once more asks %d, and says\n%s", calls.Load()-asked, said)
	}
	noError(t, os.Remove(filepath.Join(dir, "try", "try.yaml")))
	for _, args := range [][]string{try, {"try"}} { // a folder of somebody else's; nobody to ask
		if out, err := program(t, dir, args...).CombinedOutput(); err == nil || program(t, dir, args...).Run().Error() != fmt.Sprintf("exit status %d", cli.ExitUsage) {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
