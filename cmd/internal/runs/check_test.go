package runs

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Who interrupts a check reads once that its answer is waited for, and how not to wait.
func TestInterruptedCheckIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ctx, interrupt := context.WithCancel(t.Context())
		end := tellWaiting(ctx, &out, "openai/slow")
		time.Sleep(time.Second)
		interrupt()
		time.Sleep(20 * time.Second)
		end()
		if said := out.String(); strings.Count(said, "a second Ctrl-C or SIGTERM ends at once") != 1 || strings.Count(said, "waiting for its answer") < 2 {
			t.Errorf("says:\n%s", said)
		}
	})
}
