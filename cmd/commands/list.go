package commands

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/programs"
	"roundtable/analysis/figures"
	"roundtable/analysis/lake"
	"roundtable/analysis/study"
	"roundtable/analysis/study/entry"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/scaffold"
	"roundtable/cmd/internal/transcripts"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// kinds of things that list knows, in its order.
var kinds = []string{"envs", "protocols", "rules", "stops", "models", "campaigns", "tables", "figures",
	"collaborations", "programs"}

func newList(o *cli.Options) *cobra.Command {
	printSchema := false
	cmd := &cobra.Command{
		Use:     "list [envs|protocols|rules|stops|models|campaigns|collaborations [CAMPAIGN]|tables|figures|programs]",
		Short:   "List what a campaign can name, with defaults; campaigns, tables, programs and more",
		GroupID: toSetUp,
		Long: `List what a campaign file can name, with defaults; the campaigns of the lake; the
collaborations of one or of all, those too that have not ended, with their round;
the tables and figures that analyze knows; and the programs that you trust in
ROUNDTABLE_PROGRAMS, with whether they are still what you trusted.`,
		Example: `  roundtable list
  roundtable list rules
  roundtable list campaigns
  roundtable list collaborations my-campaign
  roundtable list tables
  roundtable list --schema > roundtable.schema.json`,
		ValidArgs: kinds,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 && args[0] == "collaborations" {
				return nil
			}
			if len(args) > 1 || len(args) == 1 && !slices.Contains(kinds, args[0]) {
				return cli.UsageError(fmt.Errorf("list takes one of %s, or nothing; not %q%s",
					strings.Join(kinds, ", "), args, wording.DidYouMean(args[0], kinds)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if printSchema {
				return cli.WriteJSON(cmd.OutOrStdout(), scaffold.CampaignSchema(o.Plugins))
			}
			if len(args) > 0 && args[0] == "collaborations" {
				return printCollaborations(cmd.Context(), o, cmd.OutOrStdout(), args[1:])
			}
			wanted := kinds[:slices.Index(kinds, "tables")] // what follows is listed if it is named
			if len(args) == 1 {
				wanted = args
			}
			return printList(cmd.Context(), o, cmd.OutOrStdout(), wanted)
		},
	}
	cmd.Flags().BoolVar(&printSchema, "schema", false,
		"print a JSON Schema (2020-12) of the campaign file, for editors")
	return cmd
}

// listed is one thing that a campaign can name.
type listed struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases,omitempty"`
	About    string   `json:"about"`
	Needs    string   `json:"needs,omitempty"`    // of a table or figure: what a campaign must have
	Policies []string `json:"policies,omitempty"` // of an environment's scripted agents
	Params   any      `json:"params,omitempty"`   // the defaults
}

func printList(ctx context.Context, o *cli.Options, w io.Writer, wanted []string) error {
	all := map[string]any{}
	for i, kind := range wanted {
		if kind == "campaigns" {
			list, err := campaigns.List(ctx, o)
			if err != nil {
				return err
			}
			all[kind] = list
			if !o.JSON {
				printCampaigns(o, w, list)
			}
			continue
		}
		if kind == "programs" {
			list := programs.ListTrusted()
			all[kind] = list
			if !o.JSON {
				printPrograms(w, list)
			}
			continue
		}
		list := listThings(o.Plugins, kind)
		all[kind] = list
		if !o.JSON {
			if err := printThings(w, kind, list); err != nil {
				return err
			}
			if i+1 < len(wanted) {
				fmt.Fprintln(w)
			}
		}
	}
	if o.JSON {
		return cli.WriteJSON(w, all)
	}
	return nil
}

func listThings(known catalogue.Catalogue, kind string) []listed {
	switch kind {
	case "envs":
		return listPlugins(known.Environments)
	case "protocols":
		return listPlugins(known.Protocols)
	case "rules":
		return listPlugins(known.Rules)
	case "stops":
		return listPlugins(known.Stopping)
	case "tables":
		return explainEntries(study.Tables())
	case "figures":
		return explainEntries(figures.Figures())
	}
	return listProviders(known.Environments)
}

// explainEntries returns tables or figures with what each shows and needs; the papers'
// numbers are their aliases.
func explainEntries(list []entry.Named) []listed {
	all := make([]listed, len(list))
	for i, n := range list {
		all[i] = listed{Name: n.Name, Aliases: n.Aliases(), About: n.Shows, Needs: n.Needs}
	}
	return all
}

func listPlugins[T, N any](list []catalogue.Plugin[T, N]) []listed {
	var all []listed
	for _, p := range list {
		all = append(all, listed{Name: p.Name, Aliases: p.Aliases, About: p.About, Policies: p.Policies,
			Params: p.Params})
	}
	return all
}

// listProviders returns the providers; scripted ones have the policies of the environments.
func listProviders(environments []catalogue.Environment) []listed {
	var all []listed
	for _, p := range providers.Names() {
		l := listed{Name: p[0], About: p[1]}
		if p[0] == "scripted/POLICY" {
			l.About += ": " + listPolicies(environments)
		}
		all = append(all, l)
	}
	return all
}

func listPolicies(environments []catalogue.Environment) string {
	var all []string
	for _, env := range environments {
		if env.Policies == nil { // it says itself which it has
			continue
		}
		all = append(all, env.Name+" has "+strings.Join(env.Policies, ", "))
	}
	return strings.Join(all, "; ")
}

func printThings(w io.Writer, kind string, list []listed) error {
	fmt.Fprintf(w, "%s:\n", map[string]string{
		"envs": "Environments (env:)", "protocols": "Protocols (protocol:)", "rules": "Decision rules (rule:)",
		"stops": "Stopping rules (stop:)", "models": "Models (model:)",
		"tables": "Tables (analyze --table)", "figures": "Figures (analyze --figure)",
	}[kind])
	for _, l := range list {
		name := l.Name
		if kind == "tables" || kind == "figures" {
			fmt.Fprintf(w, "  %s\n      %s\n      needs %s\n", name, l.About, l.Needs)
			if len(l.Aliases) > 0 {
				fmt.Fprintf(w, "      also %s\n", strings.Join(l.Aliases, ", "))
			}
			continue
		}
		if len(l.Aliases) > 0 {
			name += " (also " + strings.Join(l.Aliases, ", ") + ")"
		}
		fmt.Fprintf(w, "  %s\n      %s\n", name, l.About)
		params, err := cli.FormatYAML(l.Params)
		if err != nil {
			return err
		}
		for line := range strings.Lines(params) {
			fmt.Fprintf(w, "        %s", line)
		}
	}
	return nil
}

func printCampaigns(o *cli.Options, w io.Writer, list []campaigns.Listed) {
	fmt.Fprintf(w, "Campaigns in %s:\n", o.LakeName())
	for _, c := range list {
		if c.Damage != "" {
			fmt.Fprintf(w, "  %s\n      cannot be read: %s\n", c.Name, wording.SafeLines(c.Damage))
			continue
		}
		of, spent := "", c.Spent
		spent.Add(c.UnderWay.Spent)
		spent.Add(c.Besides)
		if c.Known {
			of = fmt.Sprintf(" of %d", c.Cells)
		}
		cost := fmt.Sprintf("$%.4f%s", spent.CostUSD, campaigns.UncertainCostText(spent))
		if c.Imported {
			cost = fmt.Sprintf("imported, $%.4f%s since", c.Besides.CostUSD, campaigns.UncertainCostText(c.Besides))
		}
		fmt.Fprintf(w, "  %s\n      %d%s collaborations finished (%d succeeded, %d failed, %d stopped), %s\n",
			c.Name, c.Done(), of, c.Succeeded, c.Failed, c.Stopped, cost)
		more := []string{wording.Bytes(c.Bytes)}
		if len(c.Models) > 0 {
			more = append(more, strings.Join(c.Models, ", "))
		}
		if c.Ended != nil {
			more = append(more, "last answer "+c.Ended.Format("2006-01-02 15:04")+" UTC")
		}
		fmt.Fprintf(w, "      %s\n", strings.Join(more, "; "))
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "  none")
	}
}

func printPrograms(w io.Writer, list []programs.Trusted) {
	fmt.Fprintf(w, "Programs (%s):\n", programs.TrustEnv)
	for _, t := range list {
		where := ""
		if t.Folder != "" {
			where = "in " + t.Folder + ", "
		}
		if t.Hash != "" {
			where += "#" + t.Hash + ": "
		}
		fmt.Fprintf(w, "  %s\n      %s\n", wording.SafeLine(cmp.Or(strings.Join(t.Command, " "), "a command")),
			wording.SafeLine(where+t.State))
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "  none")
	}
}

// printCollaborations lists the collaborations of campaigns, or of all: first those that have
// not ended.
func printCollaborations(ctx context.Context, o *cli.Options, w io.Writer, names []string) error {
	s, err := o.OpenLake()
	if len(names) > 0 {
		s, err = o.CheckLake(ctx, names[0])
	} else if err == nil {
		names, err = lake.Campaigns(ctx, s)
	}
	if err != nil {
		return err
	}
	all := []transcripts.Listed{}
	for _, name := range names {
		list, err := transcripts.List(ctx, s, o.Plugins, name)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	if o.JSON {
		return cli.WriteJSON(w, map[string]any{"collaborations": all})
	}
	for _, c := range all {
		if _, err := fmt.Fprintln(w, wording.SafeLine(c.String())); err != nil {
			return err
		}
	}
	return nil
}
