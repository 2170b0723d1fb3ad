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
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
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

// Run runs command once in folder, writes line to it, and returns its output. more are further
// environment variables, NAME=value. An error is failure.Unusable if trying again may help.
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

// ParseLine parses the line that answers question n and returns it as canonical JSON without that
// number.
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

// TrustEnv names the programs that campaigns may run, since a campaign file or a recorded plan may be
// somebody else's: what TrustOf returns of each, with commas between; * is every one.
const TrustEnv = "ROUNDTABLE_PROGRAMS"

var trustMark = regexp.MustCompile(`#([0-9a-f]{32})`)

// mostTrusted is the greatest size of the files that a command names, in bytes: to hash more would
// keep whoever only looks at a stranger's campaign busy.
const mostTrusted = 512 << 20

// TrustOf returns what TrustEnv must hold to trust command in folder: both, for people and
// ListTrusted, and a hash of them and of the files that the command's words name.
func TrustOf(folder string, command []string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	bound, left := []any{folder, command}, int64(mostTrusted)
	for _, word := range command {
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if f, err := store.OpenFile(path); err == nil {
			h := sha256.New()
			if info, e := f.Stat(); e == nil && info.Size() <= left {
				_, err = io.Copy(h, io.LimitReader(f, left))
				left -= info.Size()
			} else {
				err = cmp.Or(e, fmt.Errorf("the files that the command %s names have more than %d MB; only %s='*' trusts it",
					strings.Join(command, " "), mostTrusted>>20, TrustEnv))
			}
			if err = cmp.Or(err, f.Close()); err != nil {
				return "", err
			}
			bound = append(bound, word, hex.EncodeToString(h.Sum(nil)))
		}
	}
	text, err := json.Marshal(bound)
	if err != nil {
		return "", err
	}
	words := append(slices.Clone(command), "in", folder)
	for i, word := range words {
		words[i] = quoteWord(word)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s #%x", strings.Join(words, " "), sum[:16]), nil
}

// quoteWord returns a word that splitWords reads again. A stranger's word has neither the comma nor
// the number sign that would trust other programs where it is exported.
func quoteWord(word string) string {
	quoted := strconv.Quote(word)
	if word != "" && quoted == `"`+word+`"` && !strings.ContainsAny(word, " ,#'`") {
		return word
	}
	return strings.NewReplacer(",", `\x2c`, "#", `\x23`).Replace(quoted)
}

// splitWords returns the words that quoteWord has made of each.
func splitWords(text string) (words []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		word, _, _ := strings.Cut(text, " ")
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			text = text[len(quoted):]
			if word, err = strconv.Unquote(quoted); err != nil {
				return nil
			}
		} else {
			text = text[len(word):]
		}
		words = append(words, word)
	}
	return words
}

// Trusted is what TrustEnv says of one program.
type Trusted struct {
	Command []string `json:"command,omitempty"`
	Folder  string   `json:"folder,omitempty"`
	Hash    string   `json:"hash,omitempty"`
	State   string   `json:"state"`
}

const (
	everyProgram = "every program is trusted"
	asTrusted    = "as it was trusted"
)

// ListTrusted returns the programs that TrustEnv names, each with whether its files are still those that
// were trusted.
func ListTrusted() []Trusted {
	list := readTrusted(os.Getenv(TrustEnv))
	for i, t := range list {
		if t.State != "" {
			continue
		}
		if t.Folder == "" {
			list[i].State = "named by its hash alone"
			continue
		}
		switch entry, err := TrustOf(t.Folder, t.Command); {
		case err != nil:
			list[i].State = err.Error()
		case strings.HasSuffix(entry, "#"+t.Hash):
			list[i].State = asTrusted
		default:
			list[i].State = "not as it was trusted, so it is not run"
		}
	}
	return list
}

// readTrusted reads what TrustEnv holds. What has a hash has no State.
func readTrusted(given string) []Trusted {
	list := []Trusted{}
	for part := range strings.SplitSeq(given, ",") {
		part = strings.TrimSpace(part)
		marks := trustMark.FindAllStringSubmatchIndex(part, -1)
		switch {
		case part == "*":
			list = append(list, Trusted{Command: []string{part}, State: everyProgram})
		case part != "" && len(marks) == 0:
			list = append(list, Trusted{Command: splitWords(part), State: "not trusted: its entry has no hash"})
		}
		from := 0
		for _, m := range marks {
			t, words := Trusted{Hash: part[m[2]:m[3]]}, splitWords(part[from:m[0]])
			if n := len(words) - 2; n > 0 && words[n] == "in" {
				t.Command, t.Folder = words[:n], words[n+1]
			}
			list, from = append(list, t), m[1]
		}
	}
	return list
}

// CheckTrusted returns an error, which says what to set, if the operator does not trust command in
// folder with the files that it names now.
func CheckTrusted(folder string, command []string) error {
	trusted := readTrusted(os.Getenv(TrustEnv))
	if slices.ContainsFunc(trusted, func(t Trusted) bool { return t.State == everyProgram }) {
		return nil
	}
	entry, err := TrustOf(folder, command)
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return err
	}
	if slices.ContainsFunc(trusted, func(t Trusted) bool {
		return strings.HasSuffix(entry, "#"+t.Hash) && (t.Folder == "" || t.Folder == folder && slices.Equal(t.Command, command))
	}) {
		return nil
	}
	return fmt.Errorf("the campaign runs a program on this machine, %s; if you trust it as it is now: export %s=%s",
		strings.Join(command, " "), TrustEnv, quoteShell(entry))
}

// quoteShell returns a text as a shell takes it.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
