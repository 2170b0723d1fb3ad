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

// FailedError returns the error of a command that has run and found something wrong.
func FailedError(err error) error { return exitError{ExitFailed, err} }

// UsageError returns the error of a command that did nothing, because of its
// flags, arguments or files.
func UsageError(err error) error { return exitError{ExitUsage, err} }

// IncompleteError returns the error of work that can be resumed.
func IncompleteError(err error) error { return exitError{ExitIncomplete, err} }

// Interrupted says on standard error how work that the operator ended is resumed, and
// returns its error. Work that another process has taken over is not resumed here.
func Interrupted(ctx context.Context, resume string) error {
	if lost := context.Cause(ctx); errors.Is(lost, store.ErrLeaseLost) {
		return IncompleteError(lost)
	}
	fmt.Fprintf(os.Stderr, "\ninterrupted: answers of in-flight requests are being kept (Ctrl-C again to leave at once)\nresume with: %s\n", resume)
	return InterruptedError(errors.New("interrupted"))
}

// InterruptedError returns the error of work that the operator ended.
func InterruptedError(err error) error { return exitError{ExitInterrupted, err} }

// CodeError returns an error of another run of the program, which ended with this code.
func CodeError(code int, err error) error { return exitError{code, err} }

// ExitCode returns the code that the program ends with after an error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if coded, ok := errors.AsType[exitError](err); ok {
		return coded.code
	}
	return ExitFailed
}

// ExplainDenied says of a file or folder that this user may not use what helps.
func ExplainDenied(err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err)
	if ofFile && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)) {
		return fmt.Errorf("%w; who runs this command needs that right: change it, or name another place (--lake, for the lake)", err)
	}
	return err
}
