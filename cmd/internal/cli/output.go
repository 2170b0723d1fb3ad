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
	"roundtable/envs/wording"
	"slices"
	"strings"
	"time"
)

// WriteJSON writes one indented document.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// ChooseFormat returns the known format that is asked for, or that --json or the file's
// name says; the first one if there is no file.
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

// WriteOutput writes to a file if one is named; a failure leaves what was there.
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

// NoFolder is the error of a file whose folder is not there.
type NoFolder string

func (file NoFolder) Error() string {
	return fmt.Sprintf("cannot write %s: there is no folder %s", string(file), filepath.Dir(string(file)))
}

// Unwrap says that it can be made.
func (file NoFolder) Unwrap() error { return fs.ErrNotExist }

// WriteFile writes what -o asks for, and says in words what keeps it from that.
func WriteFile(file string, data []byte) error {
	err := os.WriteFile(file, data, 0o644)
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

// Abbreviate returns 1.2M for 1234567.
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

// OneLine returns a text, whole, as one line.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// How often progress is shown: on a terminal, and elsewhere.
const (
	LiveEvery  = time.Second
	PlainEvery = 10 * time.Second
)
