// Package cli holds what every command shares: the common options, the lake that
// they name, exit codes, and how results are written. It knows no experiment.
package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/infra"
	"roundtable/workflows/catalogue"
)

// Options are the flags that every command has, and the plug-ins of the program.
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
	// StartServer starts the Temporal server of this program on a folder; fresh removes the
	// workflows that an earlier one left there. Only the root command links the server.
	StartServer func(ctx context.Context, dir string, fresh bool) (target infra.Target, stop func() error, err error)
}

// NewOptions returns the options of a program with these plug-ins, as flags of all its commands.
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

// Places returns the flags that say where lake, state and server are, as they were given, for
// another command to be typed.
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
		"folder with the data files, where they are not in the lake (private_data, or too large) or not where the file says")
}

// Stdout returns where commands write what they were asked for.
func (o *Options) Stdout() io.Writer { return o.root.OutOrStdout() }

// LakeName returns the lake's location without how it is reached.
func (o *Options) LakeName() string {
	at, _, _ := strings.Cut(o.Lake, "?")
	return strings.TrimSuffix(at, "/")
}

// OneArg accepts exactly one argument; what names its kind.
func OneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return UsageError(fmt.Errorf("expected 1 %s, got %d: %s", what, len(args), cmd.UseLine()))
		}
		return nil
	}
}

// NoArgs accepts no argument.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return UsageError(fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args))
	}
	return nil
}
