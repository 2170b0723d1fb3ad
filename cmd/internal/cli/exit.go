package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"roundtable/analysis/lake/store"
)

// Exit codes. 130 is the shell's own for an interrupted program.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitIncomplete  = 3
	ExitInterrupted = 130
)

// exitError is an error with the code that the program ends with.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string { return e.err.Error() }
func (e exitError) Unwrap() error { return e.err }

// FailedError returns err with ExitFailed: the command has run and found something wrong.
func FailedError(err error) error { return exitError{ExitFailed, err} }

// UsageError returns err with ExitUsage: flags, arguments or files are wrong and nothing was done.
func UsageError(err error) error { return exitError{ExitUsage, err} }

// IncompleteError returns err with ExitIncomplete: the same command resumes the work.
func IncompleteError(err error) error { return exitError{ExitIncomplete, err} }

// Interrupted prints on standard error the command that resumes interrupted work, and returns the error to end
// with. If another process has taken the work over, it returns only the error that says so.
func Interrupted(ctx context.Context, resume string) error {
	if lost := context.Cause(ctx); errors.Is(lost, store.ErrLeaseLost) {
		return IncompleteError(lost)
	}
	fmt.Fprintf(os.Stderr, "\ninterrupted: answers of in-flight requests are being kept (Ctrl-C again to leave at "+
		"once)\nresume with: %s\n", resume)
	return InterruptedError(errors.New("interrupted"))
}

// InterruptedError returns err with ExitInterrupted: the operator interrupted the work.
func InterruptedError(err error) error { return exitError{ExitInterrupted, err} }

// WithCode returns err with code, the exit code of another run of the program.
func WithCode(code int, err error) error { return exitError{code, err} }

// ExitCode returns the exit code for err: 0 for nil, ExitFailed for an error without a code.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if coded, ok := errors.AsType[exitError](err); ok {
		return coded.code
	}
	return ExitFailed
}

// ExplainDenied adds a hint to an error about a file or folder that this user may not use; other errors are
// returned as they are.
func ExplainDenied(err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err)
	if ofFile && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return fmt.Errorf("%w; who runs this command needs that right: change it, or name another place (--lake, "+
			"for the lake)", err)
	}
	return err
}
