package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
)

// Keys of models are taken from a file .env next to a campaign file. Nothing else sets
// environment variables; keys are read from these.

// envFileName is the file's name.
const envFileName = ".env"

const maxSize = 64 << 10

// LoadEnvFile sets the environment variables that the .env file in a folder gives, and prints their names on
// standard error. Variables that are set keep their values. A folder without the file is no error.
func LoadEnvFile(folder string) error {
	return loadEnvFile(os.Stderr, folder)
}

// LoadEnvFileOf calls LoadEnvFileHere for the folder of a recorded campaign's file.
func LoadEnvFileOf(ctx context.Context, s store.Store, name string) error {
	p, _, err := campaign.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return LoadEnvFileHere(p.Folder)
}

// LoadEnvFileHere calls LoadEnvFile if folder is the working directory; otherwise, or if folder is "", it says
// on standard error that the file is not read: the state folder of a stranger's lake may name any folder.
func LoadEnvFileHere(folder string) error {
	return loadEnvFileHere(os.Stderr, folder)
}

func loadEnvFileHere(w io.Writer, folder string) error {
	here, err := os.Stat(".")
	if err != nil {
		return err
	}
	if named, err := os.Stat(folder); err == nil && os.SameFile(here, named) {
		return loadEnvFile(w, folder)
	}
	path, instead := filepath.Join(folder, envFileName), "give the command in that folder, or set the keys"
	if folder == "" {
		instead = "the campaign's own folder is not known; set the keys"
	}
	if _, err := os.Lstat(path); err == nil {
		fmt.Fprintf(w, "%s is not read, since no file there was named: %s\n", wording.SafeLines(path), instead)
	}
	return nil
}

func loadEnvFile(w io.Writer, folder string) error {
	path := filepath.Join(folder, envFileName)
	file, err := store.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return UsageError(fmt.Errorf("the file of keys cannot be read: %w", err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return UsageError(fmt.Errorf("the file of keys cannot be read: %w", err))
	}
	keys, err := parseEnvFile(data)
	if err != nil {
		return UsageError(fmt.Errorf("%s: %w", path, err))
	}
	account := hasAWSAccount()
	var taken, there, other []string
	for _, k := range keys {
		_, set := os.LookupEnv(k.Name)
		switch {
		case !isKey(k.Name):
			other = append(other, k.Name)
		case set || account && isAWS(k.Name):
			there = append(there, k.Name)
		default:
			if err := os.Setenv(k.Name, k.Value); err != nil {
				return UsageError(fmt.Errorf("%s: %s cannot be set", path, k.Name))
			}
			taken = append(taken, k.Name)
		}
	}
	var words []string
	for _, x := range []struct {
		text  string
		names []string
	}{{"took %s", taken}, {"the environment has its own for %s", there}, {"left %s, which it may not set", other}} {
		if len(x.names) > 0 {
			words = append(words, fmt.Sprintf(x.text, wording.And(x.names)))
		}
	}
	if len(words) > 0 {
		fmt.Fprintf(w, "%s: %s\n", path, strings.Join(words, "; "))
	}
	return nil
}

// keyName is the names of keys. Addresses, trust and proxies are never taken: whoever
// wrote the campaign may have written the file, and they would lead keys astray.
var keyName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*_KEY$`)

var awsKeys = []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK"}

func isAWS(name string) bool { return slices.Contains(awsKeys, name) }

func isKey(name string) bool {
	return isAWS(name) || keyName.MatchString(name) && !strings.HasPrefix(name, "AWS_") &&
		!strings.HasPrefix(name, "ROUNDTABLE_")
}

// hasAWSAccount reports whether the environment names an account of AWS: parts of two
// accounts are none.
func hasAWSAccount() bool {
	return slices.ContainsFunc(append([]string{"AWS_PROFILE"}, awsKeys...),
		func(name string) bool { return os.Getenv(name) != "" })
}

// envVariable is one line of the file.
type envVariable struct{ Name, Value string }

var (
	line  = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)
	plain = regexp.MustCompile(`^[!#%&()*+,\-./0-9:;<=>?@A-Z\[\]^_a-z{|}~]*$`)
)

// parseEnvFile reads lines NAME=VALUE. A value is a word, or anything in one pair of quotes;
// nothing in it is replaced. Empty lines and comments are passed over. All errors come
// at once, and none shows a value.
func parseEnvFile(data []byte) ([]envVariable, error) {
	if len(data) > maxSize {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSize)
	}
	var all []envVariable
	var errs []error
	for i, text := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		parts := line.FindStringSubmatch(text)
		if parts == nil {
			errs = append(errs, fmt.Errorf("line %d: expected NAME=VALUE", i+1))
			continue
		}
		value, ok := unquoteText(parts[2])
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("line %d: the value of %s is neither a plain word nor printable text in "+
				"one pair of quotes", i+1, parts[1]))
		case slices.ContainsFunc(all, func(v envVariable) bool { return v.Name == parts[1] }):
			errs = append(errs, fmt.Errorf("line %d: %s is given twice", i+1, parts[1]))
		default:
			all = append(all, envVariable{parts[1], value})
		}
	}
	return all, errors.Join(errs...)
}

func unquoteText(text string) (string, bool) {
	for _, quote := range []string{`"`, "'"} {
		if inner, ok := strings.CutPrefix(text, quote); ok {
			inner, ok = strings.CutSuffix(inner, quote)
			bad := strings.ContainsFunc(inner, func(r rune) bool { return r < ' ' || r > '~' })
			return inner, ok && !bad && !strings.ContainsAny(inner, quote+"\\")
		}
	}
	return text, plain.MatchString(text)
}
