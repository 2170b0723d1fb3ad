package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
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
