package commands

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/figures"
	"roundtable/analysis/lake"
	"roundtable/analysis/study"
	"roundtable/analysis/study/entry"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
)

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
	if cmd.Name() != "analyze" {
		return
	}
	// the flag is there
	_ = cmd.RegisterFlagCompletionFunc("table", fixedValues(append(entry.Of(study.Tables()), "all")))
	_ = cmd.RegisterFlagCompletionFunc("figure", fixedValues(entry.Of(figures.Figures())))
	_ = cmd.RegisterFlagCompletionFunc("format", fixedValues(append(table.Formats(), "svg", "png", "dot")))
	for _, flag := range []string{"baseline", "with"} {
		_ = cmd.RegisterFlagCompletionFunc(flag,
			func(cmd *cobra.Command, _ []string, begin string) ([]string, cobra.ShellCompDirective) {
				return completeCampaigns(o, cmd, nil, begin)
			})
	}
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
	found, _ := campaigns.Find(cmd.Context(), s, begin)
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
