//go:build !cgo

package sql

import (
	"bufio"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

//go:embed process.py
var pythonDriver string

// engine is a DuckDB in a process of its own. It reads statements from standard input
// and writes what they answer to files; see process.py.
type engine struct {
	name      string
	python    bool
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	problems  *os.File // its standard error, of the statement before
	source    Source
	ended     bool
	result    io.Closer // of the statement before
	functions []Function
	read      map[string][]string // the arguments that a function's rows were read for
}

// start takes the first of these that works: the Python and the command line beside the
// program, as in an environment of Python's, and those on the PATH.
func (e *engine) start(ctx context.Context, s Source, folder string) error {
	var beside []string
	if program, err := os.Executable(); err == nil {
		beside = []string{filepath.Join(filepath.Dir(program), "python3"),
			filepath.Join(filepath.Dir(program), "duckdb")}
	}
	refused := []error{ErrNoDuckDB}
	for _, name := range append(beside, "python3", "duckdb") {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err = e.launch(ctx, path, folder); err == nil {
			e.source = s
			if s.Tell != nil {
				s.Tell(fmt.Sprintf("SQL by the DuckDB of %s: this roundtable was built without it", path))
			}
			return nil
		}
		e.stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		refused = append(refused, fmt.Errorf("%s: %w", path, err))
	}
	return errors.Join(refused...)
}

// passed are the variables that a DuckDB is given: no key is among them.
var passed = regexp.MustCompile(`^(PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|PYTHON(PATH|HOME)|VIRTUAL_ENV|CONDA_PREFIX)=`)

func (e *engine) launch(ctx context.Context, path, folder string) (err error) {
	*e = engine{name: path, read: map[string][]string{}}
	if e.problems, err = os.OpenFile(filepath.Join(folder, "problems"), os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_RDWR,
		0o600); err != nil {
		return err
	}
	arguments := []string{"-batch", "-init", os.DevNull}
	if e.python = strings.HasPrefix(filepath.Base(path), "python"); e.python {
		arguments = []string{"-X", "utf8", "-W", "ignore", "-c", pythonDriver}
	}
	cmd := exec.Command(path, arguments...)
	cmd.Dir, cmd.Stderr = folder, e.problems // modules of the working directory are not loaded
	cmd.Env = slices.DeleteFunc(os.Environ(), func(pair string) bool { return !passed.MatchString(pair) })
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal is ours alone
	if e.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	e.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		return err
	}
	e.cmd = cmd
	// older ones lack these
	return e.exec(ctx, "SELECT json_serialize_sql('SELECT 1'), current_setting('allowed_paths')")
}

// lock returns what closes everything but the lake's files: to the command line also its own
// commands, which start with a full stop.
func (e *engine) lock() []string {
	if e.python {
		return lockSettings
	}
	return []string{".safe_mode"}
}

func (e *engine) exec(ctx context.Context, statement string) error {
	_, err := e.ask(ctx, statement)
	return err
}

// ask runs a statement and returns what it prints. A context that ends, ends the process.
func (e *engine) ask(ctx context.Context, statement string) (text string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { _ = e.cmd.Process.Kill() })()
	mark := rand.Text()
	if e.python {
		err = json.NewEncoder(e.in).Encode([]string{statement, mark})
	} else {
		_, err = fmt.Fprintf(e.in, "%s\n;\n.print %s\n", statement, mark)
	}
	var b strings.Builder
	for err == nil {
		var line string
		if line, err = e.out.ReadString('\n'); err == nil && strings.TrimRight(line, "\r\n") == mark {
			break
		}
		b.WriteString(line)
	}
	problem, failed := os.ReadFile(e.problems.Name())
	failed = errors.Join(failed, e.problems.Truncate(0))
	switch {
	case err != nil:
		e.ended = true
		return "", fmt.Errorf("the DuckDB of %s has ended (%w); %s", e.name, err, problem)
	case len(problem) > 0:
		return "", errors.New(string(problem))
	}
	return b.String(), failed
}

func (e *engine) stop() {
	if e.result != nil {
		_ = e.result.Close()
	}
	if e.cmd != nil {
		_ = e.in.Close()
		_ = e.cmd.Wait()
	}
	if e.problems != nil {
		_ = e.problems.Close()
	}
}

// restart starts DuckDB again if an interrupt or the statement before has ended it.
func (db *DB) restart(ctx context.Context) error {
	if !db.ended {
		return nil
	}
	source, functions := db.source, db.functions
	db.stop()
	if source.Tell != nil {
		source.Tell("DuckDB starts again, without the views, tables and macros that were made before.")
	}
	if err := db.openDuckDB(ctx, source); err != nil {
		return err
	}
	return db.addFunctions(ctx, functions)
}

// addFunctions gives each function's view and the function itself, as a macro over rows that
// are read when a statement names them.
func (db *DB) addFunctions(ctx context.Context, all []Function) error {
	db.functions = all
	for _, f := range all {
		err := db.readFunction(ctx, f, []string{""})
		if err == nil && f.Table != "" {
			err = db.exec(ctx, f.defineView(db.files.campaigns))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
