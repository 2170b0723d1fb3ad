package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/planning"
)

// launch is a run that was left to itself, and how to look after it.
type launch struct {
	Campaign string `json:"campaign"`
	PID      int    `json:"pid"`
	Log      string `json:"log"` // what it says and, at its end, prints
	Status   string `json:"status_command"`
	Stop     string `json:"stop_command"`
}

// earlyEnd is how long a launch is watched: what is wrong with keys, locks or the lake
// shows by then.
const earlyEnd = 3 * time.Second

// detach starts the same command once more, without a terminal, and leaves it to itself. What is
// wrong with the file is said here, and so is an end in the first seconds.
func detach(ctx context.Context, o *cli.Options, path string, flags planning.Flags) error {
	s, made, err := o.CreateLake()
	if err != nil {
		return err
	}
	p, _, _, err := flags.Read(ctx, o.Plugins, path, s, true)
	made.Discard()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	name := p.Campaign.Name
	l := launch{Campaign: name, Log: filepath.Join(o.State, name+".log"), Status: "roundtable status " + name + o.Places(),
		Stop: "roundtable pause " + name + o.Places()}
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(l.Log, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
		return err
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]),
		func(a string) bool { return strings.HasPrefix(a, "--detach") })
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal's end is its own
	if err := cmd.Start(); err != nil {
		return err
	}
	l.PID = cmd.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			said, _ := io.ReadAll(io.NewSectionReader(log, before.Size(), 1<<20))
			return cli.CodeError(failed.ExitCode(),
				fmt.Errorf("the run ended at once:\n%s", strings.TrimSpace(string(said))))
		} else if err != nil {
			return err
		}
	case <-time.After(earlyEnd):
	case <-ctx.Done():
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), l)
	}
	fmt.Fprintf(o.Stdout(), "%s runs as process %d and continues when this terminal is closed.\nLog:     %s\nProgress: %s\nStop:    %s; the same command continues\n", name, l.PID, l.Log, l.Status, l.Stop)
	return nil
}
