package commands

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

func newCache(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cache",
		Short:   "Look at the answers that campaigns share, and delete old ones",
		GroupID: toSetUp,
		Long:    `Look at the answers that campaigns share, and delete old ones.`,
		Example: `  roundtable cache stats
  roundtable cache prune --older-than 720h --yes`,
		Args: func(_ *cobra.Command, args []string) error {
			return cli.UsageError(fmt.Errorf("cache takes stats or prune, not %q", args))
		},
		RunE: func(*cobra.Command, []string) error { return nil }, // Args has refused
	}
	cmd.AddCommand(newCacheStats(o), newCachePrune(o))
	return cmd
}

func newCacheStats(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "stats",
		Short:   "Count the cache's entries, by model and campaign, and the answers served from it",
		Long:    `Count the cache's entries by model and campaign, and the answers served from it.`,
		Example: `  roundtable cache stats --json`,
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := o.OpenLake()
			if err != nil {
				return err
			}
			c, err := answers.ReadCache(cmd.Context(), s)
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), cacheStats(c))
			}
			return table.Write(cmd.OutOrStdout(), "text", []table.Table{cacheTable(cacheStats(c))})
		},
	}
}

// stats is the JSON of cache stats.
type stats struct {
	Entries int                `json:"entries"`
	Bytes   int64              `json:"bytes"`
	Served  int                `json:"served"`
	Uses    []answers.CacheUse `json:"uses"`
	Foreign []string           `json:"foreign,omitempty"`
	Damaged []string           `json:"damaged,omitempty"`
}

func cacheStats(c answers.Cache) stats {
	st := stats{Uses: c.Uses(), Foreign: c.Foreign, Damaged: c.Damaged}
	for _, u := range st.Uses {
		st.Entries, st.Bytes, st.Served = st.Entries+u.Entries, st.Bytes+u.Bytes, st.Served+u.Served
	}
	return st
}

func cacheTable(st stats) table.Table {
	t := table.Table{
		Name: "cache", Title: "Answers that campaigns share",
		Columns: []string{"model", "campaign", "entries", "bytes", "served"},
		Notes: []string{"Entries and bytes by the campaign that bought them, – while it has not committed them; " +
			"served by the campaign that had them for nothing."},
	}
	for _, u := range append(st.Uses, answers.CacheUse{Model: "all", Entries: st.Entries, Bytes: st.Bytes,
		Served: st.Served}) {
		row := []table.Cell{{Text: u.Model}, {Text: u.Campaign}}
		for _, n := range []int64{int64(u.Entries), u.Bytes, int64(u.Served)} {
			v := float64(n)
			row = append(row, table.Cell{Value: &v})
		}
		t.Rows = append(t.Rows, row)
	}
	for _, key := range st.Foreign {
		t.Notes = append(t.Notes, key+" is not an entry of the cache.")
	}
	for _, key := range st.Damaged {
		t.Notes = append(t.Notes, key+" is damaged: a call that needs it says so. Delete it by hand to have its "+
			"question asked again.")
	}
	return t
}

// pruning are the flags of cache prune.
type pruning struct {
	older    time.Duration
	campaign string
	yes      bool
}

func newCachePrune(o *cli.Options) *cobra.Command {
	var p pruning
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete old answers from the cache; without --yes only say what would go",
		Long: `Delete old answers from the cache. The answers of campaigns themselves stay. Without --yes
it only says what it would delete.`,
		Example: `  roundtable cache prune --older-than 720h --yes`,
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.older < 0 {
				return cli.UsageError(fmt.Errorf("--older-than %s is not an age; it is like 720h, or 0 for all", p.older))
			}
			var s store.Store
			var err error
			if p.campaign != "" {
				s, err = o.ReadLake(cmd.Context(), p.campaign)
			} else {
				s, err = o.OpenLake()
			}
			if err != nil {
				return err
			}
			return p.pruneCache(cmd.Context(), cmd.OutOrStdout(), s, o.JSON)
		},
	}
	cmd.Flags().DurationVar(&p.older, "older-than", 30*24*time.Hour, "age of the answers to delete")
	cmd.Flags().StringVar(&p.campaign, "campaign", "", "delete only what this campaign bought and committed")
	cmd.Flags().BoolVarP(&p.yes, "yes", "y", false, "do it")
	return cmd
}

// pruned is the JSON of cache prune.
type pruned struct {
	Deleted int   `json:"deleted"`
	Bytes   int64 `json:"bytes"`
	Kept    int   `json:"kept"`
	DryRun  bool  `json:"dry_run"`
}

func (p pruning) pruneCache(ctx context.Context, w io.Writer, s store.Store, asJSON bool) error {
	c, err := answers.ReadCache(ctx, s)
	if err != nil {
		return err
	}
	old := c.Prunable(time.Now().Add(-p.older), p.campaign)
	out := pruned{Deleted: len(old), Kept: len(c.Entries) - len(old), DryRun: !p.yes}
	for _, e := range old {
		out.Bytes += e.Size
	}
	did := "would be deleted with --yes"
	if p.yes {
		did = "deleted"
		if n, err := answers.PruneCache(ctx, s, old); err != nil {
			return fmt.Errorf("%d of %s deleted; the next: %w", n, wording.Count(len(old), "entry"), err)
		}
	}
	if asJSON {
		return cli.WriteJSON(w, out)
	}
	_, err = fmt.Fprintf(w, "%d of %s of the cache %s (%d bytes); the answers of campaigns stay\n", out.Deleted,
		wording.Count(len(c.Entries), "entry"), did, out.Bytes)
	return err
}
