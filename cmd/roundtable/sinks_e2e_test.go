package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"

	"roundtable/analysis/lake/record"
	"roundtable/infra"
	"roundtable/infra/codec"
	"roundtable/infra/embedded"
)

// clean fails if a text holds a secret.
func clean(t *testing.T, what, text string) {
	t.Helper()
	for name, secret := range canaries {
		for form, s := range map[string]string{
			"itself": secret, "in a URL": url.QueryEscape(secret), "in base64": base64.StdEncoding.EncodeToString([]byte("me:" + secret)),
			"its middle": secret[4 : len(secret)-4],
		} {
			if i := strings.Index(text, s); i >= 0 {
				t.Errorf("%s holds the secret %s %s: …%s…", what, name, form, text[max(0, i-60):min(len(text), i+60)])
				break
			}
		}
	}
}

// sent makes sure that the secrets which a provider needs went out at all.
func (e *echo) sent(t *testing.T) {
	t.Helper()
	for _, name := range []string{"OPENAI_API_KEY", "MY_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "AWS_SESSION_TOKEN", "HTTP_PROXY"} {
		if !strings.Contains(e.heard.String(), canaries[name]) {
			t.Errorf("%s was not sent to the service, so nothing is shown: %v", name, e.asked)
		}
	}
}

// files looks into everything that was written.
func files(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		clean(t, path, string(data))
		return err
	})
	noError(t, err)
}

// tablesOf are all rows, which files hold compressed.
func tablesOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := json.Marshal([]any{
		rowsOf[record.Collaboration](t, dir, "leaky"), rowsOf[record.Turn](t, dir, "leaky"), rowsOf[record.Call](t, dir, "leaky"),
	})
	noError(t, err)
	return string(text)
}

// histories are all workflows that a server's database holds, unpacked.
func histories(t *testing.T, state string) string {
	t.Helper()
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: state, Notices: io.Discard})
	noError(t, err)
	defer server.Stop()
	c, err := infra.Dial(t.Context(), server.Target())
	noError(t, err)
	defer c.Close()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil || len(list.Executions) == 0 {
		t.Fatalf("the server has %d workflows: %v", len(list.GetExecutions()), err)
	}
	var all strings.Builder
	unpack := func(_ *proxy.VisitPayloadsContext, payloads []*common.Payload) ([]*common.Payload, error) {
		for _, p := range payloads {
			all.WriteString(codec.Keys{}.DataConverter().ToString(p) + "\n")
		}
		return payloads, nil
	}
	for _, w := range list.Executions {
		events := c.GetWorkflowHistory(t.Context(), w.Execution.WorkflowId, w.Execution.RunId, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			noError(t, err)
			if done := event.GetWorkflowTaskCompletedEventAttributes(); done != nil {
				build := done.GetWorkerVersion().GetBuildId() //nolint:staticcheck // its successor is of worker deployments, which we have none of
				if !strings.HasPrefix(build, "roundtable ") {
					t.Errorf("a history names the build %q", build)
				}
			}
			all.WriteString(event.String())
			if err := proxy.VisitPayloads(context.Background(), event, proxy.VisitPayloadsOptions{Visitor: unpack}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all.String()
}

// TestHistoriesHoldNoTexts: what agents are asked and say stays in the lake.
func TestHistoriesHoldNoTexts(t *testing.T) {
	t.Parallel()
	dir := write(t, "name: quiet\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nrule: majority\nmodel: scripted/trader\n")
	output(t, dir, "run", "campaign.yaml")
	all := histories(t, filepath.Join(dir, ".roundtable", "campaigns", "quiet"))
	id := rowsOf[record.Collaboration](t, dir, "quiet")[0].CollaborationID
	if !strings.Contains(all, id) {
		t.Fatal("the histories do not name the collaboration, so nothing is shown")
	}
	looked := 0
	for line := range strings.Lines(output(t, dir, "show", "quiet/"+id, "--prompts", "--raw")) {
		if line = strings.TrimSpace(line); len(line) < 40 {
			continue
		}
		looked++
		if strings.Contains(all, line) {
			t.Errorf("the histories hold %q", line)
		}
	}
	if looked < 50 {
		t.Errorf("looked for %d lines only", looked)
	}
}
