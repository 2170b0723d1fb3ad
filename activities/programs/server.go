package programs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/envs/program"
)

// mostLine is how many bytes a program's answer may have.
const mostLine = 4 << 20

// server is a process that answers one line with one line until its input ends. It
// belongs to one caller at a time.
type server struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	said   tail
	asked  int
}

func startServer(folder string, command []string) (*server, error) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{cmd: newCommand(ctx, folder, command), cancel: cancel}
	s.cmd.Stderr = &s.said
	var err error
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		s.out, err = s.cmd.StdoutPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, cannotStart(err)
	}
	s.lines = bufio.NewReaderSize(s.out, 64<<10)
	return s, nil
}

// ask puts one question, an object, and returns its answer in canonical form. After an
// error, which is failure.Unusable, the process has ended.
func (s *server) ask(question json.RawMessage, timeout time.Duration) (json.RawMessage, error) {
	s.asked++
	late := atomic.Bool{}
	watch := time.AfterFunc(timeout, func() { late.Store(true); s.stop() })
	defer watch.Stop()
	_, err := s.in.Write(numberQuestion(question, s.asked))
	var line []byte
	if err == nil {
		line, err = readLine(s.lines)
	}
	switch {
	case late.Load():
		err = fmt.Errorf("no answer after %v", timeout)
	case errors.Is(err, errTooLong):
	case err != nil:
		return nil, failure.Unusable{Err: fmt.Errorf("it ended without an answer%s", s.end())}
	}
	if err == nil {
		var answer json.RawMessage
		if answer, err = ParseLine(line, s.asked); err == nil {
			return answer, nil
		}
	}
	s.stop()
	return nil, failure.Unusable{Err: fmt.Errorf("%w%s", err, s.afterEnd())}
}

// stop kills the process and all that it started.
func (s *server) stop() {
	s.cancel()
	s.in.Close()
	s.out.Close()
}

// end waits for a process that ends by itself and returns how, and its last words.
func (s *server) end() string {
	s.in.Close()
	waited := time.AfterFunc(time.Second, s.stop)
	defer waited.Stop()
	err := s.cmd.Wait()
	endGroup(s.cmd)
	if err != nil {
		return " (" + err.Error() + ")" + s.said.lastWords()
	}
	return " (exit status 0)" + s.said.lastWords()
}

// afterEnd waits for a process that was stopped and returns its last words.
func (s *server) afterEnd() string {
	_ = s.cmd.Wait() // it was killed
	return s.said.lastWords()
}

// close ends the process: its input ends, and it has a second to go.
func (s *server) close() {
	_ = s.end()
	s.cancel()
}

// numberQuestion returns a question as a line with its number.
func numberQuestion(question json.RawMessage, n int) []byte {
	return append(append([]byte(`{"n":`+strconv.Itoa(n)+","), question[1:]...), '\n')
}

var errTooLong = fmt.Errorf("its answer has more than %d bytes", mostLine)

// readLine returns the next line.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > mostLine {
			return nil, errTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// ParseLine reads the line that answers question n, and returns it in canonical form
// without that number.
func ParseLine(line []byte, n int) (json.RawMessage, error) {
	text := strings.TrimSpace(string(line))
	answer, err := program.Canonical([]byte(text), mostLine)
	if err != nil {
		return nil, fmt.Errorf("it wrote %q: %w", prompt.Clean([]byte(text), 200), err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(answer, &keys); err != nil {
		return nil, err
	}
	if got := string(keys["n"]); got != strconv.Itoa(n) {
		return nil, fmt.Errorf(`it wrote %q, which does not answer question %d: each answer is one line with the "n" of its question`, prompt.Clean([]byte(text), 200), n)
	}
	delete(keys, "n")
	return json.Marshal(keys)
}
