package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// WriteJSON writes v as one indented JSON document.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// ChooseFormat returns the output format: asked if it is not "", else json if asJSON and known has it, else
// the first of known if file is "", else the one that the file's extension names. Other formats are errors.
func ChooseFormat(asked, file string, asJSON bool, known []string) (string, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	switch {
	case asked != "" && asJSON && asked != "json":
		return "", fmt.Errorf("--json and --format %s are both given; give one", asked)
	case asked != "" && !slices.Contains(known, asked):
		return "", fmt.Errorf("unknown format %q; expected %s", asked, wording.Or(known))
	case asked != "":
		return asked, nil
	case asJSON && slices.Contains(known, "json"):
		return "json", nil
	case file == "":
		return known[0], nil
	case slices.Contains(known, ending):
		return ending, nil
	}
	return "", fmt.Errorf("the name %s does not say a format; end it in one, or give --format: %s", file,
		strings.Join(known, ", "))
}

// WriteOutput calls write with file, or with w if file is "". If write fails, a file that was there stays as
// it was.
func WriteOutput(file string, w io.Writer, write func(io.Writer) error) error {
	if file == "" {
		return write(w)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return WriteFile(file, b.Bytes())
}

// NoFolder is the error for a file, named by its value, whose folder does not exist.
type NoFolder string

func (file NoFolder) Error() string {
	return fmt.Sprintf("cannot write %s: there is no folder %s", string(file), filepath.Dir(string(file)))
}

// Unwrap returns fs.ErrNotExist: the folder can be created.
func (file NoFolder) Unwrap() error { return fs.ErrNotExist }

// replaceFile writes a file whole or not at all, with the rights of the one that it replaces, unless it
// is none to replace: a device, a link, a mount, or in a folder in which no other may be made.
func replaceFile(file string, data []byte) error {
	there, err := os.Lstat(file)
	isThere := err == nil
	if isThere && !there.Mode().IsRegular() { // whoever reads a pipe sees its end when it is closed
		return os.WriteFile(file, data, 0o644)
	}
	if isThere { // may it be written?
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	s, err := StageFile(file, func(w io.Writer) (int64, error) { n, err := w.Write(data); return int64(n), err })
	if err == nil && isThere {
		if err = os.Chmod(s.temp, there.Mode().Perm()); err != nil {
			s.Discard()
		}
	}
	if err == nil {
		err = s.Publish(true)
	}
	if err != nil && (isThere || errors.Is(err, fs.ErrPermission)) {
		return os.WriteFile(file, data, 0o644)
	}
	return err
}

// WriteFile writes data to the file that -o names; its errors are in plain words.
func WriteFile(file string, data []byte) error {
	err := replaceFile(file, data)
	switch info, statErr := os.Stat(file); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return UsageError(NoFolder(file))
	case errors.Is(err, fs.ErrPermission):
		return UsageError(fmt.Errorf("cannot write %s: no permission", file))
	case statErr == nil && info.IsDir():
		return UsageError(fmt.Errorf("cannot write %s: it is a folder; name a file", file))
	}
	return fmt.Errorf("cannot write %s: %w", file, err)
}

// Abbreviate returns a count in short form: 1.2M for 1234567.
func Abbreviate(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// QuoteShell returns a text quoted as one word of a shell command.
func QuoteShell(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// OneLine returns a text on one line, nothing left out.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Intervals at which progress is shown: on a terminal (LiveEvery), and elsewhere (PlainEvery).
const (
	LiveEvery  = time.Second
	PlainEvery = 10 * time.Second
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if c, ok := stream.(*Counter); ok {
		stream = c.Writer
	}
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Counter is a writer that counts the bytes written through it.
type Counter struct {
	io.Writer
	N int64
}

// Write implements io.Writer.
func (c *Counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.N += int64(n)
	return n, err
}

// FormatYAML returns parameters as YAML, as a campaign file would have them; "" if there are none.
func FormatYAML(params any) (string, error) {
	data, err := json.Marshal(params)
	if err != nil || string(data) == "null" || string(data) == "{}" {
		return "", err
	}
	var n yaml.Node // JSON is YAML; this way the order of the fields stays
	if err := yaml.Unmarshal(data, &n); err != nil {
		return "", err
	}
	plainStyle(&n)
	out, err := yaml.Marshal(&n)
	return string(out), err
}

// plainStyle takes JSON's braces and quotes away, but for short lists.
func plainStyle(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		n.Style = 0
	}
	if n.Kind == yaml.ScalarNode {
		n.Style &^= yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		plainStyle(c)
	}
}

// CheckOutput returns an error if path is no regular file, exists while force is false, or is in a folder that
// does not exist. A path of "" is fine.
func CheckOutput(path string, force bool) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case err == nil && !force:
		return errExists(path)
	case errors.Is(err, fs.ErrNotExist):
		if _, err = os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			err = NoFolder(path)
		}
	}
	return err
}

func errExists(path string) error { return fmt.Errorf("%s exists; --force replaces it", path) }
