// Package commands is the command line: the commands, their flags, and how a run of the
// program ends. A main function passes it the plug-ins that campaigns can name.
package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roundtable/analysis/lake/store/bucket"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/infra/embedded"
	"roundtable/workflows"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

// Main runs the command that the process's arguments name and returns the exit code. plugins is what campaign
// files can name: catalogue.Builtin() with plug-ins of your own.
func Main(plugins catalogue.Catalogue) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // it is with nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	var working atomic.Bool
	go func() { // a second Ctrl-C does not wait; a terminal that closes may say so twice
		<-ctx.Done()
		signal.Ignore(syscall.SIGHUP)
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		if MayLeave(plugins, os.Args[1:]) {
			time.Sleep(leaveTime)
			if !working.Load() {
				fmt.Fprintln(os.Stderr, "roundtable: interrupted")
				os.Exit(cli.ExitInterrupted)
			}
		}
	}()
	return execute(ctx, plugins, os.Args[1:], os.Stdout, os.Stderr, func() { working.Store(true) })
}

// leaveTime is how long a command that only reads may take to end by itself once it is interrupted:
// a database or a file system may be at something that cannot be. DuckDB's driver takes half a second,
// and the system some tenths to take back gigabytes.
const leaveTime = 600 * time.Millisecond

// MayLeave reports whether the command that args name can be ended at once when it is interrupted, at least
// until it calls cli.Options.Working: it has no calls under way whose answers would be lost.
func MayLeave(plugins catalogue.Catalogue, args []string) bool {
	cmd, _, err := NewRoot(plugins).Find(args)
	if err != nil {
		return false
	}
	switch cmd.Name() {
	case "status", "list", "data", "check-env", "plan", "run", "resume", "fork", "attribute":
		return true
	}
	return cmd.GroupID == toRead
}

// Execute runs the command that args name and returns the exit code. With --json an error is written as a JSON
// document, unless the command has already written one.
func Execute(ctx context.Context, plugins catalogue.Catalogue, args []string, stdout, stderr io.Writer) int {
	return execute(ctx, plugins, args, stdout, stderr, func() {})
}

// execute is Execute, and calls working before the command has something under way.
func execute(ctx context.Context, plugins catalogue.Catalogue, args []string, stdout, stderr io.Writer,
	working func()) int {
	out := &cli.Counter{Writer: stdout}
	root := newRoot(plugins, working)
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetArgs(args)
	err := plugins.Check()
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return 0
	}
	if code := cli.ExitCode(err); ctx.Err() != nil && code == cli.ExitFailed &&
		strings.Contains(err.Error(), context.Canceled.Error()) {
		err = cli.InterruptedError(errors.New("interrupted")) // while it started: there is nothing that must come in
	}
	code, err := cli.ExitCode(err), cli.ExplainDenied(err)
	if strings.HasPrefix(err.Error(), "unknown command ") { // the library's own error
		code = cli.ExitUsage
	}
	fmt.Fprintln(stderr, "roundtable:", err)
	if asksJSON(root, args) && out.N == 0 {
		if err := cli.WriteJSON(stdout, failure{Error: err.Error(), Code: code}); err != nil {
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

// asksJSON reports whether --json is given, also where flags could not be read to their end.
func asksJSON(root *cobra.Command, args []string) bool {
	asked, _ := root.PersistentFlags().GetBool("json")
	return asked || slices.Contains(args, "--json")
}

// NewRoot returns the root command of a program with these plug-ins.
func NewRoot(plugins catalogue.Catalogue) *cobra.Command { return newRoot(plugins, func() {}) }

func newRoot(plugins catalogue.Catalogue, working func()) *cobra.Command {
	root := &cobra.Command{
		Use:   "roundtable",
		Short: "Run experiments in which groups of LLM agents decide, without ever losing work",
		Long: `Run experiments in which groups of LLM agents decide, without ever losing work.

A campaign is a YAML file. Its answers and tables are kept in a lake, a folder
or a bucket (--lake), and the campaign continues from them after any interruption.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	o := cli.NewOptions(root, plugins)
	o.StartServer, o.OpenBucket, o.ReadBucket, o.Working = startServer, bucket.Open, bucket.OpenToRead, working
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.UsageError(explainFlag(cmd, err)) })
	root.AddCommand(
		newTry(o), newDoctor(o), newRun(o), newReplicate(o), newFork(o), newAttribute(o), newPlan(o), newStatus(o),
		newPause(o), newResume(o), newTune(o), newAnswer(o), newCancel(o),
		newShow(o), newView(o), newReport(o), newAnalyze(o), newRetally(o), newVerify(o), newAttest(o), newList(o),
		newData(o), newNew(o), newCheckEnv(o), newVersion(o), newWorker(o), newPrepare(o), newCodecServer(o),
		newCost(o),
		newCache(o), newDelete(o), newTidy(o), newQuery(o), newExport(o), newImport(o),
		newLabel(o), newFeatures(o),
	)
	arrangeCommands(o, root)
	return root
}

// explainFlag says of an unknown flag which one was meant, or that it is a key of the campaign's file,
// and of a value what is expected.
func explainFlag(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		expected := map[string]string{
			"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false",
			"duration": "a time, as 90s or 1h30m",
		}[wrong.GetFlag().Value.Type()]
		if expected != "" {
			return fmt.Errorf("--%s is %q; expected %s", wrong.GetFlag().Name, wrong.GetValue(), expected)
		}
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return err
	}
	if key := strings.ReplaceAll(name, "-", "_"); slices.Contains(campaignfile.Keys(), key) {
		if cmd.Flags().Lookup("set") != nil {
			return fmt.Errorf("unknown flag --%s: it is a key of the campaign file; write %s: there, or --set %s=VALUE",
				name, key, key)
		}
		return fmt.Errorf("unknown flag --%s: it is a key of the campaign file; write %s: there", name, key)
	}
	var flags []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
	return fmt.Errorf("unknown flag --%s of %s%s", name, cmd.CommandPath(), wording.DidYouMean("--"+name, flags))
}

func newVersion(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the program, its engine and its tables",
		Long:    `Print the versions of the program, its engine and its tables.`,
		Example: `  roundtable version --json`,
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			v := cli.VersionOf(info)
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), v)
			}
			v.Write(cmd.OutOrStdout())
			return nil
		},
	}
}

func startServer(ctx context.Context, dir string, fresh bool) (stop func() error, err error) {
	server, err := embedded.Start(ctx,
		embedded.Config{Dir: dir, Fresh: fresh, SearchAttributes: workflows.SearchAttributes()})
	if err != nil {
		return nil, err
	}
	return server.Stop, nil
}
