package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// lines collects what is said.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// TestWatchSilence: a server that is silent for long is spoken of once, and once more
// when it answers; one that misses a single answer is not.
func TestWatchSilence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		failed func(passed time.Duration) bool
		want   string // how each line begins
	}{
		{"it answers", func(time.Duration) bool { return false }, ""},
		{"one answer is missing", func(passed time.Duration) bool { return passed == 20*time.Second }, ""},
		{"half a minute of silence", func(passed time.Duration) bool { return passed >= 20*time.Second && passed < 50*time.Second },
			"it has not answered for 10s (refused)|it answers again after 30s"},
		{"it stays away", func(passed time.Duration) bool { return passed >= 20*time.Second }, "it has not answered for 10s (refused)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithTimeout(t.Context(), 3*time.Minute)
				defer end()
				var said lines
				began := time.Now()
				watchSilence(ctx, &said, "it", askServerEvery, silenceIsSaid, func(context.Context) error {
					if tc.failed(time.Since(began)) {
						return errors.New("refused")
					}
					return nil
				})
				var got []string
				for line := range strings.Lines(said.text.String()) {
					if line, _, _ = strings.Cut(strings.TrimSpace(line), ". Nothing"); line != "" {
						got = append(got, line)
					}
				}
				if strings.Join(got, "|") != tc.want {
					t.Errorf("it says %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// TestSkew: when a server has last heard of a worker tells how far the clocks are apart.
func TestSkew(t *testing.T) {
	began := time.Now()
	seen := began.Add(time.Second)
	for _, tc := range []struct {
		off  time.Duration // of this machine's clock
		want string
	}{
		{0, ""}, {50 * time.Second, ""}, {-50 * time.Second, ""},
		{5 * time.Minute, "ahead of"}, {-5 * time.Minute, "behind"},
	} {
		got := describeSkew(began.Add(tc.off), seen.Add(tc.off), seen)
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%v off: %q, want %q", tc.off, got, tc.want)
		}
	}
}

// neighbours is a server on which workflows run, by ID, each with its task queue.
type neighbours struct {
	client.Client
	queues []string
	failed error
}

// locked are histories whose input is encrypted with another's key.
type locked struct {
	workflowservice.WorkflowServiceClient
}

func (n *neighbours) ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for i, queue := range n.queues {
		id := &commonpb.WorkflowExecution{WorkflowId: workflows.CampaignID(string(rune('a' + i)))}
		page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{Execution: id, TaskQueue: queue})
	}
	return page, n.failed
}

func (n *neighbours) WorkflowService() workflowservice.WorkflowServiceClient { return locked{} }

func (locked) GetWorkflowExecutionHistory(context.Context, *workflowservice.GetWorkflowExecutionHistoryRequest, ...grpc.CallOption) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	input := &commonpb.Payloads{Payloads: []*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte("binary/aes-gcm"), "key-id": []byte("another")}}}}
	began := &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
		WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: input}}}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: []*historypb.HistoryEvent{began}}}, nil
}

// Each campaign of a namespace is spoken of once, as this lake's or another's; one that this process has no key for
// ends it.
func TestLookAround(t *testing.T) {
	shared, err := campaigns.NewSharedServer(&cli.Options{Temporal: "temporal.example:7233", Lake: t.TempDir()}, "1234")
	if err != nil {
		t.Fatal(err)
	}
	other := task.LakeQueue("5678")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, x := range []struct {
		queues []string
		failed error
		want   string
		keys   bool // are missing
	}{
		{nil, nil, "no campaign runs in the namespace", false}, {nil, errors.New("lost"), "", false},
		{[]string{other, other}, nil, "campaign a runs here for another lake (5678)", false}, {[]string{shared.Queue}, nil, "", true},
	} {
		e, said, seen := &Engine{Client: &neighbours{queues: x.queues, failed: x.failed}, Queue: shared.Queue, shared: shared}, &lines{}, map[string]bool{}
		for again := range 2 {
			err := e.lookAround(t.Context(), said, seen)
			text := said.text.String()
			if (err != nil) != (x.keys && again == 0) || !strings.HasPrefix(text, x.want) || (text == "") != (x.want == "") && again == 0 || strings.Count(text, "\n") != len(x.queues) && x.queues != nil && !x.keys {
				t.Errorf("%q: %v, %q", x.queues, err, text)
			}
		}
		if err := e.CheckReadable(t.Context()); (err != nil) != (x.keys || x.failed != nil) {
			t.Errorf("%q can be read: %v", x.queues, err)
		}
		if err := e.Neighbours(ended, said); (err != nil) != x.keys {
			t.Errorf("%q: it ends with %v", x.queues, err)
		}
	}
	if err := (&Engine{}).CheckReadable(t.Context()); err != nil {
		t.Error(err)
	}
}
