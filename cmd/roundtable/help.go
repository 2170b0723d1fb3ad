package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/version"
)

// Groups of commands in the help.
const (
	toRun   = "run"
	toRead  = "read"
	toLabel = "label"
	toSetUp = "setup"
)

// described is what the help says of a command besides its line.
type described struct{ group, long, example string }

// descriptions are by the command's path.
func descriptions() map[string]described {
	return map[string]described{
		"run": {toRun, `Run a campaign, or resume it where it stopped. Answers that are stored are never
asked again. Ctrl-C keeps the answers of in-flight requests; the same command resumes.
Exit codes: 0 all collaborations succeeded, 2 the file or a flag is refused,
3 something is left or did not succeed, 130 interrupted.`, `  roundtable run campaign.yaml
  roundtable run campaign.yaml --retry-failed
  ROUNDTABLE_LAKE=s3://bucket/study roundtable run campaign.yaml`},
		"plan": {toRun, `Check a campaign file and show its conditions, the calls they take at most, and
what they are predicted to cost. Nothing is asked unless --pilot is given.`, `  roundtable plan campaign.yaml
  roundtable plan campaign.yaml --prompts
  roundtable plan campaign.yaml --pilot 0.02`},
		"status": {toRun, `Show the progress of campaigns, what they have cost so far, what limits their
speed, and their limits. A running campaign is shown from any terminal.`, `  roundtable status
  roundtable status my-campaign --json`},
		"pause": {toRun, `Pause a running campaign. Answers of in-flight requests are kept.`, `  roundtable pause my-campaign`},
		"resume": {toRun, `Resume a paused or interrupted campaign, with other limits if flags give any.`, `  roundtable resume my-campaign
  roundtable resume my-campaign --cost-usd 20`},
		"tune": {toRun, `Change the limits of a campaign. A running one uses them at once. What is not
given stays; the file's limits apply again at the next run.`, `  roundtable tune my-campaign --concurrency 40
  roundtable tune my-campaign --cost-usd 20 --tokens 0
  roundtable tune my-campaign --model openai/gpt-5-mini --requests-per-minute 300`},
		"cancel": {toRun, `Stop a campaign for good: what has not ended ends as stopped, and its rows are
committed. roundtable run FILE --retry-failed runs such collaborations again.`, `  roundtable cancel my-campaign`},
		"worker": {toRun, `Take part in the campaigns of an outside Temporal server, without running one.
It needs the same lake, keys and data folders as the machine that runs them.
See roundtable help temporal.`, `  roundtable worker --temporal temporal.example.org:7233 --lake s3://bucket/study`},
		"show": {toRead, `Print a collaboration as a transcript. COLLABORATION is its id, the beginning of
it if no other begins so, or CAMPAIGN/ID; ID.1 is its second generation.

--prompts renders each prompt again from the recorded templates and the stored
answers, and checks it against the hash recorded when it was sent. --raw prints
every answer as it was received, also those that could not be used.`, `  roundtable show majority-3fa2b1c4-i0-r7
  roundtable show my-campaign/majority-3fa2b1c4-i0-r7 --prompts --raw --entry 4
  roundtable show majority-3fa2b1c4-i0-r7 --raw --json`},
		"report": {toRead, `Write one HTML page that needs nothing else: what ran, what went wrong, figures,
tables and every transcript. Long transcripts go to a folder next to it.`, `  roundtable report my-campaign
  roundtable report my-campaign -o results.html`},
		"analyze": {toRead, `Print a campaign's tables, or draw its figures, from what is committed; also
while it runs. roundtable list tables and roundtable list figures say what each
shows. FORMAT is text, md, csv, json, html or latex (tables), or svg, png, json
(figures; those of transitions also dot); without it, what FILE's name ends in.`, `  roundtable analyze my-campaign
  roundtable analyze my-campaign --table all -o tables.md
  roundtable analyze my-campaign --table summary -o summary.tex
  roundtable analyze my-campaign --figure rounds -o rounds.svg`},
		"query": {toRead, `Answer SQL over the tables of the lake. Without a statement it opens a prompt.`, `  roundtable query "SELECT rule, avg(outcome) FROM collaborations GROUP BY rule"
  roundtable query --file study.sql -o study.csv`},
		"cost": {toRead, `Show what a campaign's committed calls took: calls, tokens, money and time. Calls
of unknown outcome count at their worst case until --settle records their bill.`, `  roundtable cost my-campaign
  roundtable cost my-campaign --by model --format csv
  roundtable cost my-campaign --settle usage.csv`},
		"verify": {toRead, `Check every object of a campaign against its checksum, count its cells, and
recount every decision from its ballots.`, `  roundtable verify my-campaign`},
		"export": {toRead, `Write a campaign's tables, or the answer to a query, into files for other tools.`, `  roundtable export my-campaign -o tables/
  roundtable export my-campaign --table turns -o turns.csv`},
		"label": {toLabel, `Label each message of a campaign with dialogue acts: by rules on words, or by a
language model. What is labelled is not asked again.`, `  roundtable label my-campaign
  roundtable label my-campaign --labeller openai/gpt-5-mini --price '{"input": 0.25, "output": 2}'`},
		"features": {toLabel, `Measure each message of a campaign: words, reading grade, information distance.
Messages that have been measured are not measured again; embeddings by a service
are bought only here.`, `  roundtable features my-campaign
  roundtable features my-campaign --embedder openai/text-embedding-3-small --price '{"input": 0.02}'`},
		"list": {toSetUp, `List what a campaign file can name, with defaults; the campaigns of the lake; and
the tables and figures that analyze knows.`, `  roundtable list
  roundtable list rules
  roundtable list campaigns
  roundtable list tables`},
		"new": {toSetUp, `Write the first version of a decision rule, stopping rule, protocol or environment
into the source code, in whose root the command is run: a plug-in that works, and
a test that runs the suite of its kind. It changes no file that exists, and prints
the entry for the catalogue.`, `  roundtable new rule my_rule
  roundtable new env my_game`},
		"data": {toSetUp, `Show where to get a data set that this program does not include, and check a copy.`, `  roundtable data movielens
  roundtable data movielens --path ./ml-100k`},
		"cache": {toSetUp, `Look at the answers that campaigns share, and delete old ones.`, `  roundtable cache stats
  roundtable cache prune --older-than 720h --dry-run`},
		"cache stats": {"", `Count the cache's entries by model and campaign, and the answers served from it.`, `  roundtable cache stats --json`},
		"cache prune": {"", `Delete old answers from the cache. The answers of campaigns themselves stay.`, `  roundtable cache prune --older-than 720h --dry-run`},
		"version":     {"", `Print the versions of the program, its engine and its tables.`, `  roundtable version --json`},
	}
}

// temporalHelp is for those who have a Temporal server of their own.
const temporalHelp = `Campaigns run on an embedded Temporal server, kept in the folder --state, and
need no other. With an outside server, several machines share a campaign:
one runs roundtable run FILE, the others roundtable worker.

Flags that every command takes for this:

      --temporal HOST:PORT   the outside server (default: $TEMPORAL_ADDRESS, or the embedded one)
      --namespace NAME       its namespace (default: $TEMPORAL_NAMESPACE, or default)
      --insecure             allow plaintext to a server on another machine
      --state FOLDER         folder of the embedded server (default: $ROUNDTABLE_STATE, or ./.roundtable)

Examples:
  roundtable run campaign.yaml --temporal temporal.example.org:7233 --lake s3://bucket/study
  roundtable worker --temporal temporal.example.org:7233 --lake s3://bucket/study`

// ofTemporal are flags that only those need who run or steer the server.
var ofTemporal = []string{"state", "temporal", "namespace", "insecure"}

// arrangeCommands groups and describes the commands, and completes their arguments.
func arrangeCommands(o *cli.Options, root *cobra.Command) {
	root.AddGroup(
		&cobra.Group{ID: toRun, Title: "Run campaigns:"}, &cobra.Group{ID: toRead, Title: "Read results:"},
		&cobra.Group{ID: toLabel, Title: "Add to results:"}, &cobra.Group{ID: toSetUp, Title: "Look around:"},
	)
	descriptions := descriptions()
	each(root, func(cmd *cobra.Command) {
		if d, ok := descriptions[strings.TrimPrefix(cmd.CommandPath(), "roundtable ")]; ok {
			cmd.GroupID, cmd.Long, cmd.Example = d.group, d.long, d.example
		}
		completeCommand(o, cmd)
	})
	for _, name := range ofTemporal {
		root.PersistentFlags().Lookup(name).Hidden = true
	}
	root.AddCommand(&cobra.Command{Use: "temporal", Short: "Run a campaign on several machines, with a Temporal server", Long: temporalHelp})
	root.SetHelpCommand(newHelp(root))
	root.Flags().Bool("version", false, "print the version")
	root.Version = "x" // the flag's text is the template's
	root.SetVersionTemplate(version.Text())
}

// each visits the commands below one.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		visit(c)
		each(c, visit)
	}
}

// newHelp returns the library's, but for an unknown command, which is an error.
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
				return cli.UsageError(fmt.Errorf("unknown command %q; roundtable help lists all commands", strings.Join(args, " ")))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}
