// Package cli holds what every command shares: the common options, the lake that
// they name, exit codes, and how results are written. It knows no experiment.
package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/catalogue"
)

// Options are the flags that all commands share, with the plug-ins of the program.
type Options struct {
	root      *cobra.Command
	Plugins   catalogue.Catalogue // what campaigns can name
	Lake      string
	Data      string // folder with data files that the lake does not have
	State     string
	Temporal  string
	Namespace string
	Insecure  bool
	JSON      bool
	Telemetry Telemetry
	// StartServer starts the Temporal server of this program on a folder, where infra.TargetIn finds it; fresh
	// removes the workflows that an earlier one left there. OpenBucket opens a lake in a bucket, ReadBucket one
	// that need not be writable. Only the root command links the server and the client of S3.
	StartServer            func(ctx context.Context, dir string, fresh bool) (stop func() error, err error)
	OpenBucket, ReadBucket func(location string) (store.Store, error)
	Working                func() // called before the command starts something that an interrupt must not cut off
}

// NewOptions returns the options of a program with these plug-ins and defines their flags on root.
func NewOptions(root *cobra.Command, plugins catalogue.Catalogue) *Options {
	o := &Options{root: root, Plugins: plugins}
	f := root.PersistentFlags()
	f.StringVar(&o.Lake, "lake", cmp.Or(os.Getenv("ROUNDTABLE_LAKE"), "./lake"),
		"where the tables and answers are: a folder, or s3://bucket/prefix ($ROUNDTABLE_LAKE)")
	f.StringVar(&o.State, "state", cmp.Or(os.Getenv("ROUNDTABLE_STATE"), "./.roundtable"),
		"folder of the embedded Temporal server ($ROUNDTABLE_STATE)")
	f.StringVar(&o.Temporal, "temporal", "",
		"HOST:PORT of an outside Temporal server (default: $TEMPORAL_ADDRESS, or the embedded one)")
	f.StringVar(&o.Namespace, "namespace", "", "Temporal namespace (default: $TEMPORAL_NAMESPACE, or default)")
	f.BoolVar(&o.Insecure, "insecure", false, "allow plaintext to a Temporal server on another machine")
	f.BoolVar(&o.JSON, "json", false, "write JSON to standard output and nothing else there")
	return o
}

// Places returns the flags for lake, state, server and namespace as they were given, to print another command;
// "" if none was.
func (o *Options) Places() (flags string) {
	for _, name := range []string{"lake", "state", "temporal", "namespace"} {
		if f := o.root.PersistentFlags().Lookup(name); f.Changed {
			flags += fmt.Sprintf(" --%s='%s'", name, strings.ReplaceAll(f.Value.String(), "'", `'\''`))
		}
	}
	return flags
}

// AddData adds the flag --data to a command.
func (o *Options) AddData(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Data, "data", "",
		"folder with the data files, where they are not in the lake (private_data, or too large) or not where the "+
			"file says")
}

// Stdout returns the writer for what commands were asked to print.
func (o *Options) Stdout() io.Writer { return o.root.OutOrStdout() }

// LakeName returns the lake's location without the connection parameters after "?".
func (o *Options) LakeName() string {
	at, _, _ := strings.Cut(o.Lake, "?")
	return strings.TrimSuffix(at, "/")
}

// OneArg returns a check that accepts exactly one argument; what names it in the error ("campaign").
func OneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return UsageError(fmt.Errorf("expected 1 %s, got %d: %s", what, len(args), cmd.UseLine()))
		}
		return nil
	}
}

// NoArgs is a cobra check that accepts no arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageError(fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args))
	}
	return nil
}

// Once returns a flag value that sets text and refuses to be given twice.
func Once(text *string) pflag.Value { return &once{text: text} }

type once struct {
	text  *string
	given bool
}

func (o *once) String() string {
	if o.text == nil { // pflag asks a zero value for its default
		return ""
	}
	return *o.text
}

func (o *once) Type() string { return "string" }

func (o *once) Set(text string) error {
	if o.given {
		return errors.New("it can be given once only")
	}
	*o.text, o.given = text, true
	return nil
}

// CampaignFolder returns the folder of the engine of a campaign, relative to the state folder.
func (o *Options) CampaignFolder(name string) string {
	return filepath.Join("campaigns", name+o.lakeSuffix())
}

// withPaths returns the lake with where this machine has the files of its campaigns.
func (o *Options) withPaths(s store.Store) store.Store {
	return campaign.WithPaths(s, func(name string) string { return filepath.Join(o.State, o.CampaignFolder(name), "paths.json") })
}

// LabelsFolder returns the folder of the engine of a labelling, relative to the state folder.
func (o *Options) LabelsFolder(campaign, labeller string) string {
	return filepath.Join("labels", campaign+o.lakeSuffix(), labeller)
}

// lakeSuffix tells apart campaigns of one name in several lakes; empty for the
// folder lake next to the state folder. Lake and state may move together.
func (o *Options) lakeSuffix() string {
	dir, local := o.LocalLake()
	if local {
		state, _ := filepath.Abs(o.State) // without a working directory nothing else works either
		folder, _ := filepath.Abs(dir)
		if rel, err := filepath.Rel(filepath.Dir(state), folder); err == nil {
			dir = filepath.ToSlash(rel)
		}
	}
	if dir == "lake" {
		return ""
	}
	return fmt.Sprintf("@%.4x", sha256.Sum256([]byte(dir)))
}

// Telemetry holds the flags for metrics and logs of commands that work on campaigns.
type Telemetry struct {
	Metrics   string // HOST:PORT or :PORT where metrics are served; empty for nowhere
	LogFormat string // text or json: log to standard error; empty: to worker.log
	LogLevel  string // debug, info, warn or error; empty: info, and warn in worker.log
}

// Flags adds the flags of commands that start an engine.
func (t *Telemetry) Flags(f *pflag.FlagSet) {
	f.StringVar(&t.Metrics, "metrics", os.Getenv("ROUNDTABLE_METRICS"),
		"serve Prometheus metrics and health at `HOST:PORT`; :PORT is every interface ($ROUNDTABLE_METRICS)")
	f.StringVar(&t.LogFormat, "log-format", os.Getenv("ROUNDTABLE_LOG_FORMAT"),
		"log to standard error, as `text or json` ($ROUNDTABLE_LOG_FORMAT; default: warnings to worker.log in the "+
			"state folder)")
	f.StringVar(&t.LogLevel, "log-level", os.Getenv("ROUNDTABLE_LOG_LEVEL"),
		"log from this `level` on: debug, info, warn or error ($ROUNDTABLE_LOG_LEVEL; default: info, and warn in "+
			"worker.log)")
}

// Check returns an error if a flag is wrong; call it before anything is opened.
func (t Telemetry) Check() error {
	if _, err := t.Level(); err != nil || t.Metrics == "" {
		return err
	}
	_, port, err := net.SplitHostPort(t.Metrics)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return UsageError(fmt.Errorf("--metrics %q: %w; expected HOST:PORT or :PORT", t.Metrics, err))
	}
	return nil
}

// Logs reports whether messages go to standard error as a log (--log-format).
func (t Telemetry) Logs() bool { return t.LogFormat != "" }

// Level returns the log level, or an error if the flags are wrong.
func (t Telemetry) Level() (level slog.Level, err error) {
	switch t.LogFormat {
	case "", "text", "json":
	default:
		return level, UsageError(fmt.Errorf("--log-format %q: expected text or json", t.LogFormat))
	}
	switch t.LogLevel {
	case "":
		if t.Logs() {
			return slog.LevelInfo, nil
		}
		return slog.LevelWarn, nil
	case "debug", "info", "warn", "error":
		return level, level.UnmarshalText([]byte(t.LogLevel))
	}
	return level, UsageError(fmt.Errorf("--log-level %q: expected debug, info, warn or error", t.LogLevel))
}
