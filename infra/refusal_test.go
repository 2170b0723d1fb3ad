package infra

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What no waiting helps against is refused with what to set; whatever may pass is waited for.
func TestRefusals(t *testing.T) {
	silent := Target{HostPort: "127.0.0.1:1", Namespace: "lab"} // nobody is there
	withKey, own := silent, silent
	withKey.Credentials, own.InProcess = client.NewAPIKeyStaticCredentials("k"), true
	for _, x := range []struct {
		target Target
		err    error
		says   string // "" for what is waited for
	}{
		{silent, nil, ""}, {silent, errors.New("broken pipe"), ""}, {silent, status.Error(codes.Unavailable, "later"), ""}, {silent, context.DeadlineExceeded, ""},
		{silent, status.Error(codes.Unauthenticated, "who"), "set TEMPORAL_API_KEY"}, {silent, status.Error(codes.PermissionDenied, "who"), "set TEMPORAL_API_KEY"},
		{silent, serviceerror.NewPermissionDenied("who", "why"), "set TEMPORAL_API_KEY"}, {withKey, status.Error(codes.Unauthenticated, "who"), "is not valid"},
		{withKey, serviceerror.NewPermissionDenied("who", "why"), "is not valid"}, {own, status.Error(codes.Unauthenticated, "who"), ""},
		{silent, status.Error(codes.InvalidArgument, "what"), `namespace "lab"`}, {silent, serviceerror.NewInvalidArgument("what"), `namespace "lab"`},
		{silent, status.Error(codes.Unimplemented, "what"), `namespace "lab"`}, {withKey, serviceerror.NewUnavailable("later"), ""},
	} {
		err := x.target.refusalOf(t.Context(), x.err)
		if (err != nil) != (x.says != "") || err != nil && (!strings.Contains(err.Error(), x.says) || !errors.Is(err, x.err)) {
			t.Errorf("%v: %v, want %q", x.err, err, x.says)
		}
	}
}

// A server that speaks, at once or when it is spoken to, and one that is slow are waited for; how another one ends
// the connection is said.
func TestAwaitWord(t *testing.T) {
	for what, serve := range map[string]func(net.Conn) error{
		"speaks first": func(c net.Conn) error {
			_, err := io.WriteString(c, "\x00\x00\x06\x04\x00\x00\x00\x00\x00")
			return err
		},
		"answers":          func(c net.Conn) error { return errors.Join(readOf(c), writeOf(c)) },
		"is silent":        func(c net.Conn) error { return readOf(c) },
		"hangs up":         func(c net.Conn) error { return c.Close() },
		"hangs up halfway": func(c net.Conn) error { _, err := io.WriteString(c, "HTTP"); return errors.Join(err, c.Close()) },
	} {
		for _, patience := range []time.Duration{0, time.Minute} {
			synctest.Test(t, func(t *testing.T) {
				here, there := net.Pipe()
				go func() {
					if err := serve(there); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}()
				began := time.Now()
				err := Target{Patience: patience}.awaitWord(pipe{here})
				if (err != nil) != strings.HasPrefix(what, "hangs") {
					t.Errorf("a server that %s: %v", what, err)
				}
				want := map[string]time.Duration{"answers": alertTimeout, "is silent": 2 * alertTimeout}[what]
				if took := time.Since(began); took != want {
					t.Errorf("a server that %s is waited for %v, want %v", what, took, want)
				}
				here.Close()
				there.Close()
			})
		}
	}
}

// pipe is a connection on which to say nothing takes no reader, as on others.
type pipe struct{ net.Conn }

func (p pipe) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return p.Conn.Write(b)
}

func readOf(c net.Conn) error { _, err := io.ReadFull(c, make([]byte, 33)); return err }

func writeOf(c net.Conn) error {
	_, err := io.WriteString(c, "\x00\x00\x06\x04\x00\x00\x00\x00\x00")
	return err
}
