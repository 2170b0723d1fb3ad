// Package programs runs what of the user's own a campaign names: programs that score
// decisions, that are an environment, or that take word of the campaign, as a webhook can. It
// asks them, bounded in time and bytes and without the keys of this process, and records what
// an environment answers with its campaign, so that nothing is asked twice and a recorded
// campaign can be read without its programs.
//
// Each notice is sent at least once, also over kills: a marker in the lake is written after it
// was sent, so a kill between the two sends it again, with the same id, by which a receiver
// can drop the second. What cannot be sent is returned as an error after three tries, and is
// not tried again.
package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/prompt"
)

// Bounds of what is kept of a program's words.
const (
	mostOutput = 1 << 20 // bytes of one run
	mostSaid   = 500     // last bytes of its standard error
)

// newCommand returns a command that runs in a folder, which relative paths start from,
// with the variables that are passed on, and that ends with all that it has started.
func newCommand(ctx context.Context, folder string, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.WaitDelay, cmd.Env = folder, time.Second, passedOn(os.Environ())
	ownGroup(cmd)
	return cmd
}

// Run runs a program once with one line, and with further variables as NAME=value, and
// returns what it wrote. An error that
// trying again may help against is failure.Unusable.
func Run(ctx context.Context, folder string, command []string, timeout time.Duration, line []byte,
	more ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := newCommand(limited, folder, command)
	cmd.Env = append(cmd.Env, more...)
	cmd.Stdin = bytes.NewReader(append(bytes.Clone(line), '\n'))
	var out capped
	var said tail
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if cmd.Process != nil {
		endGroup(cmd)
	}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, failure.Unusable{Err: fmt.Errorf("no answer after %v", timeout)}
	case errors.As(err, &exit) && exit.String() == "signal: interrupt":
		return nil, err // Ctrl-C: no judgement of the answer
	case errors.As(err, &exit):
		return nil, failure.Unusable{Err: fmt.Errorf("%w%s", err, said.lastWords())}
	}
	return nil, cannotStart(err)
}

// cannotStart returns the error of a program that did not start: the operator has to
// act if it is not there.
func cannotStart(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return failure.NeedsOperator{Err: fmt.Errorf("the program cannot be started: %w", err)}
	}
	return failure.Unusable{Err: err}
}

// capped keeps the first mostOutput bytes, and takes all.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if room := mostOutput - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// tail keeps the last mostSaid bytes, and takes all. It is read when nothing writes.
type tail struct{ last []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p[max(0, len(p)-mostSaid):]...)
	t.last = t.last[max(0, len(t.last)-mostSaid):]
	return len(p), nil
}

// lastWords returns the end of what a program said on stderr, after a colon.
func (t *tail) lastWords() string {
	text := strings.TrimSpace(prompt.Clean(t.last, mostSaid))
	if text == "" {
		return ""
	}
	return ": " + text
}
