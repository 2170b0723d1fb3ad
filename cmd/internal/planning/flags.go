package planning

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/campaignfile"
)

// Flags are flags that change a campaign file for one command.
type Flags struct {
	Fit FitRule // for learned stopping rules that are not fitted yet
	// holds the campaign files instead of the disk; paths in them are relative to the working directory
	Files fs.FS
	// folder of the data set instead of the file's; for a fork, of data that the lake does not have
	Data      *string
	set       []string
	name      string
	limit     int
	instances []string
	given     *pflag.FlagSet
}

// Add defines the flags.
func (f *Flags) Add(to *pflag.FlagSet) {
	f.given = to
	to.StringArrayVar(&f.set, "set", nil,
		"override a key of the file, as rule=borda or protocol.rounds=3; may be repeated")
	to.StringVar(&f.name, "name", "", "name of the campaign, instead of the file's")
	to.IntVar(&f.limit, "limit", 0, "run at most this many instances of each environment, the first ones")
	to.StringSliceVar(&f.instances, "instances", nil, "run the instances with these ids only, as id1,id2")
}

// With returns the flags for file, one of several files: with a campaign name, and with the settings in set,
// which those of the flags override. A flag given as FILE:KEY=VALUE applies to that file only; files lists
// all.
func (f Flags) With(file string, files []string, name string, set ...string) Flags {
	f.name = name
	for _, given := range f.set {
		of, rest, scoped := strings.Cut(given, ":")
		switch {
		case !scoped || !slices.Contains(files, of):
			set = append(set, given)
		case of == file:
			set = append(set, rest)
		}
	}
	f.set = set
	return f
}

// Name returns the value of --name, the campaign's name; "" if it is not given.
func (f Flags) Name() string { return f.name }

// Limit returns the value of --limit, the most instances; 0 if it is not given.
func (f Flags) Limit() int { return f.limit }

// readFile reads a campaign file.
func (f Flags) readFile(path string) ([]byte, error) {
	if f.Files != nil {
		return fs.ReadFile(f.Files, filepath.ToSlash(path))
	}
	return store.ReadFile(path, campaignfile.MaxFileSize)
}

// folderOf returns what paths in a campaign file are relative to.
func (f Flags) folderOf(path string) string {
	if f.Files != nil {
		return "."
	}
	return filepath.Dir(path)
}

func (f Flags) isGiven(name string) bool { return f.given != nil && f.given.Changed(name) }

// Source returns the source of a campaign file, given its text, with the changes of the flags.
func (f Flags) Source(path string, data []byte) (campaignfile.Source, error) {
	s := campaignfile.Source{Name: filepath.Clean(path), Data: data, Limit: f.limit}
	var errs []error
	if f.isGiven("limit") && f.limit < 1 {
		errs = append(errs, fmt.Errorf("--limit is %d; expected 1 or more instances", f.limit))
	}
	for _, text := range f.set {
		c, err := campaignfile.NewChange(text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.Changes = append(s.Changes, c)
	}
	if f.isGiven("name") || f.name != "" {
		s.Changes = append(s.Changes, campaignfile.NewTextChange("--name "+f.name, "name", f.name))
	}
	if f.isGiven("instances") {
		s.Changes = append(s.Changes, campaignfile.NewTextChange("--instances "+strings.Join(f.instances, ","),
			"instances", f.instances))
	}
	if dir := f.dataFolder(); dir != "" && !isFork(data) { // of a fork it is the lake that finds them there
		at, err := filepath.Abs(dir)
		s.Changes, errs = append(s.Changes, campaignfile.NewTextChange("--data "+dir, "data", at)), append(errs, err)
	}
	return s, errors.Join(errs...)
}

func (f Flags) dataFolder() string {
	if f.Data == nil {
		return ""
	}
	return *f.Data
}

// isFork reports whether a file forks another campaign.
func isFork(data []byte) bool {
	var file struct{ Fork any }
	return yaml.Unmarshal(data, &file) == nil && file.Fork != nil
}

// Texts returns the flags that were given, quoted for a shell.
func (f Flags) Texts() []string {
	var all []string
	for _, text := range f.set {
		all = append(all, "--set "+cli.QuoteShell(text))
	}
	if f.isGiven("name") || f.name != "" {
		all = append(all, "--name "+cli.QuoteShell(f.name))
	}
	if f.isGiven("limit") {
		all = append(all, fmt.Sprintf("--limit %d", f.limit))
	}
	if f.isGiven("instances") {
		all = append(all, "--instances "+cli.QuoteShell(strings.Join(f.instances, ",")))
	}
	return all
}

// Command returns the `roundtable run` command for the file at path with these flags.
func (f Flags) Command(path string) string {
	words := append([]string{"roundtable run " + path}, f.Texts()...)
	if dir := f.dataFolder(); dir != "" {
		words = append(words, "--data "+cli.QuoteShell(dir))
	}
	return strings.Join(words, " ")
}
