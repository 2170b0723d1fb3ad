package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/figures"
	"roundtable/analysis/lake"
	"roundtable/analysis/study"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
)

// Groups of commands in the help.
const (
	toRun   = "run"
	toRead  = "read"
	toLabel = "label"
	toSetUp = "setup"
)

// temporalHelp is for those who have a Temporal server of their own.
const temporalHelp = `Campaigns run on an embedded Temporal server, kept in the folder --state, and
need no other. With an outside server, several machines share a campaign:
one runs roundtable run FILE, the others roundtable worker.

Flags that every command takes for this:

      --temporal HOST:PORT   the outside server (default: $TEMPORAL_ADDRESS, or the embedded one)
      --namespace NAME       its namespace (default: $TEMPORAL_NAMESPACE, or default)
      --insecure             allow plaintext to a server on another machine
      --state FOLDER         folder of the embedded server (default: $ROUNDTABLE_STATE, or ./.roundtable)

An API key, certificates and an authority of your own are taken from the environment:
TEMPORAL_API_KEY, TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH,
TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS.

Examples:
  roundtable prepare --temporal temporal.example.org:7233
  roundtable run campaign.yaml --temporal temporal.example.org:7233 --lake s3://bucket/study
  roundtable worker --temporal temporal.example.org:7233 --lake s3://bucket/study`

// ofTemporal are flags that only those need who run or steer the server.
var ofTemporal = []string{"state", "temporal", "namespace", "insecure"}

// takesData names the commands that read questions or ask them.
var takesData = []string{"run", "plan", "show", "view", "report", "analyze", "retally", "verify", "query", "export",
	"resume", "worker", "fork", "attribute"}

// arrangeCommands names the groups of commands, and completes their arguments.
func arrangeCommands(o *cli.Options, root *cobra.Command) {
	root.AddGroup(
		&cobra.Group{ID: toRun, Title: "Run campaigns:"}, &cobra.Group{ID: toRead, Title: "Read results:"},
		&cobra.Group{ID: toLabel, Title: "Add to results:"}, &cobra.Group{ID: toSetUp, Title: "Look around:"},
	)
	visitCommands(root, func(cmd *cobra.Command) {
		if slices.Contains(takesData, cmd.Name()) {
			o.AddData(cmd)
		}
		addCompletion(o, cmd)
	})
	for _, name := range ofTemporal {
		root.PersistentFlags().Lookup(name).Hidden = true
	}
	root.AddCommand(&cobra.Command{Use: "temporal", Short: "Run a campaign on several machines, with a Temporal server",
		Long: temporalHelp})
	root.SetHelpCommand(newHelp(root))
	root.Flags().Bool("version", false, "print the version")
	root.Version = "x" // the flag's text is the template's
	root.SetVersionTemplate(cli.VersionText())
}

// visitCommands visits the commands below one.
func visitCommands(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		visit(c)
		visitCommands(c, visit)
	}
}

// newHelp returns the library's help command, except that an unknown command is an error.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, c := range root.Commands() {
				if len(args) == 0 && strings.HasPrefix(c.Name(), begin) {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || cmd == nil || len(rest) > 0 && cmd.HasSubCommands() || len(rest) > 0 && cmd == root {
				return cli.UsageError(fmt.Errorf("unknown command %q; roundtable help lists all commands",
					strings.Join(args, " ")))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// The shell completes campaigns and collaborations of the lake, files, and the values of
// flags. A lake that cannot be read completes nothing.

// function returns what may stand where the cursor is.
type function = func(cmd *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective)

// addCompletion says what the shell completes for a command: a campaign of the lake, a campaign's
// file, the values of a flag.
func addCompletion(o *cli.Options, cmd *cobra.Command) {
	_, argument, _ := strings.Cut(cmd.Use, " ")
	switch {
	case cmd.ValidArgsFunction != nil || cmd.ValidArgs != nil:
	case strings.HasPrefix(strings.Trim(argument, "["), "NAME"):
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begin string) ([]string,
			cobra.ShellCompDirective) {
			return completeCampaigns(o, cmd, args, begin)
		}
	case argument == "FILE":
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		}
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, flag := range []string{"baseline", "with"} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(flag,
			func(cmd *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
				return completeCampaigns(o, cmd, nil, begin)
			})
	}
	if cmd.Name() != "analyze" {
		return
	}
	// the flag is there
	_ = cmd.RegisterFlagCompletionFunc("table", fixedValues(append(entry.Of(study.Tables()), "all")))
	_ = cmd.RegisterFlagCompletionFunc("figure", fixedValues(entry.Of(figures.Figures())))
	_ = cmd.RegisterFlagCompletionFunc("format", fixedValues(append(table.Formats(), "svg", "png", "dot")))
}

func fixedValues(values []string) function {
	return func(_ *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
		return withBeginning(values, begin), cobra.ShellCompDirectiveNoFileComp
	}
}

func withBeginning(values []string, begin string) []string {
	var all []string
	for _, v := range values {
		if strings.HasPrefix(v, begin) {
			all = append(all, v)
		}
	}
	return all
}

// completeCampaigns returns campaigns of the lake; none if it cannot be read.
func completeCampaigns(o *cli.Options, cmd *cobra.Command, args []string, begin string) ([]string,
	cobra.ShellCompDirective) {
	var names []string
	if s, err := o.OpenLake(); err == nil && len(args) == 0 {
		names, _ = lake.Campaigns(cmd.Context(), s)
	}
	return withBeginning(names, begin), cobra.ShellCompDirectiveNoFileComp
}

// completeCollaborations returns ids of the collaborations that have ended, of
// one campaign once its name and a slash are there.
func completeCollaborations(o *cli.Options, cmd *cobra.Command, args []string, begin string) ([]string,
	cobra.ShellCompDirective) {
	s, err := o.OpenLake()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, _ := transcripts.Find(cmd.Context(), s, begin)
	var ids []string
	for _, m := range found {
		if campaign, _, ok := strings.Cut(begin, "/"); ok {
			ids = append(ids, campaign+"/"+m.Collaboration)
		} else {
			ids = append(ids, m.Collaboration)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), cobra.ShellCompDirectiveNoFileComp
}
