// Command roundtable runs experiments in which groups of LLM agents decide,
// keeps every answer it was given, and leaves Parquet tables to analyse.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// Exit codes. 130 is the shell's own for an interrupted program.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130
)

// exit is an error with the code that the program ends with.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second Ctrl-C does not wait
		<-ctx.Done()
		stop()
	}()
	if code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr); code != 0 {
		os.Exit(code)
	}
}

// execute runs one command and returns the code that the program ends with.
// With --json an error is a document, too, unless the command has written one.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &counter{Writer: stdout}
	root := newRoot()
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := exitFailed
	if coded, ok := errors.AsType[exit](err); ok {
		code = coded.code
	} else if strings.HasPrefix(err.Error(), "unknown command ") { // the library's own error
		code = exitUsage
	}
	fmt.Fprintln(stderr, "roundtable:", err)
	if asksJSON(root, args) && out.n == 0 {
		if err := writeJSON(stdout, failure{Error: err.Error(), Code: code}); err != nil {
			fmt.Fprintln(stderr, "roundtable:", err)
		}
	}
	return code
}

// failure is the JSON of an error.
type failure struct {
	Error string `json:"error"`
	Code  int    `json:"exit_code"`
}

// counter counts what is written.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// asksJSON says whether --json is given, also where flags could not be read to their end.
func asksJSON(root *cobra.Command, args []string) bool {
	asked, _ := root.PersistentFlags().GetBool("json")
	return asked || slices.Contains(args, "--json")
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "roundtable",
		Short: "Run experiments in which groups of LLM agents decide, without ever losing work",
		Long: `Run experiments in which groups of LLM agents decide, without ever losing work.

A campaign is a YAML file. Its answers and tables are kept in a lake, a folder
or a bucket (--lake), and the campaign goes on from them after any interruption.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	o := &options{root: root}
	o.flags(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return exit{exitUsage, explainFlag(cmd, err)} })
	root.AddCommand(
		newRun(o), newPlan(o), newStatus(o), newPause(o), newResume(o), newTune(o), newCancel(o),
		newShow(o), newReport(o), newAnalyze(o), newVerify(o), newList(o), newData(o), newVersion(o), newWorker(o),
		newCost(o),
		newCache(o), newQuery(o), newExport(o),
		newLabel(o), newFeatures(o),
	)
	o.arrange(root)
	return root
}

// explainFlag says of an unknown flag which one was meant, or that it is a key of the campaign's file.
func explainFlag(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return err
	}
	if key := strings.ReplaceAll(name, "-", "_"); slices.Contains(plan.Keys(), key) {
		return fmt.Errorf("unknown flag --%s: it is a key of the campaign file; write %s: there", name, key)
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
	return fmt.Errorf("unknown flag --%s of %s%s", name, cmd.CommandPath(), wording.DidYouMean("--"+name, flags))
}

// options are the flags that every command has.
type options struct {
	root      *cobra.Command
	lake      string
	state     string
	temporal  string
	namespace string
	insecure  bool
	json      bool
}

func (o *options) flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&o.lake, "lake", cmp.Or(os.Getenv("ROUNDTABLE_LAKE"), "./lake"), "where the tables and answers are: a folder, or s3://bucket/prefix ($ROUNDTABLE_LAKE)")
	f.StringVar(&o.state, "state", cmp.Or(os.Getenv("ROUNDTABLE_STATE"), "./.roundtable"), "folder of the embedded Temporal server ($ROUNDTABLE_STATE)")
	f.StringVar(&o.temporal, "temporal", "", "HOST:PORT of an outside Temporal server (default: $TEMPORAL_ADDRESS, or the embedded one)")
	f.StringVar(&o.namespace, "namespace", "", "Temporal namespace (default: $TEMPORAL_NAMESPACE, or default)")
	f.BoolVar(&o.insecure, "insecure", false, "allow plaintext to a Temporal server on another machine")
	f.BoolVar(&o.json, "json", false, "write JSON to standard output and nothing else there")
}

// stdout is where commands write what they were asked for.
func (o *options) stdout() io.Writer { return o.root.OutOrStdout() }

// oneArg accepts exactly one argument, of the kind that what names.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return exit{exitUsage, fmt.Errorf("expected 1 %s, got %d: %s", what, len(args), cmd.UseLine())}
		}
		return nil
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit{exitUsage, fmt.Errorf("%s takes no argument, got %q", cmd.CommandPath(), args)}
	}
	return nil
}

// where is the lake's location without how it is reached.
func (o *options) where() string {
	at, _, _ := strings.Cut(o.lake, "?")
	return strings.TrimSuffix(at, "/")
}
