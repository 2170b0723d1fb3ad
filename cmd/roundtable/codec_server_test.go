package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/infra"
	"roundtable/infra/embedded"
)

const (
	codecKey   = "ROUNDTABLE_CODEC_KEY=k1:101112131415161718191a1b1c1d1e1f101112131415161718191a1b1c1d1e1f"
	codecToken = "0123456789abcdef0123456789abcdef"
)

// TestCodecServer: an encrypted campaign's histories are unreadable for Temporal's own
// tools, and through the codec server they read what the workflows said.
func TestCodecServer(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	v := newVendor(t)
	dir := write(t, strings.Replace(busy, "500", "1", 1))
	env := append(v.at(), codecKey, "TEMPORAL_ADDRESS="+server.Target().HostPort)
	ends(t, 0, dir, env, "run", "campaign.yaml")

	const cell = "majority-" // of the names of conditions, which every history holds
	plain := opened(t, server.Target().HostPort, nil)
	if strings.Contains(plain, cell) || !strings.Contains(plain, "k1") {
		t.Errorf("without the key, tools read %.300q", plain)
	}
	address := codecServer(t, dir, append(env, "ROUNDTABLE_CODEC_TOKEN="+codecToken), "--allow-origin", "https://ui.example")
	remote := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{Endpoint: address, ModifyRequest: func(r *http.Request) error {
		r.Header.Set("X-Namespace", infra.Namespace)
		r.Header.Set("Authorization", "Bearer "+codecToken)
		return nil
	}})
	if read := opened(t, server.Target().HostPort, remote); !strings.Contains(read, cell) || !strings.Contains(read, `"campaign":"busy"`) {
		t.Errorf("through the codec server, tools read %.300q", read)
	}
	stranger := converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{Endpoint: address})
	if _, err := stranger.Decode([]*commonpb.Payload{{}}); err == nil || !strings.Contains(err.Error(), "Unauthorized: a token is needed") {
		t.Errorf("without a token: %v", err)
	}
}

// codecServer starts one on a free port and returns its address.
func codecServer(t *testing.T, dir string, env []string, flags ...string) string {
	t.Helper()
	b := starts(t, dir, env, append([]string{"codec-server", "--listen", "127.0.0.1:0"}, flags...)...)
	address := ""
	screentest.Until(t, "the codec server", func() bool {
		address = regexp.MustCompile(`https?://[0-9.:]+`).FindString(b.said.String())
		return address != ""
	})
	return address
}

// opened returns all payloads of all histories, through a codec if there is one.
func opened(t *testing.T, hostPort string, through converter.PayloadCodec) string {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: hostPort, Logger: quietLog{}})
	noError(t, err)
	defer c.Close()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil || len(list.Executions) == 0 {
		t.Fatalf("the server has %d workflows: %v", len(list.GetExecutions()), err)
	}
	var all strings.Builder
	visit := func(_ *proxy.VisitPayloadsContext, payloads []*commonpb.Payload) (_ []*commonpb.Payload, err error) {
		read := payloads
		if through != nil {
			read, err = through.Decode(payloads)
		}
		for _, p := range read {
			all.WriteString(string(p.GetMetadata()["key-id"]) + string(p.GetData()) + "\n")
		}
		return payloads, err
	}
	for _, w := range list.Executions {
		events := c.GetWorkflowHistory(t.Context(), w.Execution.WorkflowId, w.Execution.RunId, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			noError(t, err)
			if err := proxy.VisitPayloads(t.Context(), event, proxy.VisitPayloadsOptions{Visitor: visit, SkipSearchAttributes: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all.String()
}

// quietLog is an SDK's log that nobody reads.
type quietLog struct{}

func (quietLog) Debug(string, ...any) {}
func (quietLog) Info(string, ...any)  {}
func (quietLog) Warn(string, ...any)  {}
func (quietLog) Error(string, ...any) {}

// What a codec server may not do is refused before it listens.
func TestCodecServerRefuses(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	token := "ROUNDTABLE_CODEC_TOKEN=" + codecToken
	for _, c := range []struct {
		says string
		env  []string
		args string
	}{
		{"other machines can ask: set ROUNDTABLE_CODEC_TOKEN", nil, "--listen 0.0.0.0:0"},
		{"would cross the network in plaintext", []string{token}, "--listen 0.0.0.0:0"},
		{"expected HOST:PORT", nil, "--listen 8233"},
		{"--cert and --key belong together", nil, "--cert cert.pem"},
		{"no such file", nil, "--cert cert.pem --key key.pem"},
		{`the origin "*"`, nil, "--allow-origin *"},
		{"token 1 has 4 characters", []string{"ROUNDTABLE_CODEC_TOKEN=1234"}, ""},
		{"key 1: it has 3 bytes", []string{"ROUNDTABLE_CODEC_KEY=abcdef"}, ""},
	} {
		d := ends(t, cli.ExitUsage, dir, c.env, append([]string{"codec-server"}, strings.Fields(c.args)...)...)
		contains(t, d.err, c.says)
	}
}
