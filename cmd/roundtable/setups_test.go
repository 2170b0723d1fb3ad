package main

import (
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/infra"
	"roundtable/infra/embedded"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// forwarder stands between the program and a server, and can be cut off.
type forwarder struct {
	net.Listener
	to string

	mu    sync.Mutex
	isCut bool
	conns []net.Conn
}

func newForwarder(t *testing.T, to string) *forwarder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	f := &forwarder{Listener: l, to: to}
	t.Cleanup(func() { f.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			f.forward(in)
		}
	}()
	return f
}

func (f *forwarder) forward(in net.Conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out, err := net.Dial("tcp", f.to)
	if err != nil || f.isCut {
		in.Close()
		return
	}
	f.conns = append(f.conns, in, out)
	go func() { io.Copy(out, in); out.Close() }()
	go func() { io.Copy(in, out); in.Close() }()
}

// cut breaks all connections and refuses others, until it is called with false.
func (f *forwarder) cut(cut bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isCut = cut
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}

// TestWrongSetups: processes with another lake, engine or key than the campaign's say so
// and do no harm, and a server that does not answer is spoken of.
func TestWrongSetups(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	way := newForwarder(t, server.Target().HostPort)
	v := newVendor(t)
	v.latency = 200 * time.Millisecond // the campaign goes on throughout
	dir, elsewhere := write(t, busy+"limits: {collaborations: 12, calls: 4}\n"), write(t, busy)
	direct := append(v.at(), "TEMPORAL_ADDRESS="+server.Target().HostPort, "OPENAI_API_KEY=right")
	running := starts(t, dir, append(v.at(), "TEMPORAL_ADDRESS="+way.Addr().String(), "OPENAI_API_KEY=right"), "run", "campaign.yaml")
	screentest.Until(t, "a call", func() bool { return len(v.arrivals()) > 0 })

	// Another lake: no part in the campaign, and no campaign of the same name.
	stranger := starts(t, elsewhere, append(slices.Clone(direct), "OPENAI_API_KEY=wrong"), "worker")
	said(t, stranger, "campaign busy runs here for another lake (")
	contains(t, ends(t, cli.ExitUsage, elsewhere, direct, "run", "campaign.yaml", "--no-check").err, "campaign/busy runs in the namespace default of "+server.Target().HostPort+" already, for another lake (")

	// Another engine.
	c, err := infra.Dial(t.Context(), infra.Target{HostPort: server.Target().HostPort})
	noError(t, err)
	defer c.Close()
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: workflows.CampaignID("later"), TaskQueue: "roundtable-99@0011aabb"}, task.CampaignWorkflow); err != nil {
		t.Fatal(err)
	}
	friend := starts(t, dir, direct, "worker", "--state", "other")
	said(t, friend, "campaign later runs here by engine 99; this program has engine "+task.EngineVersion)
	said(t, friend, "campaign busy: this process takes part in it")

	// Another key: the histories of the namespace's campaign cannot be read.
	secret := append(slices.Clone(direct), "ROUNDTABLE_CODEC_KEY=k1:"+strings.Repeat("0f", 32))
	whispers := write(t, strings.Replace(busy, "name: busy", "name: hidden", 1)+"limits: {collaborations: 4, calls: 4}\n")
	starts(t, whispers, secret, "run", "campaign.yaml")
	screentest.Until(t, "the campaign", func() bool { return engineHas(t, c, "hidden") })
	contains(t, ends(t, cli.ExitUsage, whispers, direct, "worker", "--state", "other").err, `campaign hidden: this campaign's histories are encrypted with key "k1", which ROUNDTABLE_CODEC_KEY does not hold`)

	// A server that is gone for a while.
	way.cut(true)
	said(t, running, "Temporal at "+way.Addr().String()+" has not answered for ")
	way.cut(false)
	said(t, running, "answers again after ")

	for _, a := range v.arrivals() {
		if a.auth == "Bearer wrong" {
			t.Fatal("the worker of another lake has asked")
		}
	}
	// A worker with a wrong key of the model: the reason names the process.
	refused := says("401", false, 401, openaiError("invalid_request_error", "invalid_api_key"))
	v.set(func(a *asked) *trick {
		if a.auth == "Bearer expired" {
			return &refused
		}
		return nil
	})
	running.kill()
	friend.kill()
	expired := starts(t, dir, append(slices.Clone(direct), "OPENAI_API_KEY=expired"), "worker", "--state", "third")
	said(t, expired, "working: worker ")
	_, name, _ := strings.Cut(expired.said.String(), "working: worker ")
	name, _, _ = strings.Cut(name, ",")
	from := "(worker " + name + ")"
	screentest.Until(t, from, func() bool { return strings.Contains(ends(t, 0, dir, direct, "status", "busy").out, from) })
}

// said waits until a process has said something.
func said(t *testing.T, b *background, want string) {
	t.Helper()
	screentest.Until(t, want, func() bool { return strings.Contains(b.said.String(), want) })
}

// engineHas reports whether a campaign runs on a server.
func engineHas(t *testing.T, c client.Client, campaign string) bool {
	t.Helper()
	_, err := c.DescribeWorkflowExecution(t.Context(), workflows.CampaignID(campaign), "")
	return err == nil
}
