package main

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/infra"
	"roundtable/infra/embedded"
)

// TestSeenInTemporal: Temporal's own tools find collaborations by what they are about,
// see which have failed and why, and what each activity does.
func TestSeenInTemporal(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	v := newVendor(t)
	v.latency = time.Second // --watch sees it run
	v.set(every(80, says("long", false, 400, openaiError("invalid_request_error", "context_length_exceeded"))))
	dir := write(t, strings.Replace(busy, "500", "6", 1))
	at := append(v.at(), "TEMPORAL_ADDRESS="+server.Target().HostPort, "TEMPORAL_NAMESPACE=lab")
	for _, want := range []string{"namespace lab of", "with all search attributes"} {
		contains(t, ends(t, 0, dir, at, "prepare").out, want)
	}
	running := starts(t, dir, at, "run", "campaign.yaml")
	screentest.Until(t, "a call", func() bool { return len(v.arrivals()) > 0 })
	if said := ends(t, 0, dir, at, "status", "busy", "--watch").out; strings.Count(said, "busy: running") < 1 || strings.Count(said, "collaborations finished") < 2 {
		t.Errorf("watched, it is\n%s", said)
	}
	if code := running.code(t); code != cli.ExitIncomplete {
		t.Errorf("code %d", code)
	}
	st := statusBy(t, dir, "busy", at...)
	if st.Succeeded == 0 || st.Failed == 0 {
		t.Fatalf("%d succeeded, %d failed; both are needed\n%s", st.Succeeded, st.Failed, &running.said)
	}

	target := infra.Target{HostPort: server.Target().HostPort, Namespace: "lab"}
	c, err := infra.Dial(t.Context(), target)
	noError(t, err)
	defer c.Close()
	count := func(query string) int64 {
		t.Helper()
		got, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Namespace: "lab", Query: query})
		noError(t, err)
		return got.Count
	}
	for query, want := range map[string]int{
		"WorkflowType = 'Collaboration' AND RoundtableCampaign = 'busy'":                                                        st.Cells,
		"RoundtableStatus = 'succeeded' AND RoundtableCostUSD > 0":                                                              st.Succeeded,
		"RoundtableStatus = 'failed' AND ExecutionStatus = 'Failed'":                                                            st.Failed,
		"WorkflowType = 'Campaign' AND RoundtableCampaign = 'busy'":                                                             1,
		"WorkflowType = 'Collaboration' AND RoundtableInstance = 0 AND RoundtableReplicate = 1 AND RoundtableCampaign = 'busy'": conditionsOf(t, dir, "busy"),
	} {
		if n := count(query); n != int64(want) {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
	seenInHistory(t, c)
}

// conditionsOf returns how many conditions a campaign has.
func conditionsOf(t *testing.T, dir, name string) int {
	t.Helper()
	ids := map[string]bool{}
	for _, row := range rowsOfQuery(t, dir, "select distinct condition_id from collaborations where campaign_id = '"+name+"'") {
		ids[row["condition_id"].(string)] = true
	}
	return len(ids)
}

// seenInHistory looks at a failed collaboration as a tool without the program would.
func seenInHistory(t *testing.T, c client.Client) {
	t.Helper()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: "lab", Query: "ExecutionStatus = 'Failed'", PageSize: 1})
	if err != nil || len(list.Executions) != 1 {
		t.Fatalf("%v: %v", list, err)
	}
	failed := list.Executions[0]
	var campaign string
	if err := json.Unmarshal(failed.Memo.Fields["campaign"].GetData(), &campaign); err != nil || campaign != "busy" {
		t.Errorf("the memo's campaign is %q: %v", campaign, err)
	}
	history := c.GetWorkflowHistory(t.Context(), failed.Execution.WorkflowId, failed.Execution.RunId, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	var summaries []string
	for history.HasNext() {
		event, err := history.Next()
		noError(t, err)
		if summary := event.GetUserMetadata().GetSummary(); summary != nil {
			summaries = append(summaries, string(summary.GetData()))
		}
		if a := event.GetWorkflowExecutionFailedEventAttributes(); a != nil && !strings.Contains(a.Failure.GetMessage(), "context_length_exceeded") {
			t.Errorf("the failure's message is %q", a.Failure.GetMessage())
		}
	}
	if !slices.ContainsFunc(summaries, func(s string) bool { return strings.Contains(s, "instance") }) || !slices.Contains(summaries, `"opens the collaboration and plays its round"`) {
		t.Errorf("summaries are %v", summaries)
	}
}
